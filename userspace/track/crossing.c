// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that end each other's slices on one track. The slice that an end closes is certain only
 * if one thread writes all records, or if one slice at a time is open.
 */
#include "track/state.h"

/* All slices below a marked one are marked already. */
static void slices_mark_foreign(struct track *track)
{
	for (size_t i = track->nr_slices; i > 0 && !track->slices[i - 1].is_foreign; i--)
		track->slices[i - 1].is_foreign = true;
}

int tracks_mark_foreign(struct tracks *tracks, struct track *track, struct error *error)
{
	struct category *category = track->category;
	struct timeline_event event = { .kind = TIMELINE_FOREIGN_END,
					.tracepoint = category->shown.text };

	tracks->totals.foreign_ends++;
	slices_mark_foreign(track);
	if (category->has_foreign_ends)
		return 0;
	category->has_foreign_ends = true;
	return tracks_pass(tracks, &event, tracks->now_ns, error);
}
