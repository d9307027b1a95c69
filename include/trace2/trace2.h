/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libtrace2: writes git's trace2 telemetry (api-trace2, event format version 4) in explicit
 * sessions. Programs that trace themselves use trace2/process.h.
 *
 * An event is a value: its time, its thread and its session are data, so recorded events can be
 * replayed. Threads and texts are objects with rendered bytes; a line is mostly copied from them.
 *
 * Unlike git, every line is valid UTF-8 and EVENT's are valid JSON: other bytes become U+FFFD.
 * NORMAL and PERF escape control characters, so that a text breaks neither its line nor a column.
 */
#ifndef TRACE2_TRACE2_H
#define TRACE2_TRACE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trace2/event.h>

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/** struct trace2_session - one stream of events, written to up to three targets */
struct trace2_session;

/** enum trace2_flush - when lines are written */
enum trace2_flush {
	/** each with one write(2), as in git */
	TRACE2_FLUSH_LINES,
	/** in blocks of whole lines; trace2_session_flush() writes the rest */
	TRACE2_FLUSH_BLOCKS,
};

/** enum trace2_target - the forms of a stream; each event is written to them in this order */
enum trace2_target {
	/** lines for people: lifecycle and totals only */
	TRACE2_NORMAL,
	/** columns for people: all events */
	TRACE2_PERF,
	/** JSON for machines: all events */
	TRACE2_EVENT,
	TRACE2_TARGET_COUNT
};

/** TRACE2_NESTING_ALL - a @max_nesting with which EVENT omits no region */
#define TRACE2_NESTING_ALL (~0u)

/**
 * struct trace2_settings - the properties of a session; zero means as in git
 * @sid: the whole session id, see trace2_sid_make(); required; copied
 * @start_unix_ns: the session's beginning in nanoseconds since 1970; events count from it
 * @decimals: of seconds: 6 as in git, or 9; 0 is 6
 * @max_nesting: EVENT omits regions and data beyond this nesting; 0 is 2
 * @category_width: width in bytes of PERF's column, longer categories are cut; 0 is 12
 * @has_whole_names: thread names are not cut to git's 24 bytes
 * @has_more_t_abs: regions, errors and threads have "t_abs" in EVENT, too, after their own members
 * @is_brief: for each target: omit the location, and the time if git omits it
 * @keeps_passwords: write "user:password@" in URLs unchanged
 * @has_valid_json: the caller guarantees that its ready-made JSON is valid and on one line, so it
 * is copied unread; otherwise it is checked, and written as a string if it is malformed
 * @flush: when lines are written; a datagram always contains one line
 * @is_lenient: as in git, a target that fails is turned off and the session continues; otherwise
 * the failure is the session's
 * @max_files: a directory that is a target gets at most this many files; 0 for any number
 * @file_mode: of new files, before the umask; 0 is 0666
 * @file_user: the owner of new files; 0 for this process' user. Files in directories of this user
 * are opened with this user's rights, and symbolic links in them are not followed
 * @file_group: the group of new files, if @file_user is set
 * @reports_all: call @report for targets that cannot be opened or written; otherwise only for
 * values that are no target
 * @report: called with one line, without a newline, for each failure of a lenient session; may be
 * NULL
 * @report_context: passed to @report
 * @wait: called while a strict session cannot write to @fd, or with -1 while a FIFO has no reader
 * or a connection is not accepted; returns 0 to try again, -1 with errno to fail; NULL waits
 * forever
 * @wait_context: passed to @wait
 * @write: called with whole lines of a strict session instead of writing them to the descriptor of
 * trace2_session_add(), for example to compress them; returns 0, or -1 with errno; may be NULL
 * @write_context: passed to @write
 */
struct trace2_settings {
	const char *sid;
	int64_t start_unix_ns;
	unsigned int decimals;
	unsigned int max_nesting;
	unsigned int category_width;
	bool has_whole_names;
	bool has_more_t_abs;
	bool is_brief[TRACE2_TARGET_COUNT];
	bool keeps_passwords;
	bool has_valid_json;
	enum trace2_flush flush;
	bool is_lenient;
	unsigned int max_files;
	unsigned int file_mode;
	unsigned int file_user;
	unsigned int file_group;
	bool reports_all;
	void (*report)(void *context, const char *message);
	void *report_context;
	int (*wait)(void *context, int fd);
	void *wait_context;
	int (*write)(void *context, const char *lines, size_t size);
	void *write_context;
};

/** TRACE2_SID_SIZE - fits one component of a session id and its NUL */
#define TRACE2_SID_SIZE 64

/**
 * trace2_sid_make - one component of a session id: time, host and process, in git's form
 * @out: TRACE2_SID_SIZE bytes
 * @unix_ns: nanoseconds since 1970
 * @pid: of the process that the session is about
 */
