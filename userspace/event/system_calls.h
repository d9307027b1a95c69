/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits the system calls of a process that reads what others wrote. */
#ifndef EVENT_SYSTEM_CALLS_H
#define EVENT_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * system_calls_limit - let all other system calls of this process fail with ENOSYS
 * @calls: numbers of this architecture
 *
 * Returns false if the kernel cannot filter system calls.
 */
bool system_calls_limit(const int *calls, size_t nr_calls);

#endif
