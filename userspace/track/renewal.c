// SPDX-License-Identifier: GPL-2.0-only
/* Ends one session and begins the next one, in which tracks with open slices continue. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

int slice_suspend(struct tracks *tracks, struct track *track, size_t index, struct error *error)
{
	struct slice *slice = &track->slices[index];
	struct timeline_event event;

	track_event_init(&event, tracks, TIMELINE_SLICE_END, track);
	slice->is_continued = true;
	slice->was_suspect = track_is_suspect(tracks, track, slice);
	event.name = &slice->name->shown;
	event.depth = index + 1;
	event.begin_ns = slice->begin_ns;
	event.is_continued = true;
	event.is_suspect = slice->was_suspect;
	tracks->totals.suspect += event.is_suspect;
	return timeline_push(tracks->timeline, &event, error);
}

static int track_suspend(struct tracks *tracks, struct track *track, struct error *error)
{
	if (track->nr_slices == 0)
		return tracks_end(tracks, track, error);
	for (size_t index = track->nr_slices; index > 0; index--) {
		if (slice_suspend(tracks, track, index - 1, error) < 0)
			return -1;
	}
	return tracks_push_end(tracks, track, error);
}

int tracks_suspend(struct tracks *tracks, int64_t end_ns, uint64_t lost_records,
		   struct error *error)
{
	tracks_advance(tracks, end_ns);
	if (tracks_apply(tracks, track_suspend, error) < 0)
		return -1;
	return tracks_push_totals(tracks, end_ns, lost_records, 0, error);
}

/* The sinks were freed with their data, and the totals are those of one session. */
static void tracks_reset(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->nr_categories; i++) {
		struct category *category = tracks->categories[i];

		if (!category)
			continue;
		memset(category->shown.sink_data, 0, sizeof(category->shown.sink_data));
		memset(category->problems, 0, sizeof(category->problems));
		category->malformed = 0;
		category->endless = 0;
		category->has_foreign_ends = false;
	}
	names_clear_sink_data(&tracks->names);
	free(tracks->malformed_of);
	tracks->malformed_of = NULL;
	tracks->totals = (struct timeline_totals){ 0 };
	tracks->nr_seen = 0;
}

static int slice_resume(struct tracks *tracks, struct track *track, size_t index,
			struct error *error)
{
	struct slice *slice = &track->slices[index];
	struct timeline_event event;

	track_event_init(&event, tracks, TIMELINE_SLICE_BEGIN, track);
	slice->begin_ns = tracks->now_ns;
	event.name = &slice->name->shown;
	event.depth = index + 1;
	event.is_continued = true;
	return timeline_push(tracks->timeline, &event, error);
}

int track_resume(struct tracks *tracks, struct track *track, struct error *error)
{
	memset(track->shown.sink_data, 0, sizeof(track->shown.sink_data));
	track->unmatched_ends = 0;
	if (tracks_announce(tracks, track, error) < 0)
		return -1;
	for (size_t index = 0; index < track->nr_slices; index++) {
		if (slice_resume(tracks, track, index, error) < 0)
			return -1;
	}
	return 0;
}

int tracks_resume(struct tracks *tracks, struct error *error)
{
	tracks_reset(tracks);
	return tracks_apply(tracks, track_resume, error);
}
