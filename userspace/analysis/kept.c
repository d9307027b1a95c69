// SPDX-License-Identifier: GPL-2.0-only
/* Explained slices that are kept for outputs; of too many, the slowest ones of each name. */
#include "analysis/internal.h"

#include <stdlib.h>
#include <string.h>

/** struct kept_key - what distinguishes names */
struct kept_key {
	const char *category;
	uint32_t name;
};

static bool kept_name_has_key(const void *value, const void *key)
{
	const struct kept_name *one = value;
	const struct kept_key *wanted = key;

	return one->category == wanted->category && one->name == wanted->name;
}

struct kept_name *kept_name_get(struct kept *kept, const char *category, uint32_t name)
{
	const struct kept_key key = { category, name };
	uint64_t hash = hash_number(name + hash_number((uintptr_t)category));
	struct kept_name *one = map_find(&kept->names, hash, kept_name_has_key, &key);

	if (one || !array_double(kept->list, kept->names.size, kept->list_capacity))
		return one;
	one = map_take(&kept->names, hash, malloc(sizeof(*one)));
	if (!one)
		return NULL;
	*one = (struct kept_name){ .category = category,
				   .name = name,
				   .order = kept->names.size - 1 };
	kept->list[one->order] = one;
	return one;
}

static int64_t kept_duration(const struct kept_slice *slice)
{
	return slice->explanation.end_ns - slice->explanation.begin_ns;
}

static int explanation_compare(const void *a, const void *b)
{
	const struct explanation *first = a, *second = b;

	if (first->begin_ns != second->begin_ns)
		return first->begin_ns < second->begin_ns ? -1 : 1;
	if (first->track != second->track)
		return first->track < second->track ? -1 : 1;
	return first->depth < second->depth ? -1 : first->depth > second->depth;
}

/* The slowest first. The order is total, so that it is the same in every run. */
static int duration_compare(const void *a, const void *b)
{
	const struct kept_slice *first = a, *second = b;
	int64_t one = kept_duration(first), other = kept_duration(second);

	if (one != other)
		return one > other ? -1 : 1;
	return explanation_compare(&first->explanation, &second->explanation);
}

static int kept_name_compare(const void *a, const void *b)
{
	const struct kept_slice *first = a, *second = b;

	if (first->name != second->name)
		return first->name->order < second->name->order ? -1 : 1;
	return duration_compare(a, b);
}

static void kept_drop(struct kept *kept, struct kept_slice *slice)
{
	kept->size -= slice->explanation.json.size;
	free((char *)slice->explanation.json.data);
}

/* Sorts the slices by names and durations, and keeps @kept->limit slices of each name. */
static void names_limit(struct kept *kept)
{
	size_t nr = 0, rank = 0;

	if (kept->nr_slices > 1)
		qsort(kept->slices, kept->nr_slices, sizeof(*kept->slices), kept_name_compare);
	for (size_t i = 0; kept->limit > 0 && i < kept->nr_slices; i++) {
		struct kept_slice *slice = &kept->slices[i];

		rank = nr > 0 && kept->slices[nr - 1].name == slice->name ? rank + 1 : 1;
		if (rank > kept->limit) {
			kept_drop(kept, slice);
			continue;
		}
		if (rank == kept->limit)
			slice->name->least_ns = kept_duration(slice);
		kept->slices[nr++] = *slice;
	}
	if (kept->limit > 0)
		kept->nr_slices = nr;
}

/* The largest number of slices of one name. */
static size_t names_most(const struct kept *kept)
{
	size_t most = 0, nr = 0;

	for (size_t i = 0; i < kept->nr_slices; i++) {
		bool is_same = i > 0 && kept->slices[i - 1].name == kept->slices[i].name;

		nr = is_same ? nr + 1 : 1;
		most = nr > most ? nr : most;
	}
	return most;
}

/* Frees half of the memory, so that this is rarely needed. */
static void kept_trim(struct kept *kept, size_t size_max)
{
	names_limit(kept);
	while (kept->size > size_max / 2 && kept->nr_slices > 1) {
		size_t most = kept->limit > 0 ? kept->limit : names_most(kept);

		kept->limit = most > 1 ? most / 2 : 1;
		names_limit(kept);
		if (most == 1) {
			size_t nr = (kept->nr_slices + 1) / 2;

			/* Even the slowest slice of each name is too much: keeps the slowest of
			 * those. */
			qsort(kept->slices, kept->nr_slices, sizeof(*kept->slices),
			      duration_compare);
			while (kept->nr_slices > nr) {
				struct kept_slice *last = &kept->slices[--kept->nr_slices];

				if (kept_duration(last) > kept->floor_ns)
					kept->floor_ns = kept_duration(last);
				kept_drop(kept, last);
			}
		}
	}
}

int kept_add(struct kept *kept, struct kept_name *name, const struct explanation *explanation)
{
	size_t size_max = kept->size_max > 0 ? kept->size_max : KEPT_SIZE_MAX;
	struct text json = explanation->json;
	char *copy;

	if (!array_double(kept->slices, kept->nr_slices, kept->capacity))
		return -1;
	copy = malloc(json.size + 1);
	if (!copy)
		return -1;
	memcpy(copy, json.data, json.size);
	kept->slices[kept->nr_slices] = (struct kept_slice){ .name = name,
							     .explanation = *explanation };
	kept->slices[kept->nr_slices++].explanation.json.data = copy;
	kept->size += json.size;
	if (kept->size > size_max)
		kept_trim(kept, size_max);
	return 0;
}

int kept_finish(struct kept *kept, struct explanations *out)
{
	if (kept->limit > 0)
		names_limit(kept);
	kept->items = calloc(kept->nr_slices + 1, sizeof(*kept->items));
	if (!kept->items)
		return -1;
	for (size_t i = 0; i < kept->nr_slices; i++)
		kept->items[i] = kept->slices[i].explanation;
	qsort(kept->items, kept->nr_slices, sizeof(*kept->items), explanation_compare);
	out->items = kept->items;
	out->nr_items = kept->nr_slices;
	out->limit = kept->limit;
	return 0;
}

void kept_release(struct kept *kept)
{
	for (size_t i = 0; i < kept->nr_slices; i++)
		kept_drop(kept, &kept->slices[i]);
	map_free(&kept->names);
	free(kept->list);
	free(kept->slices);
	free(kept->items);
	*kept = (struct kept){ 0 };
}
