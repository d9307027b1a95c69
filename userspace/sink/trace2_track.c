// SPDX-License-Identifier: GPL-2.0-only
/*
 * A track as a trace2 thread: its name for people, its identity for machines, its summary at the
 * end.
 */
#include <stdlib.h>
#include <string.h>

#include "sink/identity.h"
#include "sink/trace2_state.h"

/* The thread's name up to its colon, by which data and timers name it. */
static void append_label(struct buffer *out, unsigned long number)
{
	buffer_append_string(out, number < 10 ? "th0" : "th");
	buffer_append_unsigned(out, number);
}

static void track_link(struct trace2_sink *sink, struct trace2_track *track)
{
	track->after = sink->tracks;
	if (track->after)
		track->after->before = track;
	sink->tracks = track;
}

void trace2_track_free(struct trace2_sink *sink, struct trace2_track *track)
{
	if (track->before)
		track->before->after = track->after;
	else
		sink->tracks = track->after;
	if (track->after)
		track->after->before = track->before;
	sink->nr_timers -= track->timers.size;
	interval_table_release(&track->timers);
	free(track->other);
	trace2_thread_free(track->thread);
	trace2_text_free(track->name);
	free(track->levels);
	free(track);
}

/* What only counters have: a name for their samples, and where those went. */
static bool counter_init(struct trace2_track *track, struct text name)
{
	track->name = trace2_text_new(trace2_string_of(name));
	track->levels = calloc(1, sizeof(*track->levels));
	return track->name && track->levels;
}

static struct trace2_track *trace2_track_new(struct trace2_sink *sink,
					     const struct timeline_track *shown)
{
	struct trace2_track *track = calloc(1, sizeof(*track));
	struct buffer *text = &sink->message;
	size_t label_size;

	if (!track)
		return NULL;
	track_link(sink, track);
	track->number = shown->number;
	buffer_clear(text);
	append_label(text, shown->number);
	buffer_append_char(text, ':');
	label_size = text->size;
	track_append_label(text, shown);
	if (!text->failed)
		track->thread = trace2_thread_new(sink->session,
						  trace2_string_of(buffer_text(text)));
	if (track->thread && (shown->kind == TRACK_SLICES ||
			      counter_init(track, (struct text){ text->data + label_size,
								 text->size - label_size })))
		return track;
	trace2_track_free(sink, track);
	return NULL;
}

/* Writes the JSON in sink->message on the track's own line of time. */
static int track_json_write(struct trace2_sink *sink, const struct trace2_track *track,
			    const char *category, int64_t time_ns, struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_DATA_JSON, .thread = track->thread };

	buffer_clear(&sink->more);
	append_label(&sink->more, track->number);
	if (trace2_text_set(sink->short_text, trace2_string_of(text_of(category))) < 0 ||
	    trace2_text_set(sink->label, trace2_string_of(buffer_text(&sink->more))) < 0)
		return error_set(error, "out of memory");
	line.data.nesting = 1;
	line.data.t_rel_ns = time_ns - track->begin_ns;
	line.data.category = sink->short_text;
	line.data.key = sink->label;
	line.data.value = trace2_string_of(buffer_text(&sink->message));
	return trace2_sink_write(sink, &line, time_ns, error);
}

int trace2_track_begin(struct trace2_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct trace2_track *track = trace2_track_new(sink, event->track);
	struct trace2_event line = { .kind = TRACE2_THREAD_START };

	if (!track)
		return error_set(error, "out of memory");
	event->track->slots[sink->slot] = track;
	track->begin_ns = event->time_ns;
	track->category = trace2_category_get(sink, event->track->category, error);
	if (!track->category)
		return -1;
	line.thread = track->thread;
	if (trace2_sink_write(sink, &line, event->time_ns, error) < 0)
		return -1;
	buffer_clear(&sink->message);
	track_append_identity(&sink->message, event->track);
	return track_json_write(sink, track, "track", event->time_ns, error);
}

static void append_level(struct buffer *out, const char *name, const struct value *value)
{
	buffer_printf(out, ",\"%s\":\"", name);
	value_append_text(out, value);
	buffer_append_char(out, '"');
}

static int levels_write(struct trace2_sink *sink, const struct trace2_track *track, int64_t time_ns,
			struct error *error)
{
	const struct levels *levels = track->levels;

	buffer_clear(&sink->message);
	buffer_append_string(&sink->message, "{\"samples\":");
	buffer_append_unsigned(&sink->message, levels->nr_samples);
	append_level(&sink->message, "first", &levels->first);
	append_level(&sink->message, "last", &levels->last);
	append_level(&sink->message, "min", &levels->min);
	append_level(&sink->message, "max", &levels->max);
	buffer_append_char(&sink->message, '}');
	return track_json_write(sink, track, "summary", time_ns, error);
}

