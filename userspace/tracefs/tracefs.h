/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracefs: tracing instances, their tracepoints, ring buffers and statistics. The second public
 * header, page.h, walks sub-buffers, which files have too.
 */
#ifndef TRACEFS_TRACEFS_H
#define TRACEFS_TRACEFS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/base.h"
#include "event/event.h"

/* The tracefs mount, its tracepoints and their files; a part of tracefs.h. */

/** TRACEFS_MOUNT_COMMAND - the remedy if tracefs is not mounted, for root's shell */
#define TRACEFS_MOUNT_COMMAND "mount -t tracefs tracefs /sys/kernel/tracing"

/**
 * tracefs_directory - find the mount point of tracefs
 * @out: a path that lives as long as the process
 *
 * Mounts nothing. Returns 0, or -1 with @error, which names a remedy.
 */
int tracefs_directory(const char **out, struct error *error);

/**
 * trace_clock_find - find the system clock behind a trace clock
 * @name: of the trace clock
 *
 * Returns false if programs cannot read the clock.
 */
bool trace_clock_find(const char *name, clockid_t *out);

/** trace_clock_counts_ticks - whether a trace clock counts something other than nanoseconds */
bool trace_clock_counts_ticks(const char *name);

/** struct tracepoint - a tracepoint of the running kernel, or of a recording */
struct tracepoint {
	const char *system; /* behind PROGRAM_PREFIX if it is an event of a program */
	const char *name;
	struct text format; /* content of its format file; borrowed for the visit */
	/* an event of a program that runs, one of many of a user: others need place, too */
	bool is_of_many;
};

/** struct tracepoint_visitor - visits tracepoints */
struct tracepoint_visitor {
	void *context;
	/*
	 * whether to read the format, with @name NULL the names of the system; NULL reads all but
	 * those of ftrace itself, which cannot be enabled
	 */
	bool (*wants)(void *context, const char *system, const char *name);
	/*
	 * returns 0 to continue, any other value to stop, -1 with @error; NULL if @wants takes the
	 * names, and returns false
	 */
	int (*visit)(void *context, const struct tracepoint *tracepoint, struct error *error);
};

/**
 * events_open - open the top level's events directory
 *
 * Returns a descriptor, or -1 with @error, as tracefs_directory() does.
 */
int events_open(struct error *error);

/**
 * tracepoints_visit - visit all tracepoints of the running kernel, sorted by system and name
 * @events_fd: an events directory; all instances have the same tracepoints
 *
 * Returns the visitor's last value, 0 if nothing was visited, or -1 with @error.
 */
int tracepoints_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error);
/** events_visit - tracepoints_visit(), and close @events_fd; -1 without one, whose @error is set */
int events_visit(int events_fd, const struct tracepoint_visitor *visitor, struct error *error);

/** event_path_append - append "SYSTEM/EVENT/FILE", a path below an events directory */
void event_path_append(struct buffer *out, const char *system, const char *event, const char *file);
/** event_file_read - append the content of a tracepoint's file; returns -1 with errno */
int event_file_read(int events_fd, const char *system, const char *event, const char *file,
		    struct buffer *out);

/**
 * events_may_change - whether tracepoints may get other formats and ids without a report
 *
 * That is so for dynamic events, such as probes. Those of modules change only with their modules.
 */
bool events_may_change(void);

/** events_are_disabled - whether the instance in @directory has no tracepoint enabled */
bool events_are_disabled(const char *directory);
/** event_is_enabled - whether the instance with this events directory records a tracepoint */
bool event_is_enabled(int events_fd, const char *system, const char *event);

/* Dynamic events: tracepoints that are defined by a line of text; a part of tracefs.h. */

/** DYNAMIC_NAME_SIZE - fits the name of a group or of an event, with NUL; the kernel's limit */
#define DYNAMIC_NAME_SIZE 64

/**
 * struct dynamic_events - the dynamic events of this process
 * @writes: receives a line for each definition and removal, NULL for none; dynamic_open() clears it
 *
 * They are in one group, whose name shows the process, so that 'ktrack clean' finds the groups of
 * killed runs. Every tracing instance has them; they are enabled in one as other tracepoints.
 * A zeroed struct has none.
 */
