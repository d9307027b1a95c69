// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves the tracks of a thread to another tid: if a thread that is not the first of its process
 * executes a program, it gets the number of the process.
 */
#include <string.h>

#include "track/state.h"

static uint64_t moved_hash(const struct track *track)
{
	struct decoded_keys keys = { .nr_outer = track->shown.nr_outer };
	struct descriptor descriptor = { .index = track->descriptor_index,
					 .scope = DESCRIPTOR_SCOPE_THREAD };
	struct decoded_event decoded = { .descriptor = &descriptor,
					 .cpu = track->shown.cpu,
					 .buffer = track->buffer,
					 .scope_id = track->shown.id,
					 .track_name = track->shown.name,
					 .keys = &keys };

	for (size_t i = 0; i < keys.nr_outer; i++)
		keys.outer[i] = track->outer[i];
	return track_hash(&decoded);
}

/* Ends the slices and the track for the sinks, but keeps them. */
static int track_leave(struct tracks *tracks, struct track *track, struct error *error)
{
	for (size_t index = track->nr_slices; index > 0; index--) {
		if (slice_suspend(tracks, track, index - 1, error) < 0)
			return -1;
	}
	return tracks_push_end(tracks, track, error);
}

static int track_move(struct tracks *tracks, struct track *track, int tid, struct error *error)
{
	if (track_leave(tracks, track, error) < 0)
		return -1;
	tracks_forget(tracks, track);
	track->shown.id = (struct value){ .kind = VALUE_SIGNED, .signed_number = tid };
	track->hash = moved_hash(track);
	if (map_insert(&tracks->map, track->hash, track) < 0) {
		track_delete(track);
		return error_set(error, "out of memory");
	}
	if (tracks_identify(tracks, track, error) < 0)
		return -1;
	return track_resume(tracks, track, error);
}

int task_move_tracks(struct tracks *tracks, struct task *task, const struct task_change *change,
		     struct error *error)
{
	struct track *next;

	for (struct track *track = task->tracks; track; track = next) {
		bool can_move = track->shown.scope == SCOPE_THREAD && track->nr_slices > 0 &&
				!track->lanes;

		next = track->peer_after;
		if (!can_move)
			continue;
		tracks_advance(tracks, change->time_ns);
		if (track_move(tracks, track, change->tid, error) < 0)
			return -1;
	}
	return 0;
}
