// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of records: slices, instants and samples; tracks as trace2 threads: their names,
 * identities, timers and summaries; the names of fields, rendered once.
 */
#include "sink/trace2/state.h"

#include <stdlib.h>
#include <string.h>

#include "sink/flow.h"

/* The thread's name up to its colon. */
static void number_append(struct buffer *out, unsigned long number)
{
	buffer_append_string(out, number < 10 ? "th0" : "th");
	buffer_append_unsigned(out, number);
}

static void trace2_track_free(struct trace2_sink *sink, struct trace2_track *track)
{
	sink_track_unlink(&sink->tracks, &track->link);
	sink->nr_timers -= track->timers.size;
	interval_table_release(&track->timers);
	free(track->other);
	trace2_thread_free(track->thread);
	trace2_text_free(track->name);
	free(track->levels);
	free(track);
}

void trace2_tracks_free(struct trace2_sink *sink)
{
	while (sink->tracks)
		trace2_track_free(sink, container_of(sink->tracks, struct trace2_track, link));
}

/* Writes sink->message as JSON on the track's thread. */
static void track_json_write(struct trace2_sink *sink, const struct trace2_track *track,
			     const char *category, int64_t time_ns)
{
	buffer_clear(&sink->more);
	number_append(&sink->more, track->number);
	sink->has_failed |= sink->more.failed;
	trace2_json_write(sink, track->thread, track->begin_ns, text_of(category),
			  buffer_text(&sink->more), time_ns);
}

/* What is rendered for a tracepoint; NULL if memory ran out. */
static struct trace2_category *trace2_sink_category(struct trace2_sink *sink,
						    struct timeline_category *category)
{
	struct trace2_category *own = trace2_category_of(sink, category);

	if (own)
		return own;
	own = calloc(1, sizeof(*own));
	if (own)
		own->text = trace2_text_new(trace2_string_of(text_of(category->text)));
	if (!own || !own->text) {
		free(own);
		sink->has_failed = true;
		return NULL;
	}
	own->after = sink->categories;
	sink->categories = own;
	category->sink_data[sink->sink_index] = own;
	return own;
}

/* The thread's name is the track's number, a colon, and the track's label. */
void trace2_track_begin(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_track *track = calloc(1, sizeof(*track));
	struct trace2_event line = { .kind = TRACE2_THREAD_START };
	const struct timeline_track *shown = event->track;
	bool has_levels = shown->kind != TRACK_SLICES;
	struct buffer *name = &sink->message;
	struct text label;

	sink->has_failed |= !track;
	if (!track)
		return;
	sink_track_link(&sink->tracks, &track->link);
	event->track->sink_data[sink->sink_index] = track;
	buffer_clear(name);
	number_append(name, shown->number);
	buffer_append_char(name, ':');
	label.size = name->size;
	track_append_label(name, shown);
	if (!name->failed) {
		label = (struct text){ name->data + label.size, name->size - label.size };
		track->thread = trace2_thread_new(sink->session,
						  trace2_string_of(buffer_text(name)));
		track->name = has_levels ? trace2_text_new(trace2_string_of(label)) : NULL;
		track->levels = has_levels ? calloc(1, sizeof(*track->levels)) : NULL;
	}
	track->number = shown->number;
	track->begin_ns = event->time_ns;
	track->category = trace2_sink_category(sink, event->track->category);
	if (!track->thread || (has_levels && (!track->name || !track->levels)))
		sink->has_failed = true;
	if (sink->has_failed)
		return;
	line.thread = track->thread;
	trace2_sink_write(sink, &line, event->time_ns);
	buffer_clear(&sink->message);
	track_append_identity(&sink->message, shown);
	track_json_write(sink, track, "track", event->time_ns);
}

static void level_append(struct buffer *out, const char *name, const struct value *value)
{
	buffer_printf(out, ",\"%s\":\"", name);
	value_append_text(out, value);
	buffer_append_char(out, '"');
}

static void levels_write(struct trace2_sink *sink, const struct trace2_track *track,
			 int64_t time_ns)
{
	const struct levels *levels = track->levels;

	buffer_clear(&sink->message);
	buffer_append_string(&sink->message, "{\"samples\":");
	buffer_append_unsigned(&sink->message, levels->nr_samples);
	level_append(&sink->message, "first", &levels->first);
	level_append(&sink->message, "last", &levels->last);
	level_append(&sink->message, "min", &levels->min);
	level_append(&sink->message, "max", &levels->max);
	buffer_append_char(&sink->message, '}');
	track_json_write(sink, track, "summary", time_ns);
}