struct dynamic_events {
	const struct report *writes;
	int fd;
	char group[DYNAMIC_NAME_SIZE];
	char (*names)[DYNAMIC_NAME_SIZE];
	size_t nr_names;
};

/** dynamic_is_open - whether dynamic_open() succeeded */
static inline bool dynamic_is_open(const struct dynamic_events *events)
{
	return events->group[0] && events->fd >= 0;
}

/** dynamic_open - prepare for dynamic_define(); returns -1 with @error */
int dynamic_open(struct dynamic_events *events, struct error *error);

/**
 * dynamic_define - define an event; returns -1 with @error
 * @kind: "p", "r", with a number for the limit of concurrent calls: "r512"
 * @name: a C identifier, unique in the group
 * @place: what follows the name: the place of the probe, and its arguments
 * @object: for @error, which has the kernel's reason if tracefs shows it
 */
int dynamic_define(struct dynamic_events *events, const char *kind, const char *name,
		   const char *place, const char *object, struct error *error);

/**
 * dynamic_visit_missed - visit the events whose hits the kernel could not always record
 * @visit: receives the name of an event of this group, and the number of missed hits
 *
 * The kernel counts them for kprobes only.
 */
void dynamic_visit_missed(const struct dynamic_events *events,
			  void (*visit)(void *context, const char *name, uint64_t missed),
			  void *context);

/** dynamic_drop - remove the event that was defined last */
void dynamic_drop(struct dynamic_events *events);
/** dynamic_close - remove all events; no instance has them enabled; returns -1 with @error */
int dynamic_close(struct dynamic_events *events, struct error *error);

/** struct dynamic_visitor - visits groups */
struct dynamic_visitor {
	void *context;
	/* the events of @group are removed by dynamic_remove(); returns -1 with @error */
	int (*visit)(void *context, const char *group, struct error *error);
};

/** dynamic_visit_stale - visit the groups of killed runs; returns -1 with @error */
int dynamic_visit_stale(const struct dynamic_visitor *visitor, struct error *error);
/** dynamic_remove - remove the events of a group; returns -1 with @error if one is in use */
int dynamic_remove(const char *group, struct error *error);

/* The kernel's statistics of a CPU's ring buffer. */

/** STATISTICS_IN_FLIGHT, STATISTICS_MODE - names of ktrack's own lines */
#define STATISTICS_IN_FLIGHT "in flight"
#define STATISTICS_MODE "mode"
/** STATISTICS_UNKNOWN - value of STATISTICS_IN_FLIGHT if the recording was killed */
#define STATISTICS_UNKNOWN "unknown"
/** STATISTICS_CIRCULAR, STATISTICS_ONESHOT - modes whose buffers are read only at the end */
#define STATISTICS_CIRCULAR "circular"
#define STATISTICS_ONESHOT "oneshot"

/**
 * struct statistics - counts since the instance was created or emptied
 * @dropped: "dropped events" (the buffer was full and may not overwrite), "commit overrun"
 * (interrupts filled the buffer during a write), and "in flight", a line that ktrack adds in a
 * trace.dat: records that were read, but not written to the file. No sub-buffer is marked
 *
 * The kernel counts each lost record in exactly one of the three ways.
 */
struct statistics {
	/* "overrun": overwritten before they were read; the next sub-buffer is marked */
	uint64_t overwritten;
	uint64_t dropped;
	uint64_t in_flight;  /* the part of @dropped that was in flight */
	uint64_t read;	     /* "read events" */
	uint64_t unread;     /* "entries": records in the buffer */
	uint64_t held_bytes; /* "bytes": bytes of unread records */
	/* "now ts": time of the trace clock; microseconds as nanoseconds, or ticks */
	int64_t now;
	/* "in flight: unknown": the recording was killed, and more records may be lost */
	bool is_open;
	/* "mode: circular": overwritten records are older than all records of the CPU */
	bool keeps_last;
	/* "mode: oneshot": dropped records are younger than all records of the CPU */
	bool keeps_first;
};

/** struct buffer_counts - sums of a running instance's statistics, over all CPUs */
struct buffer_counts {
	uint64_t read;	     /* records that were read */
	uint64_t unread;     /* records in the buffers */
	uint64_t lost;	     /* records that were overwritten or dropped */
	uint64_t held_bytes; /* bytes that wait in the buffers */
};

