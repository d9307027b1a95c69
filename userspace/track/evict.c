// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of open slices. Tracks with open slices are kept up to a limit; above it those that are
 * open longest are closed, and their slices end as unfinished.
 *
 * Each eviction closes a fifth of the tracks or frees half of the memory, so that the cost of
 * sorting them is small per slice.
 */
#include <stdlib.h>

#include "track/state.h"

/* The oldest open slice first. The number decides ties, so that output does not depend on hashes.
 */
static int track_age_compare(const void *a, const void *b)
{
	const struct track *first = *(struct track *const *)a;
	const struct track *second = *(struct track *const *)b;

	if (first->slices[0].begin_ns != second->slices[0].begin_ns)
		return first->slices[0].begin_ns < second->slices[0].begin_ns ? -1 : 1;
	return first->shown.number < second->shown.number
		       ? -1
		       : first->shown.number > second->shown.number;
}

static struct track **open_tracks_list(const struct tracks *tracks, size_t *size)
{
	struct track **list = calloc(tracks->map.size + 1, sizeof(*list));

	*size = 0;
	for (size_t i = 0; i < tracks->map.capacity && list; i++) {
		struct track *track = tracks->map.slots[i].value;

		if (track && track->nr_slices > 0)
			list[(*size)++] = track;
	}
	if (list)
		qsort(list, *size, sizeof(*list), track_age_compare);
	return list;
}

static int track_evict(struct tracks *tracks, struct track *track, struct error *error)
{
	tracks->totals.retired_tracks++;
	tracks->totals.evicted_slices += track->nr_slices;
	return tracks_close(tracks, track, error);
}

/* Closes the oldest tracks until at most @nr_tracks are left, and @size bytes of open slices. */
static int tracks_evict_to(struct tracks *tracks, size_t nr_tracks, size_t size,
			   struct error *error)
{
	size_t names_size = nr_tracks < SIZE_MAX ? nr_tracks * TRACK_NAME_SIZE : SIZE_MAX;
	size_t nr_open;
	struct track **list = open_tracks_list(tracks, &nr_open);
	int status = 0;

	if (!list)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < nr_open && status == 0; i++) {
		if (tracks->map.size <= nr_tracks && tracks->names_size <= names_size &&
		    tracks->open_size <= size)
			break;
		status = track_evict(tracks, list[i], error);
	}
	free(list);
	return status;
}

int tracks_evict(struct tracks *tracks, struct error *error)
{
	size_t max = tracks->settings.idle_max > TRACKS_IDLE_MAX ? tracks->settings.idle_max
								 : TRACKS_IDLE_MAX;

	if (tracks->map.size < max + max / 4 &&
	    tracks->names_size < (max + max / 4) * TRACK_NAME_SIZE)
		return 0;
	return tracks_evict_to(tracks, max, SIZE_MAX, error);
}

/* Tracks without open slices keep their stacks for the next one, up to the limit. */
static void stacks_free(struct tracks *tracks)
{
	for (struct track *track = tracks->idle.idle_after; track != &tracks->idle;
	     track = track->idle_after)
		track_shrink(tracks, track);
}

struct track *tracks_make_space(struct tracks *tracks, struct track *track,
				const struct decoded_event *decoded, struct error *error)
{
	if (tracks->open_size > OPEN_SIZE_MAX) {
		stacks_free(tracks);
		if (tracks_evict_to(tracks, SIZE_MAX, OPEN_SIZE_MAX / 2, error) < 0)
			return NULL;
	} else if (track_evict(tracks, track, error) < 0) {
		return NULL;
	}
	return tracks_find(tracks, decoded, error);
}
