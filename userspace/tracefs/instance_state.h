/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private header of tracefs/: control files, enabled events, what to undo, and the state of an
 * instance.
 */
#ifndef TRACEFS_INSTANCE_STATE_H
#define TRACEFS_INSTANCE_STATE_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/base.h"
#include "tracefs/tracefs.h"

/* Calls for control files, repeated if a signal interrupts them. The kernel takes each text whole.
 */

static inline ssize_t retry_write(int fd, const char *text, size_t size)
{
	return TEMP_FAILURE_RETRY(write(fd, text, size));
}

/* From the beginning of the file. */
static inline ssize_t retry_pwrite(int fd, const char *text, size_t size)
{
	return TEMP_FAILURE_RETRY(pwrite(fd, text, size, 0));
}

static inline ssize_t retry_pread(int fd, char *out, size_t size)
{
	return TEMP_FAILURE_RETRY(pread(fd, out, size, 0));
}

/*
 * Files that control an instance. They are opened while it is set up, so that no privilege is
 * needed later.
 */

/** struct control - descriptors, -1 if not open */
struct control {
	const char *directory; /* of the instance */
	/* receives a line for each write to the instance's files, NULL for none */
	const struct report *writes;
	int instances_fd; /* its parent directory */
	int events_fd;	  /* the directory of its tracepoints */
	int switch_fd;	  /* its tracing_on */
	int clock_fd;	  /* its trace_clock */
	int copy_fd;	  /* its options/copy_trace_marker, which the kernel has since Linux 6.16 */
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
 * control_open_event - open a file of a tracepoint; returns a descriptor, or -1 with errno
 * @flags: as for open(2)
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

/* Whether the kernel is locked down, so that nobody may trace. */

/** LOCKDOWN_PATH - where securityfs has it */
#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"

/**
 * lockdown_forbids_tracing - whether a text as in LOCKDOWN_PATH, "none integrity
 * [confidentiality]", names the level that closes tracefs
 */
bool lockdown_forbids_tracing(struct text levels);

/**
 * lockdown_check - explain why tracefs in @directory cannot be used
 *
 * Returns 0, or -1 with @error if its files cannot be opened and the kernel is locked down.
 */
int lockdown_check(const char *directory, struct error *error);

/* The tracepoints that an instance records, and their state. */

/** struct enabled - a tracepoint */
struct enabled {
	char *system;
	char *event;
	unsigned int id; /* of its records; 0 until enabled_has_id() needs it */
	/*
	 * its enable file. It becomes unreadable when the module is unloaded, which distinguishes
	 * the tracepoint from a later one of the same name
	 */
	int fd;
	enum event_state state;
};

/** struct enabled_list - those of an instance; zeroed it is empty */
struct enabled_list {
	struct enabled *list;
	size_t size;
};

/**
 * enabled_add - enable a tracepoint and add it to the list; returns -1 with @error
 * @control: the instance's
 * @lock: LOCK_SH or LOCK_EX, for flock(2) on the enable file, until it is released: the lock
 * shows 'ktrack release' that its records are still unread
 */
int enabled_add(struct enabled_list *list, const struct control *control, const char *system,
		const char *event, int lock, struct error *error);

/**
 * enabled_disable_all - disable all tracepoints and empty the list; unloaded tracepoints are
 * skipped
 */
void enabled_disable_all(struct enabled_list *list, const struct control *control);

/**
 * enabled_look_all, enabled_release_all, enabled_has, enabled_has_id, enabled_recorded - implement
 * instance_look(), instance_release_events(), instance_has_event(), instance_sideband_has_id() and
 * instance_count_events()
 */
int enabled_look_all(struct enabled_list *list, enum instance_kind instance,
		     const struct instance_observer *observer, struct error *error);
void enabled_release_all(struct enabled_list *list);
bool enabled_has(const struct enabled_list *list, const char *system, const char *event);
bool enabled_has_id(struct enabled_list *list, const struct control *control, unsigned int id);
size_t enabled_recorded(const struct enabled_list *list);

/** enabled_release - empty the list without disabling tracepoints */
void enabled_release(struct enabled_list *list);

/* Notices what other programs write to an instance and its companions. */

struct changes;

/**
 * changes_open - watch the files of an instance from now on; returns -1 with @error
 * @out: for changes_close(); NULL on failure
 */
int changes_open(struct changes **out, const struct instance *instance, struct error *error);

/** changes_fd - becomes readable when something was written */
int changes_fd(const struct changes *changes);

/**
 * changes_take - everything that was written since the last call
 * @out: its file lives in @changes until the next call
 *
 * Returns whether it affects recorded data.
 */
bool changes_take(struct changes *changes, struct instance_change *out);

/** changes_close - stop watching; NULL is fine */
void changes_close(struct changes *changes);

/*
 * Triggers that record kernel stacks. The kernel counts the stacks of a trigger down and stops at
 * zero; the count is set again once in a while, which limits the rate.
 */

/** struct stack_trigger - the trigger of a tracepoint */
struct stack_trigger {
	int fd;	    /* of its trigger file */
	char *text; /* what is written to it */
	/* most stacks between two calls of stack_trigger_refill(); 0 for no limit */
	uint64_t limit;
};

/**
 * stack_trigger_set - set the trigger of a tracepoint; returns -1 with @error
 * @filter: only for records that match; NULL for all
 * @out: for stack_trigger_close(), also on failure
 */
int stack_trigger_set(struct stack_trigger *out, const struct control *control, const char *system,
		      const char *event, const char *filter, uint64_t limit, struct error *error);

/**
 * stack_trigger_refill - set the count again if less than half of it is left
 *
 * Returns whether nothing was left, so that stacks may be missing.
 */
bool stack_trigger_refill(const struct stack_trigger *trigger);

void stack_trigger_close(struct stack_trigger *trigger);

/* State of an instance that ktrack created, and of its companions. */

/** INSTANCE_NAME_SIZE - fits any name of an instance of ktrack */
#define INSTANCE_NAME_SIZE 64

/** struct instance - an instance */
struct instance {
	struct tracefs_instance *handle; /* for libtracefs */
	char *directory;
	struct control control; /* of an instance that ktrack created */
	bool is_attached;	/* another owner set it up; it is not changed */
	const char *clock;	/* the trace clock of its records; borrowed */
	int lock_fd;		/* its lock shows that the instance has an owner */
	enum instance_kind kind;
	struct instance *next; /* the next companion, NULL for none; in the order of their kinds */
	uint64_t buffer_kib;
	struct stack_trigger *stacks; /* triggers of kernel stacks */
	size_t nr_stacks;
	bool traces_functions; /* it has the tracer function_graph */
	bool has_markers;      /* texts of its trace_marker are exported */
	bool overwrites;       /* a full buffer overwrites its oldest records */
	bool limits_cpus;      /* it does not record all CPUs */
	int own_tid;	       /* the kernel's number of this process, 0 if it is unknown */
	int marker_fd;	       /* its trace_marker, if it has @stacks; otherwise -1 */
	int enabled_lock;      /* LOCK_SH or LOCK_EX, for enabled_add() */
	struct enabled_list enabled;
	struct changes *changes;
};

#endif
