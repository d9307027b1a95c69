// SPDX-License-Identifier: GPL-2.0-only
/* Sums the splits of many slices, and compares the slowest with the median. */
#include "analysis/internal.h"

#include <stdlib.h>

static unsigned int cell_number(int64_t duration_ns)
{
	uint64_t duration = duration_ns;
	unsigned int octave;

	if (duration < AGGREGATE_CELLS)
		return duration;
	octave = 63 - __builtin_clzll(duration / AGGREGATE_CELLS);
	return (octave + 1) * AGGREGATE_CELLS + (duration >> octave) % AGGREGATE_CELLS;
}

static bool cell_is_before(const void *member, const void *key)
{
	return ((const struct aggregate_cell *)member)->number < *(const unsigned int *)key;
}

/*
 * Adds the parts of a slice, or of a thread of this name for which it waited: what that thread did
 * takes the place of the wait.
 */
static void cell_add(struct aggregate_cell *cell, const struct split *split, uint16_t owner_name)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		struct part_key key = part->key;

		if (part->waker && key.object == NAMES_NONE && key.name != NAMES_NONE) {
			cell_add(cell, part->waker, key.name);
			continue;
		}
		key.cpu = -1;
		/* The idle thread of each CPU has a name of its own. */
		if (key.tid == 0 && (key.kind == PART_RUNNABLE || key.kind == PART_LATE))
			key.name = NAMES_NONE;
		key.tid = key.tid == 0 ? 0 : -1;
		key.owner = -1;
		if (key.owner_name == NAMES_NONE)
			key.owner_name = owner_name;
		key.prio = key.own_prio = 0;
		split_add_sum(&cell->split, &key, part);
	}
}

int aggregate_add(struct aggregate *aggregate, int64_t duration_ns, const struct split *split)
{
	unsigned int number = cell_number(duration_ns);
	size_t at = sorted_count(aggregate->cells, aggregate->nr_cells, sizeof(*aggregate->cells),
				 cell_is_before, &number);
	struct aggregate_cell *cell;

	if (at == aggregate->nr_cells || aggregate->cells[at].number != number) {
		if (!array_reserve(aggregate->cells, aggregate->nr_cells))
			return -1;
		cell = &aggregate->cells[at];
		memmove(cell + 1, cell, (aggregate->nr_cells++ - at) * sizeof(*cell));
		*cell = (struct aggregate_cell){ .number = number, .min_ns = INT64_MAX };
	}
	cell = &aggregate->cells[at];
	aggregate->count++;
	cell->count++;
	cell->min_ns = duration_ns < cell->min_ns ? duration_ns : cell->min_ns;
	cell->max_ns = duration_ns > cell->max_ns ? duration_ns : cell->max_ns;
	cell_add(cell, split, NAMES_NONE);
	return cell->split.failed ? -1 : 0;
}

/* Add up whole cells, those that have slices among given ones. */
static int aggregate_sum(const struct aggregate *aggregate, uint64_t first, uint64_t last,
			 struct aggregate_cell *out)
{
	uint64_t begin = 0;

	*out = (struct aggregate_cell){ .min_ns = INT64_MAX };
	for (size_t i = 0; i < aggregate->nr_cells; i++) {
		const struct aggregate_cell *cell = &aggregate->cells[i];
		uint64_t end = begin + cell->count;

		if (end > first && begin <= last) {
			out->count += cell->count;
			out->min_ns = cell->min_ns < out->min_ns ? cell->min_ns : out->min_ns;
			out->max_ns = cell->max_ns;
			for (size_t j = 0; j < cell->split.nr_parts; j++)
				split_add_sum(&out->split, &cell->split.parts[j].key,
					      &cell->split.parts[j]);
		}
		begin = end;
	}
	split_sort(&out->split);
	return out->split.failed ? -1 : 0;
}

void aggregate_release(struct aggregate *aggregate)
{
	for (size_t i = 0; i < aggregate->nr_cells; i++)
		split_release(&aggregate->cells[i].split);
	free(aggregate->cells);
	*aggregate = (struct aggregate){ 0 };
}

