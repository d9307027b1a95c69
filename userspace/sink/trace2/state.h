/* SPDX-License-Identifier: GPL-2.0-only */
/* Private header of the trace2 sink: the session, its tracks, tracepoints and names. */
#ifndef SINK_TRACE2_STATE_H
#define SINK_TRACE2_STATE_H

#include "sink/compression.h"
#include "sink/file.h"
#include "sink/sink.h"
#include "sink/summary.h"
#include "sink/text.h"
#include "trace2/trace2.h"

/** TRACE2_SINK_DECIMALS - digits of seconds: nanoseconds, the precision of records */
#define TRACE2_SINK_DECIMALS 9

/** struct trace2_category - a tracepoint; all of them are in a list */
struct trace2_category {
	struct trace2_text *text;
	struct trace2_category *after;
};

/** TRACE2_TIMERS_MAX - limit of timers by track and name, over all tracks */
#define TRACE2_TIMERS_MAX 131072
/** FIELDS_SIZE_MAX - limit of the bytes of fields that a line with fields has space for */
#define FIELDS_SIZE_MAX 2048

/**
 * struct trace2_fields_line - the line of a slice whose fields need no escapes
 * @event: its strings are in @msg, and in @more or a struct json_fields
 * @msg: begins with a blank
 * @more: begins with JSON_ARGS
 */
struct trace2_fields_line {
	struct trace2_event event;
	char msg[FIELDS_SIZE_MAX + 2 * TRACE2_SLACK];
	char more[sizeof(JSON_ARGS) + FIELDS_SIZE_MAX + 2 * TRACE2_SLACK];
};

/** struct trace2_sink - one session with one target */
struct trace2_sink {
	struct sink sink;
	struct sink_trace2_settings settings;
	struct trace2_session *session;
	struct compressor *compressor; /* of the target's file; NULL if it is not compressed */
	unsigned int with;	       /* a set of 1 << enum timeline_emitter */
	bool has_failed;	       /* the session has, or memory ran out */
	struct error *error;	       /* of the event that is written */
	bool has_data_messages;	       /* of instants and samples, which EVENT does not print */
	bool has_machines;	       /* several recordings are merged */
	unsigned int sink_index;       /* into the sink data of tracks, names and categories */
	int64_t start_ns;	       /* trace time at which the session begins */
	int64_t command_ns;	       /* trace time at which the traced command began */
	struct sink_track *tracks;     /* that have not ended */
	struct interval_table totals;  /* timers over all tracks that ended */
	size_t nr_timers; /* entries in the timers of all tracks, at most TRACE2_TIMERS_MAX */
	struct trace2_category *categories;
	struct json_sets fields;     /* of all tracepoints */
	struct trace2_text **labels; /* of all counted names */
	size_t nr_labels;
	struct trace2_text *short_text; /* scratch for texts of one line */
	struct trace2_text *other_text;
	struct buffer message; /* scratch for one line */
	struct buffer more;
	/* Lines of the last ones, so that only the members that differ are set. */
	struct trace2_event slice;
	struct trace2_event data;    /* of an instant or a sample */
	struct trace2_event instant; /* with fields, and nothing else */
	struct trace2_fields_line fields_line;
};

/** struct trace2_track - one track as a trace2 thread */
struct trace2_track {
	struct sink_track link;
	struct trace2_thread *thread;
	int64_t begin_ns;
	unsigned long number; /* of the thread's name */
	struct trace2_category *category;
	struct trace2_text *name;     /* of counters: key of the samples, the name without number */
	struct interval_table timers; /* of slices */
	/* slices beyond TRACE2_TIMERS_MAX, which the totals have; NULL for none */
	struct intervals *other;
	struct levels *levels; /* of counters */
};

/** trace2_track_of, trace2_category_of, trace2_label_of - the sink data of each; NULL at first */
static inline struct trace2_track *trace2_track_of(const struct trace2_sink *sink,
						   const struct timeline_track *track)
{
	return track->sink_data[sink->sink_index];
}

static inline struct trace2_category *trace2_category_of(const struct trace2_sink *sink,
							 const struct timeline_category *category)
{
	return category->sink_data[sink->sink_index];
}

static inline const struct trace2_text *trace2_label_of(const struct trace2_sink *sink,
							const struct timeline_name *name)
{
	return name->sink_data[sink->sink_index];
}

static inline struct trace2_string trace2_string_of(struct text text)
{
	return (struct trace2_string){ .data = text.data, .size = text.size };
}

/** trace2_sink_write - write an event of @time_ns (trace time) */
static inline void trace2_sink_write(struct trace2_sink *sink, struct trace2_event *event,
				     int64_t time_ns)
{
	event->time_ns = time_ns - sink->start_ns;
	if (unlikely(trace2_session_write(sink->session, event) < 0))
		sink->has_failed = true;
}

void trace2_sink_categories_free(struct trace2_sink *sink);

/** trace2_fields_line_init - set what all have; @line is zeroed */
void trace2_fields_line_init(struct trace2_fields_line *line);
/** trace2_slice_begin_write, ..., trace2_sample_write - the line of a record */
void trace2_slice_begin_write(struct trace2_sink *sink, const struct timeline_event *event);
void trace2_slice_end_write(struct trace2_sink *sink, const struct timeline_event *event);
void trace2_instant_write(struct trace2_sink *sink, const struct timeline_event *event);
void trace2_sample_write(struct trace2_sink *sink, const struct timeline_event *event);
/** trace2_track_begin, trace2_track_end - a track's thread, its identity and its summary */
void trace2_track_begin(struct trace2_sink *sink, const struct timeline_event *event);
void trace2_track_end(struct trace2_sink *sink, const struct timeline_event *event);
/** trace2_tracks_free - free all tracks, without lines, if the stream ended early */
void trace2_tracks_free(struct trace2_sink *sink);
/** trace2_timers_write - one timer event of @kind for each entry */
void trace2_timers_write(struct trace2_sink *sink, const struct interval_table *table,
			 enum trace2_kind kind, const struct trace2_thread *thread,
			 int64_t time_ns);
/** trace2_count_write - write a counter, unless @count is 0; @thread NULL for the main one */
void trace2_count_write(struct trace2_sink *sink, enum trace2_kind kind,
			const struct trace2_thread *thread, const char *category, const char *name,
			uint64_t count, int64_t time_ns);
/** trace2_json_write - write sink->message as TRACE2_DATA_JSON; @thread NULL for the main one */
void trace2_json_write(struct trace2_sink *sink, const struct trace2_thread *thread,
		       int64_t begin_ns, struct text category, struct text key, int64_t time_ns);

#endif
