/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What /proc says of this process's namespaces: numbers of processes, or clocks, may not be those
 * of the kernel's records.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>

#include "base/error.h"

/**
 * namespace_has_kernel_pids - whether numbers of processes, also those in /proc, are the kernel's
 *
 * In a PID namespace, a process has a number of its own. Records have the first namespace's.
 */
bool namespace_has_kernel_pids(void);

/** namespace_check_clocks - returns -1 with @error if a time namespace shifts the clocks */
int namespace_check_clocks(struct error *error);

#endif
