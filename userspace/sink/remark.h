/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts for people: losses, problems, and faults of a recording as a whole. */
#ifndef SINK_REMARK_H
#define SINK_REMARK_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * FOREIGN_END_FORMAT - the text of a TIMELINE_FOREIGN_END, made of its tracepoint: the problem and
 * its remedy in the driver
 */
#define FOREIGN_END_FORMAT                                                                        \
	"%s: a thread ended another thread's slice while slices overlapped; give each thread or " \
	"request its own scope or track name"

/** MALFORMED_FORMAT - the text of a TIMELINE_MALFORMED, made of its tracepoint and problem */
#define MALFORMED_FORMAT "malformed record of %s: %s"

/**
 * remark_append - append the text of a loss, a malformed record, a foreign end, a tracepoint or the
 * begin of the traced command; nothing for other events
 */
void remark_append(struct buffer *out, const struct timeline_event *event);

/** remark_set - the same, instead of what @out holds; returns it as a text */
struct text remark_set(struct buffer *out, const struct timeline_event *event);

/** loss_append_track - append the name of a loss' track: "lost records cpu 1 in first" */
void loss_append_track(struct buffer *out, const struct timeline_event *event);

/** fault_limit - fault_set() takes numbers below it */
size_t fault_limit(const struct timeline_totals *totals);

/**
 * fault_set - set @out to the text of a fault of the recording that no event reports
 * @counts_ticks: the trace clock does not count nanoseconds
 * @number: below fault_limit()
 *
 * Losses, suspect and incomplete slices are no such faults. Returns false if the recording does not
 * have the fault. A failure of @out stays.
 */
bool fault_set(struct buffer *out, const struct timeline_totals *totals, bool counts_ticks,
	       size_t number);

/**
 * VIEWER_DEPTH_MAX - Perfetto drops slices and instants below this many open slices, but not the
 * ends of such slices, which would close outer ones
 */
#define VIEWER_DEPTH_MAX 512

/**
 * deep_set - set @out to the text about slices and instants that were left out for that depth
 *
 * Returns it as a string, or NULL if memory ran out.
 */
const char *deep_set(struct buffer *out, uint64_t count);

#endif
