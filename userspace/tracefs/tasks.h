/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and processes of threads, running or ended; a part of tracefs.h. */
#ifndef TRACEFS_TASKS_H
#define TRACEFS_TASKS_H

#include "base/base.h"
#include "event/event.h"

/**
 * struct saved_tasks - files in which the kernel saves names and processes of ended threads
 * @names_fd: lines of "TID NAME"; -1 if the kernel has no such file
 * @groups_fd: lines of "TID TGID"; likewise
 * @is_nested: procfs has other numbers than the kernel's records
 */
struct saved_tasks {
	int names_fd;
	int groups_fd;
	bool is_nested;
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
