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
	event->is_foreign = false;
	return event;
}

/* The name of the thread that wrote a record. */
static __attribute__((noinline)) const char *writer_comm(struct tracks *tracks,
							 const struct observation *observation)
{
	const struct task *task = tasks_get(&tracks->tasks, &tracks->settings, observation->tid);

	return task ? task->comm : "";
}

/* An event that a record stands behind, with what the record says. */
hot_inline struct timeline_event *event_of_record(struct tracks *tracks, enum timeline_kind kind,
						  struct track *track,
						  const struct observation *observation,
						  const char *comm)
{
	struct timeline_event *event = event_of(tracks, kind, track);

	event->tid = observation->tid;
	event->cpu = observation->cpu;
	event->fields = observation->extras;
	event->nr_fields = observation->nr_extras;
	event->comm = comm;
	return event;
}

/* The same with the writer's name, where that is asked for. */
static struct timeline_event *event_with_comm(struct tracks *tracks, enum timeline_kind kind,
					      struct track *track,
					      const struct observation *observation)
{
	const char *comm = tracks->settings.has_comm ? writer_comm(tracks, observation) : "";

	return event_of_record(tracks, kind, track, observation, comm);
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

/* The name, where it was used lately. */
hot_inline struct name *recent_name(const struct tracks *tracks,
				    const struct observation *observation)
{
	return names_recent(&tracks->names, observation->template->index, observation->slice_name,
			    observation->slice_head);
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

/* A slice of any depth, with any name. */
static __attribute__((noinline)) int other_slice_begin(struct tracks *tracks, struct track *track,
						       const struct observation *observation,
						       struct error *error)
{
	struct timeline_event *event;
	struct slice *slice;
	struct name *name;

	if (track->nr_slices > 0 && track_trim(tracks, track, error) < 0)
		return -1;
	if (track->nr_slices == TRACK_SLICES_MAX || tracks->open_size > OPEN_SIZE_MAX)
		track = tracks_make_room(tracks, track, observation, error);
	if (!track)
		return -1;
	name = tracks_name(tracks, observation, error);
	if (!name)
		return -1;
	slice = track_push(tracks, track, name);
	if (!slice) {
		name_put(name);
		return error_set(error, "out of memory");
	}
	*slice = (struct slice){ .begin_ns = tracks->now_ns,
				 .begin_cpu = observation->cpu,
				 .begin_tid = observation->tid,
				 .name = name };
	track_idle_remove(track);
	track_learn_depth(tracks, track);
	event = event_with_comm(tracks, TIMELINE_SLICE_BEGIN, track, observation);
	event->name = &name->shown;
	return timeline_push(tracks->timeline, event, error);
}

/* Most slices have a name that was used lately, and are not deeper than others were. */
static int slice_begin(struct tracks *tracks, struct track *track, struct name *name,
		       const struct observation *observation, struct error *error)
{
	struct timeline_event *event;
	struct slice *slice;

	if (!name || tracks->settings.has_comm || track->nr_slices == track->slices_capacity ||
	    track->nr_slices >= track_category(track)->deepest)
		return other_slice_begin(tracks, track, observation, error);
	slice = &track->slices[track->nr_slices++];
	slice->begin_ns = tracks->now_ns;
	slice->begin_cpu = observation->cpu;
	slice->begin_tid = observation->tid;
	slice->is_continued = false;
	slice->was_suspect = false;
	slice->is_foreign = false;
	slice->name = name;
	track_idle_remove(track);
	event = event_of_record(tracks, TIMELINE_SLICE_BEGIN, track, observation, "");
	event->name = &name->shown;
	return timeline_push(tracks->timeline, event, error);
}

/* The innermost slice leaves the stack; it is still there to be looked at. */
hot_inline const struct slice *slice_pop(struct tracks *tracks, struct track *track,
					 struct timeline_event *event)
{
	const struct slice *slice = &track->slices[--track->nr_slices];

	event->name = &slice->name->shown;
	event->begin_ns = slice->begin_ns;
	if (track->nr_slices == 0)
		track_idle_add(track, &tracks->idle);
	return slice;
}

int tracks_pop(struct tracks *tracks, struct track *track, const struct observation *observation,
	       struct error *error)
{
	struct timeline_event *event =
		observation ? event_with_comm(tracks, TIMELINE_SLICE_END, track, observation)
			    : tracks_event(tracks, TIMELINE_SLICE_END, track);
	const struct slice *slice = slice_pop(tracks, track, event);
	struct name *name = slice->name;
	int status;

	event->is_continued = slice->is_continued;
	event->is_suspect = track_is_suspect(tracks, track, slice);
	event->is_unfinished = !observation;
	event->is_foreign = slice->is_foreign;
	tracks->totals.suspect += event->is_suspect;
	tracks->totals.unfinished += event->is_unfinished;
	status = timeline_push(tracks->timeline, event, error);
	tracks->open_size -= name_own_size(name);
	name_put(name);
	return status;
}

/* The end of any slice. */
static __attribute__((noinline)) int other_slice_end(struct tracks *tracks, struct track *track,
						     const struct observation *observation,
						     struct error *error)
{
	if (track->nr_slices == 0) {
		tracks->totals.unmatched_ends++;
		track->unmatched_ends++;
		return 0;
	}
	if (tracks_check_end(tracks, track, observation, error) < 0 ||
	    tracks_pop(tracks, track, observation, error) < 0)
		return -1;
	return track->is_outdated && track->nr_slices == 0 ? tracks_end(tracks, track, error) : 0;
}

/* Whether the end of the innermost slice is all that there is to tell. */
hot_inline bool has_plain_end(const struct tracks *tracks, const struct track *track,
			      const struct observation *observation)
{
	const struct slice *slice;

	if (track->nr_slices == 0 || track->is_outdated || tracks->settings.has_comm)
		return false;
	slice = &track->slices[track->nr_slices - 1];
	if (slice->begin_tid != observation->tid && track->nr_slices > 1)
		return false;
	return slice->name->shown.is_counted && !slice->is_continued && !slice->is_foreign &&
	       (track->buffer >= tracks->nr_suspicions ||
		slice->begin_ns > tracks->suspicions[track->buffer].until_ns);
}

static int slice_end(struct tracks *tracks, struct track *track,
		     const struct observation *observation, struct error *error)
{
	struct timeline_event *event;

	if (!has_plain_end(tracks, track, observation))
		return other_slice_end(tracks, track, observation, error);
	event = event_of_record(tracks, TIMELINE_SLICE_END, track, observation, "");
	slice_pop(tracks, track, event);
	return timeline_push(tracks->timeline, event, error);
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

static int instant(struct tracks *tracks, struct track *track, struct name *name,
		   const struct observation *observation, struct error *error)
{
	struct timeline_event *event;
	int status;

	if (!name)
		name = tracks_name(tracks, observation, error);
	if (!name)
		return -1;
	track_touch(tracks, track);
	event = event_with_comm(tracks, TIMELINE_INSTANT, track, observation);
	event->name = &name->shown;
	event->outer_ns = track_outer_ns(track);
	status = timeline_push(tracks->timeline, event, error);
	name_put(name);
	return status;
}

static int counter(struct tracks *tracks, struct track *track,
		   const struct observation *observation, struct error *error)
{
	struct timeline_event *event = event_with_comm(tracks, TIMELINE_COUNTER, track,
						       observation);

	track_touch(tracks, track);
	event->name = NULL;
	event->outer_ns = track_outer_ns(track);
	event->value = observation->counter_value;
	return timeline_push(tracks->timeline, event, error);
}

hot_inline int observation_take(struct tracks *tracks, struct track *track, struct name *name,
				const struct observation *observation, struct error *error)
{
	switch (observation->kind) {
	case OBSERVATION_BEGIN:
		return slice_begin(tracks, track, name, observation, error);
	case OBSERVATION_END:
		return slice_end(tracks, track, observation, error);
	case OBSERVATION_INSTANT:
		return instant(tracks, track, name, observation, error);
	default:
		return counter(tracks, track, observation, error);
	}
}

/* Remembers what was found for an observation; the next one may be like it. */
static void tracks_see(struct tracks *tracks, const struct observation *observation,
		       struct track *track, struct name *name)
{
	if (observation->likeness)
		tracks->seen[observation->place] = (struct seen){
			.likeness = observation->likeness,
			.generation = tracks->generation,
			.track = track,
			.name = name,
		};
}

/* An observation like none that was seen lately. */
static __attribute__((noinline)) int other_observe(struct tracks *tracks,
						   const struct observation *observation,
						   struct error *error)
{
	struct track *track = tracks_recent(tracks, observation);
	struct name *name = NULL;

	if (!track)
		track = tracks_find(tracks, observation, error);
	if (!track)
		return -1;
	if (observation->kind == OBSERVATION_BEGIN || observation->kind == OBSERVATION_INSTANT)
		name = recent_name(tracks, observation);
	if (name || observation->kind == OBSERVATION_END ||
	    observation->kind == OBSERVATION_COUNTER)
		tracks_see(tracks, observation, track, name);
	return observation_take(tracks, track, name, observation, error);
}

int tracks_observe(struct tracks *tracks, const struct observation *observation,
		   struct error *error)
{
	const struct seen *seen = &tracks->seen[observation->place];

	if (observation->time_ns < tracks->now_ns)
		tracks->totals.late_records++;
	else
		tracks->now_ns = observation->time_ns;
	if (seen->likeness != observation->likeness || seen->generation != tracks->generation)
		return other_observe(tracks, observation, error);
	return observation_take(tracks, seen->track, seen->name, observation, error);
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

int tracks_reject(struct tracks *tracks, const struct observation *observation, struct error *error)
{
	struct category *category = tracks_category(tracks, observation->template);
	struct timeline_event event = {
		.kind = TIMELINE_MALFORMED,
		.problem = observation->problem,
		.tracepoint = observation->template->category,
	};

	tracks->totals.malformed++;
	if (!category)
		return error_set(error, "out of memory");
	category->malformed++;
	if (!category_learn(category, observation->problem))
		return 0;
	return tracks_pass(tracks, &event, observation->time_ns, error);
}

bool tracks_are_unused(const struct tracks *tracks)
{
	return tracks->nr_seen == 0 && tracks->totals.unmatched_ends == 0 &&
	       tracks->totals.malformed == 0;
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

static int tracks_count_gap(struct tracks *tracks, const struct tracks_gap *gap)
{
	struct suspicion *suspicion = tracks_suspicion(tracks, gap->buffer);

	tracks->totals.lost_gaps++;
	tracks->totals.lost_gaps_unknown += gap->count == TIMELINE_COUNT_UNKNOWN;
	return suspicion ? suspicion_add(suspicion, gap->cpu, gap->to_ns) : -1;
}

int tracks_lose(struct tracks *tracks, const struct tracks_gap *gap, struct error *error)
{
	struct timeline_event event = { .kind = gap->is_sum ? TIMELINE_LOSS_SUM : TIMELINE_LOSS,
					.begin_ns = gap->from_ns,
					.loss_cpu = gap->cpu,
					.loss_end_ns = gap->to_ns,
					.loss_count = gap->count };

	if (tracks->settings.buffers)
		event.loss_buffer = tracks->settings.buffers[gap->buffer];
	if (!gap->is_sum && tracks_count_gap(tracks, gap) < 0)
		return error_set(error, "out of memory");
	return tracks_pass(tracks, &event, gap->from_ns, error);
}