/* The form of a name of a tracepoint; of NULL "(other)". NULL if memory ran out. */
static const struct trace2_text *trace2_sink_label(struct trace2_sink *sink,
						   const struct trace2_category *category,
						   struct timeline_name *name)
{
	const struct trace2_text *known = name ? trace2_label_of(sink, name) : NULL;
	struct trace2_string text = trace2_string_of(name ? name->text : text_of("(other)"));
	struct trace2_text *label = NULL;

	if (known)
		return known;
	if (!name || !name->is_counted) {
		if (trace2_label_set(sink->short_text, category->text, text) == 0)
			return sink->short_text;
	} else if (array_reserve(sink->labels, sink->nr_labels)) {
		label = trace2_label_new(category->text, text);
		if (label)
			sink->labels[sink->nr_labels++] = label;
		name->sink_data[sink->sink_index] = label;
	}
	sink->has_failed |= !label;
	return label;
}

void trace2_timers_write(struct trace2_sink *sink, const struct interval_table *table,
			 enum trace2_kind kind, const struct trace2_thread *thread, int64_t time_ns)
{
	for (size_t i = 0; i < table->size; i++) {
		const struct intervals *intervals = table->list[i];
		const struct trace2_category *category = trace2_category_of(sink,
									    intervals->category);
		struct trace2_event line = { .kind = kind, .thread = thread };

		if (intervals->nr_intervals == 0)
			continue;
		line.timer.category = category->text;
		line.timer.name = trace2_sink_label(sink, category, intervals->name);
		line.timer.intervals = intervals->nr_intervals;
		line.timer.total_ns = intervals->total_ns;
		line.timer.min_ns = intervals->min_ns;
		line.timer.max_ns = intervals->max_ns;
		if (line.timer.name)
			trace2_sink_write(sink, &line, time_ns);
	}
}

/* A slice without a timer on its track. */
static void other_timer_add(struct trace2_sink *sink, struct trace2_track *track,
			    const struct timeline_event *event)
{
	struct intervals *total = interval_table_get(&sink->totals, event->track->category,
						     event->name);

	if (!track->other)
		track->other = calloc(1, sizeof(*track->other));
	if (!track->other || !total) {
		sink->has_failed = true;
		return;
	}
	intervals_add(track->other, event->time_ns - event->begin_ns);
	intervals_add(total, event->time_ns - event->begin_ns);
}

static void trace2_timer_add(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_track *track = trace2_track_of(sink, event->track);
	size_t nr_before = track->timers.size;
	struct intervals *timer;

	if ((track->other || sink->nr_timers >= TRACE2_TIMERS_MAX) &&
	    !interval_table_find(&track->timers, event->track->category, event->name)) {
		other_timer_add(sink, track, event);
		return;
	}
	timer = interval_table_get(&track->timers, event->track->category, event->name);
	sink->has_failed |= !timer;
	sink->nr_timers += track->timers.size - nr_before;
	if (timer)
		intervals_add(timer, event->time_ns - event->begin_ns);
}

static void summary_write(struct trace2_sink *sink, const struct timeline_event *event,
			  struct trace2_track *track)
{
	struct trace2_event line = { .kind = TRACE2_THREAD_EXIT, .thread = track->thread };
	size_t nr_before = track->timers.size;
	struct intervals *other;

	if (track->levels && track->levels->nr_samples > 0)
		levels_write(sink, track, event->time_ns);
	for (size_t i = 0; i < nr_before; i++) {
		const struct intervals *from = track->timers.list[i];
		struct intervals *total = interval_table_get(&sink->totals, from->category,
							     from->name);

		sink->has_failed |= !total;
		if (total)
			intervals_merge(total, from);
	}
	/* Slices without a timer join those of uncounted names; the totals include them already. */
	if (track->other) {
		other = interval_table_get(&track->timers, event->track->category, NULL);
		sink->has_failed |= !other;
		sink->nr_timers += track->timers.size - nr_before;
		if (other)
			intervals_merge(other, track->other);
	}
	trace2_timers_write(sink, &track->timers, TRACE2_TH_TIMER, track->thread, event->time_ns);
	trace2_count_write(sink, TRACE2_TH_COUNTER, track->thread, "ktrack", "unmatched_ends",
			   event->unmatched_ends, event->time_ns);
	line.thread_exit.t_rel_ns = event->time_ns - track->begin_ns;
	trace2_sink_write(sink, &line, event->time_ns);
}

