/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of the trace2 sink: the session, and what it keeps for each track. */
#ifndef SINK_TRACE2_STATE_H
#define SINK_TRACE2_STATE_H

#include "sink/sink.h"
#include "sink/summary.h"
#include "trace2/trace2.h"

/**
 * struct trace2_field - the name of a field as lines have it
 * @name: where the name stands, by which it is known
 * @json: as a member's name, with the comma before it and its colon
 * @plain: for people, with the blank before it and "="
 */
struct trace2_field {
	const char *name;
	struct buffer json;
	struct buffer plain;
};

/**
 * struct trace2_fields - the fields of a tracepoint's records, in the order of the records
 * @has_others: a name is longer than a block, or what has it is no number
 * @has_escapes: a name is not the same in JSON
 */
struct trace2_fields {
	struct trace2_field *list;
	size_t size;
	bool has_others;
	bool has_escapes;
};

/** struct trace2_category - what was rendered for a tracepoint; all of them are in a list */
struct trace2_category {
	struct trace2_text *text;
	struct trace2_fields fields;
	struct trace2_category *after;
};

/** TRACE2_TIMERS_MAX - how many names have a timer of their own on a track, on all tracks together
 */
#define TRACE2_TIMERS_MAX 131072

/**
 * struct trace2_sink - one session
 * @slot: our index into the slots of tracks, names and categories
 * @start_ns: trace time at which the session begins
 * @command_ns: trace time at which the traced command began
 * @tracks: those that have not ended
 * @totals: timers over all tracks that ended
 * @nr_timers: how many entries the tracks' timers have; bounded by TRACE2_TIMERS_MAX
 * @texts: what was rendered for names
 * @categories: what was rendered for tracepoints
 * @short_text: for the name that is not kept
 * @label: for the track's number in its thread's name
 * @message, @more: scratch for one line
 * @slice: the line of a slice that has neither
 * @slice_with_args: the line of one whose fields are all that is more to be told
 */
struct trace2_sink {
	struct sink sink;
	struct sink_trace2_settings settings;
	struct trace2_session *session;
	unsigned int slot;
	int64_t start_ns;
	int64_t command_ns;
	struct trace2_track *tracks;
	struct interval_table totals;
	size_t nr_timers;
	struct trace2_category *categories;
	struct trace2_text **texts;
	size_t nr_texts;
	struct trace2_text *short_text;
	struct trace2_text *label;
	struct buffer message;
	struct buffer more;
	struct trace2_event slice;
	struct trace2_event slice_with_args;
};

/**
 * struct trace2_track - one track as a trace2 thread
 * @number: that of the thread's name
 * @category: of all its lines
 * @name: of counter tracks: what samples are called: the thread's name without its number
 * @before, @after: neighbours in the list of tracks that have not ended
 * @timers: of slice tracks
 * @other: slices of names that have no timer on this track, for want of room; NULL where there are
 * none. They are in the sink's totals already.
 * @levels: of counter tracks
 */
struct trace2_track {
	struct trace2_thread *thread;
	int64_t begin_ns;
	unsigned long number;
	struct trace2_category *category;
	struct trace2_text *name;
	struct trace2_track *before;
	struct trace2_track *after;
	struct interval_table timers;
	struct intervals *other;
	struct levels *levels;
};

/** trace2_sink_fail - the session has failed; returns -1 with @error */
int trace2_sink_fail(const struct trace2_sink *sink, struct error *error);

/** trace2_sink_write - write an event of @time_ns (trace time); returns -1 with @error */
static inline int trace2_sink_write(struct trace2_sink *sink, struct trace2_event *event,
				    int64_t time_ns, struct error *error)
{
	event->time_ns = time_ns - sink->start_ns;
	return trace2_session_write(sink->session, event) < 0 ? trace2_sink_fail(sink, error) : 0;
}

/** trace2_category_get - what is rendered for a tracepoint; NULL with @error where memory ran out
 */
struct trace2_category *trace2_category_get(struct trace2_sink *sink,
					    struct timeline_category *category,
					    struct error *error);

/** trace2_categories_free - give all of them back */
void trace2_categories_free(struct trace2_sink *sink);

/**
 * trace2_fields_append - add an object of the event's fields, "{}" where there are none, and
 * " name=value name=value" to @plain
 *
 * Returns whether what @plain got is sure to be the same within a JSON string.
 */
bool trace2_fields_append(struct trace2_fields *fields, struct buffer *json, struct buffer *plain,
			  const struct timeline_event *event);

/** trace2_is_odd - whether a slice is more than its begin and its end */
hot_inline bool trace2_is_odd(const struct timeline_event *event)
{
	return event->is_continued | event->is_suspect | event->is_unfinished | event->is_foreign;
}

/**
 * trace2_more_fill - set the additional members of a record's line, which are who wrote it, its
 * fields, and what is to be known about a slice; and a slice's message, which is its fields
 *
 * What is set lives until the next line's is.
 */
void trace2_more_fill(struct trace2_sink *sink, const struct timeline_event *event,
		      struct trace2_event *line);

/**
 * trace2_args_fill - trace2_more_fill() of a slice that has fields and nothing else to tell, in one
 * go; false where its fields are not as most are
 */
bool trace2_args_fill(struct trace2_sink *sink, const struct timeline_event *event,
		      struct trace2_event *line);

/** trace2_sink_render - the rendered form of a name that has none in its slot */
const struct trace2_text *trace2_sink_render(struct trace2_sink *sink,
					     const struct trace2_category *category,
					     struct timeline_name *name, struct error *error);

/**
 * trace2_sink_name - the rendered form of a name, counted or not; of NULL it is "(other)"
 * @category: whose records have the name
 */
static inline const struct trace2_text *trace2_sink_name(struct trace2_sink *sink,
							 const struct trace2_category *category,
							 struct timeline_name *name,
							 struct error *error)
{
	if (name && name->slots[sink->slot])
		return name->slots[sink->slot];
	return trace2_sink_render(sink, category, name, error);
}

/** trace2_string_of - the same bytes, as libtrace2 calls them */
static inline struct trace2_string trace2_string_of(struct text text)
{
	return (struct trace2_string){ .data = text.data, .size = text.size };
}

/** trace2_track_begin, trace2_track_end - a track's thread, its identity and its summary */
int trace2_track_begin(struct trace2_sink *sink, const struct timeline_event *event,
		       struct error *error);
int trace2_track_end(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error);

/** trace2_track_free - without a word, where the stream ended early */
void trace2_track_free(struct trace2_sink *sink, struct trace2_track *track);

/** trace2_timer_add - count a slice that ends on its track */
int trace2_timer_add(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error);

/** trace2_timers_write - one timer event of @kind for each entry */
int trace2_timers_write(struct trace2_sink *sink, const struct interval_table *table,
			enum trace2_kind kind, const struct trace2_thread *thread, int64_t time_ns,
			struct error *error);

/** trace2_count_write - write a counter event that has all but its category and name */
int trace2_count_write(struct trace2_sink *sink, struct trace2_event *line, const char *category,
		       const char *name, int64_t time_ns, struct error *error);

/** trace2_tracepoint_write - as of when a tracepoint is recorded that came or went meanwhile */
int trace2_tracepoint_write(struct trace2_sink *sink, const struct timeline_event *event,
			    struct error *error);

/** trace2_frame_begin, trace2_frame_end - what stands on the main thread around the recording */
int trace2_frame_begin(struct trace2_sink *sink, const struct recording *recording,
		       struct error *error);
int trace2_frame_end(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error);

#endif
