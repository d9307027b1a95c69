/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader has to know of a recording as a whole, and no event of it tells. */
#ifndef SINK_NOTES_H
#define SINK_NOTES_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * notes_tell - tell a recording's faults that have no place in it, each as a line for people
 * @counts_ticks: its clock counts something else than nanoseconds
 * @tell: gets one; what it returns other than 0 ends this
 *
 * Losses, suspect and unfinished slices are told where they are, and not here.
 *
 * Returns 0, or what @tell returned.
 */
int notes_tell(const struct timeline_totals *totals, bool counts_ticks,
	       int (*tell)(void *context, struct text note, struct error *error), void *context,
	       struct error *error);

/**
 * FOREIGN_END_FORMAT - the text of a TIMELINE_FOREIGN_END, made of its tracepoint: what is wrong,
 * and what to do in the driver
 */
#define FOREIGN_END_FORMAT                                                                        \
	"%s: a thread ended another thread's slice while slices overlapped; give each thread or " \
	"request its own scope or track name"

/** notes_append_problem - what a TIMELINE_MALFORMED or TIMELINE_FOREIGN_END reports, for people */
void notes_append_problem(struct buffer *out, const struct timeline_event *event);

/** notes_append_tracepoint - what a TIMELINE_TRACEPOINT tells, for people */
void notes_append_tracepoint(struct buffer *out, const struct timeline_event *event);

#endif
