/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a target is: a function for each kind of event that adds the kind's own part of a line. */
#ifndef TRACE2_TARGET_H
#define TRACE2_TARGET_H

#include "trace2/kind.h"
#include "trace2/session.h"

/**
 * struct target - one form of a stream
 * @begin: adds what all lines begin with
 * @end: adds what all lines end with, the newline too
 * @line: adds a whole line of the kinds that are written by the million, and are wanted, to those
 * that leave in blocks; NULL, or false, where the line is to be put together by the others
 * @write: trace2_session_write() of a session whose @usual destination is this form's, without a
 * detour for what @line knows; NULL where that is
 * @wants: whether an event of a kind that has a function is written; NULL for all of them
 * @print: adds an event's own part; NULL for kinds that this form does not have
 */
struct target {
	void (*begin)(struct buffer *line, struct stamp *stamp,
		      const struct trace2_session *session, const struct trace2_event *event);
	void (*end)(struct buffer *line, struct stamp *stamp, const struct trace2_session *session,
		    const struct trace2_event *event);
	bool (*line)(struct trace2_session *session, const struct trace2_event *event);
	int (*write)(struct trace2_session *session, const struct trace2_event *event);
	bool (*wants)(const struct trace2_session *session, const struct trace2_event *event);
	void (*print[TRACE2_KIND_COUNT])(struct buffer *line, const struct trace2_session *session,
					 const struct trace2_event *event);
};

/**
 * TARGET_PRINT - the head of a function for struct target's @print, which need not use all of its
 * arguments
 */
#define TARGET_PRINT(function)                                                      \
	void function(__attribute__((unused)) struct buffer *line,                  \
		      __attribute__((unused)) const struct trace2_session *session, \
		      __attribute__((unused)) const struct trace2_event *event)

/** has_room - whether a line has room for @size bytes without growing; one that failed to grow
 * is found out by who sends it */
hot_inline bool has_room(const struct buffer *line, size_t size)
{
	return line->capacity - line->size >= size;
}

/** PERF_NAME_WIDTH, PERF_SECONDS_WIDTH - PERF's columns of kinds, and of times at six decimals */
#define PERF_NAME_WIDTH 12
#define PERF_SECONDS_WIDTH 9

/** event_write, perf_write - @write of EVENT and of PERF */
int event_write(struct trace2_session *session, const struct trace2_event *event);
int perf_write(struct trace2_session *session, const struct trace2_event *event);

/** event_write_wide - event_write() on machines that copy 32 bytes at once: x86 with AVX2 */
int event_write_wide(struct trace2_session *session, const struct trace2_event *event);

/** event_line, perf_line - @line of EVENT and of PERF */
bool event_line(struct trace2_session *session, const struct trace2_event *event);
bool perf_line(struct trace2_session *session, const struct trace2_event *event);

extern const struct target normal_target;
extern const struct target perf_target;
extern const struct target event_target;

#endif
