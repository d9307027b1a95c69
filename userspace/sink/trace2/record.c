// SPDX-License-Identifier: GPL-2.0-only
/* Lines of records: slices, instants and samples. */
#include <stdlib.h>

#include "sink/args.h"
#include "sink/flow.h"
#include "sink/trace2/state.h"

static const struct trace2_text *label_new(struct trace2_sink *sink,
					   const struct trace2_category *category,
					   struct timeline_name *name, struct error *error)
{
	struct trace2_text **labels = reallocarray(sink->labels, sink->nr_labels + 1,
						   sizeof(struct trace2_text *));
	struct trace2_text *label;

	if (labels)
		sink->labels = labels;
	label = labels ? trace2_label_new(category->text, trace2_string_of(name->text)) : NULL;
	if (label)
		labels[sink->nr_labels++] = label;
	else
		error_set(error, "out of memory");
	name->sink_data[sink->sink_index] = label;
	return label;
}

const struct trace2_text *trace2_sink_label(struct trace2_sink *sink,
					    const struct trace2_category *category,
					    struct timeline_name *name, struct error *error)
{
	const struct trace2_text *label = name ? trace2_label_of(sink, name) : NULL;
	struct text text = name ? name->text : text_of("(other)");

	if (label)
		return label;
	if (name && name->is_counted)
		return label_new(sink, category, name, error);
	if (trace2_label_set(sink->short_text, category->text, trace2_string_of(text)) == 0)
		return sink->short_text;
	error_set(error, "out of memory");
	return NULL;
}

hot_inline void member_append(struct buffer *more, const char *member)
{
	if (more->size > 0)
		buffer_append_char(more, ',');
	buffer_append_string(more, member);
}

static void more_append_emitter(struct trace2_sink *sink, const struct timeline_event *event)
{
	if (event_has_emitter(event, sink->with, TIMELINE_EMITTER_TID)) {
		member_append(&sink->more, "\"tid\":");
		buffer_append_signed(&sink->more, event->tid);
	}
	if (event_has_emitter(event, sink->with, TIMELINE_EMITTER_CPU)) {
		member_append(&sink->more, "\"cpu\":");
		buffer_append_signed(&sink->more, event->cpu);
	}
	if (event_has_emitter(event, sink->with, TIMELINE_EMITTER_COMM)) {
		member_append(&sink->more, "\"comm\":");
		json_append_string(&sink->more, text_of(event->comm));
	}
}

hot_inline bool has_flags(const struct timeline_event *event)
{
	return event->flags != 0;
}

static void flags_append(struct buffer *more, const struct timeline_event *event)
{
	if (event->is_continued)
		member_append(more, "\"continued\":true");
	if (event->is_suspect)
		member_append(more, "\"suspect\":true");
	if (event->is_unfinished)
		member_append(more, "\"unfinished\":true");
	if (event->is_foreign)
		member_append(more, "\"foreign\":true");
}

/* The fields as a member, and as sink->message; returns trace2_fields_append()'s. */
static bool args_append(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_category *category = trace2_track_of(sink, event->track)->category;

	buffer_clear(&sink->message);
	member_append(&sink->more, TRACE2_ARGS);
	return trace2_fields_append(&category->fields, &sink->more, &sink->message, event);
}

static void flow_member_append(struct trace2_sink *sink, const struct timeline_event *event)
{
	member_append(&sink->more, "\"flow\":");
	flows_append_json(&sink->more, event);
}

/* The flows as a member; sink->message gets them, too. */
static void flows_append(struct trace2_sink *sink, const struct timeline_event *event)
{
	buffer_append_char(&sink->message, ' ');
	flows_append_text(&sink->message, event);
	flow_member_append(sink, event);
}

/* sink->message without its first @size bytes and the blank after them. */
static struct trace2_string message_behind(const struct trace2_sink *sink, size_t size)
{
	if (sink->message.size <= size)
		return (struct trace2_string){ 0 };
	return (struct trace2_string){ sink->message.data + size + 1,
				       sink->message.size - size - 1 };
}

