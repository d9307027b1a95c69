/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libtrace2: writes git's trace2 telemetry form (api-trace2, event format version 4) in explicit
 * sessions. Programs that tell of themselves use trace2/process.h.
 *
 * An event is a value: its time, its thread and its session are data, so that recorded time can be
 * replayed. The caller keeps threads and texts as objects that hold their rendered bytes; writing a
 * line is then mostly copying.
 *
 * Unlike git's, every line is valid UTF-8, and EVENT's are valid JSON: bytes that are no UTF-8
 * become U+FFFD. In NORMAL and PERF control characters are escaped, so that a text breaks neither
 * its line nor a column.
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

/** struct trace2_session - a stream of events to up to three targets */
struct trace2_session;

/** enum trace2_flush - when written lines leave the process */
enum trace2_flush {
	/** with one write(2) for each, as git does */
	TRACE2_FLUSH_LINES,
	/** in blocks of whole lines, and at trace2_session_flush() */
	TRACE2_FLUSH_BLOCKS,
};

/** enum trace2_target - the forms of a stream; each event is written to them in this order */
enum trace2_target {
	/** a line for people, lifecycle and totals only */
	TRACE2_NORMAL,
	/** a line of columns for people, everything */
	TRACE2_PERF,
	/** a JSON object for machines, everything */
	TRACE2_EVENT,
	TRACE2_TARGET_COUNT
};

/** TRACE2_NESTING_ALL - EVENT leaves no region out */
#define TRACE2_NESTING_ALL (~0u)

/**
 * struct trace2_settings - what is fixed for a session; what is zero is as in git
 * @sid: the whole session id, see trace2_sid_make(); copied; there has to be one
 * @start_unix_ns: the session's beginning, in nanoseconds since 1970; events count from it
 * @decimals: of seconds: 6 (also where 0) as git, or 9
 * @max_nesting: EVENT leaves out regions and data beyond this nesting; 2 where 0
 * @category_width: PERF's column, where longer categories are cut; 12 where 0
 * @has_whole_names: threads' names are not cut to git's 24 bytes
 * @has_more_t_abs: in EVENT, regions, errors and threads get a t_abs too, as an additional key
 * behind their own
 * @is_brief: for each target, without the place, and without the clock where git leaves it out
 * @keeps_passwords: "user:password@" in URLs is written as it is
 * @has_valid_json: the caller vouches for its ready-made JSON, which then is copied unread;
 * otherwise it is checked and brought onto one line, and what is no JSON is written as a string
 * @flush: when lines leave the process; every datagram holds one line, whatever it says
 * @is_lenient: as in git, a destination that fails turns itself off and everything goes on;
 * otherwise its failure is the session's
 * @max_files: a target that is a folder takes no more files than this; 0 for any number
 * @file_mode: of new files; 0666 where 0, less the umask as always
 * @file_user: to whom new files belong; 0 for nobody else. Files in folders of this user's are
 * opened with this user's rights, and without following symbolic links
 * @file_group: likewise, where there is a @file_user
 * @reports_all: @report hears of destinations that cannot be used; otherwise only of targets that
 * are no target at all
 * @report: hears, in a line without a newline, what a lenient session does not say otherwise; may
 * be NULL
 * @report_context: its first argument
 * @wait: called where a strict session's destination takes nothing (fd is -1 while no one reads a
 * FIFO or takes a connection): 0 tries again, -1 with errno ends, NULL waits for ever
 * @wait_context: its first argument
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

/** TRACE2_PARENT_SID - by this variable programs learn whose children they are, git among them */
#define TRACE2_PARENT_SID "GIT_TRACE2_PARENT_SID"

/** TRACE2_PARENT_NAME - by this one they learn the names of the commands above them */
#define TRACE2_PARENT_NAME "GIT_TRACE2_PARENT_NAME"

/**
 * trace2_inherit - "PARENT/own" with the parent of a variable, or "own" where it has none; the
 * variable says so from now on
 * @variable: one of the two above
 * @own: the last component of a session id, or a command's name
 *
 * It changes the environment: for one thread at a time, as setenv() is. Returns a string for
 * free(), or NULL where memory ran out.
 */