void trace2_track_end(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_track *track = trace2_track_of(sink, event->track);

	summary_write(sink, event, track);
	event->track->sink_data[sink->sink_index] = NULL;
	trace2_track_free(sink, track);
}

/* The fields of a tracepoint, by an event that has one at least; NULL if memory ran out. */
hot_inline struct json_fields *event_fields(struct trace2_sink *sink,
					    const struct timeline_event *event)
{
	struct json_fields *fields = json_fields_get(&sink->fields, event);

	sink->has_failed |= !fields;
	return fields;
}

/* Appends any fields, also those that need escapes, or whose names are new. */
static out_of_line void any_fields_append(struct trace2_sink *sink, struct json_fields *fields,
					  struct buffer *json, struct buffer *text,
					  const struct timeline_event *event)
{
	bool is_first = true;

	buffer_append_char(json, '{');
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];

		json_fields_learn(&sink->fields, fields, field->name);
		json_append_member(json, field->name, &is_first);
		value_append_json(json, &field->value);
		if (!text)
			continue;
		buffer_append_char(text, ' ');
		fields_append_text(text, field, 1);
	}
	buffer_append_char(json, '}');
}

/*
 * Appends an object of the event's fields, one at least, to @json, and " name=value name=value" to
 * @text, which may be NULL. Returns true if the text needs no escapes in JSON.
 */
static bool trace2_fields_append(struct trace2_sink *sink, struct buffer *json, struct buffer *text,
				 const struct timeline_event *event)
{
	struct json_fields *fields = event_fields(sink, event);
	char *out, *text_out = NULL;

	if (!fields)
		return false;
	out = buffer_reserve_put(json, json_fields_max(fields, event));
	if (text)
		text_out = buffer_reserve_put(text, fields->text_size +
							    event->nr_fields * PUT_NUMBER_MAX);
	if (!out || (text && !text_out))
		return false;
	out = json_fields_put(out, text ? &text_out : NULL, NULL, fields, event);
	if (!out) {
		any_fields_append(sink, fields, json, text, event);
		return false;
	}
	buffer_end_put(json, put_char(out, '}'));
	if (text)
		buffer_end_put(text, text_out);
	return !fields->has_escapes;
}

/* Whether FIELDS_SIZE_MAX bytes fit the event's fields, as JSON and as text, which is shorter. */
hot_inline bool fields_fit(const struct json_fields *fields, const struct timeline_event *event)
{
	return fields && json_fields_max(fields, event) <= FIELDS_SIZE_MAX;
}

/*
 * Sets message and members to the event's fields, one at least.
 *
 * Returns false if a field needs escapes or is too large; trace2_fields_append() appends any.
 */
static copies_wide bool trace2_fields_line_set(struct trace2_fields_line *line,
					       struct json_fields *fields,
					       const struct timeline_event *event)
{
	char *text = line->msg, *end;

	if (unlikely(!fields_fit(fields, event) || fields->has_escapes))
		return false;
	if (json_fields_set(fields, event)) {
		text = json_fields_put_text(text, fields);
		line->event.more.data = fields->json.data;
		line->event.more.size = fields->json.size;
	} else {
		end = json_fields_put(line->more + strlen(JSON_ARGS), &text, NULL, fields, event);
		if (!end)
			return false;
		line->event.more.data = line->more;
		line->event.more.size = put_char(end, '}') - line->more;
	}
	line->event.region.msg.size = text - line->msg - 1;
	return true;
}

void trace2_fields_line_init(struct trace2_fields_line *line)
{
	strcpy(line->more, JSON_ARGS);
	line->event.region.msg.data = line->msg + 1;
	line->event.needs_no_escape = true;
	line->event.has_slack = true;
}

void trace2_sink_categories_free(struct trace2_sink *sink)
{
	while (sink->categories) {
		struct trace2_category *own = sink->categories;

		sink->categories = own->after;
		trace2_text_free(own->text);
		free(own);
	}
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
	if (event->is_crossing)
		member_append(more, "\"crossing\":true");
}

