/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A session's private structures, for the printers and the process stream. */
#ifndef TRACE2_SESSION_H
#define TRACE2_SESSION_H

#include "base/base.h"
#include "trace2/destination.h"
#include "trace2/time_cache.h"
#include "trace2/trace2.h"

/** THREAD_NAME_SIZE - bytes that git cuts a thread's name to, and the width of PERF's column */
#define THREAD_NAME_SIZE 24

/**
 * struct trace2_thread - a thread, and its part of each line
 * @json: EVENT's members "sid" and "thread", without commas around them
 * @columns: PERF's columns of depth and thread
 */
struct trace2_thread {
	struct buffer json;
	struct buffer columns;
};

/**
 * struct trace2_text - a text in the forms that lines need
 * @json: a JSON string, quotes included
 * @escaped: for NORMAL and PERF
 * @has_bar: @escaped contains "|", which must not appear in a column
 * @category: of a label: the category that it is rendered for; otherwise one that no event has
 * @members: of a label: EVENT's members "category" and "label", with a comma before each
 *
 * The buffers are sealed, see buffer_seal().
 */
struct trace2_text {
	struct buffer json;
	struct buffer escaped;
	bool has_bar;
	const struct trace2_text *category;
	struct buffer members;
};

/**
 * struct printer - memory that a thread prints with
 * @line: the line, if it is written at once
 */
struct printer {
	struct buffer line;
	struct time_cache times;
};

struct trace2_session;

/**
 * struct opened_target - a target that has a destination
 * @print: appends an event as one line; returns 0
 * @has_blocks: lines are collected in the destination and written as blocks
 */
struct opened_target {
	struct destination *destination;
	int (*print)(struct buffer *line, struct time_cache *times,
		     const struct trace2_session *session, const struct trace2_event *event);
	bool has_blocks;
};

/**
 * struct trace2_session - one stream of events
 * @depth: number of sessions above it
 * @short_nesting: the deepest nesting that is printed and is below PUT_SHORT_LIMIT
 * @opened, @nr_opened: the targets that were opened, in their order; they may be off since
 * @block_target: the only target, if it is written in blocks, its JSON is valid, and nothing
 * failed; NULL otherwise
 * @printer: of trace2_session_write()
 * @error: the first failure
 */
struct trace2_session {
	struct trace2_settings settings;
	char *sid;
	unsigned int depth;
	unsigned int short_nesting;
	struct trace2_thread *main_thread;
	struct destination destinations[TRACE2_TARGET_COUNT];
	struct opened_target opened[TRACE2_TARGET_COUNT];
	unsigned int nr_opened;
	const struct opened_target *block_target;
	struct printer printer;
	struct error error;
};

/** SESSION_BLOCK_SIZE - bytes of a block of lines, about */
#define SESSION_BLOCK_SIZE (256 * 1024)

/**
 * session_print - write one event to every target, with the printer of the calling thread
 *
 * Returns as trace2_session_write(). Several threads may call it at once, without a lock, if the
 * session is lenient and flushes by lines.
 */
int session_print(struct trace2_session *session, struct printer *printer,
		  const struct trace2_event *event);

/** printer_release - free the memory of a printer */
void printer_release(struct printer *printer);

/** string_text - the same bytes as a struct text */
static inline struct text string_text(struct trace2_string string)
{
	return (struct text){ .data = string.data, .size = string.size };
}

/** event_thread - the thread of an event, the main thread if it names none */
static inline const struct trace2_thread *event_thread(const struct trace2_session *session,
						       const struct trace2_event *event)
{
	return event->thread ? event->thread : session->main_thread;
}

/** timer_ns - a timer's time as it is printed: git rounds these, and cuts all others */
int64_t timer_ns(const struct trace2_session *session, int64_t time_ns);

/**
 * parent_join - "PARENT/own" with the value of @variable, or "own" if it is unset
 *
 * Returns a string for free(), or NULL if memory ran out.
 */
char *parent_join(const char *variable, const char *own);

#endif