char *trace2_inherit(const char *variable, const char *own);

/** struct trace2_config - settings as they were read */
struct trace2_config;

/**
 * enum trace2_key - settings, by the ends of their variables' names; all but the last are in
 * configurations too
 * @TRACE2_KEY_NORMAL: where NORMAL goes
 * @TRACE2_KEY_NORMAL_BRIEF: a truth: it is brief
 * @TRACE2_KEY_PERF: where PERF goes
 * @TRACE2_KEY_PERF_BRIEF: likewise
 * @TRACE2_KEY_EVENT: where EVENT goes
 * @TRACE2_KEY_EVENT_BRIEF: likewise
 * @TRACE2_KEY_EVENT_NESTING: how deep EVENT tells regions, a number above 0
 * @TRACE2_KEY_CONFIG_PARAMS: patterns of configured values that are to be told, with commas
 * @TRACE2_KEY_ENV_VARS: names of variables that are to be told, with commas
 * @TRACE2_KEY_DST_DEBUG: a number above 0: destinations that cannot be used are reported
 * @TRACE2_KEY_MAX_FILES: how many files a folder takes, a number above 0
 * @TRACE2_KEY_REDACT: a truth: passwords in URLs are hidden
 * @TRACE2_KEY_COUNT: how many there are
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
 * trace2_config_new - read settings: the environment over the user's configuration over the
 * system's
 * @prefix: of the variables: "GIT_TRACE2", also where NULL, for those of git
 * @system_path: an INI file, in whose section "trace2" are git's keys (eventTarget, maxFiles, ...),
 * and which may include others; NULL for none; one that is not there is empty, and a line that
 * cannot be read is left out, see trace2_config_apply()
 * @user_path: likewise
 *
 * An empty variable is none. Returns NULL where memory ran out.
 */
struct trace2_config *trace2_config_new(const char *prefix, const char *system_path,
					const char *user_path);

/** trace2_config_get - the value of a setting, NULL where it has none */
const char *trace2_config_get(const struct trace2_config *config, enum trace2_key key);

/**
 * trace2_config_name - the name of the variable of a setting, by which warnings call it wherever
 * it comes from
 * @config: whose prefix it begins with
 * @key: the setting
 */
const char *trace2_config_name(const struct trace2_config *config, enum trace2_key key);

/**
 * trace2_config_apply - let the configuration decide of brief forms, nesting, files, reports and
 * passwords; reports what of it could not be read, where all is to be reported
 * @config: what it does not say stays as it is
 * @settings: of a session to be
 */
void trace2_config_apply(const struct trace2_config *config, struct trace2_settings *settings);

/**
 * trace2_config_open - open the targets that are set
 * @config: where they are set
 * @session: that they are of
 *
 * Returns as trace2_session_open(), 1 where any is on.
 */
int trace2_config_open(const struct trace2_config *config, struct trace2_session *session);

/**
 * trace2_config_visit - what CONFIG_PARAMS and ENV_VARS ask to be told: configured values and
 * variables
 * @config: what asks for them, and has the values
 * @visit: gets each, with what TRACE2_DEF_PARAM calls its scope; visiting ends where it does not
 * return 0
 * @context: its first argument
 *
 * Returns what @visit returned last, 0 where there was nothing.
 */
int trace2_config_visit(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context);

/** trace2_config_wants - whether CONFIG_PARAMS asks for a parameter of this name */
bool trace2_config_wants(const struct trace2_config *config, const char *param);

/** trace2_config_free - NULL is fine, as for all that is freed here */
void trace2_config_free(struct trace2_config *config);

/**
 * trace2_session_new - a session that writes nowhere yet
 * @settings: copied, but for what its pointers besides @sid point to
 *
 * A session, its threads and its texts may be used by one thread at a time; sessions know nothing
 * of each other. Returns NULL with errno: EINVAL where @settings have no sid, or ENOMEM.
 */
struct trace2_session *trace2_session_new(const struct trace2_settings *settings);

