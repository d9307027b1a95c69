// SPDX-License-Identifier: GPL-2.0-only
/* One track and its stack of open slices. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

#define FIRST_SLICES 2

static const enum scope_kind scopes[] = {
	[DESCRIPTOR_SCOPE_THREAD] = SCOPE_THREAD,
	[DESCRIPTOR_SCOPE_PROCESS] = SCOPE_PROCESS,
	[DESCRIPTOR_SCOPE_CPU] = SCOPE_CPU,
	[DESCRIPTOR_SCOPE_CUSTOM] = SCOPE_CUSTOM,
	[DESCRIPTOR_SCOPE_GLOBAL] = SCOPE_GLOBAL,
};

static int track_set_outer(struct track *track, const struct decoded_keys *keys)
{
	if (!keys || keys->nr_outer == 0)
		return 0;
	track->outer = calloc(keys->nr_outer, sizeof(*track->outer));
	if (!track->outer)
		return -1;
	memcpy(track->outer, keys->outer, keys->nr_outer * sizeof(*track->outer));
	track->shown.outer = track->outer;
	track->shown.nr_outer = keys->nr_outer;
	return 0;
}

struct track *track_new(const struct decoded_event *decoded, uint64_t hash,
			struct category *category)
{
	const struct descriptor *descriptor = decoded->descriptor;
	struct text name = decoded->track_name;
	struct track *track = calloc(1, sizeof(*track) + name.size);

	if (!track)
		return NULL;
	if (name.size > 0)
		memcpy(track->name, name.data, name.size);
	track->category = category;
	track->descriptor_index = descriptor->index;
	track->buffer = decoded->buffer;
	track->hash = hash;
	track->head = text_head(name);
	track->counter = descriptor->counter;
	track->shown = (struct timeline_track){
		.category = &category->shown,
		.kind = descriptor->kind == DESCRIPTOR_COUNTER ? TRACK_COUNTER : TRACK_SLICES,
		.scope = scopes[descriptor->scope],
		.is_state = decoded->kind == DECODED_STATE || decoded->kind == DECODED_STATE_END,
		.name = { .data = track->name, .size = name.size },
		.field = descriptor->scope_field,
		.id = decoded->scope_id,
		.cpu = track_idle_cpu(decoded),
		.comm = track->comm,
		.process_comm = track->process_comm,
	};
	if (track_set_outer(track, decoded->keys) < 0) {
		free(track);
		return NULL;
	}
	return track;
}

void track_delete(struct track *track)
{
	for (size_t i = 0; i < track->nr_slices; i++)
		name_put(track->slices[i].name);
	free(track->slices);
	free(track->outer);
	free(track);
}

int track_grow(struct tracks *tracks, struct track *track)
{
	size_t capacity = track->slices_capacity ? track->slices_capacity * 2 : FIRST_SLICES;
	struct slice *slices = reallocarray(track->slices, capacity, sizeof(*slices));

	if (!slices)
		return -1;
	tracks->open_size += (capacity - track->slices_capacity) * sizeof(*slices);
	track->slices = slices;
	track->slices_capacity = capacity;
	return 0;
}

void track_shrink(struct tracks *tracks, struct track *track)
{
	tracks->open_size -= track->slices_capacity * sizeof(*track->slices);
	free(track->slices);
	track->slices = NULL;
	track->slices_capacity = 0;
}
