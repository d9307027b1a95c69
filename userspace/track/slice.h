/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Begins and ends of most slices, inline in the functions that observe records: of names that are
 * interned, without keys, on tracks that have space. The others are left to calls.
 */
#ifndef TRACK_SLICE_H
#define TRACK_SLICE_H

#include "track/state.h"

/* Sets all members of an event on @track by the record of @decoded. */
hot_inline void record_event_init(struct timeline_event *event, const struct tracks *tracks,
				  enum timeline_kind kind, struct track *track,
				  const struct decoded_event *decoded)
{
	track_event_init(event, tracks, kind, track);
	event->comm = tracks->comm;
	event->tid = decoded->tid;
	event->cpu = track->has_cpu ? decoded->cpu : -1;
	event->fields = decoded->extras;
	event->nr_any = decoded->nr_any;
}

/* If the outermost slice, which is the oldest, is not suspect, none is. */
hot_inline void track_learn_depth(const struct tracks *tracks, const struct track *track)
{
	if (track->nr_slices > track->category->deepest &&
	    !track_is_suspect(tracks, track, &track->slices[0]))
		track->category->deepest = track->nr_slices;
}

/* Begins a slice on a track that has space for it, and lets tracks->event be the begin. */
hot_inline void slice_open(struct tracks *tracks, struct track *track,
			   const struct decoded_event *decoded, struct name *name)
{

	track->slices[track->nr_slices++] = (struct slice){ .begin_ns = tracks->now_ns,
							    .begin_cpu = decoded->cpu,
							    .begin_tid = decoded->tid,
							    .name = name };
	track_learn_depth(tracks, track);
	tracks->event.name = &name->shown;
}

hot_inline int slice_push(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded, struct name *name,
			  struct error *error)
{
	track_idle_remove(track);
	record_event_init(&tracks->event, tracks, TIMELINE_SLICE_BEGIN, track, decoded);
	tracks->event.depth++;
	slice_open(tracks, track, decoded, name);
	return timeline_push(tracks->timeline, &tracks->event, error);
}

/* Begins any slice: of a new name, on a lane, with flows, on a track that may have no space for it. */
int slice_begin_any(struct tracks *tracks, struct track *track,
		    const struct decoded_event *decoded, struct error *error);

/* Whether another slice fits onto a track without slice_begin_any(). */
hot_inline bool track_has_space(const struct tracks *tracks, const struct track *track)
{
	return track->nr_slices < track->slices_capacity &&
	       (track->nr_slices == 0 || track->nr_slices < track->category->deepest) &&
	       tracks->open_size <= OPEN_SIZE_MAX;
}

/* Begins a slice without keys. */
hot_inline int slice_begin(struct tracks *tracks, struct track *track,
			   const struct decoded_event *decoded, struct error *error)
{
	struct name *name = names_recent(&tracks->names, decoded->descriptor->index,
					 decoded->slice_name, decoded->slice_head);

	if (unlikely(!name || !track_has_space(tracks, track)))
		return slice_begin_any(tracks, track, decoded, error);
	return slice_push(tracks, track, decoded, name, error);
}

/** tracks_begin_slice - begin a slice on @track */
hot_inline int tracks_begin_slice(struct tracks *tracks, struct track *track,
				  const struct decoded_event *decoded, struct error *error)
{
	return decoded->keys ? slice_begin_any(tracks, track, decoded, error)
			     : slice_begin(tracks, track, decoded, error);
}

/* Sets tracks->event to the end of the innermost slice, which leaves the stack. See tracks_pop(). */
hot_inline void slice_close(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded)
{
	const struct slice *slice = &track->slices[track->nr_slices - 1];
	bool is_suspect = track_is_suspect(tracks, track, slice);
	struct timeline_event *event = &tracks->event;

	if (decoded)
		record_event_init(event, tracks, TIMELINE_SLICE_END, track, decoded);
	else
		track_event_init(event, tracks, TIMELINE_SLICE_END, track);
	track->nr_slices--;
	event->name = &slice->name->shown;
	event->begin_ns = slice->begin_ns;
	event->is_continued = slice->is_continued;
	event->is_suspect = is_suspect;
	event->is_unfinished = !decoded;
	event->is_foreign = slice->is_foreign;
	tracks->totals.suspect += is_suspect;
	tracks->totals.unfinished += !decoded;
}

/* slice_close() of a track that may have no other slice. */
hot_inline void slice_pop(struct tracks *tracks, struct track *track,
			  const struct decoded_event *decoded)
{
	slice_close(tracks, track, decoded);
	if (track->nr_slices == 0)
		track_idle_add(tracks, track);
}

/*
 * Whether an end is by another thread than the begin while slices overlap on the track. A request
 * that one thread begins and another one ends is fine if nothing overlaps it.
 */
hot_inline bool end_is_foreign(const struct tracks *tracks, const struct track *track,
			       const struct decoded_event *decoded)
{
	const struct slice *slice = &track->slices[track->nr_slices - 1];

	if (slice->begin_tid == decoded->tid || track->lanes ||
	    (track->nr_slices == 1 && !slice->is_foreign))
		return false;
	/* After a loss, the end may belong to another slice anyway. */
	return !track_is_suspect(tracks, track, slice);
}

hot_inline int slice_end_unmatched(struct tracks *tracks, struct track *track)
{
	tracks->totals.unmatched_ends++;
	track->unmatched_ends++;
	return 0;
}

/* Ends any slice: on a lane, with flows, on a track that may end with it, of a name of its own. */
int slice_end_any(struct tracks *tracks, struct track *track, const struct decoded_event *decoded,
		  struct error *error);

/* Ends a slice without keys, which nothing counts. */
hot_inline int slice_end(struct tracks *tracks, struct track *track,
			 const struct decoded_event *decoded, struct error *error)
{
	if (track->nr_slices == 0)
		return slice_end_unmatched(tracks, track);
	if (unlikely(track->is_outdated || end_is_foreign(tracks, track, decoded) ||
		     !track->slices[track->nr_slices - 1].name->shown.is_counted))
		return slice_end_any(tracks, track, decoded, error);
	slice_pop(tracks, track, decoded);
	return timeline_push(tracks->timeline, &tracks->event, error);
}

/** tracks_end_slice - end the innermost slice of @track; count the end if there is none */
hot_inline int tracks_end_slice(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error)
{
	return decoded->keys || track->counter ? slice_end_any(tracks, track, decoded, error)
					       : slice_end(tracks, track, decoded, error);
}

/*
 * Replaces the only slice of a track by another one, whose name is interned. The fields of the
 * record belong to the new one. Both events have most members in common.
 */
hot_inline int slice_replace(struct tracks *tracks, struct track *track,
			     const struct decoded_event *decoded, struct name *name,
			     struct error *error)
{
	struct timeline_event *event = &tracks->event;

	slice_close(tracks, track, decoded);
	event->nr_any = 0;
	if (timeline_push(tracks->timeline, event, error) < 0)
		return -1;
	event->kind = TIMELINE_SLICE_BEGIN;
	event->nr_any = decoded->nr_any;
	event->begin_ns = 0;
	event->flags = 0;
	slice_open(tracks, track, decoded, name);
	return timeline_push(tracks->timeline, event, error);
}

#endif
