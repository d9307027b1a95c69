/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts records that are not exported, by system: of other tracepoints, or without their -e. */
#ifndef READER_OTHER_RECORDS_H
#define READER_OTHER_RECORDS_H

#include "convention/convention.h"
#include "source/source.h"

/**
 * struct other_records - the records by the id of their tracepoint; none if zeroed
 * @counts: one for each id, NULL before the first record
 */
struct other_records {
	uint64_t *counts;
	uint64_t total;
};

/** other_records_add - count a record; returns -1 with @error if memory runs out */
int other_records_add(struct other_records *others, uint16_t id, struct error *error);

/**
 * struct other_source - the source of the records
 * @convention: its tracepoints that name threads count only if there are no track events
 * @name: of the source
 * @directory: of its instance, NULL for a file
 * @leaves_out: the records are those that -r without -e does not select
 */
struct other_source {
	struct source *source;
	const struct convention *convention;
	const char *name;
	const char *directory;
	bool leaves_out;
};

/**
 * other_records_report - report how many such records a source has, of which systems, and the
 * remedy if it has no track events, or if -r leaves some out; to be called once
 * @is_empty: it has no track events
 *
 * Records of tracepoints that the source does not describe are not counted: source_damage() reports
 * them.
 */
void other_records_report(struct other_records *others, const struct other_source *source,
			  bool is_empty, const struct report *report);

void other_records_release(struct other_records *others);

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