/* The fields as a member, and as sink->message; returns trace2_fields_append()'s. */
static bool args_append(struct trace2_sink *sink, const struct timeline_event *event)
{
	buffer_clear(&sink->message);
	member_append(&sink->more, JSON_ARGS);
	return trace2_fields_append(sink, &sink->more, &sink->message, event);
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
	if (event->flags)
		flags_append(&sink->more, event);
	line->more = (struct trace2_string){ sink->more.data, sink->more.size };
}

/* Writes a slice's line, with the members that are in all of them. */
hot_inline void slice_line_write(struct trace2_sink *sink, struct trace2_event *line,
				 const struct timeline_event *event, enum trace2_kind kind,
				 const struct trace2_text *label)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);

	line->kind = kind;
	line->thread = track->thread;
	line->region.nesting = event->depth;
	line->region.t_rel_ns = event->time_ns - event->begin_ns;
	line->region.category = track->category->text;
	line->region.label = label;
	trace2_sink_write(sink, line, event->time_ns);
}

/* Writes any slice. Other lines do not have the members that are set here only. */
static out_of_line void slice_write_any(struct trace2_sink *sink,
					const struct timeline_event *event, enum trace2_kind kind)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	const struct trace2_text *label = trace2_label_of(sink, event->name);
	struct trace2_event *line = &sink->slice;

	if (!label)
		label = trace2_sink_label(sink, track->category, event->name);
	if (!label)
		return;
	slice_more_set(sink, event, line);
	slice_line_write(sink, &sink->slice, event, kind, label);
	line->needs_no_escape = false;
	line->region.msg = (struct trace2_string){ 0 };
	line->more = (struct trace2_string){ 0 };
}

/* Writes a slice with fields, and no further members. */
static out_of_line void slice_write_fields(struct trace2_sink *sink,
					   const struct timeline_event *event,
					   enum trace2_kind kind, const struct trace2_text *label)
{
	struct trace2_fields_line *line = &sink->fields_line;

	if (likely(trace2_fields_line_set(line, event_fields(sink, event), event)))
		slice_line_write(sink, &line->event, event, kind, label);
	else
		slice_write_any(sink, event, kind);
}

/* Most slices have a name that is rendered already, and fields at most. */
hot_inline void slice_write(struct trace2_sink *sink, const struct timeline_event *event,
			    enum trace2_kind kind)
{
	const struct trace2_text *label = trace2_label_of(sink, event->name);

	if (unlikely(!label || sink->with || event->flags || event->nr_flows > 0))
		slice_write_any(sink, event, kind);
	else if (event->nr_any > 0)
		slice_write_fields(sink, event, kind, label);
	else
		slice_line_write(sink, &sink->slice, event, kind, label);
}

void trace2_slice_begin_write(struct trace2_sink *sink, const struct timeline_event *event)
{
	slice_write(sink, event, TRACE2_REGION_ENTER);
}

/* Writes the end of a slice that is not counted, or whose timer is not at hand. */
static out_of_line void slice_end_write_any(struct trace2_sink *sink,
					    const struct timeline_event *event)
{
	if (!slice_is_doubtful(event))
		trace2_timer_add(sink, event);
	slice_write_any(sink, event, TRACE2_REGION_LEAVE);
}

/* Only complete slices are counted. */
void trace2_slice_end_write(struct trace2_sink *sink, const struct timeline_event *event)
{
	struct trace2_track *track = trace2_track_of(sink, event->track);
	struct intervals *recent = interval_table_recent(&track->timers, event->track->category,
							 event->name);

	if (unlikely(!recent || event->flags)) {
		slice_end_write_any(sink, event);
		return;
	}
	intervals_add(recent, event->time_ns - event->begin_ns);
	slice_write(sink, event, TRACE2_REGION_LEAVE);
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
	if (event->flags)
		flags_append(&sink->more, event);
	line->more = trace2_string_of(buffer_text(&sink->more));
}

/* Writes the line of an instant or a sample, with the members that are in all of them. */
hot_inline void data_line_write(struct trace2_sink *sink, struct trace2_event *line,
				const struct timeline_event *event, const struct trace2_text *key)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);

	line->thread = track->thread;
	line->data.nesting = event->depth + 1;
	line->data.t_rel_ns = event->time_ns - event->outer_ns;
	line->data.category = track->category->text;
	line->data.key = key;
	trace2_sink_write(sink, line, event->time_ns);
}

