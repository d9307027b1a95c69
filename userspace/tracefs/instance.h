/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracing instance; a part of tracefs.h. A run writes only to its own instance, so that it
 * disturbs neither other runs nor the user's own tracing.
 */
#ifndef TRACEFS_INSTANCE_H
#define TRACEFS_INSTANCE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

struct instance;

/** SIDEBAND_SUFFIX - end of the name of a sideband instance, which has the other's name before it
 */
#define SIDEBAND_SUFFIX ".sideband"

/**
 * sideband_directory - find the sideband instance of an instance
 * @out: receives its directory, nothing if there is none
 * @directory: of the instance, which may be gone
 *
 * Returns 0, or -1 with @error.
 */
int sideband_directory(struct buffer *out, const char *directory, struct error *error);

/**
 * struct buffer_mode - what happens to records when a buffer is full, and when it is read
 * @overwrites: the oldest records are overwritten; otherwise new ones are dropped
 * @is_read_at_end: the buffer is read only after recording stops
 *
 * If the buffer is read all the time, the recording is complete except for reported gaps. If it is
 * read at the end, each CPU lacks its oldest records (@overwrites) or its youngest ones.
 */
struct buffer_mode {
	const char *name;
	bool overwrites;
	bool is_read_at_end;
};

/** buffer_modes - all modes; the first is the default, the last has no name */
extern const struct buffer_mode buffer_modes[];

/** buffer_mode_find - find a mode by name; returns NULL if there is none */
const struct buffer_mode *buffer_mode_find(const char *name);

/**
 * struct instance_settings - settings of a new instance
 * @clock: the trace clock; mostly "boot": "local" and "x86-tsc" do not compare across CPUs
 * @buffer_kib: ring buffer for each CPU
 * @keeps_modules: tracepoints cannot be released before the end
 * @has_markers: texts of its trace_marker are exported, and also those of the top level's if they
 * can be copied
 * @writes: receives a line for each change of tracefs while recording begins and ends; NULL for
 * none
 */
struct instance_settings {
	const struct buffer_mode *mode;
	const char *clock;
	uint64_t buffer_kib;
	bool keeps_modules;
	bool has_markers;
	const struct report *writes;
};

/**
 * instance_create - create an instance that records nothing yet, and its sideband instance
 * @out: for instance_remove()
 *
 * Returns 0, or -1 with @error; then no instance is left behind.
 */
int instance_create(struct instance **out, const struct instance_settings *settings,
		    struct error *error);

/** INSTANCE_TOP - name of the top level, unless there is an instance of this name */
#define INSTANCE_TOP "top"

/**
 * instance_attach - use an instance of another owner, whose settings never change
 * @out: for instance_remove(), which does not remove it
 * @name: of the instance, or INSTANCE_TOP
 *
 * Returns 0, or -1 with @error if there is none of that name, or another ktrack uses it.
 */
int instance_attach(struct instance **out, const char *name, struct error *error);

/**
 * instance_adopt - take over the instance of a killed run
 * @out: NULL if the instance does not exist or ktrack did not make it
 *
 * Recording is off afterwards. Returns -1 with @error, also if another process owns it.
 */
int instance_adopt(struct instance **out, const char *name, const struct report *writes,
		   struct error *error);

/**
 * instance_lock - keep every other ktrack from using the instance in @directory
 * @name: the instance's name in errors
 *
 * Returns a descriptor, which holds the lock until it is closed, or -1 with @error.
 */
int instance_lock(const char *directory, const char *name, struct error *error);

/**
 * instance_find - append the directory of an instance
 * @name: of the instance; NULL for the top level
 *
 * Returns 0, or -1 with @error if there is none.
 */
int instance_find(struct buffer *out, const char *name, struct error *error);

/**
 * enum marker_copies - whether the instance gets copies of the top level's texts
 * @MARKERS_COPIED: while it records
 * @MARKERS_NOT_BY_KERNEL: the kernel cannot copy them
 * @MARKERS_NOT_WHEN_FULL: programs could not write any while its buffer is full
 * @MARKERS_NOT_ON_ALL_CPUS: programs could not write any on CPUs that it does not record
 */
enum marker_copies {
	MARKERS_COPIED,
	MARKERS_NOT_BY_KERNEL,
	MARKERS_NOT_WHEN_FULL,
	MARKERS_NOT_ON_ALL_CPUS,
};

/** instance_marker_copies - whether an instance gets copies; after instance_limit_cpus() */
enum marker_copies instance_marker_copies(const struct instance *instance);

