// SPDX-License-Identifier: GPL-2.0-only
/* What each observation does to its track, and what the timeline is told of it. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

static void tracks_advance(struct tracks *tracks, int64_t time_ns)
{
	if (time_ns > tracks->now_ns)
		tracks->now_ns = time_ns;
}

/*
 * There is one event for all records: to clear all of one and copy it would take longer than all
 * the rest that is done here. So what is not of an event's kind may be an older event's.
 */
hot_inline struct timeline_event *event_of(struct tracks *tracks, enum timeline_kind kind,
					   struct track *track)
{
	struct timeline_event *event = &tracks->event;

	event->kind = kind;
	event->time_ns = tracks->now_ns;
	event->track = &track->shown;
	event->depth = track->nr_slices;
	event->is_continued = false;
	event->is_suspect = false;
	event->is_unfinished = false;
	return event;
}

/* The name of the thread that wrote a record. */
static const char *writer_comm(struct tracks *tracks, const struct observation *observation)
{
	const struct task *task = tasks_get(&tracks->tasks, &tracks->settings, observation->tid);

	return task ? task->comm : "";
}

/* An event that a record stands behind, with what the record says. */
hot_inline struct timeline_event *event_of_record(struct tracks *tracks, enum timeline_kind kind,
						  struct track *track,
						  const struct observation *observation)
{
	struct timeline_event *event = event_of(tracks, kind, track);

	event->tid = observation->tid;
	event->cpu = observation->cpu;
	event->fields = observation->extras;
	event->nr_fields = observation->nr_extras;
	event->comm = "";
	if (tracks->settings.has_comm)
		event->comm = writer_comm(tracks, observation);
	return event;
}

struct timeline_event *tracks_event(struct tracks *tracks, enum timeline_kind kind,
				    struct track *track)
{
	struct timeline_event *event = event_of(tracks, kind, track);

	event->tid = -1;
	event->cpu = -1;
	event->comm = "";
	event->fields = NULL;
	event->nr_fields = 0;
	return event;
}

static struct name *tracks_name(struct tracks *tracks, const struct observation *observation,
				struct error *error)
{
	struct name *name = names_get(&tracks->names, observation->template->index,
				      observation->slice_name);

	if (!name)
		error_set(error, "out of memory");
	else if (!name->shown.is_counted)
		tracks->totals.other_names++;
	return name;
}

bool track_is_suspect(const struct tracks *tracks, const struct track *track,
		      const struct slice *slice)
{
	if (slice->was_suspect)
		return true;
	return track->buffer < tracks->nr_suspicions &&
	       suspicion_covers(&tracks->suspicions[track->buffer], track->shown.cpu,
				slice->begin_ns, slice->begin_cpu);
}

static struct category *track_category(const struct track *track)
{
	return (struct category *)track->shown.category;
}

/*
 * Ends suspect slices that the next one would lie too deep on; their own ends must have been lost.
 */
static int track_trim(struct tracks *tracks, struct track *track, struct error *error)
{
	size_t deepest = track_category(track)->deepest > 0 ? track_category(track)->deepest : 1;

	while (track->nr_slices >= deepest &&
	       track_is_suspect(tracks, track, &track->slices[track->nr_slices - 1])) {
		if (tracks_pop(tracks, track, NULL, error) < 0)
			return -1;
	}
	return 0;
}

/* The outermost slice is the oldest: where it is not suspect, none is. */
static void track_learn_depth(const struct tracks *tracks, const struct track *track)
{
	struct category *category = track_category(track);

	if (track->nr_slices > category->deepest &&
	    !track_is_suspect(tracks, track, &track->slices[0]))
		category->deepest = track->nr_slices;
}

hot_inline int slice_begin(struct tracks *tracks, struct track *track,
			   const struct observation *observation, struct error *error)
{
	struct timeline_event *event;
	struct slice *slice;
	struct name *name;

	if (track->nr_slices > 0 && track_trim(tracks, track, error) < 0)
		return -1;
	name = tracks_name(tracks, observation, error);
	if (!name)
		return -1;
	slice = track_push(track);
	if (!slice) {
		name_put(name);
		return error_set(error, "out of memory");
	}
	*slice = (struct slice){ .begin_ns = tracks->now_ns,
				 .begin_cpu = observation->cpu,
				 .name = name };
	track_idle_remove(track);
	track_learn_depth(tracks, track);
	event = event_of_record(tracks, TIMELINE_SLICE_BEGIN, track, observation);
	event->name = &name->shown;
	return timeline_push(tracks->timeline, event, error);
}

int tracks_pop(struct tracks *tracks, struct track *track, const struct observation *observation,
	       struct error *error)
{
	struct slice slice = track->slices[track->nr_slices - 1];
	struct timeline_event *event =
		observation ? event_of_record(tracks, TIMELINE_SLICE_END, track, observation)
			    : tracks_event(tracks, TIMELINE_SLICE_END, track);
	int status;

	event->name = &slice.name->shown;
	event->begin_ns = slice.begin_ns;
	event->is_continued = slice.is_continued;
	event->is_suspect = track_is_suspect(tracks, track, &slice);
	event->is_unfinished = !observation;
	tracks->totals.suspect += event->is_suspect;
	tracks->totals.unfinished += event->is_unfinished;
	status = timeline_push(tracks->timeline, event, error);
	track->nr_slices--;
	name_put(slice.name);
	if (track->nr_slices == 0)
		track_idle_add(track, &tracks->idle);
	return status;
}