/** statistics_read_line - add the count of one line, which has no newline */
void statistics_read_line(struct statistics *out, struct text line);
/** statistics_read - parse the text of per_cpu/cpuN/stats; missing counts are 0 */
void statistics_read(struct statistics *out, struct text text);

/** statistics_since - the increase of a count, which restarts at 0 when the buffer is emptied */
static inline uint64_t statistics_since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/**
 * cpu_file_open - open a CPU's file of an instance; returns a descriptor, or -1 with @error
 * @directory: of the instance, which cannot be removed until the descriptor is closed
 * @flags: as for open(2)
 */
int cpu_file_open(const char *directory, int cpu, const char *file, int flags, struct error *error);

/** statistics_text - append the kernel's current text; returns -1 with @error */
int statistics_text(int fd, int cpu, struct buffer *out, struct error *error);
/** statistics_load - read the current statistics; returns -1 with @error */
int statistics_load(struct statistics *out, int fd, int cpu, struct error *error);

/*
 * A tracing instance; a part of tracefs.h. A run writes only to its own instance, so that it
 * disturbs neither other runs nor the user's own tracing.
 */

struct instance;

/**
 * enum instance_kind - the instances of one run, each with ring buffers of its own
 * @INSTANCE_MAIN: it records what was selected
 * @INSTANCE_CONVENTION: it records tracepoints that follow the convention, beside a main instance
 * that records others, which write much more: a buffer of their own keeps their records from being
 * overwritten
 * @INSTANCE_SIDEBAND: names of threads, modules loaded and unloaded, of all threads and CPUs; it is
 * read all the time in every mode
 *
 * All but the first are companions of the first: they have its clock, start, stop and are removed
 * with it, and have its name with a suffix.
 */
enum instance_kind {
	INSTANCE_MAIN,
	INSTANCE_CONVENTION,
	INSTANCE_SIDEBAND,
	INSTANCE_KINDS,
};

/** instance_suffixes - end of the names of instances by kind; "" of the first */
extern const char *const instance_suffixes[INSTANCE_KINDS];

/** CONVENTION_BUFFER - name of the buffer of INSTANCE_CONVENTION in recordings */
#define CONVENTION_BUFFER "convention"

/** struct instance_paths - directories of an instance and its companions; NULL for those that it
 * has not */
struct instance_paths {
	char *list[INSTANCE_KINDS];
};

/**
 * instance_paths_find - find the companions of an instance; returns -1 with @error
 * @out: for instance_paths_release(), in any case
 * @directory: of the instance, which may be gone
 */
int instance_paths_find(struct instance_paths *out, const char *directory, struct error *error);

void instance_paths_release(struct instance_paths *paths);

/**
 * struct buffer_mode - what happens to records when a buffer is full, and when it is read
 *
 * If the buffer is read all the time, the recording is complete except for reported gaps. If it is
 * read at the end, each CPU lacks its oldest records (@overwrites) or its youngest ones.
 */
struct buffer_mode {
	const char *name;
	bool overwrites; /* the oldest records are overwritten; otherwise new ones are dropped */
	bool is_read_at_end; /* the buffer is read only after recording stops */
};

/** buffer_modes - all modes; the first is the default, the last has no name */
extern const struct buffer_mode buffer_modes[];
/** buffer_mode_find - find a mode by name; returns NULL if there is none */
const struct buffer_mode *buffer_mode_find(const char *name);

/**
 * struct instance_settings - settings of a new instance
 * @has_markers: texts of its trace_marker are exported, and also those of the top level's if they
 * can be copied
 * @writes: receives a line for each change of tracefs while recording begins and ends; NULL for
 * none
 */
struct instance_settings {
	const struct buffer_mode *mode;
	/* the trace clock; mostly "boot": "local" and "x86-tsc" do not compare across CPUs */
	const char *clock;
	uint64_t buffer_kib; /* ring buffer for each CPU */
	/* the same of a companion for tracepoints that follow the convention; 0 for none */
	uint64_t convention_kib;
	bool keeps_modules; /* tracepoints cannot be released before the end */
	bool has_markers;
	const struct report *writes;
};

/**
 * instance_create - create an instance that records nothing yet, and its companions
 * @out: for instance_remove()
 *
 * Returns 0, or -1 with @error; then no instance is left behind.
 */