/** instance_has_markers - whether texts of its trace_marker are exported */
bool instance_has_markers(const struct instance *instance);

/** instance_is_attached - whether another owner set the instance up */
bool instance_is_attached(const struct instance *instance);

/** instance_name - the instance's name */
const char *instance_name(const struct instance *instance);

/** instance_directory - the instance's directory in tracefs */
const char *instance_directory(const struct instance *instance);

/**
 * instance_sideband - the sideband instance: names of threads, modules loaded and unloaded
 *
 * It has the same clock and records all threads and CPUs. It starts, stops and is removed with its
 * main instance, and is read all the time in every mode. Returns NULL if the kernel lacks the
 * tracepoints.
 */
const struct instance *instance_sideband(const struct instance *instance);

/** instance_buffer_kib - ring buffer size per CPU; 0 if the sizes of CPUs differ */
uint64_t instance_buffer_kib(const struct instance *instance);

/** instance_memory_kib - size of the buffers of both, over all CPUs; 0 if unknown */
uint64_t instance_memory_kib(const struct instance *instance);

/**
 * instance_enable - record a tracepoint from instance_start() on
 * @filter: in the kernel's syntax; NULL for none
 *
 * Returns -1 with @error.
 */
int instance_enable(struct instance *instance, const char *system, const char *event,
		    const char *filter, struct error *error);

/**
 * enum event_state - state of an enabled tracepoint
 * @EVENT_RECORDED: it records
 * @EVENT_RELEASING: somebody disabled it in the instance's directory, which allows its module to be
 * unloaded; 'ktrack release' waits until its records are read
 * @EVENT_RELEASED: its records are read
 * @EVENT_UNLOADED: its module is unloaded; a later tracepoint of the same name is another one
 *
 * When a module is unloaded, the kernel empties all buffers that ever had records of it.
 */
enum event_state {
	EVENT_RECORDED,
	EVENT_RELEASING,
	EVENT_RELEASED,
	EVENT_UNLOADED,
};

/** enum instance_change_kind - what happened to an instance */
enum instance_change_kind {
	INSTANCE_EVENT_STATE,
	INSTANCE_WRITTEN,
};

/**
 * struct instance_change - a tracepoint's state changed, or another program wrote to the instance
 * @system, @event: the tracepoint, if INSTANCE_EVENT_STATE; borrowed, as all pointers here
 * @before, @now: its states
 * @file: name of the last file written, if INSTANCE_WRITTEN
 * @is_emptied: the kernel emptied buffers, with records that nobody counted
 * @is_sideband_emptied: the same of the sideband instance
 * @is_reclocked: a clock was changed; records that were read since may show another clock
 */
struct instance_change {
	enum instance_change_kind kind;
	const char *system;
	const char *event;
	enum event_state before;
	enum event_state now;
	const char *file;
	bool is_emptied;
	bool is_sideband_emptied;
	bool is_reclocked;
};

/**
 * struct instance_observer - receives the changes of an instance
 * @change: returns -1 with @error
 */
struct instance_observer {
	void *context;
	int (*change)(void *context, const struct instance_change *change, struct error *error);
};

/**
 * instance_watch - notice what other programs write to the instance from now on
 *
 * Returns -1 with @error.
 */
int instance_watch(struct instance *instance, struct error *error);

/** instance_watch_fd - becomes readable when something was written; -1 without instance_watch() */
int instance_watch_fd(const struct instance *instance);

/** instance_look - report all changes since the last call; returns -1 with @error */
int instance_look(struct instance *instance, const struct instance_observer *observer,
		  struct error *error);

/** instance_look_writes - report only what other programs wrote; returns -1 with @error */
int instance_look_writes(const struct instance *instance, const struct instance_observer *observer,
			 struct error *error);

/** instance_number - the number in a file of an instance; 0 if there is none */
uint64_t instance_number(const char *directory, const char *file);

/** instance_release_events - all records of releasing tracepoints are read: unlock their modules */
void instance_release_events(struct instance *instance);

/**
 * instance_add_stack - record the kernel stack behind each record of a tracepoint
 * @filter: only behind those that match; NULL for all
 * @limit: most stacks until instance_refill_stacks() is called; 0 for no limit
 *
 * The kernel removes the trigger with the instance. Returns -1 with @error.
 */
int instance_add_stack(struct instance *instance, const char *system, const char *event,
		       const char *filter, uint64_t limit, struct error *error);

/**
 * instance_test_functions - whether an instance can have the tracer function_graph
 *
 * Before 6.11, only the top level can. Returns 0, or -1 with @error.
 */