int trace2_timers_write(struct trace2_sink *sink, const struct interval_table *table,
			enum trace2_kind kind, const struct trace2_thread *thread, int64_t time_ns,
			struct error *error)
{
	for (size_t i = 0; i < table->size; i++) {
		const struct intervals *intervals = table->list[i];
		const struct trace2_category *category = intervals->category->slots[sink->slot];
		struct trace2_event line = { .kind = kind, .thread = thread };

		line.timer.category = category->text;
		line.timer.name = trace2_sink_name(sink, category, intervals->name, error);
		line.timer.intervals = intervals->nr_intervals;
		line.timer.total_ns = intervals->total_ns;
		line.timer.min_ns = intervals->min_ns;
		line.timer.max_ns = intervals->max_ns;
		if (!line.timer.name || trace2_sink_write(sink, &line, time_ns, error) < 0)
			return -1;
	}
	return 0;
}

/* A slice of a name for which there is no room among the timers of its track. */
static int other_timer_add(struct trace2_sink *sink, struct trace2_track *track,
			   const struct timeline_event *event, struct error *error)
{
	struct intervals *total = interval_table_get(&sink->totals, event->track->category,
						     event->name);

	if (!track->other)
		track->other = calloc(1, sizeof(*track->other));
	if (!track->other || !total)
		return error_set(error, "out of memory");
	intervals_add(track->other, event->time_ns - event->begin_ns);
	intervals_add(total, event->time_ns - event->begin_ns);
	return 0;
}

int trace2_timer_add(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct trace2_track *track = event->track->slots[sink->slot];
	size_t nr_before = track->timers.size;
	struct intervals *timer;

	if ((track->other || sink->nr_timers >= TRACE2_TIMERS_MAX) &&
	    !interval_table_find(&track->timers, event->track->category, event->name))
		return other_timer_add(sink, track, event, error);
	timer = interval_table_get(&track->timers, event->track->category, event->name);
	if (!timer)
		return error_set(error, "out of memory");
	sink->nr_timers += track->timers.size - nr_before;
	intervals_add(timer, event->time_ns - event->begin_ns);
	return 0;
}

/* Those without a timer of their own, which are in the totals already, join the unnamed ones. */
static int other_timer_merge(struct trace2_sink *sink, const struct timeline_event *event,
			     struct trace2_track *track, struct error *error)
{
	size_t nr_before = track->timers.size;
	struct intervals *timer;

	if (!track->other)
		return 0;
	timer = interval_table_get(&track->timers, event->track->category, NULL);
	if (!timer)
		return error_set(error, "out of memory");
	sink->nr_timers += track->timers.size - nr_before;
	intervals_merge(timer, track->other);
	return 0;
}

static int timers_collect(struct trace2_sink *sink, const struct trace2_track *track,
			  struct error *error)
{
	for (size_t i = 0; i < track->timers.size; i++) {
		const struct intervals *from = track->timers.list[i];
		struct intervals *total = interval_table_get(&sink->totals, from->category,
							     from->name);

		if (!total)
			return error_set(error, "out of memory");
		intervals_merge(total, from);
	}
	return 0;
}

static int unmatched_write(struct trace2_sink *sink, const struct timeline_event *event,
			   const struct trace2_track *track, struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_TH_COUNTER, .thread = track->thread };

	if (event->unmatched_ends == 0)
		return 0;
	line.counter.count = event->unmatched_ends;
	return trace2_count_write(sink, &line, "ktrack", "unmatched_ends", event->time_ns, error);
}

static int summary_write(struct trace2_sink *sink, const struct timeline_event *event,
			 struct trace2_track *track, struct error *error)
{
	struct trace2_event line = { .kind = TRACE2_THREAD_EXIT, .thread = track->thread };

	if (track->levels && track->levels->nr_samples > 0 &&
	    levels_write(sink, track, event->time_ns, error) < 0)
		return -1;
	if (timers_collect(sink, track, error) < 0 ||
	    other_timer_merge(sink, event, track, error) < 0 ||
	    trace2_timers_write(sink, &track->timers, TRACE2_TH_TIMER, track->thread,
				event->time_ns, error) < 0)
		return -1;
	if (unmatched_write(sink, event, track, error) < 0)
		return -1;
	line.thread_exit.t_rel_ns = event->time_ns - track->begin_ns;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

int trace2_track_end(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct trace2_track *track = event->track->slots[sink->slot];
	int status = summary_write(sink, event, track, error);

	event->track->slots[sink->slot] = NULL;
	trace2_track_free(sink, track);
	return status;
}