static out_of_line void slice_flows_append(struct trace2_sink *sink,
					   const struct timeline_event *event,
					   struct trace2_event *line)
{
	if (event->nr_fields == 0)
		buffer_clear(&sink->message);
	flows_append(sink, event);
	line->region.msg = message_behind(sink, 0);
	line->needs_no_escape = false;
}

/* A slice's message is its fields and its flows, without the first blank. */
static void slice_more_set(struct trace2_sink *sink, const struct timeline_event *event,
			   struct trace2_event *line)
{
	buffer_clear(&sink->more);
	if (sink->with)
		more_append_emitter(sink, event);
	if (event->nr_fields > 0) {
		line->needs_no_escape = args_append(sink, event);
		if (sink->message.size > 0)
			line->region.msg = (struct trace2_string){ sink->message.data + 1,
								   sink->message.size - 1 };
	}
	if (event->nr_flows > 0)
		slice_flows_append(sink, event, line);
	if (has_flags(event))
		flags_append(&sink->more, event);
	line->more = (struct trace2_string){ sink->more.data, sink->more.size };
}

/* Writes a slice's line, with the members that are in all of them. */
hot_inline int slice_line_write(struct trace2_sink *sink, struct trace2_event *line,
				const struct timeline_event *event, enum trace2_kind kind,
				const struct trace2_text *label, struct error *error)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);

	line->kind = kind;
	line->thread = track->thread;
	line->region.nesting = event->depth;
	line->region.t_rel_ns = event->time_ns - event->begin_ns;
	line->region.category = track->category->text;
	line->region.label = label;
	return trace2_sink_write(sink, line, event->time_ns, error);
}

/* Writes any slice. Other lines do not have the members that are set here only. */
static out_of_line int slice_write_any(struct trace2_sink *sink, const struct timeline_event *event,
				       enum trace2_kind kind, struct error *error)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	const struct trace2_text *label = trace2_label_of(sink, event->name);
	struct trace2_event *line = &sink->slice;
	int status;

	if (!label)
		label = trace2_sink_label(sink, track->category, event->name, error);
	if (!label)
		return -1;
	if (event->nr_any > 0 || sink->with || has_flags(event))
		slice_more_set(sink, event, line);
	status = slice_line_write(sink, &sink->slice, event, kind, label, error);
	line->needs_no_escape = false;
	line->region.msg = (struct trace2_string){ 0 };
	line->more = (struct trace2_string){ 0 };
	return status;
}

/* Writes a slice with fields, and no further members. */
static out_of_line int slice_write_fields(struct trace2_sink *sink,
					  const struct timeline_event *event, enum trace2_kind kind,
					  const struct trace2_text *label, struct error *error)
{
	const struct trace2_category *category = trace2_track_of(sink, event->track)->category;
	struct trace2_fields_line *line = &sink->fields_line;

	if (unlikely(!trace2_fields_line_set(line, &category->fields, event)))
		return slice_write_any(sink, event, kind, error);
	return slice_line_write(sink, &line->event, event, kind, label, error);
}

/* Writes a slice without flags. Most have a name that is rendered already, and fields at most. */
hot_inline int slice_write(struct trace2_sink *sink, const struct timeline_event *event,
			   enum trace2_kind kind, struct error *error)
{
	const struct trace2_text *label = trace2_label_of(sink, event->name);

	if (unlikely(!label || sink->with))
		return slice_write_any(sink, event, kind, error);
	if (event->nr_any > 0)
		return event->nr_flows > 0 ? slice_write_any(sink, event, kind, error)
					   : slice_write_fields(sink, event, kind, label, error);
	return slice_line_write(sink, &sink->slice, event, kind, label, error);
}

int trace2_slice_begin_write(struct trace2_sink *sink, const struct timeline_event *event,
			     struct error *error)
{
	return unlikely(has_flags(event)) ? slice_write_any(sink, event, TRACE2_REGION_ENTER, error)
					  : slice_write(sink, event, TRACE2_REGION_ENTER, error);
}

/* Writes the end of a slice that is not counted, or whose timer is not at hand. */
static out_of_line int slice_end_write_any(struct trace2_sink *sink,
					   const struct timeline_event *event, struct error *error)
{
	if (!has_flags(event) && trace2_timer_add(sink, event, error) < 0)
		return -1;
	return slice_write_any(sink, event, TRACE2_REGION_LEAVE, error);
}

