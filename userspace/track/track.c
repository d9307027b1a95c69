// SPDX-License-Identifier: GPL-2.0-only
/* One track: its key, its stack of open slices, its place among the idle ones. */
#include <stdlib.h>
#include <string.h>

#include "track/state.h"

#define FIRST_SLICES 2

static const enum scope_kind scopes[] = {
	[TEMPLATE_SCOPE_THREAD] = SCOPE_THREAD,
	[TEMPLATE_SCOPE_PROCESS] = SCOPE_PROCESS,
	[TEMPLATE_SCOPE_CPU] = SCOPE_CPU,
	[TEMPLATE_SCOPE_CUSTOM] = SCOPE_CUSTOM,
};

struct track *track_new(const struct track_key *key, uint64_t hash,
			struct timeline_category *category)
{
	struct track *track = calloc(1, sizeof(*track) + key->name.size);

	if (!track)
		return NULL;
	if (key->name.size > 0)
		memcpy(track->name, key->name.data, key->name.size);
	track->template_index = key->template->index;
	track->buffer = key->buffer;
	track->hash = hash;
	track->head = text_head(key->name);
	track->shown = (struct timeline_track){
		.category = category,
		.kind = key->template->kind == TEMPLATE_COUNTER ? TRACK_COUNTER : TRACK_SLICES,
		.scope = scopes[key->template->scope],
		.name = { .data = track->name, .size = key->name.size },
		.field = key->template->scope_field,
		.id = key->scope_id,
		.cpu = key->cpu,
		.comm = track->comm,
	};
	return track;
}

void track_free(struct track *track)
{
	for (size_t i = 0; i < track->nr_slices; i++)
		name_put(track->slices[i].name);
	free(track->slices);
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
