// SPDX-License-Identifier: GPL-2.0-only
/* Parts of splits. */
#include "analysis/split.h"

#include <stdlib.h>

/* Most keys differ in their first words. */
static struct part *split_find(struct split *split, const struct part_key *key)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part_key *other = &split->parts[i].key;

		if (other->kind == key->kind && other->label == key->label &&
		    other->interrupt == key->interrupt && memcmp(other, key, sizeof(*key)) == 0)
			return &split->parts[i];
	}
	return NULL;
}

static struct part *split_append(struct split *split, const struct part_key *key)
{
	struct part *part;

	if (split->nr_parts == split->capacity) {
		size_t capacity = split->capacity > 0 ? split->capacity * 2 : 4;
		struct part *parts = reallocarray(split->parts, capacity, sizeof(*parts));

		if (!parts) {
			split->failed = true;
			return NULL;
		}
		split->parts = parts;
		split->capacity = capacity;
	}
	part = &split->parts[split->nr_parts++];
	*part = (struct part){ .key = *key };
	return part;
}

/* Beyond the limit parts are merged by kind. */
static struct part *split_merge(struct split *split, const struct part_key *key)
{
	const struct part_key merged = { .kind = key->kind,
					 .reason = key->reason,
					 .cpu = -1,
					 .tid = -1,
					 .owner = -1,
					 .name = NAMES_OTHER };
	struct part *part = split_find(split, &merged);

	return part ? part : split_append(split, &merged);
}

/* The part of a key; NULL if memory ran out. */
static struct part *split_get(struct split *split, const struct part_key *key)
{
	struct part *part = split_find(split, key);

	if (part)
		return part;
	return split->nr_parts < SPLIT_PARTS_MAX ? split_append(split, key)
						 : split_merge(split, key);
}

/* Adds segments, of which the longest is @longest. */
static void part_extend(struct part *part, int64_t total_ns, uint64_t count, struct span longest)
{
	int64_t longest_ns = longest.to_ns - longest.from_ns;

	part->total_ns += total_ns;
	part->count += count;
	if (longest_ns > part->longest_ns) {
		part->longest_ns = longest_ns;
		part->longest_at_ns = longest.from_ns;
	}
}

void split_add_sum(struct split *split, const struct part_key *key, const struct part *sum)
{
	struct part *part = split_get(split, key);

	if (!part)
		return;
	part_extend(part, sum->total_ns, sum->count,
		    (struct span){ sum->longest_at_ns, sum->longest_at_ns + sum->longest_ns });
	part->nr_instants += sum->nr_instants;
	split->total_ns += sum->total_ns;
}

void split_add_instants(struct split *split, const struct part_key *key, struct span span,
			uint64_t nr_instants)
{
	struct part *part = span.from_ns < span.to_ns ? split_get(split, key) : NULL;

	if (!part)
		return;
	part_extend(part, span.to_ns - span.from_ns, 1, span);
	part->nr_instants += nr_instants;
	split->total_ns += span.to_ns - span.from_ns;
}

void split_add(struct split *split, const struct part_key *key, struct span span)
{
	split_add_instants(split, key, span, 0);
}

void split_add_undecided(struct split *split, enum undecided_reason reason, struct span span)
{
	const struct part_key key = {
		.kind = PART_UNDECIDED, .reason = reason, .cpu = -1, .tid = -1, .owner = -1
	};

	split_add(split, &key, span);
}

static int part_compare(const void *a, const void *b)
{
	const struct part *first = a, *second = b;

	if (first->total_ns != second->total_ns)
		return first->total_ns > second->total_ns ? -1 : 1;
	return memcmp(&first->key, &second->key, sizeof(first->key));
}

void split_sort(struct split *split)
{
	if (split->nr_parts > 1)
		qsort(split->parts, split->nr_parts, sizeof(*split->parts), part_compare);
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			split_sort(split->parts[i].waker);
	}
}

void split_clear(struct split *split)
{
	split->nr_parts = 0;
	split->total_ns = 0;
	split->failed = false;
}

void split_release(struct split *split)
{
	for (size_t i = 0; i < split->nr_parts; i++)
		split_free(split->parts[i].waker);
	free(split->parts);
	*split = (struct split){ 0 };
}

void split_free(struct split *split)
{
	if (split)
		split_release(split);
	free(split);
}