/* Only complete slices are counted. */
int trace2_slice_end_write(struct trace2_sink *sink, const struct timeline_event *event,
			   struct error *error)
{
	struct trace2_track *track = trace2_track_of(sink, event->track);
	struct intervals *recent = interval_table_recent(&track->timers, event->track->category,
							 event->name);

	if (unlikely(!recent || has_flags(event)))
		return slice_end_write_any(sink, event, error);
	intervals_add(recent, event->time_ns - event->begin_ns);
	return slice_write(sink, event, TRACE2_REGION_LEAVE, error);
}

/* An instant's fields are its value, which is in sink->message; its message is its flows. */
static out_of_line void instant_flows_append(struct trace2_sink *sink,
					     const struct timeline_event *event,
					     struct trace2_event *line)
{
	size_t value_size = sink->message.size;

	if (!sink->has_data_messages) {
		flow_member_append(sink, event);
		return;
	}
	flows_append(sink, event);
	line->data.value.data = sink->message.data;
	line->data.msg = message_behind(sink, value_size);
}

static void data_more_set(struct trace2_sink *sink, const struct timeline_event *event,
			  struct trace2_event *line)
{
	buffer_clear(&sink->more);
	if (sink->with)
		more_append_emitter(sink, event);
	if (event->nr_fields > 0 && event->kind == TIMELINE_COUNTER)
		args_append(sink, event);
	if (event->nr_flows > 0)
		instant_flows_append(sink, event, line);
	if (has_flags(event))
		flags_append(&sink->more, event);
	line->more = trace2_string_of(buffer_text(&sink->more));
}

/* @value is digits, or ready-made JSON. */
hot_inline int data_line_write(struct trace2_sink *sink, const struct timeline_event *event,
			       enum trace2_kind kind, const struct trace2_text *key,
			       struct trace2_string value, struct error *error)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	struct trace2_event *line = &sink->data;

	line->kind = kind;
	line->thread = track->thread;
	line->more.size = 0;
	line->data.nesting = event->depth + 1;
	line->data.t_rel_ns = event->time_ns - event->outer_ns;
	line->data.category = track->category->text;
	line->data.key = key;
	line->data.value = value;
	line->data.msg.data = NULL;
	if ((kind == TRACE2_DATA ? event->nr_fields : event->nr_flows) > 0 || sink->with ||
	    has_flags(event))
		data_more_set(sink, event, line);
	return trace2_sink_write(sink, line, event->time_ns, error);
}

int trace2_instant_write(struct trace2_sink *sink, const struct timeline_event *event,
			 struct error *error)
{
	struct trace2_category *category = trace2_track_of(sink, event->track)->category;
	const struct trace2_text *key = trace2_sink_label(sink, category, event->name, error);

	if (!key)
		return -1;
	buffer_clear(&sink->message);
	buffer_clear(&sink->more);
	if (event->nr_fields > 0)
		trace2_fields_append(&category->fields, &sink->message, &sink->more, event);
	else
		buffer_append(&sink->message, "{}", 2);
	return data_line_write(sink, event, TRACE2_DATA_JSON, key,
			       trace2_string_of(buffer_text(&sink->message)), error);
}

int trace2_sample_write(struct trace2_sink *sink, const struct timeline_event *event,
			struct error *error)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	const struct value *value = &event->value;
	char digits[PUT_NUMBER_MAX + PUT_SLACK], floating[FLOATING_TEXT_MAX], *end;

	levels_add(track->levels, value);
	if (unlikely(value->kind == VALUE_FLOATING))
		return data_line_write(
			sink, event, TRACE2_DATA, track->name,
			trace2_string_of(text_of(floating_text(floating, value->floating))), error);
	if (value->kind == VALUE_SIGNED)
		end = put_signed(digits, value->signed_number);
	else
		end = put_unsigned(digits, value->unsigned_number);
	return data_line_write(sink, event, TRACE2_DATA, track->name,
			       (struct trace2_string){ digits, end - digits }, error);
}
