/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The printers of the three targets. Each appends one event as one line. */
#ifndef TRACE2_TARGET_H
#define TRACE2_TARGET_H

#include "trace2/prepare.h"
#include "trace2/session.h"

/**
 * event_print, perf_print, normal_print - append one event to @line as one whole line
 * @line: the line, or lines that end with a newline
 * @times: the time cache of the calling thread
 * @event: complete and without secrets, see prepare.h
 *
 * Nothing is appended if the target has no line for this kind, or if the event nests too deeply.
 * @line->failed is set if memory ran out; the line may be cut then. Returns 0: callers that return
 * a status end with the call, which saves them a stack frame.
 */
int event_print(struct buffer *line, struct time_cache *times, const struct trace2_session *session,
		const struct trace2_event *event);
int perf_print(struct buffer *line, struct time_cache *times, const struct trace2_session *session,
	       const struct trace2_event *event);
int normal_print(struct buffer *line, struct time_cache *times,
		 const struct trace2_session *session, const struct trace2_event *event);

/** TARGET_PRINT - the head of a function that appends the part of a line that depends on the kind
 */
#define TARGET_PRINT(function)                                                      \
	void function(__attribute__((unused)) struct buffer *line,                  \
		      __attribute__((unused)) const struct trace2_session *session, \
		      __attribute__((unused)) const struct trace2_event *event)

/** TARGET_PRINTS - a table of such functions, by kind; NULL for a kind without one */
#define TARGET_PRINTS(table)                                                         \
	void (*const table[TRACE2_KIND_COUNT])(struct buffer * line,                 \
					       const struct trace2_session *session, \
					       const struct trace2_event *event)

/** event_is_region, event_is_data - whether an event's @region or @data counts */
hot_inline bool event_is_region(const struct trace2_event *event)
{
	return event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE;
}

hot_inline bool event_is_data(const struct trace2_event *event)
{
	return event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON;
}

#endif
