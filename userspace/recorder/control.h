/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What controls an instance that exists: opened while it is set up, so that later nothing needs the
 * right to go there.
 */
#ifndef RECORDER_CONTROL_H
#define RECORDER_CONTROL_H

#include <stdbool.h>

#include "base/base.h"

/**
 * struct control - descriptors; -1 where they are not open
 * @directory: the instance's
 * @instances_fd: the directory that it is in
 * @events_fd: that of its tracepoints
 * @switch_fd: its tracing_on
 * @clock_fd: its trace_clock
 */
struct control {
	const char *directory;
	int instances_fd;
	int events_fd;
	int switch_fd;
	int clock_fd;
};

/** CONTROL_NONE - of no instance */
#define CONTROL_NONE                                                                 \
	{                                                                            \
		.instances_fd = -1, .events_fd = -1, .switch_fd = -1, .clock_fd = -1 \
	}

/**
 * control_open - open all of it
 * @directory: lives as long as the control does
 *
 * Returns 0, or -1 with @error; control_close() is needed in any case.
 */
int control_open(struct control *control, const char *directory, struct error *error);

/** control_switch - let the instance record, or not; returns -1 with @error */
int control_switch(const struct control *control, bool is_on, struct error *error);

/** control_let_go - keep nothing but what it takes to remove the instance, which the rest prevents
 */
void control_let_go(struct control *control);

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

#endif
