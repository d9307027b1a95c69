/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libtrace2 for programs that trace themselves: one stream per process, for any of its threads,
 * with the current time.
 *
 * The names are those of api-trace2, without git's structs. Every call does nothing until
 * trace2_initialize() finds a target, and after trace2_finish(). No call fails or changes errno. A
 * thread that did not call trace2_thread_start() is named "unknown".
 *
 * Every pointer may be NULL. Names, texts and values are empty then, or omitted if their comment
 * states it; arrays, which end with NULL, have no elements; calls without a child, repository, timer
 * or counter do nothing. Zeroed structs are valid.
 *
 * A forked process writes nothing, because the session belongs to its parent. trace2_initialize()
 * begins a session below the parent's, for example in a daemon. Structs with numbers of the
 * parent's session (repositories, children) must be zeroed before.
 *
 * Each macro passes its source location to a function whose name ends with _at.
 */
#ifndef TRACE2_PROCESS_H
#define TRACE2_PROCESS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <trace2/trace2.h>

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct trace2_program - the program that is traced
 * @version: its version
 * @prefix: of the variables with its settings; NULL for "GIT_TRACE2"
 * @system_path: a file with settings, see trace2_config_new(); may be NULL
 * @user_path: likewise
 * @has_atexit: call trace2_finish() when the program exits
 * @has_sigpipe: write an event when SIGPIPE kills the program; installs a handler, unless the
 * program ignores or handles SIGPIPE itself
 *
 * The strings must stay valid until the program exits.
 */
struct trace2_program {
	const char *version;
	const char *prefix;
	const char *system_path;
	const char *user_path;
	bool has_atexit;
	bool has_sigpipe;
};

/**
 * trace2_initialize_clock - count the times of events from now, instead of trace2_initialize()
 */
void trace2_initialize_clock(void);

/**
 * trace2_initialize - begin the stream if the settings name a target
 * @program: the program and its options
 *
 * Call it once, before other threads exist; the calling thread becomes "main". Sets the session id
 * in the environment, for the programs that this one starts; trace2_cmd_name() does so with the
 * name. No other thread may use the environment meanwhile, as with setenv().
 */
#define trace2_initialize(program) trace2_initialize_at(__FILE__, __LINE__, (program))
void trace2_initialize_at(const char *file, int line, const struct trace2_program *program);

/** trace2_is_enabled - whether the stream has begun and has not ended */
bool trace2_is_enabled(void);

/**
 * trace2_session_id - the whole session id, even if the process is not traced; never NULL
 *
 * The first call in a process that is not traced creates the id, as in git, and sets it in the
 * environment, as trace2_initialize() does. The string is valid until the process exits, in a
 * forked child until its own trace2_initialize().
 */
const char *trace2_session_id(void);

/**
 * trace2_finish - write totals and end the stream; for the main thread
 *
 * The totals include this thread and those that called trace2_thread_exit(). Targets stay open
 * until the process exits.
 */
void trace2_finish(void);

/** trace2_cmd_start - the program's command line; passwords in its URLs are hidden */
#define trace2_cmd_start(argv) trace2_cmd_start_at(__FILE__, __LINE__, (argv))
void trace2_cmd_start_at(const char *file, int line, char *const *argv);

/**
 * trace2_cmd_exit - the program is about to exit; trace2_finish() writes the status again
 * @code: the status
 *
 * Writes and returns the lowest eight bits of @code, which a parent gets; as in git.
 */
#define trace2_cmd_exit(code) trace2_cmd_exit_at(__FILE__, __LINE__, (code))
int trace2_cmd_exit_at(const char *file, int line, int code);

/**
 * trace2_cmd_error - report an error; EVENT contains the format, too, to group errors
 */
#define trace2_cmd_error(...) trace2_cmd_error_at(__FILE__, __LINE__, __VA_ARGS__)
/** trace2_cmd_error_va - likewise, with a va_list */
#define trace2_cmd_error_va(format, arguments) \
	trace2_cmd_error_va_at(__FILE__, __LINE__, (format), (arguments))
void trace2_cmd_error_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace2_cmd_error_va_at(const char *file, int line, const char *format, va_list arguments);

/** trace2_cmd_path - the path of the program's file */
#define trace2_cmd_path(path) trace2_cmd_path_at(__FILE__, __LINE__, (path))
void trace2_cmd_path_at(const char *file, int line, const char *path);

/** trace2_cmd_ancestry - the names of the parent processes, the nearest first */
#define trace2_cmd_ancestry(names) trace2_cmd_ancestry_at(__FILE__, __LINE__, (names))
void trace2_cmd_ancestry_at(const char *file, int line, char *const *names);

/**
 * trace2_cmd_name - the command's name; the first call also lists the parameters of the settings
 * @name: written alone, and below the names of the parent programs
 */
#define trace2_cmd_name(name) trace2_cmd_name_at(__FILE__, __LINE__, (name))
void trace2_cmd_name_at(const char *file, int line, const char *name);