int instance_test_functions(bool *can, struct error *error);

/**
 * functions_read - the functions that can be traced, one "NAME" or "NAME [MODULE]" a line
 *
 * Returns a text for free(), or NULL with @error.
 */
char *functions_read(struct error *error);

/**
 * instance_choose_functions - add functions to those that instance_trace_functions() records
 * @pattern: for set_ftrace_filter: a name with wildcards, or "NAME:mod:MODULE"
 * @is_excluded: record these not
 *
 * Without a chosen one, all functions are recorded. Returns -1 with @error.
 */
int instance_choose_functions(struct instance *instance, const char *pattern, bool is_excluded,
			      struct error *error);

/** instance_trace_functions - record the calls of the chosen functions; before instance_follow()
 *
 * Returns -1 with @error.
 */
int instance_trace_functions(struct instance *instance, struct error *error);

/** instance_traces_functions - whether instance_trace_functions() was called */
bool instance_traces_functions(const struct instance *instance);

/** instance_has_stacks - whether the instance records kernel stacks */
bool instance_has_stacks(const struct instance *instance);

/**
 * instance_refill_stacks - allow more stacks
 *
 * Returns a bit for each call of instance_add_stack() whose limit was reached.
 */
uint32_t instance_refill_stacks(const struct instance *instance);

/** instance_write_marker - write a text to the trace_marker of an instance with stacks, if it
 * records */
void instance_write_marker(const struct instance *instance, struct text text);

/** instance_has_event - whether a tracepoint was enabled and is not unloaded */
bool instance_has_event(const struct instance *instance, const char *system, const char *event);

/**
 * sideband_records - whether sideband instances record a tracepoint, if the kernel has it
 * @event: NULL for any of the system
 */
bool sideband_records(const char *system, const char *event);

/** instance_sideband_has_id - whether the sideband instance records the tracepoint with this id */
bool instance_sideband_has_id(const struct instance *instance, unsigned int id);

/** instance_count_events - how many tracepoints may have unread records */
size_t instance_count_events(const struct instance *instance);

/**
 * instance_events_fd - the instance's events directory
 *
 * It is open as long as the instance; -1 for an attached instance.
 */
int instance_events_fd(const struct instance *instance);

/**
 * instance_follow - record only this thread, others of earlier calls, and threads that they start
 * from now on
 *
 * Work of kernel threads and interrupts on its behalf is not recorded. Returns -1 with @error.
 */
int instance_follow(struct instance *instance, pid_t pid, struct error *error);

/** WRITER_TEXT - what a process writes to be found by instance_find_writer() */
#define WRITER_TEXT "ktrack looks up the number of this process"

/**
 * instance_find_writer - the number by which the kernel knows a process, also in a PID namespace
 * @instance: records nothing yet
 * @write: lets the process write WRITER_TEXT to the file @path; returns -1 with @error
 *
 * Returns the number, or -1 with @error.
 */
int instance_find_writer(struct instance *instance,
			 int (*write)(void *context, const char *path, struct error *error),
			 void *context, struct error *error);

/** instance_write_text - write WRITER_TEXT to the file @path; returns -1 with @error and errno */
int instance_write_text(void *context, const char *path, struct error *error);

/** instance_own_tid - the number by which the kernel knows this process; 0 if it is unknown */
int instance_own_tid(const struct instance *instance);

/** instance_limit_cpus - record only these CPUs; returns -1 with @error */
int instance_limit_cpus(struct instance *instance, const cpu_set_t *cpus, struct error *error);

/**
 * instance_resize - set the size of the buffers, after all tracepoints are enabled; returns -1 with
 * @error
 */
int instance_resize(struct instance *instance, struct error *error);

/** instance_start - switch recording on; returns -1 with @error */
int instance_start(struct instance *instance, struct error *error);

/** instance_stop - switch recording off; the buffers keep their records; returns -1 with @error */
int instance_stop(struct instance *instance, struct error *error);

/**
 * instance_restore_clock - reset the clock of the instance and of its sideband, which empties their
 * buffers
 */
void instance_restore_clock(const struct instance *instance);

/**
 * instance_remove - remove the instance, which unpins modules; an attached one is only closed
 *
 * Its readers are closed before. Returns 0, or -1 with @error if the kernel refuses; NULL is fine.
 */
int instance_remove(struct instance *instance, struct error *error);

/** instance_close - free the struct and leave the instance for instance_adopt(); NULL is fine */
void instance_close(struct instance *instance);

#endif
