// SPDX-License-Identifier: GPL-2.0-only
/* Sums of splits in cells of similar durations. */
#include "analysis/aggregate.h"

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

static struct aggregate_cell *aggregate_cell_insert(struct aggregate *aggregate, size_t at,
						    unsigned int number)
{
	struct aggregate_cell *cells = reallocarray(aggregate->cells, aggregate->nr_cells + 1,
						    sizeof(*cells));

	if (!cells)
		return NULL;
	aggregate->cells = cells;
	memmove(cells + at + 1, cells + at, (aggregate->nr_cells - at) * sizeof(*cells));
	cells[at] = (struct aggregate_cell){ .number = number, .min_ns = INT64_MAX };
	aggregate->nr_cells++;
	return &cells[at];
}

static bool cell_is_before(const void *member, const void *key)
{
	const struct aggregate_cell *cell = member;
	const unsigned int *number = key;

	return cell->number < *number;
}

static struct aggregate_cell *aggregate_cell_get(struct aggregate *aggregate, unsigned int number)
{
	size_t at = sorted_count(aggregate->cells, aggregate->nr_cells, sizeof(*aggregate->cells),
				 cell_is_before, &number);

	if (at < aggregate->nr_cells && aggregate->cells[at].number == number)
		return &aggregate->cells[at];
	return aggregate_cell_insert(aggregate, at, number);
}

int aggregate_add(struct aggregate *aggregate, int64_t duration_ns, const struct split *split)
{
	struct aggregate_cell *cell = aggregate_cell_get(aggregate, cell_number(duration_ns));

	if (!cell)
		return -1;
	aggregate->count++;
	cell->count++;
	cell->min_ns = duration_ns < cell->min_ns ? duration_ns : cell->min_ns;
	cell->max_ns = duration_ns > cell->max_ns ? duration_ns : cell->max_ns;
	for (size_t i = 0; i < split->nr_parts; i++) {
		struct part_key key = split->parts[i].key;

		key.cpu = -1;
		key.tid = key.tid == 0 ? 0 : -1;
		key.owner = -1;
		split_add_sum(&cell->split, &key, &split->parts[i]);
	}
	return cell->split.failed ? -1 : 0;
}

int aggregate_sum(const struct aggregate *aggregate, uint64_t first, uint64_t last,
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
