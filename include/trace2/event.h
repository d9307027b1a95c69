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

/** struct trace2_thread - a thread that events are on, with its part of their lines */
struct trace2_thread;

/** struct trace2_text - a category, label or name that is written often, with its part of lines */
struct trace2_text;

/** enum trace2_kind - the messages of api-trace2; the two sums with TH are those of one thread */
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
 * struct trace2_repository - what git's messages call a repository
 * @worktree: its folder
 * @id: from 1; 0 until it was announced with TRACE2_DEF_REPO
 */
struct trace2_repository {
	const char *worktree;
	int id;
};

/**
 * struct trace2_event - one message
 * @kind: which; it says which member of the union counts
 * @time_ns: since the session's beginning
 * @thread: NULL for the main thread
 * @nr_regions: how many regions of @thread are open, for PERF's dots; regions and data tell it by
 * their nesting
 * @repository: that it is about, NULL for none
 * @file: where the program said it; left out with @line where NULL
 * @line: in @file
 * @needs_no_escape: the caller vouches that @region.msg, or @data.value of TRACE2_DATA, is UTF-8 in
 * which JSON has nothing to escape: EVENT copies it unread then
 * @more: additional members of EVENT's JSON object, ready-made, without the leading comma; what is
 * none becomes the string of a member "more". Their names are to be none that the event has itself:
 * that is not looked at, and a reader may take either
 * @version: the program's
 * @start: its command line
 * @exit: its status, of TRACE2_ATEXIT too
 * @signal: the number of the one that kills it
 * @error: a message, and the format that it was made by
 * @cmd_path: where the program's file lies
 * @cmd_ancestry: the names of the processes above, the nearest first
 * @cmd_name: the command's, alone and below those that started it
 * @cmd_mode: which of its ways of working it has taken
 * @alias: what the user called, and the words that it stands for
 * @child_start: a process that is started; with @is_git "git" stands before @argv
 * @child_exit: it has ended
 * @child_ready: it goes on in the background
 * @exec: another program takes this one's place
 * @exec_result: it could not, with errno as @code
 * @thread_exit: since the thread began
 * @def_param: a setting, of which scope
 * @region: one that begins or ends; @t_rel_ns is for the end
 * @data: a value found within a region, of TRACE2_DATA_JSON too
 * @printf: a remark
 * @timer: a stopwatch' intervals, of TRACE2_TH_TIMER too
 * @counter: a sum, of TRACE2_TH_COUNTER too
 *
 * The members are those of the same name in api-trace2; times are in nanoseconds. @region.nesting
 * is 1 for the outermost region, @data.nesting is one more than that of the region around it.
 * @data.value is written as a string for TRACE2_DATA, and as ready-made JSON for TRACE2_DATA_JSON.
 *
 * Zeroed it is a valid event, the version of nothing. These may be NULL, and are left out then:
 * @cmd_name.hierarchy, @child_start.child_class (which is "?" then), @child_start.hook_name,
 * @child_start.cd, @exec.exe, @def_param.value, @region.category, @region.label, the data of
 * @region.msg and @printf.msg, and @error.fmt, without which @error.msg is left out too. Other
 * strings and texts that are NULL are empty ones, arrays have no elements. Arrays end with NULL.
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
