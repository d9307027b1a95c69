/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libtrace2: writes git's trace2 telemetry form (api-trace2, event format version 4).
 *
 * An event is a value: its time, its thread and its session are data, so that recorded time can be replayed. The caller
 * keeps threads and texts as objects that hold their rendered bytes; writing a line is then mostly copying.
 *
 * Unlike git's, every line is valid UTF-8 and valid JSON: bytes that are no UTF-8 become U+FFFD.
 */
#ifndef TRACE2_TRACE2_H
#define TRACE2_TRACE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct trace2_string - bytes owned by the caller, of any encoding */
struct trace2_string {
	const char *data;
	size_t size;
};

struct trace2_session;
struct trace2_thread;
struct trace2_text;

/** enum trace2_flush - when written lines leave the process */
enum trace2_flush {
	/** with one write(2) for each, as git does */
	TRACE2_FLUSH_LINES,
	/** in blocks of whole lines, and at trace2_session_flush() */
	TRACE2_FLUSH_BLOCKS,
};

/**
 * struct trace2_settings - what is fixed for a session
 * @sid: the whole session id, see trace2_sid_make(); copied
 * @start_unix_ns: the session's beginning, in nanoseconds since 1970; events count from it
 * @decimals: of t_abs, t_rel and timers: 6 as git, or 9
 * @has_more_t_abs: regions, errors and threads get a t_abs too, as an additional key behind their own
 * @flush: when lines leave the process
 */
struct trace2_settings {
	const char *sid;
	int64_t start_unix_ns;
	unsigned int decimals;
	bool has_more_t_abs;
	enum trace2_flush flush;
};

enum trace2_kind {
	TRACE2_VERSION,
	TRACE2_START,
	TRACE2_EXIT,
	TRACE2_ATEXIT,
	TRACE2_ERROR,
	TRACE2_CMD_NAME,
	TRACE2_CMD_MODE,
	TRACE2_CHILD_START,
	TRACE2_CHILD_EXIT,
	TRACE2_THREAD_START,
	TRACE2_THREAD_EXIT,
	TRACE2_DEF_PARAM,
	TRACE2_REGION_ENTER,
	TRACE2_REGION_LEAVE,
	TRACE2_DATA,
	TRACE2_DATA_JSON,
	TRACE2_TH_TIMER,
	TRACE2_TIMER,
	TRACE2_COUNTER,
	TRACE2_KIND_COUNT
};

/**
 * struct trace2_event - one message
 * @kind: which; it says which member of the union counts
 * @time_ns: since the session's beginning
 * @thread: NULL for the main thread
 * @file, @line: where the program said it; left out where @file is NULL
 * @more: additional members of the JSON object, ready-made, without the leading comma
 *
 * The members are those of the same name in api-trace2; times are in nanoseconds. @region.nesting is 1 for the
 * outermost region, @data.nesting is one more than that of the region around it. @data.value is written as a string for
 * TRACE2_DATA, and as ready-made JSON for TRACE2_DATA_JSON. An empty @region.msg or @error.msg is left out.
 */
struct trace2_event {
	enum trace2_kind kind;
	int64_t time_ns;
	const struct trace2_thread *thread;
	const char *file;
	int line;
	struct trace2_string more;
	union {
		struct {
			const char *exe;
		} version;
		struct {
			char *const *argv;
		} start;
		struct {
			int code;
		} exit;
		struct {
			struct trace2_string msg;
			const char *fmt;
		} error;
		struct {
			const char *name;
			const char *hierarchy;
		} cmd_name;
		struct {
			const char *name;
		} cmd_mode;
		struct {
			int id;
			const char *class;
			bool use_shell;
			char *const *argv;
		} child_start;
		struct {
			int id;
			int pid;
			int code;
			int64_t t_rel_ns;
		} child_exit;
		struct {
			int64_t t_rel_ns;
		} thread_exit;
		struct {
			const char *scope;
			const char *param;
			const char *value;
		} def_param;
		struct {
			unsigned int nesting;
			int64_t t_rel_ns;
			const struct trace2_text *category;
			const struct trace2_text *label;
			struct trace2_string msg;
		} region;
		struct {
			unsigned int nesting;
			int64_t t_rel_ns;
			const struct trace2_text *category;
			const struct trace2_text *key;
			struct trace2_string value;
		} data;
		struct {
			const struct trace2_text *category;
			const struct trace2_text *name;
			uint64_t intervals;
			int64_t total_ns;
			int64_t min_ns;
			int64_t max_ns;
		} timer;
		struct {
			const struct trace2_text *category;
			const struct trace2_text *name;
			int64_t count;
		} counter;
	};
};

/** TRACE2_SID_SIZE - room for one component of a session id and its NUL */
#define TRACE2_SID_SIZE 64

/**
 * trace2_sid_make - one component of a session id: time, host and process, as git makes them
 * @out: TRACE2_SID_SIZE bytes
 * @unix_ns: nanoseconds since 1970
 * @pid: of the process that the session is about
 */
void trace2_sid_make(char *out, int64_t unix_ns, int pid);

/**
 * trace2_session_new - a session that writes nowhere yet
 *
 * Returns NULL where memory ran out.
 */
struct trace2_session *trace2_session_new(const struct trace2_settings *settings);

/**
 * trace2_session_add_event - write EVENT lines to a file descriptor
 * @fd: becomes the session's, which closes it
 * @name: what errors call it; copied
 *
 * Returns 0, or -1 where memory ran out; @fd is closed then.
 */
int trace2_session_add_event(struct trace2_session *session, int fd, const char *name);

/**
 * trace2_session_write - write one event to every target
 *
 * Returns 0, or -1 after the first failure of the session; nothing is written from then on.
 */
int trace2_session_write(struct trace2_session *session, const struct trace2_event *event);

/** trace2_session_flush - let every written line leave the process; returns as trace2_session_write() */
int trace2_session_flush(struct trace2_session *session);

/** trace2_session_error - why the session failed, one line that lives as long as the session; "" while it did not */
const char *trace2_session_error(const struct trace2_session *session);

/** trace2_session_sid - the whole session id */
const char *trace2_session_sid(const struct trace2_session *session);

/** trace2_session_free - close all targets; what was not flushed is lost; NULL is fine */
void trace2_session_free(struct trace2_session *session);

/**
 * trace2_thread_new - a thread of a session
 * @session: outlives the thread
 * @name: the whole name ("th01:reader"), not cut
 *
 * Returns NULL where memory ran out.
 */
struct trace2_thread *trace2_thread_new(const struct trace2_session *session, struct trace2_string name);

void trace2_thread_free(struct trace2_thread *thread);

/**
 * trace2_text_new - a text that is written often
 *
 * Returns NULL where memory ran out.
 */
struct trace2_text *trace2_text_new(struct trace2_string string);

/** trace2_text_set - let @text be another one; returns -1 where memory ran out */
int trace2_text_set(struct trace2_text *text, struct trace2_string string);

void trace2_text_free(struct trace2_text *text);

#endif