int instance_create(struct instance **out, const struct instance_settings *settings,
		    struct error *error);

/** INSTANCE_TOP - name of the top level, unless there is an instance of this name */
#define INSTANCE_TOP "top"

/**
 * instance_attach - use an instance of another owner, whose settings never change, and companions
 * that a killed run left with it
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

/** instance_companion - an instance's companion of a kind, NULL if it has none; itself for
 * INSTANCE_MAIN */
struct instance *instance_companion(const struct instance *instance, enum instance_kind kind);

/** instance_directories - the directories of an instance and its companions, borrowed from them */
struct instance_paths instance_directories(const struct instance *instance);
/** instance_buffer_kib - ring buffer size per CPU; 0 if the sizes of CPUs differ */
uint64_t instance_buffer_kib(const struct instance *instance);
/** instance_memory_kib - size of its buffers and its companions', over all CPUs; 0 if unknown */
uint64_t instance_memory_kib(const struct instance *instance);

/**
 * instance_enable - record a tracepoint from instance_start() on; returns -1 with @error
 * @filter: in the kernel's syntax; NULL for none
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
 */
struct instance_change {
	enum instance_change_kind kind;
	/*
	 * the instance that records @system, @event, the tracepoint, if INSTANCE_EVENT_STATE;
	 * borrowed, as all pointers here
	 */
	enum instance_kind instance;
	const char *system;
	const char *event;
	/* @before, @now: its states */
	enum event_state before;
	enum event_state now;
	const char *file;	  /* name of the last file written, if INSTANCE_WRITTEN */
	bool is_emptied;	  /* the kernel emptied buffers, with records that nobody counted */
	bool is_sideband_emptied; /* the same of the sideband instance */
	/* a clock was changed; records that were read since may show another clock */
	bool is_reclocked;
};

/** struct instance_observer - receives the changes of an instance */
struct instance_observer {
	void *context;
	/* returns -1 with @error */
	int (*change)(void *context, const struct instance_change *change, struct error *error);
};

/** instance_watch - notice what other programs write to the instance from now on; -1 with @error */
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

/**
 * instance_has_event - whether a tracepoint was enabled, also in a companion but the sideband, and
 * is not unloaded
 */
bool instance_has_event(const struct instance *instance, const char *system, const char *event);

/**
 * sideband_records - whether sideband instances record a tracepoint, if the kernel has it
 * @event: NULL for any of the system
 */
bool sideband_records(const char *system, const char *event);

/** instance_sideband_has_id - whether the sideband instance records the tracepoint with this id */
bool instance_sideband_has_id(const struct instance *instance, unsigned int id);

/** instance_count_events - how many tracepoints may have unread records, in the companion of a kind
 */
size_t instance_count_events(const struct instance *instance, enum instance_kind kind);

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
 * instance_restore_clock - reset the clock of the instance and of its companions, which empties
 * their buffers
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

/*
 * An instance whose buffer survives a restart of the machine (trace_instance=NAME@...), since Linux
 * 6.12; a part of tracefs.h. It copies the tracepoints of another instance, and is not read while
 * it records: the kernel would drop what was read at the next boot.
 */

/** struct boot_instance - an open instance */
struct boot_instance {
	char *directory;	     /* of the instance */
	int lock_fd;		     /* its lock */
	const struct report *writes; /* receives a line for each write, NULL for none */
};

/** BOOT_INSTANCE_NONE - initializer without open files */
#define BOOT_INSTANCE_NONE     \
	{                      \
		.lock_fd = -1, \
	}

/**
 * boot_instance_open - open and lock an instance
 * @boot: for boot_instance_close(), on failure, too
 *
 * Returns 0, or -1 with @error if there is none, or its buffer does not survive a restart.
 */
int boot_instance_open(struct boot_instance *boot, const char *name, const struct report *writes,
		       struct error *error);

/**
 * boot_instance_count - how many records each CPU has; returns the number of all records
 * @cpus: receives the numbers of the CPUs that have records, "0,1,2"
 */
uint64_t boot_instance_count(const struct boot_instance *boot, struct buffer *cpus);

