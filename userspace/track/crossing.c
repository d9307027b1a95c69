// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that end each other's slices on one track. Whose slice an end closes is known only if one
 * thread does all, or if one slice at a time is open.
 */
#include "track/state.h"

/* A slice that was marked before has only marked ones below it. */
static void track_mark_foreign(struct track *track)
{
	for (size_t i = track->nr_slices; i > 0 && !track->slices[i - 1].is_foreign; i--)
		track->slices[i - 1].is_foreign = true;
}

/* A request that one thread begins and another one ends is fine if nothing overlaps it. */
static bool end_is_foreign(const struct tracks *tracks, const struct track *track,
			   const struct observation *observation)
{
	const struct slice *slice = &track->slices[track->nr_slices - 1];

	if (slice->begin_tid == observation->tid || (track->nr_slices == 1 && !slice->is_foreign))
		return false;
	/* After a loss, the end may belong to another slice anyway. */
	return !track_is_suspect(tracks, track, slice);
}

int tracks_check_end(struct tracks *tracks, struct track *track,
		     const struct observation *observation, struct error *error)
{
	struct category *category = (struct category *)track->shown.category;
	struct timeline_event event = { .kind = TIMELINE_FOREIGN_END,
					.tracepoint = category->shown.text };

	if (!end_is_foreign(tracks, track, observation))
		return 0;
	tracks->totals.foreign_ends++;
	track_mark_foreign(track);
	if (category->has_foreign_ends)
		return 0;
	category->has_foreign_ends = true;
	return tracks_pass(tracks, &event, tracks->now_ns, error);
}
