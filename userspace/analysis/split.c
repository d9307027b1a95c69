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

/* A new part; beyond the limit parts are merged by kind. */
static struct part *split_extend(struct split *split, const struct part_key *key)
{
	const struct part_key merged = { .kind = key->kind,
					 .reason = key->reason,
					 .cpu = -1,
					 .tid = -1,
					 .owner = -1,
					 .name = NAMES_OTHER };
	struct part *part;

	if (split->nr_parts < SPLIT_PARTS_MAX)
		return split_append(split, key);
	part = split_find(split, &merged);
	return part ? part : split_append(split, &merged);
}

void split_add_sum(struct split *split, const struct part_key *key, const struct part *sum)
{
	struct part *part = split_find(split, key);

	if (!part)
		part = split_extend(split, key);
	if (!part)
		return;
	part->total_ns += sum->total_ns;
	part->count += sum->count;
	part->nr_instants += sum->nr_instants;
	if (sum->longest_ns > part->longest_ns) {
		part->longest_ns = sum->longest_ns;
		part->longest_at_ns = sum->longest_at_ns;
	}
	split->total_ns += sum->total_ns;
}

void split_add_instants(struct split *split, const struct part_key *key, struct span span,
			uint64_t nr_instants)
{
	int64_t duration_ns = span.to_ns - span.from_ns;

	if (duration_ns > 0)
		split_add_sum(split, key,
			      &(struct part){ .total_ns = duration_ns,
					      .longest_ns = duration_ns,
					      .longest_at_ns = span.from_ns,
					      .count = 1,
					      .nr_instants = nr_instants });
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
