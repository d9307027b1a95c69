// SPDX-License-Identifier: GPL-2.0-only
/* What outputs make once of the fields of a tracepoint. */
#include "sink/fields.h"

#include <stdlib.h>

static bool set_is_of(const void *value, const void *key)
{
	const struct field_set *set = value, *of = key;

	return set->first == of->first && set->category == of->category;
}

void *field_sets_look(struct field_sets *sets, const struct timeline_category *category,
		      const char *first, size_t size)
{
	const struct field_set key = { .category = category, .first = first };
	uint64_t hash = hash_number((uintptr_t)first + hash_number((uintptr_t)category));
	struct field_set *set = map_find(&sets->all, hash, set_is_of, &key);

	if (!set) {
		set = map_take(&sets->all, hash, calloc(1, size));
		if (!set)
			return NULL;
		*set = key;
	}
	sets->recent[field_sets_index(first)] = set;
	return set;
}
