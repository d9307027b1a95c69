// SPDX-License-Identifier: GPL-2.0-only
/* Writes what an event says beyond its name, as JSON or for people. */
#include "sink/args.h"

static bool tells(unsigned int with, enum timeline_emitter emitter)
{
	return with & 1u << emitter;
}

bool event_has_args(const struct timeline_event *event, unsigned int with)
{
	return event->nr_fields > 0 || event->is_suspect || event->is_unfinished || with;
}

static void member_number(struct buffer *out, const char *name, int64_t number, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_signed(out, number);
}

static void member_true(struct buffer *out, const char *name, bool *first)
{
	json_append_member(out, text_of(name), first);
	buffer_append_string(out, "true");
}

static void append_emitter(struct buffer *out, const struct timeline_event *event,
			   unsigned int with, bool *first)
{
	if (event->tid >= 0 && tells(with, TIMELINE_EMITTER_TID))
		member_number(out, "ktrack:tid", event->tid, first);
	if (event->cpu >= 0 && tells(with, TIMELINE_EMITTER_CPU))
		member_number(out, "ktrack:cpu", event->cpu, first);
	if (event->comm && event->comm[0] && tells(with, TIMELINE_EMITTER_COMM)) {
		json_append_member(out, text_of("ktrack:comm"), first);
		json_append_string(out, text_of(event->comm));
	}
}

void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with)
{
	bool first = true;

	buffer_append_char(out, '{');
	for (size_t i = 0; i < event->nr_fields; i++) {
		json_append_member(out, event->fields[i].name, &first);
		value_append_json(out, &event->fields[i].value);
	}
	append_emitter(out, event, with, &first);
	if (event->is_suspect)
		member_true(out, "ktrack:suspect", &first);
	if (event->is_unfinished)
		member_true(out, "ktrack:unfinished", &first);
	buffer_append_char(out, '}');
}

void loss_append_text(struct buffer *out, const struct timeline_event *event)
{
	if (event->loss_count == TIMELINE_COUNT_UNKNOWN)
		buffer_append_string(out, "lost an unknown number of records");
	else
		buffer_printf(out, "lost %lld records", (long long)event->loss_count);
	buffer_printf(out, " on cpu %d", event->loss_cpu);
	if (event->loss_buffer)
		buffer_printf(out, " in buffer '%s'", event->loss_buffer);
}

void argv_append_text(struct buffer *out, char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			buffer_append_char(out, ' ');
		buffer_append_string(out, argv[i]);
	}
}
