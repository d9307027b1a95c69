// SPDX-License-Identifier: GPL-2.0-only
/* Turns options into sinks. */
#include "cli/outputs.h"

#include <string.h>

#include "cli/output.h"
#include "sink/sink.h"

static const char *const emitter_words[] = {
	[TIMELINE_EMITTER_TID] = "tid",
	[TIMELINE_EMITTER_CPU] = "cpu",
	[TIMELINE_EMITTER_COMM] = "comm",
};
_Static_assert(sizeof(emitter_words) / sizeof(emitter_words[0]) == TIMELINE_EMITTER_COUNT, "a word for each");

int outputs_apply_event(struct outputs *outputs, const char *value, struct error *error)
{
	if (value && !*value)
		return error_set(error, "--event= names no target; write - or a path");
	outputs->event_target = value ? value : "-";
	return 0;
}

int outputs_apply_append(struct outputs *outputs, const char *value, struct error *error)
{
	(void)value;
	(void)error;
	outputs->is_appending = true;
	return 0;
}

int outputs_apply_sid(struct outputs *outputs, const char *value, struct error *error)
{
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

int outputs_apply_with(struct outputs *outputs, const char *value, struct error *error)
{
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
