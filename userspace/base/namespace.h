/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Namespaces in which numbers of processes, or clocks, are not those of the kernel's records. */
#ifndef BASE_NAMESPACE_H
#define BASE_NAMESPACE_H

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