void trace2_sid_make(char *out, int64_t unix_ns, int pid);

/** TRACE2_PARENT_SID - the variable with the session id of a program's parent */
#define TRACE2_PARENT_SID "GIT_TRACE2_PARENT_SID"

/** TRACE2_PARENT_NAME - the variable with the names of the commands above a program */
#define TRACE2_PARENT_NAME "GIT_TRACE2_PARENT_NAME"

/**
 * trace2_inherit - append a component to a variable, for the programs that this one starts
 * @variable: TRACE2_PARENT_SID or TRACE2_PARENT_NAME
 * @own: the last component of a session id, or a command's name
 *
 * Sets the variable to "PARENT/own", or "own" if it was unset. Changes the environment, so other
 * threads must not use it meanwhile, as with setenv(). Returns the new value for free(), or NULL if
 * memory ran out.
 */
char *trace2_inherit(const char *variable, const char *own);

/** struct trace2_config - the settings that were read */
struct trace2_config;

/**
 * enum trace2_key - settings, by the ends of their variables' names; files have all but the last
 * @TRACE2_KEY_NORMAL: the target NORMAL
 * @TRACE2_KEY_NORMAL_BRIEF: boolean: NORMAL is brief
 * @TRACE2_KEY_PERF: the target PERF
 * @TRACE2_KEY_PERF_BRIEF: boolean: PERF is brief
 * @TRACE2_KEY_EVENT: the target EVENT
 * @TRACE2_KEY_EVENT_BRIEF: boolean: EVENT is brief
 * @TRACE2_KEY_EVENT_NESTING: EVENT omits regions beyond this nesting; above 0
 * @TRACE2_KEY_CONFIG_PARAMS: patterns of parameters to write, separated by commas
 * @TRACE2_KEY_ENV_VARS: names of variables to write, separated by commas
 * @TRACE2_KEY_DST_DEBUG: a number above 0: report targets that cannot be used
 * @TRACE2_KEY_MAX_FILES: maximum number of files in a directory; above 0
 * @TRACE2_KEY_REDACT: boolean: hide passwords in URLs
 * @TRACE2_KEY_COUNT: number of settings
 */
enum trace2_key {
	TRACE2_KEY_NORMAL,
	TRACE2_KEY_NORMAL_BRIEF,
	TRACE2_KEY_PERF,
	TRACE2_KEY_PERF_BRIEF,
	TRACE2_KEY_EVENT,
	TRACE2_KEY_EVENT_BRIEF,
	TRACE2_KEY_EVENT_NESTING,
	TRACE2_KEY_CONFIG_PARAMS,
	TRACE2_KEY_ENV_VARS,
	TRACE2_KEY_DST_DEBUG,
	TRACE2_KEY_MAX_FILES,
	TRACE2_KEY_REDACT,
	TRACE2_KEY_COUNT
};

/**
 * trace2_config_new - read settings: variables override the user's file, which overrides the
 * system's
 * @prefix: of the variables; NULL for "GIT_TRACE2"
 * @system_path: a file in the syntax of git-config(1), whose section "trace2" has git's keys
 * (eventTarget, maxFiles, ...) and which may include others; NULL for none. A missing file is
 * empty; malformed lines are omitted, see trace2_config_apply()
 * @user_path: likewise
 *
 * An empty variable counts as unset. Returns NULL if memory ran out; for trace2_config_free().
 */
struct trace2_config *trace2_config_new(const char *prefix, const char *system_path,
					const char *user_path);

/** trace2_config_get - the value of a setting, or NULL; valid as long as @config */
const char *trace2_config_get(const struct trace2_config *config, enum trace2_key key);

/**
 * trace2_config_name - the name of a setting's variable, for messages about the setting
 * @config: read with the prefix of the name
 * @key: the setting
 */
const char *trace2_config_name(const struct trace2_config *config, enum trace2_key key);

/**
 * trace2_config_apply - copy brief forms, nesting, file limit, reports and redaction to @settings
 * @config: settings that it does not have stay unchanged
 * @settings: of a new session
 *
 * Reports malformed lines of the files if @settings asks for all reports.
 */
void trace2_config_apply(const struct trace2_config *config, struct trace2_settings *settings);

/**
 * trace2_config_open - open the targets that the settings name
 * @config: the settings
 * @session: the session
 *
 * Returns 1 if any target is on, else as trace2_session_open().
 */
int trace2_config_open(const struct trace2_config *config, struct trace2_session *session);

/**
 * trace2_config_visit - visit the parameters and variables that CONFIG_PARAMS and ENV_VARS ask for
 * @config: the settings
 * @visit: called for each, with the scope for TRACE2_DEF_PARAM; stops unless it returns 0
 * @context: passed to @visit
 *
 * Returns the last result of @visit, or 0.
 */
