/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libtrace2 for programs that tell of themselves: one stream for the process, from any of its
 * threads, with the clock of now.
 *
 * The names are those of api-trace2, without git's structs. Until trace2_initialize() has found a
 * target, and after trace2_finish(), every call does nothing. No call fails, and none changes
 * errno. A thread that did not call trace2_thread_start() is called "unknown".
 *
 * Any argument that is a pointer may be NULL: names, texts and values are empty then, unless it is
 * said that they are left out; arrays, which end with NULL, have no elements; a call about no
 * child, repository, timer or counter at all does nothing. Structs that are zeroed are good ones.
 *
 * A process that fork() made is silent, because the session is its parent's; trace2_initialize()
 * begins one of its own below that, in a daemon, say. What has numbers of the parent's session, a
 * repository or a child, has to be zeroed for it.
 *
 * Each macro tells where it stands; the function behind it, whose name ends in _at, takes that as
 * its first arguments.
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
 * struct trace2_program - who is telling
 * @version: the program's
 * @prefix: of the variables with its settings; "GIT_TRACE2" where NULL
 * @system_path: a file with settings, see trace2_config_new(); may be NULL
 * @user_path: likewise
 * @has_atexit: trace2_finish() is called when the program exits
 * @has_sigpipe: the death by SIGPIPE is told, with a handler of the library's; not where the
 * program ignores or handles that signal itself, since then it does not kill
 *
 * All strings live as long as the program.
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
 * trace2_initialize_clock - the process begins now, and its events count from here; otherwise from
 * trace2_initialize()
 */
void trace2_initialize_clock(void);

/**
 * trace2_initialize - begin the stream, if the settings name a target; the calling thread is "main"
 * from now on
 * @program: what it is, and what it wants
 *
 * To be called once, early, before there are other threads. Tells the session id to programs that
 * this one starts, by their environment; trace2_cmd_name() does likewise with the name, so that no
 * other thread may be reading or changing the environment meanwhile, as with setenv().
 */
#define trace2_initialize(program) trace2_initialize_at(__FILE__, __LINE__, (program))
void trace2_initialize_at(const char *file, int line, const struct trace2_program *program);

/** trace2_is_enabled - whether the stream has begun, to any target, and has not ended */
bool trace2_is_enabled(void);

/**
 * trace2_session_id - the whole session id, whether or not the process is traced; never NULL
 *
 * A process that is not traced gets its id with the first call, as in git, and then passes it on to
 * the programs that it starts; that changes the environment, as trace2_initialize() does. The
 * string is valid until the end of the process, or in a forked child until its own
 * trace2_initialize().
 */
const char *trace2_session_id(void);

/**
 * trace2_finish - sum up and end the stream, to be called on the main thread
 *
 * The sums are those of the threads that have called trace2_thread_exit(), and of this one. What
 * was open stays open until the process ends.
 */
void trace2_finish(void);

/** trace2_cmd_start - the program's command line; passwords in its URLs are hidden */
#define trace2_cmd_start(argv) trace2_cmd_start_at(__FILE__, __LINE__, (argv))
void trace2_cmd_start_at(const char *file, int line, char *const *argv);

/**
 * trace2_cmd_exit - the program is about to exit with @code, which trace2_finish() says again
 * @code: its status
 *
 * Returns the lowest eight bits of @code, which are what a parent sees, and what is said, as git
 * does.
 */
#define trace2_cmd_exit(code) trace2_cmd_exit_at(__FILE__, __LINE__, (code))
int trace2_cmd_exit_at(const char *file, int line, int code);

/**
 * trace2_cmd_error - something went wrong; machines are told the format too, which is the same for
 * all errors of a kind
 */
#define trace2_cmd_error(...) trace2_cmd_error_at(__FILE__, __LINE__, __VA_ARGS__)
/** trace2_cmd_error_va - likewise, with a va_list */
#define trace2_cmd_error_va(format, arguments) \
	trace2_cmd_error_va_at(__FILE__, __LINE__, (format), (arguments))
