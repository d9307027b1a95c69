// SPDX-License-Identifier: GPL-2.0-only
/* Tracks as trace2 threads: their names, identities, timers and summaries. */
#include <stdlib.h>
#include <string.h>

#include "sink/trace2/state.h"

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

/* The key and the statistics of samples. */
static bool counter_init(struct trace2_track *track, struct text name)
{
	track->name = trace2_text_new(trace2_string_of(name));
	track->levels = calloc(1, sizeof(*track->levels));
	return track->name && track->levels;
}

/* The thread's name is the track's number, a colon, and the track's label. */
static bool track_init(struct trace2_sink *sink, struct trace2_track *track,
		       const struct timeline_track *shown)
{
	struct buffer *name = &sink->message;
	struct text label;
	size_t number_size;

	buffer_clear(name);
	number_append(name, shown->number);
	buffer_append_char(name, ':');
	number_size = name->size;
	track_append_label(name, shown);
	if (name->failed)
		return false;
	label = (struct text){ name->data + number_size, name->size - number_size };
	track->number = shown->number;
	track->thread = trace2_thread_new(sink->session, trace2_string_of(buffer_text(name)));
	return track->thread && (shown->kind == TRACK_SLICES || counter_init(track, label));
}

/* Writes sink->message as JSON on the track's thread. */
static int track_json_write(struct trace2_sink *sink, const struct trace2_track *track,
			    const char *category, int64_t time_ns, struct error *error)
{
	buffer_clear(&sink->more);
	number_append(&sink->more, track->number);
	if (sink->more.failed)
		return error_set(error, "out of memory");
	return trace2_json_write(sink, track->thread, track->begin_ns, text_of(category),
				 buffer_text(&sink->more), time_ns, error);
}

int trace2_track_begin(struct trace2_sink *sink, const struct timeline_event *event,
		       struct error *error)
{
	struct trace2_track *track = calloc(1, sizeof(*track));
	struct trace2_event line = { .kind = TRACE2_THREAD_START };

	if (!track)
		return error_set(error, "out of memory");
	sink_track_link(&sink->tracks, &track->link);
	event->track->sink_data[sink->sink_index] = track;
	if (!track_init(sink, track, event->track))
		return error_set(error, "out of memory");
	track->begin_ns = event->time_ns;
	track->category = trace2_sink_category(sink, event->track->category, error);
	if (!track->category)
		return -1;
	line.thread = track->thread;
	if (trace2_sink_write(sink, &line, event->time_ns, error) < 0)
		return -1;
	buffer_clear(&sink->message);
	track_append_identity(&sink->message, event->track);
	return track_json_write(sink, track, "track", event->time_ns, error);
}

static void level_append(struct buffer *out, const char *name, const struct value *value)
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
	level_append(&sink->message, "first", &levels->first);
	level_append(&sink->message, "last", &levels->last);
	level_append(&sink->message, "min", &levels->min);
	level_append(&sink->message, "max", &levels->max);
	buffer_append_char(&sink->message, '}');
	return track_json_write(sink, track, "summary", time_ns, error);
}

int trace2_timers_write(struct trace2_sink *sink, const struct interval_table *table,
			enum trace2_kind kind, const struct trace2_thread *thread, int64_t time_ns,
			struct error *error)
{
	for (size_t i = 0; i < table->size; i++) {
		const struct intervals *intervals = table->list[i];
		const struct trace2_category *category = trace2_category_of(sink,
									    intervals->category);
		struct trace2_event line = { .kind = kind, .thread = thread };

		if (intervals->nr_intervals == 0)
			continue;
		line.timer.category = category->text;
		line.timer.name = trace2_sink_label(sink, category, intervals->name, error);
		line.timer.intervals = intervals->nr_intervals;
		line.timer.total_ns = intervals->total_ns;
		line.timer.min_ns = intervals->min_ns;
		line.timer.max_ns = intervals->max_ns;
		if (!line.timer.name || trace2_sink_write(sink, &line, time_ns, error) < 0)
			return -1;
	}
	return 0;
}

/* A slice without a timer on its track. */
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
	struct trace2_track *track = trace2_track_of(sink, event->track);
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

/* Slices without a timer join those of uncounted names; the totals include them already. */
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
	if (trace2_count_write(sink, TRACE2_TH_COUNTER, track->thread, "ktrack", "unmatched_ends",
			       event->unmatched_ends, event->time_ns, error) < 0)
		return -1;
	line.thread_exit.t_rel_ns = event->time_ns - track->begin_ns;
	return trace2_sink_write(sink, &line, event->time_ns, error);
}

int trace2_track_end(struct trace2_sink *sink, const struct timeline_event *event,
		     struct error *error)
{
	struct trace2_track *track = trace2_track_of(sink, event->track);
	int status = summary_write(sink, event, track, error);

	event->track->sink_data[sink->sink_index] = NULL;
	trace2_track_free(sink, track);
	return status;
}