struct why_base *why_base_new(const char *source)
{
	struct why_base *base = calloc(1, sizeof(*base));

	if (base)
		base->source = source;
	return base;
}

void why_base_free(struct why_base *base)
{
	if (!base)
		return;
	aggregate_release(&base->aggregate);
	name_table_release(&base->names);
	free(base);
}

/* The slowest slices of an aggregate, and those around the median. */

/* Slices around the median: a fifth of all. */
#define MEDIAN_FIRST_PERCENT 40
#define MEDIAN_LAST_PERCENT 60
#define SLOWEST_FIRST_PERCENT 99

static uint64_t percentile_rank(const struct aggregate *aggregate, unsigned int percent)
{
	uint64_t last = aggregate->count - 1;

	return last / 100 * percent + last % 100 * percent / 100;
}

int aggregate_groups_find(const struct aggregate *aggregate, const struct aggregate *base,
			  struct aggregate_groups *out)
{
	*out = (struct aggregate_groups){ 0 };
	if (aggregate->count == 0)
		return 0;
	if (base) {
		if (aggregate_sum(aggregate, 0, aggregate->count - 1, &out->slowest) < 0)
			return -1;
		return aggregate_sum(base, 0, base->count - 1, &out->median);
	}
	if (aggregate_sum(aggregate, percentile_rank(aggregate, SLOWEST_FIRST_PERCENT),
			  aggregate->count - 1, &out->slowest) < 0)
		return -1;
	return aggregate_sum(aggregate, percentile_rank(aggregate, MEDIAN_FIRST_PERCENT),
			     percentile_rank(aggregate, MEDIAN_LAST_PERCENT), &out->median);
}

static int64_t part_total(const struct aggregate_cell *group, const struct part_key *key)
{
	for (size_t i = 0; i < group->split.nr_parts; i++) {
		if (memcmp(&group->split.parts[i].key, key, sizeof(*key)) == 0)
			return group->split.parts[i].total_ns;
	}
	return 0;
}

int64_t aggregate_mean_ns(const struct aggregate_cell *group, int64_t total_ns)
{
	return group->count > 0 ? total_ns / (int64_t)group->count : 0;
}

static int group_row_compare(const void *a, const void *b)
{
	const struct group_row *first = a, *second = b;

	if (first->excess_ns != second->excess_ns)
		return first->excess_ns > second->excess_ns ? -1 : 1;
	if (first->slowest_ns != second->slowest_ns)
		return first->slowest_ns > second->slowest_ns ? -1 : 1;
	return memcmp(&first->key, &second->key, sizeof(first->key));
}

static void rows_add(const struct aggregate_groups *groups, struct group_row *rows, size_t *nr_rows,
		     const struct part_key *key)
{
	struct group_row *row = &rows[*nr_rows];

	for (size_t i = 0; i < *nr_rows; i++) {
		if (memcmp(&rows[i].key, key, sizeof(*key)) == 0)
			return;
	}
	*row = (struct group_row){ .key = *key,
				   .slowest_ns = part_total(&groups->slowest, key),
				   .median_ns = part_total(&groups->median, key) };
	row->excess_ns = aggregate_mean_ns(&groups->slowest, row->slowest_ns) -
			 aggregate_mean_ns(&groups->median, row->median_ns);
	++*nr_rows;
}

struct group_row *aggregate_rows(const struct aggregate_groups *groups, size_t *nr_rows)
{
	const struct split *slowest = &groups->slowest.split, *median = &groups->median.split;
	struct group_row *rows = calloc(slowest->nr_parts + median->nr_parts + 1, sizeof(*rows));

	*nr_rows = 0;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < slowest->nr_parts; i++)
		rows_add(groups, rows, nr_rows, &slowest->parts[i].key);
	for (size_t i = 0; i < median->nr_parts; i++)
		rows_add(groups, rows, nr_rows, &median->parts[i].key);
	qsort(rows, *nr_rows, sizeof(*rows), group_row_compare);
	return rows;
}
