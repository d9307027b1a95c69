// SPDX-License-Identifier: GPL-2.0-only
/* Applies each track event to its track, and delivers the result to the timeline. */
#include "track/state.h"

/* Name of the thread that wrote a record. */
static const char *writer_comm(struct tracks *tracks, const struct decoded_event *decoded)
{
	const struct task *task = tasks_get(&tracks->tasks, &tracks->settings, decoded->tid);

	return task ? task->comm : "";
}

/*
 * Sets all members of an event on @track by the record of @decoded. No call follows the first
 * store, so that the compiler drops stores that others overwrite.
 */
hot_inline void record_event_init(struct timeline_event *event, struct tracks *tracks,
				  enum timeline_kind kind, struct track *track,
				  const struct decoded_event *decoded)
{
	const char *comm = tracks->settings.has_comm ? writer_comm(tracks, decoded) : "";

	track_event_init(event, tracks, kind, track);
	event->comm = comm;
	event->tid = decoded->tid;
	event->cpu = decoded->cpu;
	event->fields = decoded->extras;
	event->nr_fields = decoded->nr_extras;
}

hot_inline struct name *record_name(struct tracks *tracks, const struct decoded_event *decoded,
				    struct error *error)
{
	struct name *name = names_get(&tracks->names, decoded->descriptor->index,
				      decoded->slice_name, decoded->slice_head);

	if (!name)
		error_set(error, "out of memory");
	else if (!name->shown.is_counted)
		tracks->totals.other_names++;
	return name;
}

/* Ends suspect slices on which the next one would be too deep: their ends must have been lost. */
static int track_trim(struct tracks *tracks, struct track *track, struct error *error)
{
	size_t deepest = track->category->deepest > 0 ? track->category->deepest : 1;

	while (track->nr_slices >= deepest &&
	       track_is_suspect(tracks, track, &track->slices[track->nr_slices - 1])) {
		if (tracks_pop(tracks, track, error) < 0)
			return -1;
	}
	return 0;
}

/* If the outermost slice, which is the oldest, is not suspect, none is. */
static void track_learn_depth(const struct tracks *tracks, const struct track *track)
{
	if (track->nr_slices > track->category->deepest &&
	    !track_is_suspect(tracks, track, &track->slices[0]))
		track->category->deepest = track->nr_slices;
}

static struct slice *track_push(struct tracks *tracks, struct track *track, struct name *name,
				struct error *error)
{
	if (track->nr_slices == track->slices_capacity && track_grow(tracks, track) < 0) {
		name_put(name);
		error_set(error, "out of memory");
		return NULL;
	}
	tracks->open_size += name_own_size(name);
	return &track->slices[track->nr_slices++];
}

static int slice_begin(struct tracks *tracks, struct track *track,
		       const struct decoded_event *decoded, struct error *error)
{
	struct timeline_event event;
	struct slice *slice;
	struct name *name;

	if (track->nr_slices > 0 && track_trim(tracks, track, error) < 0)
		return -1;
	if (track->nr_slices == TRACK_SLICES_MAX || tracks->open_size > OPEN_SIZE_MAX)
		track = tracks_make_space(tracks, track, decoded, error);
	name = track ? record_name(tracks, decoded, error) : NULL;
	slice = name ? track_push(tracks, track, name, error) : NULL;
	if (!slice)
		return -1;
	*slice = (struct slice){ .begin_ns = tracks->now_ns,
				 .begin_cpu = decoded->cpu,
				 .begin_tid = decoded->tid,
				 .name = name };
	track_idle_remove(track);
	track_learn_depth(tracks, track);
	if (track->lanes && track->nr_slices == 1 &&
	    lanes_occupy(tracks, track, decoded->keys->ids, error) < 0)
		return -1;
	record_event_init(&event, tracks, TIMELINE_SLICE_BEGIN, track, decoded);
	event.name = &name->shown;
	return timeline_push(tracks->timeline, &event, error);
}

