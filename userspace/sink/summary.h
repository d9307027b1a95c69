/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics that several sinks want: how long slices took, by tracepoint and name, and where
 * counters went.
 */
#ifndef SINK_SUMMARY_H
#define SINK_SUMMARY_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct intervals - the slices of one name
 * @name: NULL for all names that are not counted by themselves
 */
struct intervals {
	const struct timeline_category *category;
	struct timeline_name *name;
	uint64_t nr_intervals;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

/** intervals_add - one slice more, of @ns nanoseconds */
static inline void intervals_add(struct intervals *intervals, int64_t ns)
{
	bool is_first = intervals->nr_intervals == 0;

	if (ns < intervals->min_ns || is_first)
		intervals->min_ns = ns;
	if (ns > intervals->max_ns || is_first)
		intervals->max_ns = ns;
	intervals->nr_intervals++;
	intervals->total_ns += ns;
}

/** intervals_merge - all slices of @from too */
void intervals_merge(struct intervals *intervals, const struct intervals *from);

/**
 * struct interval_table - statistics by tracepoint and name, in order of appearance
 * @map: of all entries, once there are too many to look at each; most tracks have a handful
 *
 * A zeroed struct is an empty table.
 */
struct interval_table {
	struct map map;
	struct intervals **list;
	size_t size;
};

void interval_table_release(struct interval_table *table);

/** INTERVAL_LIST_MAX - how many entries are looked at one by one */
#define INTERVAL_LIST_MAX 8

/** interval_table_search - interval_table_get() of an entry that is new, or one of many */
struct intervals *interval_table_search(struct interval_table *table,
					const struct timeline_category *category,
					struct timeline_name *name);

/**
 * interval_table_get_own - interval_table_get() of a name that is counted, or of NULL for all that
 * are not
 */
hot_inline struct intervals *interval_table_get_own(struct interval_table *table,
						    const struct timeline_category *category,
						    struct timeline_name *own)
{
	for (size_t i = 0; i < table->size && table->size <= INTERVAL_LIST_MAX; i++) {
		if (table->list[i]->name == own && table->list[i]->category == category)
			return table->list[i];
	}
	return interval_table_search(table, category, own);
}

/**
 * interval_table_get - the entry for a name, made where there is none
 *
 * Returns NULL where memory ran out.
 */
hot_inline struct intervals *interval_table_get(struct interval_table *table,
						const struct timeline_category *category,
						struct timeline_name *name)
{
	return interval_table_get_own(table, category, name && name->is_counted ? name : NULL);
}

/** struct levels - the samples of one counter; all values are of the first one's kind */
struct levels {
	uint64_t nr_samples;
	struct value first;
	struct value last;
	struct value min;
	struct value max;
};

/** levels_add - one sample more, a VALUE_SIGNED or VALUE_UNSIGNED */
void levels_add(struct levels *levels, const struct value *value);

#endif