/**
 * boot_instance_shift - how far the kernel's code moved since the boot that recorded
 * @then: address of the kernel's code in that boot
 * @now: the same in this boot
 *
 * Returns whether the instance agrees: false if its records are of yet another boot.
 */
bool boot_instance_shift(const struct boot_instance *boot, uint64_t then, uint64_t now);

/** boot_instance_prepare - remove all records, and set the clock; returns -1 with @error */
int boot_instance_prepare(struct boot_instance *boot, const char *clock, struct error *error);

/**
 * boot_instance_copy - enable the tracepoints of another instance, with their filters
 *
 * Those that it has already stay as they are. Returns -1 with @error.
 */
int boot_instance_copy(struct boot_instance *boot, const char *directory, struct error *error);

/**
 * boot_instance_start - switch recording on; returns -1 with @error
 * @has_markers: also of texts of the top level's trace_marker, if this kernel copies them
 */
int boot_instance_start(struct boot_instance *boot, bool has_markers, struct error *error);

/**
 * boot_instance_mark - write a text on each CPU that is online, so that no buffer is empty
 * @cpus: receives the numbers of these CPUs, "0,1,2"
 */
void boot_instance_mark(struct boot_instance *boot, const char *text, struct buffer *cpus);

/**
 * boot_instance_stop - switch recording off, as control_switch() does; the records stay
 *
 * Also a run that was killed, or the kernel's command line, may have left it on. Returns -1 with
 * @error.
 */
int boot_instance_stop(struct boot_instance *boot, struct error *error);

/** boot_instance_clear - remove all records, and disable all tracepoints; returns -1 with @error */
int boot_instance_clear(struct boot_instance *boot, struct error *error);

void boot_instance_close(struct boot_instance *boot);

/*
 * Reads the ring buffers of an instance; a part of tracefs.h. Two consumers use it: source/ parses
 * sub-buffers, tracedat/ spools them. Reading consumes; the instance is not changed otherwise.
 */

/** struct cpu_buffer - the ring buffer of one CPU */
struct cpu_buffer {
	int cpu;
	enum instance_kind kind;   /* of the instance it belongs to */
	int fd;			   /* its trace_pipe_raw */
	int statistics_fd;	   /* its stats */
	int size_fd;		   /* its buffer_size_kb; -1 if there is none */
	size_t sub_buffer_size;	   /* in bytes */
	uint64_t sub_buffers_left; /* how many may still be read */
	bool is_absent;		   /* the CPU was never online */
	bool has_read;		   /* a sub-buffer was read since the last buffer_reader_wait() */
	struct statistics before;  /* statistics at buffer_reader_share() */
	struct statistics after;   /* statistics at buffer_reader_freeze(), if @is_frozen */
	bool is_frozen;
	struct statistics settled;   /* statistics at buffer_reader_settle() */
	struct statistics forgotten; /* sum of the statistics that the kernel reset */
};

/** struct buffer_reader - all ring buffers of an instance and its companions */
struct buffer_reader {
	struct cpu_buffer *list; /* sorted by kind, then by CPU */
	size_t size;
	bool is_held; /* only sideband buffers are read for now */
	/* the buffer_percent of those that wake it, -1 if the reader may not change it */
	int percent_fds[INSTANCE_KINDS];
	bool wakes_first; /* the first record wakes buffer_reader_wait() */
};

/**
 * buffer_reader_open - open the buffers of all CPUs
 * @out: for buffer_reader_close(); NULL on failure
 * @paths: of the instances, which cannot be removed before buffer_reader_close()
 *
 * CPUs that are not online are read once they are. Returns 0, or -1 with @error.
 */
int buffer_reader_open(struct buffer_reader **out, const struct instance_paths *paths,
		       struct error *error);

/** buffer_reader_close - close all files; NULL is fine */
void buffer_reader_close(struct buffer_reader *reader);

/**
 * buffer_reader_wake_early - let the first unread record wake buffer_reader_wait()
 * @paths: of the instances, which this process set up; the sideband wakes nobody
 *
 * The reader then changes buffer_percent: 0 while nothing is unread, BUFFER_PERCENT otherwise. If
 * the kernel does not accept 0, as 6.1, buffer_reader_wait() returns after its latency instead.
 */
void buffer_reader_wake_early(struct buffer_reader *reader, const struct instance_paths *paths);

