/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of system calls by their numbers. */
#ifndef EVENT_SYSCALLS_H
#define EVENT_SYSCALLS_H

#include "base/base.h"

struct syscalls;

/**
 * syscalls_new - names of one machine's system calls
 * @machine: as uname(2) names it: "x86_64", "aarch64", ...; NULL for this machine
 *
 * Of an unknown machine all names are "syscall_N". Returns NULL if memory ran out.
 */
struct syscalls *syscalls_new(const char *machine);

/** syscalls_free - free the names; NULL is fine */
void syscalls_free(struct syscalls *syscalls);

/**
 * syscalls_name - the name of a system call, "syscall_N" if it is unknown
 * @number: in the 64-bit ABI; -1 is a call that was skipped
 *
 * The name is valid until syscalls_free() if @number is at least 0 and below SYSCALLS_CACHE_SIZE,
 * otherwise until the next call.
 */
struct text syscalls_name(struct syscalls *syscalls, int64_t number);

/** SYSCALLS_CACHE_SIZE - limit of the numbers whose names are kept; all real ones are below it */
#define SYSCALLS_CACHE_SIZE 8192

#endif