/* See tracks_pop(). */
hot_inline int slice_pop(struct tracks *tracks, struct track *track,
			 const struct decoded_event *decoded, struct error *error)
{
	const struct slice *slice = &track->slices[track->nr_slices - 1];
	bool is_suspect = track_is_suspect(tracks, track, slice);
	struct name *name = slice->name;
	struct timeline_event event;
	int status;

	if (decoded)
		record_event_init(&event, tracks, TIMELINE_SLICE_END, track, decoded);
	else
		track_event_init(&event, tracks, TIMELINE_SLICE_END, track);
	track->nr_slices--;
	event.name = &name->shown;
	event.begin_ns = slice->begin_ns;
	event.is_continued = slice->is_continued;
	event.is_suspect = is_suspect;
	event.is_unfinished = !decoded;
	event.is_foreign = slice->is_foreign;
	tracks->totals.suspect += is_suspect;
	tracks->totals.unfinished += !decoded;
	if (track->nr_slices == 0) {
		track_idle_add(tracks, track);
		if (track->lanes)
			lanes_vacate(tracks, track);
	}
	status = timeline_push(tracks->timeline, &event, error);
	if (!name->shown.is_counted)
		tracks->open_size -= name_own_size(name);
	name_put(name);
	return status;
}

int tracks_pop(struct tracks *tracks, struct track *track, struct error *error)
{
	return slice_pop(tracks, track, NULL, error);
}

/*
 * Whether an end is by another thread than the begin while slices overlap on the track. A request
 * that one thread begins and another one ends is fine if nothing overlaps it.
 */
static bool end_is_foreign(const struct tracks *tracks, const struct track *track,
			   const struct decoded_event *decoded)
{
	const struct slice *slice = &track->slices[track->nr_slices - 1];

	if (slice->begin_tid == decoded->tid || track->lanes ||
	    (track->nr_slices == 1 && !slice->is_foreign))
		return false;
	/* After a loss, the end may belong to another slice anyway. */
	return !track_is_suspect(tracks, track, slice);
}

static int slice_end(struct tracks *tracks, struct track *track,
		     const struct decoded_event *decoded, struct error *error)
{
	if (track->nr_slices == 0) {
		tracks->totals.unmatched_ends++;
		track->unmatched_ends++;
		return 0;
	}
	if (end_is_foreign(tracks, track, decoded) && tracks_mark_foreign(tracks, track, error) < 0)
		return -1;
	if (slice_pop(tracks, track, decoded, error) < 0)
		return -1;
	return track->is_outdated && track->nr_slices == 0 ? tracks_end(tracks, track, error) : 0;
}

/* A track without open slices becomes the most recently used one. */
static void track_touch(struct tracks *tracks, struct track *track)
{
	if (track->nr_slices > 0)
		return;
	track_idle_remove(track);
	track_idle_add(tracks, track);
}

static int64_t track_outer_ns(const struct track *track)
{
	return track->nr_slices > 0 ? track->slices[track->nr_slices - 1].begin_ns
				    : track->begin_ns;
}

static int track_instant(struct tracks *tracks, struct track *track,
			 const struct decoded_event *decoded, struct error *error)
{
	struct name *name = record_name(tracks, decoded, error);
	struct timeline_event event;
	int status;

	if (!name)
		return -1;
	track_touch(tracks, track);
	record_event_init(&event, tracks, TIMELINE_INSTANT, track, decoded);
	event.name = &name->shown;
	event.outer_ns = track_outer_ns(track);
	status = timeline_push(tracks->timeline, &event, error);
	name_put(name);
	return status;
}

static int track_count(struct tracks *tracks, struct track *track,
		       const struct decoded_event *decoded, struct error *error)
{
	struct timeline_event event;

	record_event_init(&event, tracks, TIMELINE_COUNTER, track, decoded);
	track_touch(tracks, track);
	event.outer_ns = track_outer_ns(track);
	event.value = decoded->counter_value;
	return timeline_push(tracks->timeline, &event, error);
}

hot_inline struct track *tracks_get(struct tracks *tracks, const struct decoded_event *decoded,
				    struct error *error)
{
	size_t index = track_recent_index(decoded->descriptor->index,
					  decoded->scope_id.unsigned_number, decoded->track_head,
					  track_idle_cpu(decoded));
	struct track *track = tracks->recent[index];

	return likely(track && !decoded->keys && track_matches(track, decoded))
		       ? track
							      : tracks_find(tracks, decoded, error);
}

int tracks_observe(struct tracks *tracks, const struct decoded_event *decoded, struct error *error)
{
	struct track *track;

	if (unlikely(decoded->time_ns < tracks->now_ns))
		tracks->totals.late_records++;
	else
		tracks->now_ns = decoded->time_ns;
	track = tracks_get(tracks, decoded, error);
	if (!track)
		return -1;
	switch (decoded->kind) {
	case DECODED_BEGIN:
		return slice_begin(tracks, track, decoded, error);
	case DECODED_END:
		return slice_end(tracks, track, decoded, error);
	case DECODED_INSTANT:
		return track_instant(tracks, track, decoded, error);
	default:
		return track_count(tracks, track, decoded, error);
	}
}
