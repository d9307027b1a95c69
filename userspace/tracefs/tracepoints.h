/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracefs mount, its tracepoints and their files; a part of tracefs.h. */
#ifndef TRACEFS_TRACEPOINTS_H
#define TRACEFS_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/base.h"

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

/**
 * struct tracepoint - a tracepoint of the running kernel, or of a recording
 * @system: behind PROGRAM_PREFIX if it is an event of a program
 * @format: content of its format file; borrowed for the visit
 */
struct tracepoint {
	const char *system;
	const char *name;
	struct text format;
};

/**
 * struct tracepoint_visitor - visits tracepoints
 * @wants_system: whether to read the names of a system; NULL reads all
 * @wants: whether to read the format; NULL reads all
 * @visit: returns 0 to continue, any other value to stop, -1 with @error
 */
struct tracepoint_visitor {
	void *context;
	bool (*wants_system)(void *context, const char *system);
	bool (*wants)(void *context, const char *system, const char *name);
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

#endif
