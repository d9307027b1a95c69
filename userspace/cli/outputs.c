// SPDX-License-Identifier: GPL-2.0-only
/* Turns options into sinks. */
#include "cli/outputs.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "sink/sink.h"

static const char *const emitter_words[] = {
	[TIMELINE_EMITTER_TID] = "tid",
	[TIMELINE_EMITTER_CPU] = "cpu",
	[TIMELINE_EMITTER_COMM] = "comm",
};
_Static_assert(sizeof(emitter_words) / sizeof(emitter_words[0]) == TIMELINE_EMITTER_COUNT, "a word for each");

static int apply_event(void *settings, const char *value, struct error *error)
{
	struct outputs *outputs = settings;

	if (value && !*value)
		return error_set(error, "--event= names no target; write - or a path");
	outputs->event_target = value ? value : "-";
	return 0;
}

static int apply_append(void *settings, const char *value, struct error *error)
{
	struct outputs *outputs = settings;

	(void)value;
	(void)error;
	outputs->is_appending = true;
	return 0;
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

	for (const char *word = value; *word; word += *word == ',') {
		size_t size = strcspn(word, ",");
		int emitter = emitter_find((struct text){ .data = word, .size = size });

		if (emitter < 0)
			return error_set(error, "--with knows tid, cpu and comm, not '%.*s'", (int)size, word);
		outputs->with |= 1u << emitter;
		word += size;
	}
	return 0;
}

static int apply_fail_on_loss(void *settings, const char *value, struct error *error)
{
	struct outputs *outputs = settings;

	(void)value;
	(void)error;
	outputs->fails_on_loss = true;
	return 0;
}

static const struct option_row outputs_rows[] = {
	{ 0, "event", "[=TARGET]", "write trace2 EVENT lines to - (standard output, the default) or a path", apply_event },
	{ 0, "append", NULL, "add to what the file holds", apply_append },
	{ 0, "with", "WHAT", "tell with each record who wrote it: tid, cpu, comm, or several with commas", apply_with },
	{ 0, "sid", "TEXT", "the session's id; 'recording' makes one of the recording", apply_sid },
	{ 0, "fail-on-loss", NULL, "exit with 3 where records were lost", apply_fail_on_loss },
};

const struct option_part outputs_options = {
	.rows = outputs_rows,
	.nr_rows = sizeof(outputs_rows) / sizeof(outputs_rows[0]),
};

int outputs_status(const struct outputs *outputs, uint64_t lost)
{
	return outputs->fails_on_loss && lost > 0 ? STATUS_LOST : STATUS_DONE;
}

bool outputs_have_comm(const struct outputs *outputs)
{
	return outputs->with & 1u << TIMELINE_EMITTER_COMM;
}

int outputs_open(const struct outputs *outputs, struct timeline *timeline, const struct identity *identity,
		 struct error *error)
{
	struct sink_trace2_settings settings = {
		.sid = identity->sid,
		.hierarchy = identity->hierarchy,
		.with = outputs->with,
	};
	struct sink *sink;

	settings.event_fd = output_open(outputs->event_target, outputs->is_appending, &settings.event_name, error);
	if (settings.event_fd < 0)
		return -1;
	sink = sink_trace2_new(&settings, error);
	return sink ? timeline_add(timeline, sink, error) : -1;
}
