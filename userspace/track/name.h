/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of slices and instants: each text once for each tracepoint, up to a bound. */
#ifndef TRACK_NAME_H
#define TRACK_NAME_H

#include <stdlib.h>

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct name - a name in use
 * @shown: what sinks see
 * @owner: the tracepoint's index
 * @head: the text_head() of the text
 */
struct name {
	struct timeline_name shown;
	unsigned int owner;
	uint64_t head;
	char bytes[];
};

/** NAMES_RECENT_BITS, NAMES_RECENT - how many names are found without a hash of all their bytes */
#define NAMES_RECENT_BITS 8
#define NAMES_RECENT (1 << NAMES_RECENT_BITS)

/**
 * struct names - the names of all tracepoints
 * @recent: those that were used last, by a glance at their texts
 * @max: how many of each tracepoint are kept; the others are made for one slice and forgotten with
 * it
 * @nr_of_owner: how many are kept, by the tracepoint's index
 * @size: how many bytes all that are kept take, which is bounded too
 */
struct names {
	struct map map;
	struct name *recent[NAMES_RECENT];
	size_t max;
	size_t *nr_of_owner;
	size_t nr_owners;
	size_t size;
};

void names_release(struct names *names);

/** name_place - where a name is among the recent ones; @head is the text_head() of @text */
hot_inline size_t name_place(unsigned int owner, struct text text, uint64_t head)
{
	uint64_t glance = text_glance(text, head) + owner;

	return glance * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_RECENT_BITS);
}

/** names_recent - the name with this text where it is one of those that were used last, or NULL */
hot_inline struct name *names_recent(const struct names *names, unsigned int owner,
				     struct text text, uint64_t head)
{
	struct name *name = names->recent[name_place(owner, text, head)];

	if (!name || name->owner != owner || name->head != head)
		return NULL;
	return text_equals_behind(name->shown.text, text) ? name : NULL;
}

/**
 * names_get - the name with this text
 *
 * Returns a name for name_put(), or NULL where memory ran out.
 */
struct name *names_get(struct names *names, unsigned int owner, struct text text);

/** names_clear_slots - forget what sinks put there, who have gone */
void names_clear_slots(struct names *names);

/** name_own_size - how many bytes go with the slice whose name it is */
static inline size_t name_own_size(const struct name *name)
{
	return name->shown.is_counted ? 0 : sizeof(*name) + name->shown.text.size;
}

/** name_put - done with a name; one that is not kept is freed */
hot_inline void name_put(struct name *name)
{
	if (!name->shown.is_counted)
		free(name);
}

#endif