static int slice_end(struct tracks *tracks, struct track *track,
		     const struct observation *observation, struct error *error)
{
	if (track->nr_slices == 0) {
		tracks->totals.unmatched_ends++;
		track->unmatched_ends++;
		return 0;
	}
	if (tracks_pop(tracks, track, observation, error) < 0)
		return -1;
	if (!track->is_outdated || track->nr_slices > 0)
		return 0;
	tracks->totals.retired_tracks++;
	return tracks_end(tracks, track, error);
}

/* A track without open slices becomes the most recently used one. */
static void track_touch(struct tracks *tracks, struct track *track)
{
	if (track->nr_slices > 0)
		return;
	track_idle_remove(track);
	track_idle_add(track, &tracks->idle);
}

static int64_t track_outer_ns(const struct track *track)
{
	return track->nr_slices > 0 ? track->slices[track->nr_slices - 1].begin_ns
				    : track->begin_ns;
}

static int instant(struct tracks *tracks, struct track *track,
		   const struct observation *observation, struct error *error)
{
	struct name *name = tracks_name(tracks, observation, error);
	struct timeline_event *event;
	int status;

	if (!name)
		return -1;
	track_touch(tracks, track);
	event = event_of_record(tracks, TIMELINE_INSTANT, track, observation);
	event->name = &name->shown;
	event->outer_ns = track_outer_ns(track);
	status = timeline_push(tracks->timeline, event, error);
	name_put(name);
	return status;
}

static int counter(struct tracks *tracks, struct track *track,
		   const struct observation *observation, struct error *error)
{
	struct timeline_event *event = event_of_record(tracks, TIMELINE_COUNTER, track,
						       observation);

	track_touch(tracks, track);
	event->name = NULL;
	event->outer_ns = track_outer_ns(track);
	event->value = observation->counter_value;
	return timeline_push(tracks->timeline, event, error);
}

int tracks_observe(struct tracks *tracks, const struct observation *observation,
		   struct error *error)
{
	struct track *track;

	if (observation->time_ns < tracks->now_ns)
		tracks->totals.late_records++;
	tracks_advance(tracks, observation->time_ns);
	track = tracks_get(tracks, observation, error);
	if (!track)
		return -1;
	switch (observation->kind) {
	case OBSERVATION_BEGIN:
		return slice_begin(tracks, track, observation, error);
	case OBSERVATION_END:
		return slice_end(tracks, track, observation, error);
	case OBSERVATION_INSTANT:
		return instant(tracks, track, observation, error);
	default:
		return counter(tracks, track, observation, error);
	}
}

int tracks_pass(struct tracks *tracks, struct timeline_event *event, int64_t time_ns,
		struct error *error)
{
	tracks_advance(tracks, time_ns);
	event->time_ns = tracks->now_ns;
	return timeline_push(tracks->timeline, event, error);
}

/* Whether @problem is new for the tracepoint; it is old from now on. */
static bool category_learn(struct category *category, const char *problem)
{
	for (size_t i = 0; i < PROBLEMS_MAX; i++) {
		if (category->problems[i] == problem)
			return false;
		if (!category->problems[i]) {
			category->problems[i] = problem;
			return true;
		}
	}
	return false;
}

int tracks_reject(struct tracks *tracks, const struct observation *observation, const char *problem,
		  struct error *error)
{
	struct category *category = tracks_category(tracks, observation->template);
	struct timeline_event event = {
		.kind = TIMELINE_MALFORMED,
		.problem = problem,
		.tracepoint = observation->template->category,
	};

	tracks->totals.malformed++;
	if (!category)
		return error_set(error, "out of memory");
	category->malformed++;
	if (!category_learn(category, problem))
		return 0;
	return tracks_pass(tracks, &event, observation->time_ns, error);
}

static struct suspicion *tracks_suspicion(struct tracks *tracks, unsigned int buffer)
{
	struct suspicion *suspicions;

	if (buffer < tracks->nr_suspicions)
		return &tracks->suspicions[buffer];
	suspicions = reallocarray(tracks->suspicions, buffer + 1, sizeof(*suspicions));
	if (!suspicions)
		return NULL;
	memset(suspicions + tracks->nr_suspicions, 0,
	       (buffer + 1 - tracks->nr_suspicions) * sizeof(*suspicions));
	tracks->suspicions = suspicions;
	tracks->nr_suspicions = buffer + 1;
	return &suspicions[buffer];
}

int tracks_lose(struct tracks *tracks, const struct tracks_gap *gap, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_LOSS,
					.begin_ns = gap->from_ns,
					.loss_cpu = gap->cpu,
					.loss_end_ns = gap->to_ns,
					.loss_count = gap->count };
	struct suspicion *suspicion = tracks_suspicion(tracks, gap->buffer);

	if (tracks->settings.buffers)
		event.loss_buffer = tracks->settings.buffers[gap->buffer];
	if (!suspicion || suspicion_add(suspicion, gap->cpu, gap->to_ns) < 0)
		return error_set(error, "out of memory");
	return tracks_pass(tracks, &event, gap->from_ns, error);
}
