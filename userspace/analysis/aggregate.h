/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums the splits of many slices, apart by their duration, to compare slow ones with the median. */
#ifndef ANALYSIS_AGGREGATE_H
#define ANALYSIS_AGGREGATE_H

#include "analysis/split.h"

/** AGGREGATE_CELLS - cells in each power of two of durations */
#define AGGREGATE_CELLS 16

/**
 * struct aggregate_cell - slices of similar durations
 * @number: of its durations
 */
struct aggregate_cell {
	unsigned int number;
	uint64_t count;
	int64_t min_ns;
	int64_t max_ns;
	struct split split;
};

/**
 * struct aggregate - slices by their duration
 * @cells: those that are not empty, in the order of durations
 */
struct aggregate {
	struct aggregate_cell *cells;
	size_t nr_cells;
	uint64_t count;
};

/**
 * aggregate_add - add the split of a slice
 *
 * Parts that differ only by CPU or thread number are merged. Returns -1 if memory ran out.
 */
int aggregate_add(struct aggregate *aggregate, int64_t duration_ns, const struct split *split);

/**
 * aggregate_sum - add up whole cells, those that have slices among given ones
 * @first, @last: ranks of the slices by duration, from 0
 * @out: the caller calls split_release() for its split
 *
 * Returns -1 if memory ran out.
 */
int aggregate_sum(const struct aggregate *aggregate, uint64_t first, uint64_t last,
		  struct aggregate_cell *out);

void aggregate_release(struct aggregate *aggregate);

#endif
