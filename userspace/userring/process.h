/* SPDX-License-Identifier: GPL-2.0-only */
/* What procfs reports of a process. */
#ifndef USERRING_PROCESS_H
#define USERRING_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

/** PROCESS_UNKNOWN - the process exists, but its start cannot be read */
#define PROCESS_UNKNOWN UINT64_MAX

/** ANCESTORS_MAX - how many ancestors of a process are looked at */
#define ANCESTORS_MAX 4096

/**
 * process_started - when a process started, in clock ticks since boot
 *
 * Returns 0 if there is none, or PROCESS_UNKNOWN with errno.
 */
uint64_t process_started(int pid);

/**
 * process_descends - whether a process is @ancestor or a descendant of it
 * @nr_max: how many parents are read: processes that end meanwhile may make a circle
 */
bool process_descends(int pid, int ancestor, unsigned int nr_max);

/** process_path - the path of its file, "" if that is unknown */
void process_path(int pid, char *out, size_t size);

/** process_comm - its name, "" if that is unknown */
void process_comm(int pid, char *out, size_t size);

/** process_is_sleeping - whether a process waits or is stopped, rather than runs or could run */
bool process_is_sleeping(int pid);

/**
 * process_family_is_sleeping - the same of a process and its children
 *
 * Its children are those of its first thread. On kernels that do not list them, it is the process
 * alone.
 */
bool process_family_is_sleeping(int pid);

/** struct process_ids - numbers of a process or thread
 * @inner: in its own PID namespace
 * @is_nested: that is not the namespace of this process
 */
struct process_ids {
	int inner;
	bool is_nested;
};

/** process_ids_read - the numbers of a process; @pid itself if procfs has no others */
struct process_ids process_ids_read(int pid);

/** USER_UNKNOWN - the user of processes that have ended; they have one together */
#define USER_UNKNOWN ((uid_t)-1)

/** process_effective_user - the effective user of a process; USER_UNKNOWN if there is none */
uid_t process_effective_user(int pid);

/**
 * process_user - the user to whom a process counts: of a user namespace, its owner
 * @user: of the process
 *
 * Returns USER_UNKNOWN if the process has ended, so that its namespace is unknown.
 */
uid_t process_user(int pid, uid_t user);

/**
 * process_find_thread - a thread of a process, by its number in the process's own namespace
 *
 * Returns its number in the namespace of this process, or 0 if there is no such thread.
 */
int process_find_thread(int pid, int inner);

/**
 * process_clock_offset - by how much CLOCK_BOOTTIME is ahead of this process's in another one
 *
 * In nanoseconds; 0 if both are in one time namespace, or if it is unknown.
 */
int64_t process_clock_offset(int pid);

/**
 * process_socket - where the program of a process announces itself
 *
 * Returns a path for free(), or NULL if memory ran out.
 */
char *process_socket(int pid);

/** struct mapping - a mapping of a memory of ktrack/user.h */
struct mapping {
	unsigned long begin;
	unsigned long end;
	unsigned long offset;
	ino_t inode;
};

/** struct mapping_visitor - receives mappings */
struct mapping_visitor {
	void *context;
	void (*visit)(void *context, const struct mapping *mapping);
};

/**
 * process_visit_mappings - visit each memory of ktrack/user.h that a process has mapped
 * @until_ns: on CLOCK_THREAD_CPUTIME_ID; a process may have very many mappings
 *
 * Returns false if they are unknown, or were not all read in time.
 */
bool process_visit_mappings(int pid, int64_t until_ns, const struct mapping_visitor *visitor);

#endif