void trace2_cmd_error_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace2_cmd_error_va_at(const char *file, int line, const char *format, va_list arguments);

/** trace2_cmd_path - where the program's file lies */
#define trace2_cmd_path(path) trace2_cmd_path_at(__FILE__, __LINE__, (path))
void trace2_cmd_path_at(const char *file, int line, const char *path);

/** trace2_cmd_ancestry - the names of the processes above, the nearest first, NULL at the end */
#define trace2_cmd_ancestry(names) trace2_cmd_ancestry_at(__FILE__, __LINE__, (names))
void trace2_cmd_ancestry_at(const char *file, int line, char *const *names);

/**
 * trace2_cmd_name - the command's name, which is put below those of the programs that started this
 * one; the first time with all parameters that the settings ask for
 * @name: the command's own
 */
#define trace2_cmd_name(name) trace2_cmd_name_at(__FILE__, __LINE__, (name))
void trace2_cmd_name_at(const char *file, int line, const char *name);

/** trace2_cmd_mode - which of its ways of working the command has taken */
#define trace2_cmd_mode(mode) trace2_cmd_mode_at(__FILE__, __LINE__, (mode))
void trace2_cmd_mode_at(const char *file, int line, const char *mode);

/** trace2_cmd_alias - what the user called stands for the words of @argv */
#define trace2_cmd_alias(alias, argv) trace2_cmd_alias_at(__FILE__, __LINE__, (alias), (argv))
void trace2_cmd_alias_at(const char *file, int line, const char *alias, char *const *argv);

/**
 * trace2_cmd_list_config - write the parameters that the settings ask for
 *
 * trace2_cmd_name() writes both lists for programs that do not call this. Each list is written
 * once, whether the call stands before trace2_cmd_name() or, as in git, after it; every further
 * call writes it again.
 */
#define trace2_cmd_list_config() trace2_cmd_list_config_at(__FILE__, __LINE__)
/** trace2_cmd_list_env_vars - write the variables that the settings ask for, likewise */
#define trace2_cmd_list_env_vars() trace2_cmd_list_env_vars_at(__FILE__, __LINE__)
void trace2_cmd_list_config_at(const char *file, int line);
void trace2_cmd_list_env_vars_at(const char *file, int line);

/** trace2_cmd_set_config - a parameter has changed; told where the settings ask for it */
#define trace2_cmd_set_config(key, value) \
	trace2_cmd_set_config_at(__FILE__, __LINE__, (key), (value))
void trace2_cmd_set_config_at(const char *file, int line, const char *key, const char *value);

/**
 * struct trace2_child - a process that this one starts
 * @child_class: what it is for; NULL for "?"
 * @hook_name: where it is a hook, whose class is "hook" then
 * @directory: that it runs in; NULL for this process' own
 * @use_shell: a shell runs it
 * @is_git: "git" stands before @argv
 * @argv: its words
 * @pid: to be set between start and the rest
 * @id: set by trace2_child_start()
 * @start_ns: likewise
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

/** trace2_child_start - it is about to start */
#define trace2_child_start(child) trace2_child_start_at(__FILE__, __LINE__, (child))
/** trace2_child_exit - it has ended with @code, or could not be started: then its pid and @code are
 * -1 */
#define trace2_child_exit(child, code) trace2_child_exit_at(__FILE__, __LINE__, (child), (code))
void trace2_child_start_at(const char *file, int line, struct trace2_child *child);
void trace2_child_exit_at(const char *file, int line, const struct trace2_child *child, int code);

/** trace2_child_ready - it goes on in the background: "ready", "timeout" or "error" */
#define trace2_child_ready(child, ready) trace2_child_ready_at(__FILE__, __LINE__, (child), (ready))
void trace2_child_ready_at(const char *file, int line, const struct trace2_child *child,
			   const char *ready);

/**
 * trace2_exec - before exec()
 * @exe: what is to be run; left out where NULL
 * @argv: its words
 *
 * Returns a number for trace2_exec_result().
 */
