// SPDX-License-Identifier: GPL-2.0-only
/*
 * Distinguishes processes and threads that reuse a number: a new track id for a number makes
 * Perfetto create a new process or thread.
 */
#include <stdlib.h>

#include "sink/perfetto/state.h"

/* A cell is 0 for an unused number, else the birth of its last owner, and this flag. */
#define IS_LATER 1u

/* The birth of an owner whose birth is unknown. */
#define BORN_UNKNOWN 1

static uint64_t *cell_get(struct perfetto_sink *sink, int id, struct error *error)
{
	uint64_t **page = &sink->sequence->lives[id / PERFETTO_LIVES_PAGE];

	if (!*page)
		*page = calloc(PERFETTO_LIVES_PAGE, sizeof(**page));
	if (!*page) {
		error_set(error, "out of memory");
		return NULL;
	}
	return &(*page)[id % PERFETTO_LIVES_PAGE];
}

int perfetto_life(struct perfetto_sink *sink, int id, int64_t born_ns, uint64_t *life,
		  struct error *error)
{
	uint64_t *cell;
	bool is_new;

	*life = 0;
	if (id <= 0 || id >= PERFETTO_IDS_MAX)
		return 0;
	cell = cell_get(sink, id, error);
	if (!cell)
		return -1;
	if (*cell == 0)
		*cell = (uint64_t)(born_ns > 0 ? born_ns : BORN_UNKNOWN) << 1;
	is_new = born_ns > 0 && (uint64_t)born_ns != *cell >> 1;
	if (is_new)
		*cell = (uint64_t)born_ns << 1 | IS_LATER;
	if (*cell & IS_LATER)
		*life = *cell >> 1;
	return is_new;
}

void perfetto_lives_free(struct perfetto_sink *sink)
{
	for (size_t i = 0; i < sink->nr_sequences; i++) {
		for (size_t page = 0; page < PERFETTO_LIVES_PAGES; page++)
			free(sink->sequences[i].lives[page]);
	}
}
