/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Processes and threads that run, by /proc, and what it says of this process's namespaces: numbers
 * of processes, or clocks, may not be those of the kernel's records.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

/**
 * proc_visit - visit the numbers in a folder of /proc: processes, or threads in "/proc/PID/task"
 * @visit: returns 0, or another value to visit no further ones; @folder_fd is the open folder
 *
 * What ends meanwhile may be visited or not. Returns the last value of @visit, 0 if the folder
 * cannot be read: the process may have ended.
 */
int proc_visit(const char *folder, int (*visit)(void *context, int folder_fd, int number),
	       void *context);

/** CGROUP_PATH_MAX - longer paths of cgroups are cut */
#define CGROUP_PATH_MAX 511

/**
 * cgroup_path_find - find the path of a process's cgroup
 * @text: of /proc/PID/cgroup: lines "NUMBER:CONTROLLERS:PATH"
 *
 * Returns that of cgroup v2 (number 0); of v1, if that is the root, of the controller cpu, or of
 * the first that is in another cgroup than the root; empty if there is no line.
 */
struct text cgroup_path_find(struct text text);

/** proc_cgroup_append - append the path of a running process's cgroup; false if it is unknown */
bool proc_cgroup_append(int pid, struct buffer *out);

/**
 * cgroup_limits_append - append what limits of CPU time did since another time
 * @root: the folder of the hierarchy, CGROUP_ROOT
 * @before: what this appended then, with an empty text before; NULL for none
 *
 * Appends a line "TIMES MICROSECONDS QUOTA PERIOD PATH" for each cgroup (v2) with a limit: how
 * often and for how long it was throttled, and its cpu.max. With @before these are differences, and
 * cgroups that were not throttled are left out.
 */
void cgroup_limits_append(struct buffer *out, const char *root, const struct text *before);

/** CGROUP_ROOT - where the hierarchy of cgroups is mounted */
#define CGROUP_ROOT "/sys/fs/cgroup"

/**
 * devices_append - append a line "MAJOR:MINOR NAME" for each block device
 * @folder: has a link MAJOR:MINOR for each, whose target ends with the name; DEVICES_FOLDER
 */
void devices_append(struct buffer *out, const char *folder);

/** DEVICES_FOLDER - where the kernel has block devices by number */
#define DEVICES_FOLDER "/sys/dev/block"

/**
 * namespace_has_kernel_pids - whether numbers of processes, also those in /proc, are the kernel's
 *
 * In a PID namespace, a process has a number of its own. Records have the first namespace's.
 */
bool namespace_has_kernel_pids(void);

/** namespace_check_clocks - returns -1 with @error if a time namespace shifts the clocks */
int namespace_check_clocks(struct error *error);

#endif
