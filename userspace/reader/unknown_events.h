/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of tracepoints whose format is unknown: they are counted as lost. */
#ifndef READER_UNKNOWN_EVENTS_H
#define READER_UNKNOWN_EVENTS_H

#include "source/source.h"

/** struct unknown_count - records of one CPU that were not reported yet */
struct unknown_count {
	int cpu;
	unsigned int buffer;
	int64_t first_ns;
	int64_t last_ns;
	int64_t count;
};

/** struct unknown_events - records of all CPUs; none if zeroed */
struct unknown_events {
	struct unknown_count *list;
	size_t size;
};

/** unknown_events_add - count a record; returns -1 with @error if memory runs out */
int unknown_events_add(struct unknown_events *unknown, const struct record *record,
		       struct error *error);

/** unknown_events_report - deliver the records as losses, and start again; returns -1 with @error
 */
int unknown_events_report(struct unknown_events *unknown, const struct source_handler *handler,
			  struct error *error);

void unknown_events_release(struct unknown_events *unknown);

#endif
