// SPDX-License-Identifier: GPL-2.0-only
/* Turns options into sinks. */
#include "cli/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/note.h"
#include "cli/output.h"
#include "sink/sink.h"

#define SETTINGS_PREFIX "KTRACK_TRACE2"
#define SYSTEM_SETTINGS "/etc/ktrack.conf"

static const char *const target_words[] = {
	[TRACE2_NORMAL] = "normal",
	[TRACE2_PERF] = "perf",
	[TRACE2_EVENT] = "event",
};
_Static_assert(sizeof(target_words) / sizeof(target_words[0]) == TRACE2_TARGET_COUNT,
	       "a word for each");

static const enum trace2_key target_keys[] = {
	[TRACE2_NORMAL] = TRACE2_KEY_NORMAL,
	[TRACE2_PERF] = TRACE2_KEY_PERF,
	[TRACE2_EVENT] = TRACE2_KEY_EVENT,
};
_Static_assert(sizeof(target_keys) / sizeof(target_keys[0]) == TRACE2_TARGET_COUNT,
	       "a setting for each");

static const char *const emitter_words[] = {
	[TIMELINE_EMITTER_TID] = "tid",
	[TIMELINE_EMITTER_CPU] = "cpu",
	[TIMELINE_EMITTER_COMM] = "comm",
};
_Static_assert(sizeof(emitter_words) / sizeof(emitter_words[0]) == TIMELINE_EMITTER_COUNT,
	       "a word for each");

static int target_apply(void *settings, enum trace2_target target, const char *value,
			struct error *error)
{
	struct outputs *outputs = settings;

	if (value && !*value)
		return error_set(error, "--%s= names no target; write - or a path",
				 target_words[target]);
	outputs->targets[target] = value ? value : "-";
	return 0;
}

static int apply_normal(void *settings, const char *value, struct error *error)
{
	return target_apply(settings, TRACE2_NORMAL, value, error);
}

static int apply_perf(void *settings, const char *value, struct error *error)
{
	return target_apply(settings, TRACE2_PERF, value, error);
}

static int apply_event(void *settings, const char *value, struct error *error)
{
	return target_apply(settings, TRACE2_EVENT, value, error);
}

static int apply_sid(void *settings, const char *value, struct error *error)
{
	struct outputs *outputs = settings;

	outputs->sid = value;
	return *value ? 0 : error_set(error, "--sid= names no session");
}

static int emitter_find(struct text word)
{
	for (int i = 0; i < TIMELINE_EMITTER_COUNT; i++) {
		if (text_equals(word, text_of(emitter_words[i])))
			return i;
	}
	return -1;
}

static int apply_with(void *settings, const char *value, struct error *error)
{
	struct outputs *outputs = settings;

	for (const char *word = value;; word++) {
		size_t size = strcspn(word, ",");
		int emitter = emitter_find((struct text){ .data = word, .size = size });

		if (emitter < 0)
			return error_set(error, "--with knows tid, cpu and comm, not '%.*s'",
					 (int)size, word);
		outputs->with |= 1u << emitter;
		word += size;
		if (!*word)
			return 0;
	}
}

static const struct option_row outputs_rows[] = {
	{ 0, "event", "[=TARGET]",
	  "write trace2 EVENT lines to - (standard output, the default) or a path", apply_event },
	{ 0, "perf", "[=TARGET]", "write trace2 PERF lines, columns for people", apply_perf },
	{ 0, "normal", "[=TARGET]", "write trace2 NORMAL lines, a summary for people",
	  apply_normal },
	OPTION_FLAG("append", "add to what the files hold", outputs, set.is_appending),
	{ 0, "with", "WHAT",
	  "tell with each record who wrote it: tid, cpu, comm, or several with commas", apply_with,
	  .is_repeatable = true },
	{ 0, "sid", "TEXT", "the session's id; with export, 'recording' makes one of the recording",
	  apply_sid },
	OPTION_FLAG("fail-on-loss", "exit with 3 where records were lost", outputs, fails_on_loss),
};

const struct option_part outputs_options = {
	.rows = outputs_rows,
	.nr_rows = sizeof(outputs_rows) / sizeof(outputs_rows[0]),
};

int outputs_status(const struct outputs *outputs, bool has_lost)
{
	return outputs->fails_on_loss && has_lost ? STATUS_LOST : STATUS_DONE;
}

bool outputs_have_comm(const struct outputs *outputs)
{
	return outputs->with & 1u << TIMELINE_EMITTER_COMM;
}

static struct trace2_config *config_read(void)
{
	const char *home = getenv("HOME");
	const char *folder = getenv("XDG_CONFIG_HOME");
	struct trace2_config *config;
	struct buffer path = { 0 };

	if (folder && *folder)
		buffer_printf(&path, "%s/ktrack/config", folder);
	else
		buffer_printf(&path, "%s/.config/ktrack/config", home ? home : "");
	config = path.failed ? NULL
			     : trace2_config_new(SETTINGS_PREFIX, SYSTEM_SETTINGS,
						 buffer_string(&path));
	buffer_release(&path);
	return config;
}

/* What the grammar of libtrace2 has beyond paths. */
static bool is_trace2_value(const char *target)
{
	bool is_digit = target[0] >= '0' && target[0] <= '9' && !target[1];

	if (is_digit || strcasecmp(target, "true") == 0 || strcasecmp(target, "false") == 0)
		return true;
	return strncmp(target, "af_unix:", strlen("af_unix:")) == 0;
}