int trace2_config_visit(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context);

/** trace2_config_wants - whether CONFIG_PARAMS asks for the parameter @param */
bool trace2_config_wants(const struct trace2_config *config, const char *param);

/** trace2_config_free - free settings; NULL is allowed, as in all functions that free */
void trace2_config_free(struct trace2_config *config);

/**
 * trace2_session_new - create a session without targets
 * @settings: copied, except for what its pointers other than @sid point to
 *
 * One thread at a time may use a session, its threads and its texts. Returns NULL with errno:
 * EINVAL without a sid, or ENOMEM. For trace2_session_free().
 */
struct trace2_session *trace2_session_new(const struct trace2_settings *settings);

/** trace2_session_begin - set @start_unix_ns later, but before the first event */
void trace2_session_begin(struct trace2_session *session, int64_t start_unix_ns);

/**
 * trace2_session_add - write a target to a file descriptor, in place of its destination so far
 * @session: the session
 * @target: the form
 * @fd: closed by the session
 * @name: for messages; copied
 *
 * Returns 0, or -1 if memory ran out; @fd is closed then, too.
 */
int trace2_session_add(struct trace2_session *session, enum trace2_target target, int fd,
		       const char *name);

/**
 * trace2_session_open - open a target as git's settings do
 * @session: the session
 * @target: the form
 * @value: "0", "false", "" or NULL: off; "1" or "true": stderr; "2" to "9": that descriptor; an
 * absolute path: a file, which is appended to, or a directory, in which each session creates a
 * file; or "af_unix:[stream:|dgram:]PATH"
 * @name: for messages, for example the variable of @value; copied
 *
 * Returns 1 if the target is on, 0 if it is off. If it cannot be opened: -1 with
 * trace2_session_error(), but 0 in a lenient session.
 */
int trace2_session_open(struct trace2_session *session, enum trace2_target target,
			const char *value, const char *name);

/**
 * trace2_session_has - whether a target is on: added or opened, and not turned off by a failure
 * @session: the session
 * @target: the form
 */
bool trace2_session_has(const struct trace2_session *session, enum trace2_target target);

/**
 * trace2_session_write - write one event to every target
 * @session: the session
 * @event: borrowed for the call
 *
 * Returns 0, or -1 once the session has failed; nothing is written from then on.
 */
int trace2_session_write(struct trace2_session *session, const struct trace2_event *event);

/**
 * trace2_session_flush - write all lines that the session still buffers
 * @session: the session
 *
 * Returns as trace2_session_write().
 */
int trace2_session_flush(struct trace2_session *session);

/**
 * trace2_session_error - the first failure of a strict session, one line; "" if there is none
 * @session: owns the line
 */
const char *trace2_session_error(const struct trace2_session *session);

/** trace2_session_sid - the whole session id, owned by the session */
const char *trace2_session_sid(const struct trace2_session *session);

/** trace2_session_free - close all targets; lines that were not flushed are lost */
void trace2_session_free(struct trace2_session *session);

/**
 * trace2_thread_new - create a thread of a session
 * @session: must outlive the thread
 * @name: the whole name ("th01:reader"); cut to 24 bytes, at a character, unless the session has
 * whole names; copied
 *
 * Returns NULL if memory ran out; for trace2_thread_free().
 */
struct trace2_thread *trace2_thread_new(const struct trace2_session *session,
					struct trace2_string name);

/** trace2_thread_free - free a thread that no further event names */
void trace2_thread_free(struct trace2_thread *thread);

/**
 * trace2_text_new - render a text that many events share
 * @string: copied
 *
 * Returns NULL if memory ran out; for trace2_text_free().
 */
struct trace2_text *trace2_text_new(struct trace2_string string);

/** trace2_text_set - replace a text; it is no label then; returns -1 if memory ran out */
int trace2_text_set(struct trace2_text *text, struct trace2_string string);

/**
 * trace2_label_new - render a text that mostly labels regions and data of one category
 * @category: must not change while the label is in use; NULL for a text that is no label
 * @string: copied
 *
 * EVENT lines with both are written faster; the label is valid with other categories, too. Returns
 * NULL if memory ran out; for trace2_text_free().
 */
struct trace2_text *trace2_label_new(const struct trace2_text *category,
				     struct trace2_string string);

/**
 * trace2_label_set - replace a text or label by a label; returns -1 if memory ran out
 * @text: the text
 * @category: as for trace2_label_new()
 * @string: copied
 */
int trace2_label_set(struct trace2_text *text, const struct trace2_text *category,
		     struct trace2_string string);

/** trace2_text_free - free a text that no further event names */
void trace2_text_free(struct trace2_text *text);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