/** trace2_cmd_mode - the mode that the command runs in */
#define trace2_cmd_mode(mode) trace2_cmd_mode_at(__FILE__, __LINE__, (mode))
void trace2_cmd_mode_at(const char *file, int line, const char *mode);

/** trace2_cmd_alias - the word of the user expands to @argv */
#define trace2_cmd_alias(alias, argv) trace2_cmd_alias_at(__FILE__, __LINE__, (alias), (argv))
void trace2_cmd_alias_at(const char *file, int line, const char *alias, char *const *argv);

/**
 * trace2_cmd_list_config - write the parameters that the settings ask for
 *
 * trace2_cmd_name() writes both lists, unless a call before it did. The first call after it, as in
 * git, does not repeat them; every further call does.
 */
#define trace2_cmd_list_config() trace2_cmd_list_config_at(__FILE__, __LINE__)
/** trace2_cmd_list_env_vars - write the variables that the settings ask for, likewise */
#define trace2_cmd_list_env_vars() trace2_cmd_list_env_vars_at(__FILE__, __LINE__)
void trace2_cmd_list_config_at(const char *file, int line);
void trace2_cmd_list_env_vars_at(const char *file, int line);

/** trace2_cmd_set_config - a parameter changed; written if the settings ask for it */
#define trace2_cmd_set_config(key, value) \
	trace2_cmd_set_config_at(__FILE__, __LINE__, (key), (value))
void trace2_cmd_set_config_at(const char *file, int line, const char *key, const char *value);

/**
 * struct trace2_child - a process that this one starts
 * @child_class: its purpose; NULL for "?"
 * @hook_name: the name of a hook, whose class is "hook"; NULL for other children
 * @directory: its working directory; NULL for that of this process
 * @use_shell: a shell runs it
 * @is_git: put "git" before @argv
 * @argv: its words
 * @pid: set by the caller after trace2_child_start()
 * @id: set by trace2_child_start()
 * @start_ns: set by trace2_child_start()
 */
struct trace2_child {
	const char *child_class;
	const char *hook_name;
	const char *directory;
	bool use_shell;
	bool is_git;
	char *const *argv;
	int pid;
	int id;
	int64_t start_ns;
};

/** trace2_child_start - the child is about to start */
#define trace2_child_start(child) trace2_child_start_at(__FILE__, __LINE__, (child))
/** trace2_child_exit - the child exited with @code; its pid and @code are -1 if it did not start */
#define trace2_child_exit(child, code) trace2_child_exit_at(__FILE__, __LINE__, (child), (code))
void trace2_child_start_at(const char *file, int line, struct trace2_child *child);
void trace2_child_exit_at(const char *file, int line, const struct trace2_child *child, int code);

/** trace2_child_ready - the child runs in the background: "ready", "timeout" or "error" */
#define trace2_child_ready(child, ready) trace2_child_ready_at(__FILE__, __LINE__, (child), (ready))
void trace2_child_ready_at(const char *file, int line, const struct trace2_child *child,
			   const char *ready);

/**
 * trace2_exec - call it before exec()
 * @exe: the program; NULL omits it
 * @argv: its words
 *
 * Returns a number for trace2_exec_result().
 */
#define trace2_exec(exe, argv) trace2_exec_at(__FILE__, __LINE__, (exe), (argv))
/**
 * trace2_exec_result - call it after exec(), which returns only if it fails
 * @id: the result of trace2_exec()
 * @code: errno
 */
#define trace2_exec_result(id, code) trace2_exec_result_at(__FILE__, __LINE__, (id), (code))
int trace2_exec_at(const char *file, int line, const char *exe, char *const *argv);
void trace2_exec_result_at(const char *file, int line, int id, int code);

/**
 * trace2_thread_start - name the calling thread; a second call renames it
 * @name: without the number
 *
 * On the main thread it enters a region.
 */
#define trace2_thread_start(name) trace2_thread_start_at(__FILE__, __LINE__, (name))
/** trace2_thread_exit - the calling thread ends; the main thread leaves that region */
#define trace2_thread_exit() trace2_thread_exit_at(__FILE__, __LINE__)
void trace2_thread_start_at(const char *file, int line, const char *name);
void trace2_thread_exit_at(const char *file, int line);

/** trace2_def_param - a parameter of @scope; @value may be NULL */
#define trace2_def_param(scope, param, value) \
	trace2_def_param_at(__FILE__, __LINE__, (scope), (param), (value))
void trace2_def_param_at(const char *file, int line, const char *scope, const char *param,
			 const char *value);

/** trace2_def_repo - announce a repository and set its number; does nothing if it has one */
#define trace2_def_repo(repository) trace2_def_repo_at(__FILE__, __LINE__, (repository))
void trace2_def_repo_at(const char *file, int line, struct trace2_repository *repository);

/**
 * trace2_region_enter - a region begins on this thread, within the innermost open one
 * @category: NULL omits it
 * @label: NULL omits it
 * @repository: NULL omits it
 */
