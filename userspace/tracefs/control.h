/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that control an instance. They are opened while it is set up, so that no privilege is
 * needed later.
 */
#ifndef TRACEFS_CONTROL_H
#define TRACEFS_CONTROL_H

#include <stdbool.h>

#include "base/base.h"

/**
 * struct control - descriptors, -1 if not open
 * @directory: of the instance
 * @writes: receives a line for each write to the instance's files, NULL for none
 * @instances_fd: its parent directory
 * @events_fd: the directory of its tracepoints
 * @switch_fd: its tracing_on
 * @clock_fd: its trace_clock
 * @copy_fd: its options/copy_trace_marker, which the kernel has since Linux 6.16
 */
struct control {
	const char *directory;
	const struct report *writes;
	int instances_fd;
	int events_fd;
	int switch_fd;
	int clock_fd;
	int copy_fd;
};

/** CONTROL_NONE - initializer without open files */
#define CONTROL_NONE                                                                  \
	{                                                                             \
		.instances_fd = -1, .events_fd = -1, .switch_fd = -1, .clock_fd = -1, \
		.copy_fd = -1                                                         \
	}

/**
 * control_open - open all files
 * @directory: of the instance; outlives the control
 *
 * Returns 0, or -1 with @error; control_close() is needed in any case.
 */
int control_open(struct control *control, const char *directory, struct error *error);

/** control_report_write - report that @value was written to a file of the instance */
void control_report_write(const struct control *control, const char *file, const char *value);

/** control_report_event_write - the same for a file of a tracepoint */
void control_report_event_write(const struct control *control, const char *system,
				const char *event, const char *file, const char *value);

/**
 * control_switch - switch recording on or off
 *
 * While an instance that is off, or full, gets copies of texts of the top level's trace_marker, the
 * kernel fails the writes of all programs, and other instances get no copy: copies end first.
 * Returns -1 with @error.
 */
int control_switch(const struct control *control, bool is_on, struct error *error);

/** control_can_copy - whether the kernel can copy texts of the top level's trace_marker */
bool control_can_copy(const struct control *control);

/**
 * control_copy - let the kernel copy these texts to an instance that is on; returns -1 with @error
 */
int control_copy(const struct control *control, struct error *error);

/**
 * control_release - close all files except the parent directory, since the others keep the kernel
 * from removing the instance
 */
void control_release(struct control *control);

/** control_remove - remove the instance; returns -1 with errno */
int control_remove(const struct control *control);

void control_close(struct control *control);

/**
 * control_open_event - open a file of a tracepoint
 * @flags: as for open(2)
 *
 * Returns a descriptor, or -1 with errno.
 */
int control_open_event(const struct control *control, const char *system, const char *event,
		       const char *file, int flags);

/**
 * control_translate_filter - what the kernel gets of a filter, see event_filter_translate()
 * @out: receives @filter itself if that fails, as the kernel may know more
 * @problem: the reason, which also explains a refusal of the kernel
 */
void control_translate_filter(const struct control *control, const char *system, const char *event,
			      const char *filter, struct buffer *out, struct error *problem);

#endif
