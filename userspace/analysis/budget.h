/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budgets: limits of statistics of slices, "SLICE WHAT < VALUE", and whether a recording keeps
 * them.
 *
 * A verdict is decided only if it is the same for everything that suspect slices and lost records
 * may have been. Percentiles are decided exactly: the slices within the limit are counted.
 */
#ifndef ANALYSIS_BUDGET_H
#define ANALYSIS_BUDGET_H

#include "analysis/selector.h"

/** enum budget_what - the statistic that is limited */
enum budget_what {
	BUDGET_COUNT,
	BUDGET_TOTAL,
	BUDGET_MIN,
	BUDGET_MEAN,
	BUDGET_MAX,
	BUDGET_PERCENTILE,
};

/** enum budget_verdict - the worse one is larger */
enum budget_verdict {
	BUDGET_MET,
	BUDGET_UNDECIDED,
	BUDGET_EXCEEDED,
};

/**
 * struct budget - one limit, and what it is compared with
 * @text: as it was given
 * @permille: of BUDGET_PERCENTILE
 * @is_below: the statistic must be less, not more
 * @allows_equal: "<=" or ">="
 * @limit: nanoseconds, or a number of slices
 * @nr_slices: complete slices that match
 * @nr_less, @nr_equal: those that are shorter than the limit, or as long
 * @nr_doubtful: slices that match and whose duration may be wrong
 * @nr_unfinished: slices without an end that are longer than the limit already; in the sums, too
 */
struct budget {
	const char *text;
	struct slice_selector selector;
	enum budget_what what;
	unsigned int permille;
	bool is_below;
	bool allows_equal;
	int64_t limit;
	uint64_t nr_slices;
	uint64_t nr_less;
	uint64_t nr_equal;
	uint64_t nr_doubtful;
	uint64_t nr_unfinished;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

/**
 * budget_parse - parse "[CATEGORY/]NAME[@TRACK] WHAT < VALUE"
 * @out: for budget_release(), also on failure
 * @text: outlives it
 *
 * WHAT is count, total, min, mean, max or a percentile such as p99.9; the comparison is <, <=, > or
 * >=; VALUE has a unit of time, unless WHAT is count. Returns 0, or -1 with @error.
 */
int budget_parse(struct budget *out, const char *text, struct error *error);

void budget_release(struct budget *budget);

/** budget_add - add the end of a slice that matches */
void budget_add(struct budget *budget, const struct timeline_event *end);

/**
 * budget_judge - the verdict
 * @lost_records: number of lost records, each of which may have been a slice that matches
 * @is_limited: no number of lost records is unknown
 */
enum budget_verdict budget_judge(const struct budget *budget, uint64_t lost_records,
				 bool is_limited);

/** budget_append_reason - append what the verdict is made of, for people */
void budget_append_reason(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			  bool is_limited);

/** budget_append_json - append an object */
void budget_append_json(struct buffer *out, const struct budget *budget, uint64_t lost_records,
			bool is_limited);

/** struct budget_set - the budgets */
struct budget_set {
	struct budget *list;
	size_t size;
};

#endif