#define trace2_region_enter(category, label, repository) \
	trace2_region_enter_at(__FILE__, __LINE__, (category), (label), (repository))
/** trace2_region_enter_printf - likewise, with a message */
#define trace2_region_enter_printf(category, label, repository, ...)                         \
	trace2_region_enter_printf_at(__FILE__, __LINE__, (category), (label), (repository), \
				      __VA_ARGS__)
/** trace2_region_enter_printf_va - likewise, with a va_list */
#define trace2_region_enter_printf_va(category, label, repository, format, arguments)           \
	trace2_region_enter_printf_va_at(__FILE__, __LINE__, (category), (label), (repository), \
					 (format), (arguments))
void trace2_region_enter_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository);
void trace2_region_enter_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...) __attribute__((format(printf, 6, 7)));
void trace2_region_enter_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments);

/**
 * trace2_region_leave - the innermost region ends
 * @category: the same as at its beginning
 * @label: likewise
 * @repository: likewise
 */
#define trace2_region_leave(category, label, repository) \
	trace2_region_leave_at(__FILE__, __LINE__, (category), (label), (repository))
/** trace2_region_leave_printf - likewise, with a message */
#define trace2_region_leave_printf(category, label, repository, ...)                         \
	trace2_region_leave_printf_at(__FILE__, __LINE__, (category), (label), (repository), \
				      __VA_ARGS__)
/** trace2_region_leave_printf_va - likewise, with a va_list */
#define trace2_region_leave_printf_va(category, label, repository, format, arguments)           \
	trace2_region_leave_printf_va_at(__FILE__, __LINE__, (category), (label), (repository), \
					 (format), (arguments))
void trace2_region_leave_at(const char *file, int line, const char *category, const char *label,
			    const struct trace2_repository *repository);
void trace2_region_leave_printf_at(const char *file, int line, const char *category,
				   const char *label, const struct trace2_repository *repository,
				   const char *format, ...) __attribute__((format(printf, 6, 7)));
void trace2_region_leave_printf_va_at(const char *file, int line, const char *category,
				      const char *label, const struct trace2_repository *repository,
				      const char *format, va_list arguments);

/**
 * trace2_data_string - a value within the innermost region
 * @category: its category
 * @repository: NULL omits it
 * @key: its name
 * @value: the value
 */
#define trace2_data_string(category, repository, key, value) \
	trace2_data_string_at(__FILE__, __LINE__, (category), (repository), (key), (value))
/** trace2_data_intmax - likewise, a number */
#define trace2_data_intmax(category, repository, key, value) \
	trace2_data_intmax_at(__FILE__, __LINE__, (category), (repository), (key), (value))
void trace2_data_string_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   const char *value);
void trace2_data_intmax_at(const char *file, int line, const char *category,
			   const struct trace2_repository *repository, const char *key,
			   intmax_t value);

/**
 * trace2_data_json - likewise, any JSON value
 * @category: as of trace2_data_string()
 * @repository: likewise
 * @key: likewise
 * @json: a JSON value; written on one line, or as a string if it is malformed
 */
#define trace2_data_json(category, repository, key, json) \
	trace2_data_json_at(__FILE__, __LINE__, (category), (repository), (key), (json))
void trace2_data_json_at(const char *file, int line, const char *category,
			 const struct trace2_repository *repository, const char *key,
			 const char *json);

/** trace2_printf - a message */
#define trace2_printf(...) trace2_printf_at(__FILE__, __LINE__, __VA_ARGS__)
/** trace2_printf_va - likewise, with a va_list */
#define trace2_printf_va(format, arguments) \
	trace2_printf_va_at(__FILE__, __LINE__, (format), (arguments))
void trace2_printf_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace2_printf_va_at(const char *file, int line, const char *format, va_list arguments);

/**
 * struct trace2_timer - a stopwatch that sums its intervals, per thread and in total
 * @category: its category
 * @name: its name
 * @has_thread_events: write each thread's sum, too
 * @number: set by libtrace2
 *
 * A static variable, which must stay valid until trace2_finish(): plugins with timers must stay
 * loaded until then.
 */
struct trace2_timer {
	const char *category;
	const char *name;
	bool has_thread_events;
	int number;
};

/** struct trace2_counter - a sum, per thread and in total; members as of struct trace2_timer */
struct trace2_counter {
	const char *category;
	const char *name;
	bool has_thread_events;
	int number;
};

/**
 * trace2_timer_start - an interval begins on this thread; a nested start does not begin another
 * @timer: the timer
 */
void trace2_timer_start(struct trace2_timer *timer);

/** trace2_timer_stop - the interval ends; does nothing without a start */
void trace2_timer_stop(struct trace2_timer *timer);

/** trace2_counter_add - add to the sum of this thread; the total gets it when the thread exits */
void trace2_counter_add(struct trace2_counter *counter, uint64_t value);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
