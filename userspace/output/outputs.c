// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens the outputs of a run: one sink for each target, with the run's trace2 identity; and
 * checks labels.
 */
#include "output/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace2/trace2.h"

int identity_init(struct identity *identity, const char *command, const char *own_sid,
		  struct error *error)
{
	char made[TRACE2_SID_SIZE];

	trace2_sid_make(made, time_now_ns(CLOCK_REALTIME), getpid());
	identity->sid = trace2_inherit(TRACE2_PARENT_SID, own_sid ? own_sid : made);
	identity->hierarchy = trace2_inherit(TRACE2_PARENT_NAME, command);
	return identity->sid && identity->hierarchy ? 0 : error_set(error, "out of memory");
}

int identity_renew(struct identity *identity, struct error *error)
{
	size_t parents_size = path_base_name(identity->sid) - identity->sid;
	char *sid = malloc(parents_size + TRACE2_SID_SIZE);

	if (!sid)
		return error_set(error, "out of memory");
	memcpy(sid, identity->sid, parents_size);
	trace2_sid_make(sid + parents_size, time_now_ns(CLOCK_REALTIME), getpid());
	free(identity->sid);
	identity->sid = sid;
	return 0;
}

void identity_release(struct identity *identity)
{
	free(identity->sid);
	free(identity->hierarchy);
}

void identity_id(char *out, const char *source, int64_t start_ns)
{
	SCOPED_BUFFER(text);

	/* Without a boot id, the rest still identifies recordings of one boot. */
	file_read_boot_id(&text);
	buffer_printf(&text, " %s %lld", source, (long long)start_ns);
	snprintf(out, IDENTITY_ID_SIZE, "%016llx",
		 (unsigned long long)text_hash(buffer_text(&text)));
}

#define KEY_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

static bool labels_have(const struct buffer *lines, struct text wanted)
{
	struct text rest = buffer_text(lines), key, value;

	while (recording_take_label(&rest, &key, &value)) {
		if (text_equals(key, wanted))
			return true;
	}
	return false;
}

int labels_add(struct buffer *lines, const char *text, struct error *error)
{
	struct text key = { .data = text, .size = strspn(text, KEY_CHARACTERS) };
	struct text rest = buffer_text(lines), other_key, other_value;
	const char *value = text + key.size + 1;
	unsigned int nr_labels = 0;
	const char *at;

	if (key.size == 0 || text[key.size] != '=')
		return error_set(error,
				 "--label=%s: not KEY=VALUE; a KEY has letters, digits, '_', '.' "
				 "and '-'",
				 text);
	if (key.size > LABEL_KEY_MAX || strlen(value) > LABEL_VALUE_MAX)
		return error_set(error, "--label=%.*s: longer than %d and %d bytes; shorten it",
				 LABEL_KEY_MAX, text, LABEL_KEY_MAX, LABEL_VALUE_MAX);
	for (at = value; *at && !iscntrl((unsigned char)*at); at++)
		;
	if (*at)
		return error_set(error, "--label=%.*s: has control characters; leave them out",
				 (int)key.size, key.data);
	if (labels_have(lines, key))
		return error_set(error, "--label=%.*s: is given twice", (int)key.size, key.data);
	while (recording_take_label(&rest, &other_key, &other_value))
		nr_labels++;
	if (nr_labels == LABELS_MAX)
		return error_set(error, "--label is given more than %d times", LABELS_MAX);
	buffer_printf(lines, "%s\n", text);
	return lines->failed ? error_set(error, "out of memory") : 0;
}

int labels_merge(struct buffer *lines, struct text more)
{
	struct text key, value;

	while (recording_take_label(&more, &key, &value)) {
		if (!labels_have(lines, key))
			buffer_printf(lines, "%.*s=%.*s\n", (int)key.size, key.data,
				      (int)value.size, value.data);
	}
	return lines->failed ? -1 : 0;
}

#define SETTINGS_PREFIX "KTRACK_TRACE2"
#define SYSTEM_SETTINGS "/etc/ktrack.conf"

/* The number of targets of a use that are standard output. */
static unsigned int shared_targets_count(const struct output_settings *settings, enum sink_use use)
{
	unsigned int count = 0;

	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = settings->targets[i];

		count += target && sink_kinds[i]->use == use && strcmp(target, "-") == 0;
	}
	return count;
}

bool output_settings_have_file(const struct output_settings *settings)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const struct sink_kind *kind = sink_kinds[i];

		if (settings->targets[i] && kind->use != SINK_USE_TRACE2 && !kind->is_lines)
			return true;
	}
	return false;
}

