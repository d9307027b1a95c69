// SPDX-License-Identifier: GPL-2.0-only
/* The slowest slices of an aggregate, and those around the median. */
#include <stdlib.h>

#include "analysis/why.h"

/* Slices around the median: a fifth of all. */
#define MEDIAN_FIRST_PERCENT 40
#define MEDIAN_LAST_PERCENT 60
#define SLOWEST_FIRST_PERCENT 99

static uint64_t percentile_rank(const struct aggregate *aggregate, unsigned int percent)
{
	uint64_t last = aggregate->count - 1;

	return last / 100 * percent + last % 100 * percent / 100;
}

int aggregate_groups_find(const struct aggregate *aggregate, struct aggregate_groups *out)
{
	*out = (struct aggregate_groups){ 0 };
	if (aggregate->count == 0)
		return 0;
	if (aggregate_sum(aggregate, percentile_rank(aggregate, SLOWEST_FIRST_PERCENT),
			  aggregate->count - 1, &out->slowest) < 0)
		return -1;
	return aggregate_sum(aggregate, percentile_rank(aggregate, MEDIAN_FIRST_PERCENT),
			     percentile_rank(aggregate, MEDIAN_LAST_PERCENT), &out->median);
}

void aggregate_groups_release(struct aggregate_groups *groups)
{
	split_release(&groups->slowest.split);
	split_release(&groups->median.split);
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
