// SPDX-License-Identifier: GPL-2.0-only
/* What a record's line has beside what all have: its fields, who wrote it, what is odd about it. */
#include "sink/trace2_state.h"

static struct trace2_fields *event_fields(const struct trace2_sink *sink,
					  const struct timeline_event *event)
{
	const struct trace2_track *track = event->track->slots[sink->slot];

	return &track->category->fields;
}

hot_inline void more_add(struct buffer *more, const char *member)
{
	if (more->size > 0)
		buffer_append_char(more, ',');
	buffer_append_string(more, member);
}

static bool tells(const struct trace2_sink *sink, enum timeline_emitter emitter)
{
	return sink->settings.with & 1u << emitter;
}

static void more_add_number(struct buffer *more, const char *member, int64_t number)
{
	more_add(more, member);
	buffer_append_signed(more, number);
}

/* Who wrote the record, as far as that was asked for and is known. */
static void more_add_emitter(struct trace2_sink *sink, const struct timeline_event *event)
{
	if (event->tid >= 0 && tells(sink, TIMELINE_EMITTER_TID))
		more_add_number(&sink->more, "\"tid\":", event->tid);
	if (event->cpu >= 0 && tells(sink, TIMELINE_EMITTER_CPU))
		more_add_number(&sink->more, "\"cpu\":", event->cpu);
	if (event->comm[0] && tells(sink, TIMELINE_EMITTER_COMM)) {
		more_add(&sink->more, "\"comm\":");
		json_append_string(&sink->more, text_of(event->comm));
	}
}

/* The fields of a slice, as a member and for people: without the first one's blank. */
static void slice_fields_fill(struct trace2_sink *sink, const struct timeline_event *event,
			      struct trace2_event *line)
{
	struct buffer *message = &sink->message;

	buffer_clear(message);
	more_add(&sink->more, "\"args\":");
	line->needs_no_escape = trace2_fields_append(event_fields(sink, event), &sink->more,
						     message, event);
	if (message->size > 0)
		line->region.msg = (struct trace2_string){ message->data + 1, message->size - 1 };
}

/* A counter has no message. */
static void counter_fields_add(struct trace2_sink *sink, const struct timeline_event *event)
{
	buffer_clear(&sink->message);
	more_add(&sink->more, "\"args\":");
	trace2_fields_append(event_fields(sink, event), &sink->more, &sink->message, event);
}

static void more_add_oddities(struct buffer *more, const struct timeline_event *event)
{
	if (event->is_continued)
		more_add(more, "\"continued\":true");
	if (event->is_suspect)
		more_add(more, "\"suspect\":true");
	if (event->is_unfinished)
		more_add(more, "\"unfinished\":true");
	if (event->is_foreign)
		more_add(more, "\"foreign\":true");
}

/* An instant's fields are its value. */
void trace2_more_fill(struct trace2_sink *sink, const struct timeline_event *event,
		      struct trace2_event *line)
{
	buffer_clear(&sink->more);
	if (sink->settings.with)
		more_add_emitter(sink, event);
	if (event->nr_fields == 0 || event->kind == TIMELINE_INSTANT) {
		/* there is nothing to add */
	} else if (event->kind == TIMELINE_COUNTER) {
		counter_fields_add(sink, event);
	} else {
		slice_fields_fill(sink, event, line);
	}
	if (trace2_is_odd(event))
		more_add_oddities(&sink->more, event);
	line->more = trace2_string_of(buffer_text(&sink->more));
}