/* Whether an output that is asked for has the flag at this offset of struct sink_kind. */
static bool targets_have(const struct output_settings *settings, size_t flag)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (settings->targets[i] && *(const bool *)((const char *)sink_kinds[i] + flag))
			return true;
	}
	return false;
}

bool output_settings_create_files(const struct output_settings *settings)
{
	return targets_have(settings, offsetof(struct sink_kind, creates_files)) ||
	       (settings->stat && settings->stat->prometheus);
}

bool output_settings_show_overview(const struct output_settings *settings)
{
	return targets_have(settings, offsetof(struct sink_kind, shows_overview)) ||
	       settings->serves;
}

bool output_settings_show_explanations(const struct output_settings *settings)
{
	return targets_have(settings, offsetof(struct sink_kind, shows_explanations)) ||
	       settings->serves || settings->query;
}

/* Options of an output that is not asked for would have no effect. */
static int own_options_check(const struct output_settings *settings, struct error *error)
{
	static const char none[SINK_OWN_SIZE];

	for (size_t i = 0; i < sink_kinds_count; i++) {
		bool is_given = settings->targets[i] ||
				(settings->serves && sink_kinds[i]->use == SINK_USE_SERVER);

		if (!is_given && memcmp(settings->own[i], none, sizeof(none)) != 0)
			return error_set(error, "--%s: not given, but an option of it; add --%s",
					 sink_kinds[i]->name, sink_kinds[i]->name);
	}
	return 0;
}

int output_settings_check(const struct output_settings *settings, struct error *error)
{
	/* Several trace2 outputs can share standard output, but a file for a viewer cannot. */
	unsigned int nr_files = shared_targets_count(settings, SINK_USE_FILE);
	unsigned int nr_lines = shared_targets_count(settings, SINK_USE_TRACE2);
	struct budget_set *set;
	int status = budget_set_new(&set, settings->budgets.texts, settings->budgets.size, error);

	budget_set_free(set);
	if (status < 0)
		return -1;
	for (size_t i = 0; settings->is_appending && i < sink_kinds_count; i++) {
		if (settings->targets[i] && !sink_kinds[i]->can_append)
			return error_set(error,
					 "--append: files of --%s cannot be appended to; leave out "
					 "one of the two",
					 sink_kinds[i]->name);
	}
	for (size_t i = 0; i < sink_kinds_count; i++) {
		const char *target = settings->targets[i];

		if (target && output_is_compressed(target) && !sink_kinds[i]->can_compress)
			return error_set(error, "%s: --%s does not compress; leave out '.zst'",
					 target, sink_kinds[i]->name);
	}
	if (own_options_check(settings, error) < 0)
		return -1;
	if (settings->why && nr_files + nr_lines > 0)
		return error_set(error, "standard output: is that of --why; write the other to a "
					"file");
	if (nr_files == 0 || nr_files + nr_lines < 2)
		return 0;
	return error_set(error, "standard output: a file for a viewer cannot share it; write the "
				"others to files");
}

/* Whether any output but those of commands is asked for. */
static bool output_settings_have_target(const struct output_settings *settings)
{
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (settings->targets[i])
			return true;
	}
	return settings->serves;
}

void outputs_init(struct outputs *outputs, const struct output_settings *settings,
		  const struct report *report)
{
	*outputs = (struct outputs){ .settings = settings,
				     .report = report,
				     .set.is_appending = settings->is_appending };
}

int outputs_status(const struct outputs *outputs, const struct output_losses *losses)
{
	static const enum exit_status statuses[] = {
		[BUDGET_MET] = STATUS_DONE,
		[BUDGET_UNDECIDED] = STATUS_UNDECIDED,
		[BUDGET_EXCEEDED] = STATUS_EXCEEDED,
	};
	int status = STATUS_DONE;

	if (outputs->budgets)
		status = statuses[budget_set_judge(outputs->budgets, losses->records,
						   !losses->has_unknown)];
	if (status != STATUS_DONE)
		return status;
	return outputs->settings->fails_on_loss && losses->has_lost ? STATUS_LOST : STATUS_DONE;
}

int outputs_report_budgets(const struct outputs *outputs, const struct output_losses *losses,
			   struct error *error)
{
	bool is_limited = !losses->has_unknown;
	SCOPED_BUFFER(out);
	int status = 0;

