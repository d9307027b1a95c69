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

/** notes_append_tracepoint - what a TIMELINE_TRACEPOINT tells, for people */
void notes_append_tracepoint(struct buffer *out, const struct timeline_event *event);

#endif
