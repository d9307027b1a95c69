/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the durations of slices in two sets of recordings.
 *
 * Each unit, a recording or a second of one, gives one value of each statistic of each name: the
 * logarithm of its mean, median and 99th percentile. Units are resampled: they are assigned to the
 * two sets at random, thousands of times. The largest t statistic of all names and statistics in
 * each assignment is what chance makes; a change is reported if its own is larger than those of all
 * but 5 % of them. So at most 5 % of comparisons of equal recordings report any change, whatever
 * the distribution of durations and the number of names.
 */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "base/base.h"
#include "timeline/timeline.h"

/** enum compare_side - the two sets */
enum compare_side {
	COMPARE_BASE,
	COMPARE_SOURCE,
	COMPARE_SIDES
};

/** enum compare_statistic - what is compared of each name */
enum compare_statistic {
	COMPARE_MEAN,
	COMPARE_P50,
	COMPARE_P99,
	COMPARE_STATISTICS
};

/** struct compare_value - the logarithms of one unit */
struct compare_value {
	uint32_t unit;
	double logs[COMPARE_STATISTICS];
};

/** struct compare_values - those of all units of a side that have such slices, by their number */
struct compare_values {
	struct compare_value *list;
	size_t size;
};

/**
 * struct compare_name - the slices of one name
 * @unit, @quantiles, @total_ns: the unit that is being read
 */
struct compare_name {
	char *category;
	struct buffer name;
	struct compare_values sides[COMPARE_SIDES];
	uint32_t unit;
	struct quantiles quantiles;
	int64_t total_ns;
};

/** COMPARE_NAMES_MAX - limit of names; slices of others are counted only */
#define COMPARE_NAMES_MAX 4096

/**
 * struct comparison - both sets
 * @has_blocks: units are seconds of one recording on each side
 * @nr_recordings: that were read
 * @nr_units: of each side
 * @nr_left_out: slices that are doubtful, or have a name beyond the limit
 */
struct comparison {
	struct map map;
	struct compare_name **names;
	size_t nr_names;
	bool has_blocks;
	size_t nr_recordings[COMPARE_SIDES];
	uint32_t nr_units[COMPARE_SIDES];
	uint64_t nr_left_out;
};

/**
 * struct compare_result - one statistic of one name
 * @base_ns, @source_ns: geometric means over the units
 * @change, @low, @high: @source_ns / @base_ns - 1, and its interval, which holds for all results
 * together with a confidence of 95 %
 * @is_significant: chance alone does not explain the change
 */
struct compare_result {
	const struct compare_name *name;
	enum compare_statistic statistic;
	double base_ns;
	double source_ns;
	double change;
	double low;
	double high;
	bool is_significant;
};

/**
 * comparison_value_add - add the values of a unit
 * @unit: larger than all before on its side
 *
 * Returns -1 if memory ran out.
 */
int comparison_value_add(struct compare_name *name, enum compare_side side,
			 const struct compare_value *value);

/** comparison_name_get - find or make a name; NULL if there are too many, or memory ran out */
struct compare_name *comparison_name_get(struct comparison *comparison, const char *category,
					 struct text name);

/**
 * comparison_judge - compare all names that at least two units of each side have
 * @out: an array that the caller frees
 * @size: of the array
 *
 * Returns -1 if memory ran out.
 */
int comparison_judge(const struct comparison *comparison, struct compare_result **out,
		     size_t *size);

/** comparison_can_decide - whether there are enough units to report a change at all */
bool comparison_can_decide(const struct comparison *comparison);

#endif