#define trace2_exec(exe, argv) trace2_exec_at(__FILE__, __LINE__, (exe), (argv))
/**
 * trace2_exec_result - behind exec(), which only a failure leads to
 * @id: what trace2_exec() returned
 * @code: errno
 */
#define trace2_exec_result(id, code) trace2_exec_result_at(__FILE__, __LINE__, (id), (code))
int trace2_exec_at(const char *file, int line, const char *exe, char *const *argv);
void trace2_exec_result_at(const char *file, int line, int id, int code);

/**
 * trace2_thread_start - on the thread itself; on the main thread it enters a region; a thread that
 * starts again goes on under another name
 * @name: without its number
 */
#define trace2_thread_start(name) trace2_thread_start_at(__FILE__, __LINE__, (name))
/** trace2_thread_exit - on the thread itself; on the main thread it leaves that region */
#define trace2_thread_exit() trace2_thread_exit_at(__FILE__, __LINE__)
void trace2_thread_start_at(const char *file, int line, const char *name);
void trace2_thread_exit_at(const char *file, int line);

/** trace2_def_param - a parameter of @scope; @value may be NULL */
#define trace2_def_param(scope, param, value) \
	trace2_def_param_at(__FILE__, __LINE__, (scope), (param), (value))
void trace2_def_param_at(const char *file, int line, const char *scope, const char *param,
			 const char *value);

/** trace2_def_repo - announce a repository, which gets its number by that; again it does nothing */
#define trace2_def_repo(repository) trace2_def_repo_at(__FILE__, __LINE__, (repository))
void trace2_def_repo_at(const char *file, int line, struct trace2_repository *repository);

/**
 * trace2_region_enter - a region begins on this thread, within the one before
 * @category: left out where NULL
 * @label: left out where NULL
 * @repository: that it is about, left out where NULL
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
 * trace2_region_leave - the innermost region ends, whose names are said again
 * @category: as it was entered
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
 * trace2_data_string - a value found within the innermost region
 * @category: what kind of values it is of
 * @repository: that it is about, left out where NULL
 * @key: what it is called
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
 * trace2_data_json - likewise, of any shape
 * @category: as of trace2_data_string()
 * @repository: likewise
 * @key: likewise
 * @json: a JSON value; it is brought onto one line, and what is no JSON is told as a string
 */
#define trace2_data_json(category, repository, key, json) \
	trace2_data_json_at(__FILE__, __LINE__, (category), (repository), (key), (json))
void trace2_data_json_at(const char *file, int line, const char *category,
			 const struct trace2_repository *repository, const char *key,
			 const char *json);

/** trace2_printf - a remark for people who follow the program */
#define trace2_printf(...) trace2_printf_at(__FILE__, __LINE__, __VA_ARGS__)
/** trace2_printf_va - likewise, with a va_list */
#define trace2_printf_va(format, arguments) \
	trace2_printf_va_at(__FILE__, __LINE__, (format), (arguments))
void trace2_printf_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void trace2_printf_va_at(const char *file, int line, const char *format, va_list arguments);

/**
 * struct trace2_timer - a stopwatch that adds up its intervals, for each thread and for all; a
 * static variable of the program, which is looked at until trace2_finish(): a plugin that has some
 * has to stay loaded until then
 * @category: what kind of timers it is of
 * @name: what it is called
 * @has_thread_events: each thread's sum is told too
 * @number: libtrace2's own
 */
struct trace2_timer {
	const char *category;
	const char *name;
	bool has_thread_events;
	int number;
};

/** struct trace2_counter - a sum, for each thread and for all; likewise */
struct trace2_counter {
	const char *category;
	const char *name;
	bool has_thread_events;
	int number;
};

/**
 * trace2_timer_start - an interval begins on this thread; one that starts within another is a part
 * of it
 * @timer: that counts it
 */
void trace2_timer_start(struct trace2_timer *timer);

/** trace2_timer_stop - it ends; without a start it is nothing */
void trace2_timer_stop(struct trace2_timer *timer);

/** trace2_counter_add - add to the sum of this thread, which becomes one of all when the thread
 * exits */
void trace2_counter_add(struct trace2_counter *counter, uint64_t value);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
