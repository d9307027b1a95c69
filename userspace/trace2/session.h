/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The inside of a session, for the targets that print its events. */
#ifndef TRACE2_SESSION_H
#define TRACE2_SESSION_H

#include "base/base.h"
#include "trace2/destination.h"
#include "trace2/stamp.h"
#include "trace2/trace2.h"

struct target;

/** THREAD_NAME_SIZE - what git cuts a thread's name to, and the width of PERF's column */
#define THREAD_NAME_SIZE 24

/**
 * struct trace2_thread - a thread with its part of the line
 * @json: the members "sid" and "thread", without a comma around them
 * @cell: PERF's columns of depth and thread
 */
struct trace2_thread {
	struct buffer json;
	struct buffer cell;
};

/**
 * struct trace2_text - a text with its JSON, and as lines for people have it
 * @has_bar: there is a "|" in @plain, which a column must not have
 * @category: of a label: the category that it is mostly of; of other texts one that no event has
 * @members: of a label: the members "category" and "label", with a comma before each
 */
struct trace2_text {
	struct buffer json;
	struct buffer plain;
	bool has_bar;
	const struct trace2_text *category;
	struct buffer members;
};

/**
 * struct printer - what is needed to print a line, and is not to be shared between threads
 * @line: where lines are made that leave at once
 */
struct printer {
	struct buffer line;
	struct stamp stamp;
};

/**
 * struct trace2_session - one stream of events
 * @depth: how many sessions it is below
 * @opened, @nr_opened: the targets that have a destination, in their order; it may have been turned
 * off since
 * @usual: the destination of a strict session with one target only, whose lines leave in blocks,
 * and whose regions may be printed as they are; NULL where it is otherwise
 * @write: trace2_session_write(): where there is a @usual, its target's way, until the session
 * fails
 * @usual_nesting: EVENT lines that are less deep than this may be put together in one go
 * @printer: that of trace2_session_write()
 */
struct trace2_session {
	struct trace2_settings settings;
	char *sid;
	unsigned int depth;
	struct trace2_thread *main_thread;
	struct destination destinations[TRACE2_TARGET_COUNT];
	enum trace2_target opened[TRACE2_TARGET_COUNT];
	unsigned int nr_opened;
	struct destination *usual;
	int (*write)(struct trace2_session *session, const struct trace2_event *event);
	unsigned int usual_nesting;
	struct printer printer;
	struct error error;
};

/** SESSION_BLOCK_SIZE - lines leave in blocks of about this size */
#define SESSION_BLOCK_SIZE (256 * 1024)

/**
 * session_write_other - trace2_session_write() of an event that the usual target's @write leaves
 * over, because it is of another kind, or its line takes more than there is room
 */
int session_write_other(struct trace2_session *session, const struct trace2_event *event);

/**
 * session_print - write one event to every target, with the printer of the calling thread
 *
 * As trace2_session_write(). In a lenient session that flushes by lines, threads need no lock for
 * it.
 */
int session_print(struct trace2_session *session, struct printer *printer,
		  const struct trace2_event *event);

/**
 * session_report - say what a lenient session does not fail for; @is_always: even where not all is
 * to be reported
 */
void session_report(const struct trace2_session *session, bool is_always, const char *message);

void printer_release(struct printer *printer);

/** string_text - the same bytes, as the base room calls them */
static inline struct text string_text(struct trace2_string string)
{
	return (struct text){ .data = string.data, .size = string.size };
}

/** event_thread - the thread that an event is on */
static inline const struct trace2_thread *event_thread(const struct trace2_session *session,
						       const struct trace2_event *event)
{
	return event->thread ? event->thread : session->main_thread;
}

/** timer_ns - a timer's time as it is shown: git rounds these, where it cuts all others */
int64_t timer_ns(const struct trace2_session *session, int64_t time_ns);

#endif
