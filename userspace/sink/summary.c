// SPDX-License-Identifier: GPL-2.0-only
/* Sums up slices and samples. */
#include "sink/summary.h"

#include <stdlib.h>

void intervals_merge(struct intervals *intervals, const struct intervals *from)
{
	if (from->nr_intervals == 0)
		return;
	if (intervals->nr_intervals == 0 || from->min_ns < intervals->min_ns)
		intervals->min_ns = from->min_ns;
	if (intervals->nr_intervals == 0 || from->max_ns > intervals->max_ns)
		intervals->max_ns = from->max_ns;
	intervals->nr_intervals += from->nr_intervals;
	intervals->total_ns += from->total_ns;
}

void interval_table_release(struct interval_table *table)
{
	for (size_t i = 0; i < table->size; i++)
		free(table->list[i]);
	free(table->list);
	map_release(&table->map);
	*table = (struct interval_table){ 0 };
}

static bool intervals_equal(const void *value, const void *key_pointer)
{
	const struct intervals *intervals = value;
	const struct intervals *key = key_pointer;

	return intervals->category == key->category && intervals->name == key->name;
}

static uint64_t intervals_hash(const struct intervals *key)
{
	uint64_t hash = (uintptr_t)key->name * UINT64_C(0x9e3779b97f4a7c15);

	hash += (uintptr_t)key->category * UINT64_C(0xc2b2ae3d27d4eb4f);
	return hash ^ hash >> 32;
}

/* Finds an entry among too many to look at each. */
static struct intervals *interval_table_find(const struct interval_table *table,
					     const struct intervals *key)
{
	if (table->size <= INTERVAL_LIST_MAX)
		return NULL;
	return map_find(&table->map, intervals_hash(key), intervals_equal, key);
}

/*
 * Adds the newest entry to the map; the one that makes the list too long brings all others along.
 */
static int interval_table_index(struct interval_table *table)
{
	size_t first = table->size == INTERVAL_LIST_MAX + 1 ? 0 : table->size - 1;

	if (table->size <= INTERVAL_LIST_MAX)
		return 0;
	for (size_t i = first; i < table->size; i++) {
		if (map_insert(&table->map, intervals_hash(table->list[i]), table->list[i]) < 0)
			return -1;
	}
	return 0;
}

static struct intervals *interval_table_add(struct interval_table *table,
					    const struct intervals *key)
{
	struct intervals **list = reallocarray(table->list, table->size + 1, sizeof(*list));
	struct intervals *intervals;

	if (!list)
		return NULL;
	table->list = list;
	intervals = malloc(sizeof(*intervals));
	if (!intervals)
		return NULL;
	*intervals = *key;
	table->list[table->size++] = intervals;
	return interval_table_index(table) < 0 ? NULL : intervals;
}

struct intervals *interval_table_search(struct interval_table *table,
					const struct timeline_category *category,
					struct timeline_name *name)
{
	struct intervals key = { .category = category, .name = name };
	struct intervals *intervals = interval_table_find(table, &key);

	return intervals ? intervals : interval_table_add(table, &key);
}

static bool value_is_less(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_SIGNED)
		return a->signed_number < b->signed_number;
	return a->unsigned_number < b->unsigned_number;
}

void levels_add(struct levels *levels, const struct value *value)
{
	if (levels->nr_samples == 0)
		*levels = (struct levels){ .first = *value, .min = *value, .max = *value };
	if (value_is_less(value, &levels->min))
		levels->min = *value;
	if (value_is_less(&levels->max, value))
		levels->max = *value;
	levels->last = *value;
	levels->nr_samples++;
}