/** trace2_session_begin - set @start_unix_ns where it was not known; before the first event */
void trace2_session_begin(struct trace2_session *session, int64_t start_unix_ns);

/**
 * trace2_session_add - write a target to a file descriptor, instead of to where it went
 * @session: that the target is of
 * @target: the form
 * @fd: becomes the session's, which closes it
 * @name: what errors call it; copied
 *
 * Returns 0, or -1 where memory ran out; @fd is closed then.
 */
int trace2_session_add(struct trace2_session *session, enum trace2_target target, int fd,
		       const char *name);

/**
 * trace2_session_open - write a target to where a value says, as git's settings do
 * @session: that the target is of
 * @target: the form
 * @value: "0", "false", "" or NULL for nowhere; "1" or "true" for stderr, "2" to "9" for that
 * descriptor, an absolute path for a file (appended to) or for a folder (a file of its own for each
 * session), "af_unix:[stream:|dgram:]PATH"
 * @name: what errors call the target, for example the variable that @value comes from; copied
 *
 * Returns 1 where the target is on now and 0 where it is off; -1 with trace2_session_error() where
 * it cannot be opened, but 0 in a lenient session.
 */
int trace2_session_open(struct trace2_session *session, enum trace2_target target,
			const char *value, const char *name);

/**
 * trace2_session_has - whether a target is on: it was added or opened, and has not turned itself
 * off
 * @session: that the target is of
 * @target: the form
 */
bool trace2_session_has(const struct trace2_session *session, enum trace2_target target);

/**
 * trace2_session_write - write one event to every target
 * @session: that it is of
 * @event: nothing of it is needed any more when this returns
 *
 * Returns 0, or -1 after the first failure of the session; nothing is written from then on.
 */
int trace2_session_write(struct trace2_session *session, const struct trace2_event *event);

/**
 * trace2_session_flush - let every written line leave the process
 * @session: whose lines
 *
 * Returns as trace2_session_write().
 */
int trace2_session_flush(struct trace2_session *session);

/**
 * trace2_session_error - why the session failed, one line that lives as long as the session; ""
 * while it did not
 * @session: strict; a lenient one does not fail
 */
const char *trace2_session_error(const struct trace2_session *session);

/** trace2_session_sid - the whole session id */
const char *trace2_session_sid(const struct trace2_session *session);

/** trace2_session_free - close all targets; what was not flushed is lost; NULL is fine */
void trace2_session_free(struct trace2_session *session);

/**
 * trace2_thread_new - a thread of a session
 * @session: outlives the thread
 * @name: the whole name ("th01:reader"); cut to 24 bytes, at a character, unless the session has
 * whole names
 *
 * Returns NULL where memory ran out.
 */
struct trace2_thread *trace2_thread_new(const struct trace2_session *session,
					struct trace2_string name);

/** trace2_thread_free - no event may be on the thread any more */
void trace2_thread_free(struct trace2_thread *thread);

/**
 * trace2_text_new - a text that is written often
 * @string: copied
 *
 * Returns NULL where memory ran out.
 */
struct trace2_text *trace2_text_new(struct trace2_string string);

/** trace2_text_set - let @text be another one, and no label; returns -1 where memory ran out */
int trace2_text_set(struct trace2_text *text, struct trace2_string string);

/**
 * trace2_label_new - a text that is mostly the label of regions of one category, whose lines are
 * written faster then
 * @category: stays as it is as long as the label is used as such; NULL for a text that is no label
 * @string: copied
 *
 * It is a text like others, too. Returns NULL where memory ran out.
 */
struct trace2_text *trace2_label_new(const struct trace2_text *category,
				     struct trace2_string string);

/**
 * trace2_label_set - let @text be another label; returns -1 where memory ran out
 * @text: a label or not, which it is from now on
 * @category: likewise
 * @string: copied
 */
int trace2_label_set(struct trace2_text *text, const struct trace2_text *category,
		     struct trace2_string string);

/** trace2_text_free - no event may have the text any more */
void trace2_text_free(struct trace2_text *text);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
