/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an output makes once of the fields of a tracepoint, found by an event. A category is not
 * enough: that of events that no rule takes has all their tracepoints.
 */
#ifndef SINK_FIELDS_H
#define SINK_FIELDS_H

#include "base/base.h"
#include "timeline/timeline.h"

/** struct field_set - the first member of what an output makes of the fields of a tracepoint */
struct field_set {
	const struct timeline_category *category;
	const char *first; /* the name of the first field; its address identifies it */
};

/** FIELD_SETS_BITS, FIELD_SETS_RECENT - number of sets that are found without a call */
#define FIELD_SETS_BITS 8
#define FIELD_SETS_RECENT (1 << FIELD_SETS_BITS)

/** struct field_sets - all sets of an output; zeroed it is empty */
struct field_sets {
	struct map all;
	struct field_set *recent[FIELD_SETS_RECENT];
};

/** field_sets_look - field_sets_get() of a set that is not among the recent ones */
void *field_sets_look(struct field_sets *sets, const struct timeline_category *category,
		      const char *first, size_t size);

/** field_sets_index - index into the recent sets */
hot_inline size_t field_sets_index(const char *first)
{
	return (uintptr_t)first * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FIELD_SETS_BITS);
}

/**
 * field_sets_get - the set of @event, which has a field
 * @size: of the output's own struct, which is zeros behind its first member at first
 *
 * Returns NULL if memory ran out.
 */
hot_inline void *field_sets_get(struct field_sets *sets, const struct timeline_event *event,
				size_t size)
{
	const struct timeline_category *category = event->track->category;
	const char *first = event->fields[0].name.data;
	struct field_set *recent = sets->recent[field_sets_index(first)];

	if (likely(recent && recent->first == first && recent->category == category))
		return recent;
	return field_sets_look(sets, category, first, size);
}

#endif