	if (!outputs->budgets)
		return 0;
	if (!outputs->settings->budgets.is_json) {
		budget_set_report(outputs->budgets, losses->records, is_limited, outputs->report);
		return 0;
	}
	budget_set_append_json(outputs->budgets, losses->records, is_limited, &out);
	if (out.failed)
		status = error_set(error, "out of memory");
	else if (file_write_all(STDOUT_FILENO, out.data, out.size, &outputs->set.wait) < 0)
		status = error_set_system(error, errno, "cannot write to standard output");
	return status;
}

static void config_report(void *context, const char *message)
{
	const struct outputs *outputs = context;

	report_message(outputs->report, "%s", message);
}

/* Reads the settings once for all sessions. Sessions do not report lines that cannot be parsed. */
static int outputs_configure(struct outputs *outputs, struct error *error)
{
	struct trace2_settings settings = { .report = config_report, .report_context = outputs };
	const char *home = getenv("HOME");
	const char *folder = getenv("XDG_CONFIG_HOME");
	struct buffer path = { 0 };

	if (outputs->config)
		return 0;
	if (folder && *folder)
		buffer_printf(&path, "%s/ktrack/config", folder);
	else
		buffer_printf(&path, "%s/.config/ktrack/config", home ? home : "");
	if (!path.failed)
		outputs->config = trace2_config_new(SETTINGS_PREFIX, SYSTEM_SETTINGS,
						    buffer_string(&path));
	buffer_release(&path);
	if (!outputs->config)
		return error_set(error, "out of memory");
	trace2_config_apply(outputs->config, &settings);
	return 0;
}

static bool target_is_folder(const char *target)
{
	struct stat about;

	return stat(target, &about) == 0 && S_ISDIR(about.st_mode);
}

/** struct opening - the parameters of outputs_open() */
struct opening {
	struct outputs *outputs;
	struct timeline *timeline;
	struct sink_trace2_settings trace2; /* parts of it that all trace2 outputs share */
	struct error *error;
};

/* libtrace2 takes no relative paths. */
static int folder_set(const struct opening *opening, size_t kind, const char *target)
{
	char **folder = &opening->outputs->folders[kind];

	free(*folder);
	*folder = realpath(target, NULL);
	return *folder ? 0 : error_set_system(opening->error, errno, "cannot find %s", target);
}

static int sink_add(const struct opening *opening, struct sink *sink)
{
	return sink ? timeline_add(opening->timeline, sink, opening->error) : -1;
}

static int kind_sink_open(const struct opening *opening, size_t kind,
			  struct sink_settings *settings)
{
	struct outputs *outputs = opening->outputs;
	struct sink *sink;

	outputs->shows_dates |= sink_kinds[kind]->shows_dates;
	settings->with = outputs->settings->with;
	settings->rows = outputs->settings->rows;
	settings->wait = outputs->set.wait;
	settings->report = outputs->report;
	settings->user = opening->trace2.file_user;
	settings->group = opening->trace2.file_group;
	settings->stat = outputs->settings->stat;
	settings->query = outputs->settings->query;
	settings->explanations = outputs->settings->explains || outputs->settings->counts
					 ? &outputs->explanations
					 : NULL;
	settings->own = outputs->settings->own[kind];
	sink = sink_open(sink_kinds[kind], settings, opening->error);
	if (sink)
		sink->is_output = true;
	return sink_add(opening, sink);
}

/* Whether libtrace2 opens the target, whose grammar has more than paths. */
static bool is_trace2_value(const char *target)
{
	return (target[0] >= '0' && target[0] <= '9' && !target[1]) ||
	       strcasecmp(target, "true") == 0 || strcasecmp(target, "false") == 0 ||
	       strncmp(target, "af_unix:", strlen("af_unix:")) == 0;
}

/* Opens a file, or standard output, for the sink; if @is_alone, no other output shares it. */
static int descriptor_open(const struct opening *opening, const char *target, bool is_alone,
			   struct sink_settings *settings)
{
	struct output_set *set = &opening->outputs->set;

	settings->is_compressed = output_is_compressed(target);
	settings->fd = output_open(set, target, &settings->name, opening->error);
	if (settings->fd < 0)
		return -1;
	if (!is_alone || output_check_alone(set, opening->error) == 0)
		return 0;
	close(settings->fd);
	return -1;
}

