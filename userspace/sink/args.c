// SPDX-License-Identifier: GPL-2.0-only
/* Writes what an event says beyond its name, as JSON or for people. */
#include "sink/args.h"

static bool tells(unsigned int with, enum timeline_emitter emitter)
{
	return with & 1u << emitter;
}

bool event_has_args(const struct timeline_event *event, unsigned int with)
{
	return event->nr_fields > 0 || event->is_suspect || event->is_unfinished ||
	       event->is_foreign || with;
}

/* A name, behind "end:": its opening quote becomes the last character of that. */
static void append_name(struct buffer *out, struct text name, bool is_end, bool *first)
{
	size_t quote;

	if (!is_end) {
		json_append_member(out, name, first);
		return;
	}
	buffer_append_string(out, *first ? "\"end" : ",\"end");
	*first = false;
	quote = out->size;
	json_append_string(out, name);
	buffer_append_char(out, ':');
	if (!out->failed)
		out->data[quote] = ':';
}

static void member_number(struct buffer *out, const char *name, int64_t number, bool is_end,
			  bool *first)
{
	append_name(out, text_of(name), is_end, first);
	buffer_append_signed(out, number);
}

static void member_true(struct buffer *out, const char *name, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_string(out, "true");
}

static void append_emitter(struct buffer *out, const struct timeline_event *event,
			   unsigned int with, bool is_end, bool *first)
{
	if (event->tid >= 0 && tells(with, TIMELINE_EMITTER_TID))
		member_number(out, "ktrack:tid", event->tid, is_end, first);
	if (event->cpu >= 0 && tells(with, TIMELINE_EMITTER_CPU))
		member_number(out, "ktrack:cpu", event->cpu, is_end, first);
	if (event->comm && event->comm[0] && tells(with, TIMELINE_EMITTER_COMM)) {
		append_name(out, text_of("ktrack:comm"), is_end, first);
		json_append_string(out, text_of(event->comm));
	}
}

void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with,
		       bool tells_ends)
{
	bool is_end = tells_ends && event->kind == TIMELINE_SLICE_END;
	bool first = true;

	buffer_append_char(out, '{');
	for (size_t i = 0; i < event->nr_fields; i++) {
		append_name(out, event->fields[i].name, is_end, &first);
		value_append_json(out, &event->fields[i].value);
	}
	append_emitter(out, event, with, is_end, &first);
	if (event->is_suspect)
		member_true(out, "ktrack:suspect", &first);
	if (event->is_unfinished)
		member_true(out, "ktrack:unfinished", &first);
	if (event->is_foreign)
		member_true(out, "ktrack:foreign", &first);
	buffer_append_char(out, '}');
}

void loss_append_text(struct buffer *out, const struct timeline_event *event)
{
	buffer_append_string(out, "lost ");
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		buffer_append_string(out, "an unknown number of records");
	else
		buffer_append_count(out, event->loss_count, "record");
	if (event->kind == TIMELINE_LOSS_SUM)
		buffer_append_string(out, " in gaps of unknown size");
	buffer_printf(out, " on cpu %d", event->loss_cpu);
	if (event->loss_buffer)
		buffer_printf(out, " in buffer '%s'", event->loss_buffer);
}

void loss_append_place(struct buffer *out, const struct timeline_event *event)
{
	buffer_printf(out, "lost records cpu %d", event->loss_cpu);
	if (event->loss_buffer && event->loss_buffer[0])
		buffer_printf(out, " in %s", event->loss_buffer);
}

void argv_append_text(struct buffer *out, char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			buffer_append_char(out, ' ');
		buffer_append_string(out, argv[i]);
	}
}
