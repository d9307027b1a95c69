/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics that several sinks need: durations of slices by tracepoint and name, levels of
 * counters. */
#ifndef SINK_SUMMARY_H
#define SINK_SUMMARY_H

#include "base/base.h"
#include "timeline/timeline.h"

/** struct intervals - the slices of one name */
struct intervals {
	const struct timeline_category *category;
	struct timeline_name *name; /* NULL for all names that are not counted one by one */
	uint64_t nr_intervals;
	int64_t total_ns;
	int64_t min_ns;
	int64_t max_ns;
};

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

void intervals_merge(struct intervals *intervals, const struct intervals *from);

/** INTERVAL_RECENT - names with a direct index; most tracks have no more */
#define INTERVAL_RECENT 16

/**
 * struct interval_table - statistics by tracepoint and name, in order of appearance
 *
 * A zeroed struct is an empty table. It is small, because each track has one.
 */
struct interval_table {
	struct map *map; /* of all entries; NULL while the list is short */
	struct intervals **list;
	size_t size;
	/* by the number of a name, modulo its size: index of the entry that was last found */
	unsigned char recent[INTERVAL_RECENT];
};

void interval_table_release(struct interval_table *table);

/** interval_table_get - the entry for a counted name, or of all others; NULL if memory ran out */
struct intervals *interval_table_get(struct interval_table *table,
				     const struct timeline_category *category,
				     struct timeline_name *name);
/** interval_table_find - the entry for a name; NULL if there is none */
struct intervals *interval_table_find(const struct interval_table *table,
				      const struct timeline_category *category,
				      struct timeline_name *name);

/**
 * interval_table_unite - merge entries with the same texts; those that were merged are left without
 * intervals
 *
 * Returns -1 if memory ran out.
 */
int interval_table_unite(struct interval_table *table);

/** interval_table_recent - the entry for a counted name by its direct index; NULL if that is
 * another's */
hot_inline struct intervals *interval_table_recent(const struct interval_table *table,
						   const struct timeline_category *category,
						   const struct timeline_name *counted)
{
	size_t place = table->recent[counted->number % INTERVAL_RECENT];
	struct intervals *recent;

	if (place >= table->size)
		return NULL;
	recent = table->list[place];
	return recent->name == counted && recent->category == category ? recent : NULL;
}

/** struct levels - the samples of one counter; all values have the first one's kind */
struct levels {
	uint64_t nr_samples;
	struct value first;
	struct value last;
	struct value min;
	struct value max;
};

/** levels_add - add a sample, a VALUE_SIGNED, VALUE_UNSIGNED or VALUE_FLOATING */
void levels_add(struct levels *levels, const struct value *value);

#endif