/* Opens a target that libtrace2 understands, or a file or standard output for its lines. */
static int trace2_open(const struct opening *opening, size_t kind, const char *target)
{
	struct sink_trace2_settings trace2 = opening->trace2;
	struct sink_settings settings = { .name = target, .fd = -1, .trace2 = &trace2 };

	if (is_trace2_value(target)) {
		trace2.value = target;
	} else if (target_is_folder(target)) {
		if (folder_set(opening, kind, target) < 0)
			return -1;
		trace2.value = opening->outputs->folders[kind];
	} else {
		settings.is_appending = opening->outputs->set.is_appending;
		if (descriptor_open(opening, target, output_is_compressed(target), &settings) < 0)
			return -1;
	}
	return kind_sink_open(opening, kind, &settings);
}

static int setting_open(const struct opening *opening, size_t kind, const char *value)
{
	struct sink_trace2_settings trace2 = opening->trace2;
	struct sink_settings settings = {
		.name = trace2_config_name(opening->outputs->config, sink_kinds[kind]->trace2_key),
		.fd = -1,
		.trace2 = &trace2,
	};
	bool is_folder = target_is_folder(value);

	if (output_is_compressed(value) && !is_folder)
		return error_set(opening->error, "%s: not compressed; write --%s=%s instead",
				 settings.name, sink_kinds[kind]->name, value);
	trace2.value = value;
	if (output_check_path(&opening->outputs->set, value, settings.name, opening->error) < 0 ||
	    (is_folder && folder_set(opening, kind, value) < 0))
		return -1;
	return kind_sink_open(opening, kind, &settings);
}

static int output_file_open(const struct opening *opening, size_t kind, const char *path)
{
	bool is_standard = strcmp(path, "-") == 0;
	struct sink_settings settings = {
		.path = is_standard ? NULL : path,
		.is_appending = opening->outputs->set.is_appending && !is_standard,
	};

	if (descriptor_open(opening, path, !is_standard, &settings) < 0)
		return -1;
	return kind_sink_open(opening, kind, &settings);
}

/* The output creates what it needs at the path. */
static int output_folder_open(const struct opening *opening, size_t kind, const char *path)
{
	struct sink_settings settings = { .name = path, .path = path, .fd = -1 };

	if (strcmp(path, "-") == 0)
		return error_set(opening->error, "--%s=-: not a directory; write --%s=DIRECTORY",
				 sink_kinds[kind]->name, sink_kinds[kind]->name);
	if (output_check_path(&opening->outputs->set, path, path, opening->error) < 0)
		return -1;
	return kind_sink_open(opening, kind, &settings);
}

/* Opens the kind if anything asks for it; counts it in @nr_open. */
static int kind_open(const struct opening *opening, size_t number, unsigned int *nr_open)
{
	const struct outputs *outputs = opening->outputs;
	const struct sink_kind *kind = sink_kinds[number];
	const char *target = outputs->settings->targets[number];
	const char *setting = NULL;

	if (kind->use == SINK_USE_TRACE2 && !target)
		setting = trace2_config_get(outputs->config, kind->trace2_key);
	*nr_open += target || setting;
	if (setting)
		return setting_open(opening, number, setting);
	if (!target)
		return 0;
	if (kind->use == SINK_USE_FOLDER)
		return output_folder_open(opening, number, target);
	return kind->use == SINK_USE_TRACE2 ? trace2_open(opening, number, target)
					    : output_file_open(opening, number, target);
}

static int kinds_open(const struct opening *opening)
{
	struct outputs *outputs = opening->outputs;
	struct sink_settings lines = { .name = "the temporary file of --serve",
				       .fd = outputs->lines_fd,
				       .size_max = outputs->lines_max };
	unsigned int nr_open = outputs->settings->serves;
	size_t kind = 0;

	/* The lines of a page that follows the recording. */
	if (outputs->settings->serves &&
	    kind_sink_open(opening, sink_kind_number("serve"), &lines) < 0)
		return -1;
	for (size_t i = 0; i < sink_kinds_count; i++) {
		if (kind_open(opening, i, &nr_open) < 0)
			return -1;
	}
	if (nr_open > 0)
		return 0;
	/* Nothing names a target. Columns are for people. */
	outputs->has_chosen_perf = outputs->settings->suits_terminal && isatty(STDOUT_FILENO) == 1;
	if (outputs->has_chosen_perf)
		kind = sink_kind_number("perf");
	return trace2_open(opening, kind, "-");
}

