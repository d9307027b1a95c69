// SPDX-License-Identifier: GPL-2.0-only
/* Statistics of slices and samples. */
#include "sink/summary.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
	if (table->map)
		map_release(table->map);
	free(table->map);
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
	return hash_number((uintptr_t)key->name + hash_number((uintptr_t)key->category));
}

/* Longer lists have a map. */
#define INTERVAL_LIST_MAX 8

/* The index of an entry in a list without a map; the list's size if there is none. */
static size_t interval_table_look(const struct interval_table *table, const struct intervals *key)
{
	size_t place = 0;

	while (place < table->size && !intervals_equal(table->list[place], key))
		place++;
	return place;
}

/* Adds the newest entry to the map. The first call that needs a map adds all entries. */
static int interval_table_index(struct interval_table *table)
{
	size_t first = table->map ? table->size - 1 : 0;

	if (table->size <= INTERVAL_LIST_MAX)
		return 0;
	if (!table->map)
		table->map = calloc(1, sizeof(*table->map));
	if (!table->map)
		return -1;
	for (size_t i = first; i < table->size; i++) {
		if (map_insert(table->map, intervals_hash(table->list[i]), table->list[i]) < 0)
			return -1;
	}
	return 0;
}

static int interval_table_add(struct interval_table *table, const struct intervals *key)
{
	struct intervals *intervals;

	if (!array_reserve(table->list, table->size))
		return -1;
	intervals = malloc(sizeof(*intervals));
	if (!intervals)
		return -1;
	*intervals = *key;
	table->list[table->size++] = intervals;
	return interval_table_index(table);
}

struct intervals *interval_table_get(struct interval_table *table,
				     const struct timeline_category *category,
				     struct timeline_name *name)
{
	struct timeline_name *counted = name && name->is_counted ? name : NULL;
	struct intervals key = { .category = category, .name = counted };
	struct intervals *one_of_many = table->map ? map_find(table->map, intervals_hash(&key),
							      intervals_equal, &key)
						   : NULL;
	size_t place = table->map ? table->size : interval_table_look(table, &key);

	if (one_of_many)
		return one_of_many;
	if (place == table->size && interval_table_add(table, &key) < 0)
		return NULL;
	if (counted && place <= UCHAR_MAX)
		table->recent[counted->number % INTERVAL_RECENT] = place;
	return table->list[place];
}

struct intervals *interval_table_find(const struct interval_table *table,
				      const struct timeline_category *category,
				      struct timeline_name *name)
{
	struct intervals key = { .category = category,
				 .name = name && name->is_counted ? name : NULL };
	size_t place;

	if (table->map)
		return map_find(table->map, intervals_hash(&key), intervals_equal, &key);
	place = interval_table_look(table, &key);
	return place < table->size ? table->list[place] : NULL;
}

static struct text intervals_text(const struct intervals *intervals)
{
	return intervals->name ? intervals->name->text : text_of("");
}

static bool intervals_have_same_texts(const void *value, const void *key_pointer)
{
	const struct intervals *intervals = value, *key = key_pointer;

	return !intervals->name == !key->name &&
	       strcmp(intervals->category->text, key->category->text) == 0 &&
	       text_equals(intervals_text(intervals), intervals_text(key));
}

int interval_table_unite(struct interval_table *table)
{
	struct map united = { 0 };
	int status = 0;

	for (size_t i = 0; i < table->size && status == 0; i++) {
		struct intervals *intervals = table->list[i], *first;
		uint64_t hash = hash_number(text_hash(text_of(intervals->category->text)) +
					    text_hash(intervals_text(intervals)));

		first = map_find(&united, hash, intervals_have_same_texts, intervals);
		if (first) {
			intervals_merge(first, intervals);
			intervals->nr_intervals = 0;
		} else {
			status = map_insert(&united, hash, intervals);
		}
	}
	map_release(&united);
	return status;
}

void levels_add(struct levels *levels, const struct value *value)
{
	if (levels->nr_samples == 0)
		*levels = (struct levels){ .first = *value, .min = *value, .max = *value };
	value_range_add(&levels->min, &levels->max, value);
	levels->last = *value;
	levels->nr_samples++;
}