/** BUFFER_PERCENT - how full a buffer gets before its reader wakes; of all instances of ktrack */
#define BUFFER_PERCENT "20"

/**
 * buffer_reader_wait - wait until buffers should be read
 * @also_fd: or until this is readable; -1 for none
 * @timeout_ms: or until this time has passed
 * @latency_ms: how long records may wait; 0 waits only for buffer_percent
 */
void buffer_reader_wait(struct buffer_reader *reader, int also_fd, int timeout_ms, int latency_ms);

/**
 * buffer_reader_await_writers - wait for all writers that have a timestamp and no committed record
 */
void buffer_reader_await_writers(void);

/** buffer_reader_is_left - whether a buffer is not to be read for now */
static inline bool buffer_reader_is_left(const struct buffer_reader *reader,
					 const struct cpu_buffer *buffer)
{
	return reader->is_held && buffer->kind != INSTANCE_SIDEBAND;
}

/**
 * buffer_reader_share - the instance is another owner's: exclude older statistics from the account
 *
 * Unreadable statistics count as zeros; reading them at the end reports the error.
 */
void buffer_reader_share(struct buffer_reader *reader);

/** buffer_reader_limit - read no more than the buffers contain now */
void buffer_reader_limit(struct buffer_reader *reader);

/**
 * buffer_reader_freeze - end the account now; later records and losses are another reader's
 *
 * Returns -1 with @error.
 */
int buffer_reader_freeze(struct buffer_reader *reader, struct error *error);

/** buffer_reader_count - the kernel's counts now; unreadable CPUs are left out */
void buffer_reader_count(const struct buffer_reader *reader, struct buffer_counts *out);

/**
 * buffer_reader_settle - save the statistics before the kernel empties the buffers, which resets
 * them; returns -1 with @error
 */
int buffer_reader_settle(struct buffer_reader *reader, struct error *error);

/**
 * cpu_buffer_read - read the next sub-buffer, even if it is not full
 * @bytes: of @buffer->sub_buffer_size bytes
 *
 * Returns its size, 0 if there is none now, or -1 with @error.
 */
ssize_t cpu_buffer_read(struct cpu_buffer *buffer, void *bytes, struct error *error);

/**
 * cpu_buffer_splice - move full sub-buffers to a pipe without copying them
 * @size: at most so many bytes
 *
 * Returns the number of bytes, 0 if there is no full sub-buffer now, or -1 with @error.
 */
ssize_t cpu_buffer_splice(struct cpu_buffer *buffer, int pipe_fd, size_t size, struct error *error);

/** cpu_buffer_statistics - the kernel's statistics now; after buffer_reader_freeze(), those of
 * then; returns -1 with @error
 */
int cpu_buffer_statistics(const struct cpu_buffer *buffer, struct statistics *out,
			  struct error *error);

/**
 * cpu_buffer_account - the statistics of this reader's time only
 *
 * If nobody read the buffer before, older losses count: they are before the first record. Returns
 * -1 with @error.
 */
int cpu_buffer_account(const struct cpu_buffer *buffer, struct statistics *out,
		       struct error *error);

/**
 * cpu_buffer_forget - keep the settled statistics, if the kernel has reset them
 * @overwritten: an earlier count of overwritten records
 *
 * Returns false if the kernel has not reset them.
 */
bool cpu_buffer_forget(struct cpu_buffer *buffer, uint64_t overwritten);

/* Who owns an instance: the lock and the mark of a running ktrack, and instances without one. */

/**
 * lock_take - own the instance in @directory until the descriptor is closed
 *
 * Returns a descriptor, or -1 where the directory has gone or cannot be locked.
 */
int lock_take(const char *directory);

/**
 * stale_lock - own an instance of ours whose owner was killed
 * @lock_fd: -1 where there is no such instance any more, or it never was one of ours
 *
 * Returns -1 with @error where somebody owns it now.
 */
int stale_lock(const char *name, int *lock_fd, struct error *error);

/**
 * mark_set - mark the directory of an instance that was just made
 *
 * If the kernel refuses, the instance stays unmarked: 'ktrack clean' then says so, and leaves it.
 */
void mark_set(int directory_fd);