static int stat_open(const struct opening *opening)
{
	const struct output_set *set = &opening->outputs->set;
	const char *path = opening->outputs->settings->stat->prometheus;
	struct buffer new_path = { 0 };
	int status = 0;

	if (path) {
		/* Metrics are written to a new file next to the last one, which it replaces. */
		buffer_printf(&new_path, "%s.new", path);
		if (new_path.failed)
			status = error_set(opening->error, "out of memory");
		else
			status = output_check_path(set, path, path, opening->error);
		if (status == 0)
			status = output_check_path(set, buffer_string(&new_path),
						   buffer_string(&new_path), opening->error);
		buffer_release(&new_path);
	}
	return status < 0 ? -1 : output_file_open(opening, sink_kind_number("stat"), "-");
}

static const char *outputs_source(const struct outputs *outputs)
{
	return outputs->set.nr_sources > 0 ? outputs->set.sources[0] : NULL;
}

static int why_open_output(const struct opening *opening)
{
	const struct why_settings *why = opening->outputs->settings->why;
	struct output_set *set = &opening->outputs->set;
	struct error *error = opening->error;
	struct sink *sink;
	const char *name;
	int fd = output_open(set, "-", &name, error);
	int folded_fd = fd >= 0 && why->folded ? output_open(set, why->folded, &name, error) : -1;

	if (fd < 0 || (why->folded && folded_fd < 0)) {
		file_close(fd);
		return -1;
	}
	sink = why_sink_new(why, fd, folded_fd, outputs_source(opening->outputs), error);
	if (sink)
		sink->is_output = true;
	return sink_add(opening, sink);
}

/* Added before the outputs that show the answer. */
static int explanations_open(const struct opening *opening)
{
	struct outputs *outputs = opening->outputs;

	outputs->why = (struct why_settings){ .slice = text_of("*"),
					      .depth = WHY_DEPTH,
					      .is_overview = true,
					      .explanations = &outputs->explanations,
					      .only_counts = !outputs->settings->explains };
	return sink_add(opening, why_sink_new(&outputs->why, -1, -1, outputs_source(outputs),
					      opening->error));
}

/* Later sessions count on. */
static int budgets_open(const struct opening *opening)
{
	struct outputs *outputs = opening->outputs;
	const struct budget_settings *settings = &outputs->settings->budgets;

	if (settings->size == 0)
		return 0;
	if (!outputs->budgets &&
	    budget_set_new(&outputs->budgets, settings->texts, settings->size, opening->error) < 0)
		return -1;
	return sink_add(opening, budget_sink_new(outputs->budgets, opening->error));
}

static int outputs_retain(const struct outputs *outputs, const char *sid, struct error *error)
{
	bool has_folder = false;

	for (size_t i = 0; i < SINK_KINDS_MAX; i++) {
		if (!outputs->folders[i])
			continue;
		has_folder = true;
		retention_apply_to_sessions(&outputs->settings->retention, outputs->folders[i],
					    sid);
	}
	if (has_folder)
		return 0;
	return error_set(error, "--max-files, --max-size, --max-age: no output is a directory; "
				"write --event=DIRECTORY");
}

int outputs_open(struct outputs *outputs, struct timeline *timeline,
		 const struct identity *identity, struct error *error)
{
	const struct output_settings *settings = outputs->settings;
	struct opening opening = {
		.outputs = outputs,
		.timeline = timeline,
		.trace2 = { .sid = identity->sid, .hierarchy = identity->hierarchy },
		.error = error,
	};

	outputs->set.size = 0;
	output_owner(&opening.trace2.file_user, &opening.trace2.file_group);
	if (settings->comparison)
		return sink_add(&opening, compare_sink_new(settings->comparison,
							   settings->is_compare_source, error));
	if (budgets_open(&opening) < 0)
		return -1;
	if (settings->stat)
		return stat_open(&opening);
	if (settings->query && settings->explains && explanations_open(&opening) < 0)
		return -1;
	if (settings->query)
		return output_file_open(&opening, sink_kind_number("query"), "-");
	if (settings->why && why_open_output(&opening) < 0)
		return -1;
	if ((settings->why || settings->needs_target) && !output_settings_have_target(settings))
		return 0;
	if (((settings->explains || settings->counts) && explanations_open(&opening) < 0) ||
	    outputs_configure(outputs, error) < 0)
		return -1;
	opening.trace2.config = outputs->config;
	if (kinds_open(&opening) < 0)
		return -1;
	return retention_is_limited(&settings->retention)
		       ? outputs_retain(outputs, identity->sid, error)
		       : 0;
}

void outputs_release(struct outputs *outputs)
{
	for (size_t i = 0; i < SINK_KINDS_MAX; i++)
		free(outputs->folders[i]);
	trace2_config_free(outputs->config);
	budget_set_free(outputs->budgets);
}
