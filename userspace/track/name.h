/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of slices and instants: each text once for each tracepoint, up to a bound. */
#ifndef TRACK_NAME_H
#define TRACK_NAME_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct name - a name in use
 * @shown: what sinks see
 * @owner: the tracepoint's index
 * @hash: of owner and text
 */
struct name {
	struct timeline_name shown;
	unsigned int owner;
	uint64_t hash;
	char bytes[];
};

/** NAMES_RECENT - how many names are found without a hash of all their bytes */
#define NAMES_RECENT 256

/**
 * struct names - the names of all tracepoints
 * @recent: those that were used last, by a glance at their texts
 * @max: how many of each tracepoint are kept; the others are made for one slice and forgotten with
 * it
 * @nr_of_owner: how many are kept, by the tracepoint's index
 */
struct names {
	struct map map;
	struct name *recent[NAMES_RECENT];
	size_t max;
	size_t *nr_of_owner;
	size_t nr_owners;
};

void names_release(struct names *names);

/**
 * names_get - the name with this text
 *
 * Returns a name for name_put(), or NULL where memory ran out.
 */
struct name *names_get(struct names *names, unsigned int owner, struct text text);

/** names_clear_slots - forget what sinks put there, who have gone */
void names_clear_slots(struct names *names);

/** name_put - done with a name; one that is not kept is freed */
void name_put(struct name *name);

#endif