/** struct stale_visitor - visits instances of ktrack */
struct stale_visitor {
	void *context;
	/* an instance with a name of ours that ktrack perhaps did not make; may be NULL */
	void (*unmarked)(void *context, const char *name, const char *directory);
	/* returns 0 to continue, -1 with @error */
	int (*visit)(void *context, const char *name, const char *directory, struct error *error);
};

/** instance_is_companion - whether @name is a companion of @other, which is visited first */
bool instance_is_companion(const char *name, const char *other);
/** stale_visit - visit all instances whose owner was killed; returns -1 with @error */
int stale_visit(const struct stale_visitor *visitor, struct error *error);
/** stale_remove - remove a stale instance, which unpins modules; returns -1 with @error */
int stale_remove(const char *directory, struct error *error);

/** struct release_watcher - follows a release */
struct release_watcher {
	/* receives a line for each write to tracefs, NULL for none */
	const struct report *writes;
	/* called many times a second while the release waits; @what is what it waits for */
	void (*waits)(void *context, const char *what);
	void *context;
};

/**
 * tracepoints_release - drain and disable tracepoints in every running ktrack
 * @pattern: SYSTEM[:EVENT], both with wildcards
 * @nr_released: how many were disabled, over all instances
 *
 * Blocks for up to a minute. Afterwards no ktrack pins their modules, and unloading them loses no
 * records. Returns -1 with @error, also on timeout.
 */
int tracepoints_release(const char *pattern, const struct release_watcher *watcher,
			size_t *nr_released, struct error *error);

/* Notices modules that are loaded and unloaded; a part of tracefs.h. */

struct module_watch;

/**
 * module_watch_open - watch for modules that are loaded or unloaded from now on
 * @out: for module_watch_close()
 *
 * Returns -1 with @error.
 */
int module_watch_open(struct module_watch **out, struct error *error);

/**
 * module_watch_request - ask ktrack.ko to enable the tracepoints of modules before their init runs
 * @instance: the instance's name; it cannot be removed before module_watch_close()
 * @pattern: SYSTEM[:EVENT], both with wildcards
 *
 * Returns false if ktrack.ko is not loaded or refuses. The caller then enables the tracepoints
 * after the module is loaded.
 */
bool module_watch_request(struct module_watch *watch, const char *instance, const char *pattern);

/** module_watch_fd - a descriptor that becomes readable when modules were loaded or unloaded */
int module_watch_fd(const struct module_watch *watch);
/** module_watch_take - whether modules were loaded or unloaded since the last call */
bool module_watch_take(struct module_watch *watch);
/** module_watch_close - stop watching; NULL is fine */
void module_watch_close(struct module_watch *watch);

/* Names and processes of threads, running or ended; a part of tracefs.h. */

/** struct saved_tasks - files in which the kernel saves names and processes of ended threads */
struct saved_tasks {
	int names_fd;	/* lines of "TID NAME"; -1 if the kernel has no such file */
	int groups_fd;	/* lines of "TID TGID"; likewise */
	bool is_nested; /* procfs has other numbers than the kernel's records */
};

/** SAVED_TASKS_NONE - no file is open */
#define SAVED_TASKS_NONE                        \
	{                                       \
		.names_fd = -1, .groups_fd = -1 \
	}

/** saved_tasks_open - open the files that exist in the directory @tracefs */
void saved_tasks_open(struct saved_tasks *out, const char *tracefs);
/** saved_tasks_close - close the files; fine with SAVED_TASKS_NONE */
void saved_tasks_close(struct saved_tasks *saved);

/**
 * thread_find - look up a thread of this machine: in procfs, or among the saved names
 *
 * @out has "" and 0 for what is unknown.
 */
void thread_find(const struct saved_tasks *saved, int tid, struct thread_identity *out);

/**
 * saved_names_clean - drop untrusted lines of saved_cmdlines
 * @names: lines "TID NAME"; sorted by thread afterwards; marked as failed if memory ran out
 *
 * A thread can set a name with a newline, such as "x\n1 init". The kernel prints it unescaped, so
 * that it looks like another thread's line. If a thread has two lines, both are dropped. Callers
 * look up running threads in procfs first.
 */
void saved_names_clean(struct buffer *names);

/** thread_name_append - append a thread's name to a line, with '?' for control characters */
void thread_name_append(struct buffer *out, struct text name);

#endif
