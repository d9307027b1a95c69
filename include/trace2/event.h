/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* libtrace2's events: the messages of api-trace2 as values. Included by trace2/trace2.h. */
#ifndef TRACE2_EVENT_H
#define TRACE2_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct trace2_string - bytes owned by the caller, of any encoding */
struct trace2_string {
	const char *data;
	size_t size;
};

/** TRACE2_SLACK - bytes behind strings that @has_slack of an event is about */
#define TRACE2_SLACK 32

/** struct trace2_thread - a thread that events name, with its rendered part of their lines */
struct trace2_thread;

/** struct trace2_text - a category, label or name that many events share, rendered once */
struct trace2_text;

/** enum trace2_kind - the messages of api-trace2; timers and counters with TH are of one thread */
enum trace2_kind {
	TRACE2_VERSION,
	TRACE2_TOO_MANY_FILES,
	TRACE2_START,
	TRACE2_EXIT,
	TRACE2_ATEXIT,
	TRACE2_SIGNAL,
	TRACE2_ERROR,
	TRACE2_CMD_PATH,
	TRACE2_CMD_ANCESTRY,
	TRACE2_CMD_NAME,
	TRACE2_CMD_MODE,
	TRACE2_ALIAS,
	TRACE2_CHILD_START,
	TRACE2_CHILD_EXIT,
	TRACE2_CHILD_READY,
	TRACE2_EXEC,
	TRACE2_EXEC_RESULT,
	TRACE2_THREAD_START,
	TRACE2_THREAD_EXIT,
	TRACE2_DEF_PARAM,
	TRACE2_DEF_REPO,
	TRACE2_REGION_ENTER,
	TRACE2_REGION_LEAVE,
	TRACE2_DATA,
	TRACE2_DATA_JSON,
	TRACE2_PRINTF,
	TRACE2_TH_TIMER,
	TRACE2_TIMER,
	TRACE2_TH_COUNTER,
	TRACE2_COUNTER,
	TRACE2_KIND_COUNT
};

/**
 * struct trace2_repository - a repository of git's messages
 * @worktree: its directory
 * @id: from 1; 0 until TRACE2_DEF_REPO announces it
 */
struct trace2_repository {
	const char *worktree;
	int id;
};

/**
 * struct trace2_event - one message
 * @kind: selects the member of the union
 * @time_ns: since the session began
 * @thread: NULL for the main thread
 * @nr_regions: number of open regions of @thread, for PERF's dots; regions and data use their
 * nesting instead
 * @repository: NULL for none
 * @file: the source file of the call; NULL omits it and @line
 * @line: the line in @file
 * @needs_no_escape: the caller guarantees that @region.msg, or @data.value of TRACE2_DATA, is UTF-8
 * without anything that JSON escapes, so EVENT copies it unread
 * @has_slack: the caller guarantees this, too, and that TRACE2_SLACK bytes behind @region.msg,
 * @data.value of TRACE2_DATA_JSON and @more can be read, so EVENT copies them in whole blocks
 * @more: additional members of EVENT's JSON object, without a comma before them; if they are
 * malformed they become the string of a member "more". Their names must differ from those of the
 * event itself; that is not checked
 * @version: of the program
 * @start: the command line
 * @exit: the exit status; also of TRACE2_ATEXIT
 * @signal: the signal that kills the program
 * @error: a message, and its format
 * @cmd_path: the path of the program's file
 * @cmd_ancestry: the names of the parent processes, the nearest first
 * @cmd_name: the command's name, and that name below those of its parents
 * @cmd_mode: the mode that the command runs in
 * @alias: a word of the user, and the words that it expands to
 * @child_start: a process is started; @is_git puts "git" before @argv
 * @child_exit: the process ended
 * @child_ready: the process continues in the background
 * @exec: the program is about to execute another one
 * @exec_result: that failed; @code is an errno
 * @thread_exit: time since the thread began
 * @def_param: a setting and its scope
 * @region: a region; @t_rel_ns is for its end
 * @data: a value within a region; also of TRACE2_DATA_JSON; PERF prints @data.msg after it
 * @printf: a message
 * @timer: the intervals of a stopwatch; also of TRACE2_TH_TIMER
 * @counter: a sum; also of TRACE2_TH_COUNTER
 *
 * The members have the names and the meaning of api-trace2; times are in nanoseconds.
 * @region.nesting is 1 for the outermost region; @data.nesting is one more than the region's around
 * it. @data.value is a string for TRACE2_DATA, and ready-made JSON for TRACE2_DATA_JSON.
 *
 * A zeroed event is valid: an empty version. The following are omitted if NULL:
 * @cmd_name.hierarchy, @child_start.hook_name, @child_start.cd, @exec.exe, @def_param.value,
 * @region.category, @region.label, the data of @region.msg, @data.msg and @printf.msg, and @error.fmt
 * with @error.msg. @child_start.child_class is "?" if NULL. Other strings and texts are empty if NULL.
 * Arrays end with NULL; an array that is NULL has no elements.
 */
__extension__ struct trace2_event {
	enum trace2_kind kind;
	int64_t time_ns;
	const struct trace2_thread *thread;
	unsigned int nr_regions;
	const struct trace2_repository *repository;
	const char *file;
	int line;
	bool needs_no_escape;
	bool has_slack;
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
			int signo;
		} signal;
		struct {
			struct trace2_string msg;
			const char *fmt;
		} error;
		struct {
			const char *path;
		} cmd_path;
		struct {
			char *const *ancestry;
		} cmd_ancestry;
		struct {
			const char *name;
			const char *hierarchy;
		} cmd_name;
		struct {
			const char *name;
		} cmd_mode;
		struct {
			const char *alias;
			char *const *argv;
		} alias;
		struct {
			int id;
			const char *child_class;
			const char *hook_name;
			const char *cd;
			bool use_shell;
			bool is_git;
			char *const *argv;
		} child_start;
		struct {
			int id;
			int pid;
			int code;
			int64_t t_rel_ns;
		} child_exit;
		struct {
			int id;
			int pid;
			const char *ready;
			int64_t t_rel_ns;
		} child_ready;
		struct {
			int id;
			const char *exe;
			char *const *argv;
		} exec;
		struct {
			int id;
			int code;
		} exec_result;
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
			struct trace2_string msg;
		} data;
		struct {
			struct trace2_string msg;
		} printf;
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
			uint64_t count;
		} counter;
	};
};

#endif