static bool is_folder(const char *target)
{
	struct stat about;

	return stat(target, &about) == 0 && S_ISDIR(about.st_mode);
}

/* libtrace2 opens what is no file; it takes no relative paths. */
static int command_target_open(struct outputs *outputs, const char *target,
			       enum trace2_target number, struct sink_trace2_target *out,
			       struct error *error)
{
	if (is_trace2_value(target)) {
		*out = (struct sink_trace2_target){ .name = target, .value = target };
		return 0;
	}
	if (is_folder(target)) {
		free(outputs->folders[number]);
		outputs->folders[number] = realpath(target, NULL);
		*out = (struct sink_trace2_target){ .name = target,
						    .value = outputs->folders[number] };
		return out->value ? 0 : error_set_system(error, errno, "cannot find %s", target);
	}
	out->fd = output_open(&outputs->set, target, &out->name, error);
	if (out->fd >= 0)
		return 0;
	out->name = NULL;
	return -1;
}

static void targets_close(struct sink_trace2_target *targets)
{
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		if (targets[i].name && !targets[i].value)
			close(targets[i].fd);
	}
}

/* Where neither the command line nor a setting names a target, EVENT goes to standard output. */
static int targets_open(struct outputs *outputs, struct sink_trace2_target *targets,
			struct error *error)
{
	bool is_any_named = pictures_are_named(&outputs->pictures);

	for (int i = 0; i < TRACE2_TARGET_COUNT; i++) {
		const char *setting = trace2_config_get(outputs->config, target_keys[i]);
		int status = 0;

		if (outputs->targets[i])
			status = command_target_open(outputs, outputs->targets[i], i, &targets[i],
						     error);
		else if (setting)
			targets[i] = (struct sink_trace2_target){
				trace2_config_name(outputs->config, target_keys[i]), setting
			};
		if (status < 0) {
			targets_close(targets);
			return -1;
		}
		is_any_named = is_any_named || outputs->targets[i] || setting;
	}
	return is_any_named ? 0
			    : command_target_open(outputs, "-", TRACE2_EVENT,
						  &targets[TRACE2_EVENT], error);
}

static int session_open(const struct sink_trace2_settings *settings, struct timeline *timeline,
			struct error *error)
{
	struct sink *sink;
	bool is_any_on = false;

	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		is_any_on = is_any_on || settings->targets[i].name;
	if (!is_any_on)
		return 0;
	sink = sink_trace2_new(settings, error);
	return sink ? timeline_add(timeline, sink, error) : -1;
}

static void warning_note(void *context, const char *message)
{
	struct error note = { 0 };

	(void)context;
	error_set(&note, "%s", message);
	note_print(&note);
}

/* Sessions say nothing of lines that cannot be read, so they are said here. */
static void config_note(const struct trace2_config *config)
{
	struct trace2_settings settings = { .report = warning_note };

	trace2_config_apply(config, &settings);
}

/* Lines may come from several targets, but a file for a viewer has to be alone. */
static int output_share_check(const struct outputs *outputs, struct error *error)
{
	unsigned int count = pictures_on_output(&outputs->pictures);

	for (int i = 0; i < TRACE2_TARGET_COUNT && count > 0; i++)
		count += outputs->targets[i] && strcmp(outputs->targets[i], "-") == 0;
	return count > 1 ? error_set(error, "a file for a viewer cannot share standard output") : 0;
}

static int stat_open(struct outputs *outputs, struct timeline *timeline, struct error *error)
{
	struct sink_stat_settings *settings = outputs->stat;
	struct sink *sink;

	settings->file.wait = outputs->set.wait;
	settings->file.fd = output_open(&outputs->set, "-", &settings->file.name, error);
	if (settings->file.fd < 0)
		return -1;
	sink = sink_stat_new(settings, error);
	return sink ? timeline_add(timeline, sink, error) : -1;
}

/* Once for all sessions. */
static int outputs_configure(struct outputs *outputs, struct error *error)
{
	if (outputs->config)
		return 0;
	outputs->config = config_read();
	if (!outputs->config)
		return error_set(error, "out of memory");
	config_note(outputs->config);
	return 0;
}

int outputs_open(struct outputs *outputs, struct timeline *timeline,
		 const struct identity *identity, struct error *error)
{
	struct sink_trace2_settings settings = {
		.sid = identity->sid,
		.hierarchy = identity->hierarchy,
		.with = outputs->with,
		.wait = outputs->set.wait,
	};

	if (outputs->stat)
		return stat_open(outputs, timeline, error);
	if (output_share_check(outputs, error) < 0)
		return -1;
	outputs->set.size = 0;
	if (outputs_configure(outputs, error) < 0)
		return -1;
	settings.config = outputs->config;
	output_owner(&settings.file_user, &settings.file_group);
	if (targets_open(outputs, settings.targets, error) < 0)
		return -1;
	if (session_open(&settings, timeline, error) < 0)
		return -1;
	return pictures_open(&outputs->pictures, timeline, outputs->with, &outputs->set, error);
}

void outputs_release(struct outputs *outputs)
{
	for (int i = 0; i < TRACE2_TARGET_COUNT; i++)
		free(outputs->folders[i]);
	trace2_config_free(outputs->config);
}
