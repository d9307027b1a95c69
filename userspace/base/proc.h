/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Processes and threads that run, by /proc, and what it says of this process's namespaces: numbers
 * of processes, or clocks, may not be those of the kernel's records.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>

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

/**
 * namespace_has_kernel_pids - whether numbers of processes, also those in /proc, are the kernel's
 *
 * In a PID namespace, a process has a number of its own. Records have the first namespace's.
 */
bool namespace_has_kernel_pids(void);

/** namespace_check_clocks - returns -1 with @error if a time namespace shifts the clocks */
int namespace_check_clocks(struct error *error);

#endif