/* @value is digits, or ready-made JSON. */
hot_inline void data_event_write(struct trace2_sink *sink, const struct timeline_event *event,
				 enum trace2_kind kind, const struct trace2_text *key,
				 struct trace2_string value)
{
	struct trace2_event *line = &sink->data;

	line->kind = kind;
	line->more.size = 0;
	line->data.value = value;
	line->data.msg.data = NULL;
	if ((kind == TRACE2_DATA ? event->nr_fields : event->nr_flows) > 0 || sink->with ||
	    event->flags)
		data_more_set(sink, event, line);
	data_line_write(sink, line, event, key);
}

/* Writes any instant. */
static out_of_line void instant_write_any(struct trace2_sink *sink,
					  const struct timeline_event *event)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	const struct trace2_text *key = trace2_sink_label(sink, track->category, event->name);

	if (!key)
		return;
	buffer_clear(&sink->message);
	if (event->nr_fields > 0)
		trace2_fields_append(sink, &sink->message, NULL, event);
	else
		buffer_append(&sink->message, "{}", 2);
	data_event_write(sink, event, TRACE2_DATA_JSON, key,
			 trace2_string_of(buffer_text(&sink->message)));
}

/* Most instants have fields, and no further members. */
void trace2_instant_write(struct trace2_sink *sink, const struct timeline_event *event)
{
	const struct trace2_text *key = trace2_label_of(sink, event->name);
	struct trace2_event *line = &sink->instant;
	struct json_fields *fields;

	if (likely(key && event->nr_any > 0 && event->nr_any == event->nr_fields && !sink->with &&
		   !event->flags)) {
		fields = event_fields(sink, event);
		if (likely(fields && json_fields_set(fields, event))) {
			line->data.value.data = json_fields_begin(fields);
			line->data.value.size = fields->json.size - strlen(JSON_ARGS);
			data_line_write(sink, line, event, key);
			return;
		}
	}
	instant_write_any(sink, event);
}

void trace2_sample_write(struct trace2_sink *sink, const struct timeline_event *event)
{
	const struct trace2_track *track = trace2_track_of(sink, event->track);
	const struct value *value = &event->value;
	char digits[PUT_NUMBER_MAX + PUT_SLACK], floating[FLOATING_TEXT_MAX], *end;
	struct trace2_string text;

	levels_add(track->levels, value);
	if (unlikely(value->kind == VALUE_FLOATING)) {
		text = trace2_string_of(text_of(floating_text(floating, value->floating)));
	} else {
		end = value->kind == VALUE_SIGNED ? put_signed(digits, value->signed_number)
						  : put_unsigned(digits, value->unsigned_number);
		text = (struct trace2_string){ digits, end - digits };
	}
	data_event_write(sink, event, TRACE2_DATA, track->name, text);
}

/* Sets sink->short_text and sink->other_text, of a line. */
static void texts_set(struct trace2_sink *sink, struct text one, struct text other)
{
	sink->has_failed |= trace2_text_set(sink->short_text, trace2_string_of(one)) < 0 ||
			    trace2_text_set(sink->other_text, trace2_string_of(other)) < 0;
}

void trace2_json_write(struct trace2_sink *sink, const struct trace2_thread *thread,
		       int64_t begin_ns, struct text category, struct text key, int64_t time_ns)
{
	struct trace2_event line = {
		.kind = TRACE2_DATA_JSON,
		.thread = thread,
		.data.nesting = 1,
		.data.t_rel_ns = time_ns - begin_ns,
		.data.category = sink->short_text,
		.data.key = sink->other_text,
		.data.value = trace2_string_of(buffer_text(&sink->message)),
	};

	texts_set(sink, category, key);
	trace2_sink_write(sink, &line, time_ns);
}

void trace2_count_write(struct trace2_sink *sink, enum trace2_kind kind,
			const struct trace2_thread *thread, const char *category, const char *name,
			uint64_t count, int64_t time_ns)
{
	struct trace2_event line = {
		.kind = kind,
		.thread = thread,
		.counter.category = sink->short_text,
		.counter.name = sink->other_text,
		.counter.count = count,
	};

	if (count == 0)
		return;
	texts_set(sink, text_of(category), text_of(name));
	trace2_sink_write(sink, &line, time_ns);
}
