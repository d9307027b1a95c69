/* SPDX-License-Identifier: GPL-2.0-only */
/* State of an instance that ktrack created, and of its sideband instance. */
#ifndef TRACEFS_INSTANCE_STATE_H
#define TRACEFS_INSTANCE_STATE_H

#include "tracefs/changes.h"
#include "tracefs/enabled.h"
#include "tracefs/stack_trigger.h"
#include "tracefs/tracefs.h"

/** INSTANCE_NAME_SIZE - fits any name of an instance of ktrack */
#define INSTANCE_NAME_SIZE 64

/**
 * struct instance - an instance
 * @handle: for libtracefs
 * @control: of an instance that ktrack created
 * @is_attached: another owner set it up; it is not changed
 * @clock: the trace clock of its records; borrowed
 * @lock_fd: its lock shows that the instance has an owner
 * @sideband: its sideband instance, NULL for none
 * @stacks: triggers of kernel stacks
 * @traces_functions: it has the tracer function_graph
 * @has_markers: texts of its trace_marker are exported
 * @overwrites: a full buffer overwrites its oldest records
 * @limits_cpus: it does not record all CPUs
 * @own_tid: the kernel's number of this process, 0 if it is unknown
 * @marker_fd: its trace_marker, if it has @stacks; otherwise -1
 * @enabled_lock: LOCK_SH or LOCK_EX, for enabled_add()
 */
struct instance {
	struct tracefs_instance *handle;
	char *directory;
	struct control control;
	bool is_attached;
	const char *clock;
	int lock_fd;
	struct instance *sideband;
	uint64_t buffer_kib;
	struct stack_trigger *stacks;
	size_t nr_stacks;
	bool traces_functions;
	bool has_markers;
	bool overwrites;
	bool limits_cpus;
	int own_tid;
	int marker_fd;
	int enabled_lock;
	struct enabled_list enabled;
	struct changes *changes;
};

/**
 * instance_open_named - as instance_create(), without a sideband instance
 * @name: NULL for a name made from the process id
 */
int instance_open_named(struct instance **out, const char *name,
			const struct instance_settings *settings, struct error *error);

/** instance_close_stacks - close the files of stacks, which keep the kernel from removing the instance
 */
void instance_close_stacks(struct instance *instance);

/** sideband_exists - whether the instance @name has a sideband instance, even if it is gone itself
 */
bool sideband_exists(const char *name);

/**
 * sideband_open - create the sideband instance of @name, with its tracepoints enabled
 * @of: settings of that instance, whose clock is shared
 * @out: NULL if the kernel has none of them
 *
 * Returns -1 with @error.
 */
int sideband_open(struct instance **out, const char *name,
		  const struct instance_settings *of, struct error *error);

#endif
