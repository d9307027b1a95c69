/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of system calls by their numbers. A 32-bit program has another table of numbers, and the
 * record of a call does not show which: syscall_threads.h finds out whose program is one.
 */
#ifndef EVENT_SYSCALLS_H
#define EVENT_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "event/task.h"

/** SYSCALLS_CACHE_SIZE - limit of the numbers whose names are kept; all real ones are below it */
#define SYSCALLS_CACHE_SIZE 8192

/** struct syscall_table - names by number */
struct syscall_table {
	uint32_t architecture; /* libseccomp's number of the ABI, 0 if it has none */
	struct text names[SYSCALLS_CACHE_SIZE]; /* allocated when they are needed */
};

/** enum syscall_exec - the calls that execute a program */
enum syscall_exec {
	SYSCALL_EXECVE,
	SYSCALL_EXECVEAT,
	SYSCALL_EXEC_COUNT,
};

/** SYSCALLS_EXEC_MASK - bits of a number that are compared first */
#define SYSCALLS_EXEC_MASK 1023

/** struct syscalls - names of one machine's system calls; its members are private */
struct syscalls {
	struct syscall_table own;     /* of programs of the machine's word size */
	struct syscall_table *narrow; /* of 32-bit programs; NULL until one is known */
	/* of numbers with the bit of this ABI; NULL until there is one */
	struct syscall_table *x32;
	uint32_t narrow_architecture; /* 0 if the machine runs no 32-bit programs */
	bool has_x32;		      /* numbers may have the bit of x32 */
	/* numbers of programs of both sizes, -1 for none; of own programs at first */
	int64_t execs[2][SYSCALL_EXEC_COUNT];
	/* for numbers in SYSCALLS_EXEC_MASK: whether one of @execs has these bits */
	bool may_execute[SYSCALLS_EXEC_MASK + 1];
	struct thread_set narrow_threads; /* they run 32-bit programs */
	struct thread_set executing;	  /* threads in one of @execs; at most @nr_executing */
	size_t nr_executing;
	bool is_narrow;	 /* names are those of a 32-bit program's calls */
	struct text abi; /* of the last name, empty for that of own programs */
	bool has_abis;	 /* an ABI was not empty */
	char other[32];	 /* the name of a number without a place in a table */
};

/**
 * syscalls_new - names of one machine's system calls
 * @machine: as uname(2) names it: "x86_64", "aarch64", ...; NULL for this machine
 *
 * Of an unknown machine all names are "syscall_N". Returns NULL if memory ran out.
 */
struct syscalls *syscalls_new(const char *machine);

/** syscalls_free - free the names; NULL is fine */
void syscalls_free(struct syscalls *syscalls);
/** syscalls_find_name - syscalls_name() of a call whose name was not found before */
struct text syscalls_find_name(struct syscalls *syscalls, int64_t number);
/** syscall_number - the number of a system call of this machine, -1 if there is none */
int syscall_number(const char *name);

/**
 * syscalls_name - the name of a system call, "syscall_N" if it is unknown
 * @number: in the ABI of the thread of syscalls_choose(); -1 is a call that was skipped
 *
 * Sets @syscalls->abi. The name is valid until syscalls_free() if @number is at least 0 and below
 * SYSCALLS_CACHE_SIZE, otherwise until the next call.
 */
hot_inline struct text syscalls_name(struct syscalls *syscalls, int64_t number)
{
	const struct text *names = syscalls->own.names;

	if (unlikely(syscalls->is_narrow || (uint64_t)number >= SYSCALLS_CACHE_SIZE ||
		     !names[number].data))
		return syscalls_find_name(syscalls, number);
	syscalls->abi.size = 0;
	return names[number];
}

/** syscalls_add_narrow - these threads run 32-bit programs: "1,2,3" */
void syscalls_add_narrow(struct syscalls *syscalls, const char *threads);
/** syscalls_learn - a thread is new, has another number or ended */
void syscalls_learn(struct syscalls *syscalls, const struct task_change *change);
/** syscalls_begin_exec - a thread begins a call that may execute a program */
void syscalls_begin_exec(struct syscalls *syscalls, int tid, int64_t number);
/** syscalls_end_exec - a thread ends a call, and may have executed a program */
void syscalls_end_exec(struct syscalls *syscalls, int tid, int64_t number, int64_t result);

/** syscalls_have_threads - whether any thread runs a 32-bit program, or may execute one */
hot_inline bool syscalls_have_threads(const struct syscalls *syscalls)
{
	return syscalls->narrow_threads.bits || syscalls->nr_executing > 0;
}

/** syscalls_choose - the next names are those of calls of a thread */
hot_inline void syscalls_choose(struct syscalls *syscalls, int tid)
{
	syscalls->is_narrow = thread_set_has(&syscalls->narrow_threads, tid);
}

/** syscalls_may_execute - whether a call may execute a program */
hot_inline bool syscalls_may_execute(const struct syscalls *syscalls, int64_t number)
{
	return syscalls->may_execute[number & SYSCALLS_EXEC_MASK];
}

/** syscalls_begin - a thread begins a call */
hot_inline void syscalls_begin(struct syscalls *syscalls, int tid, int64_t number)
{
	if (unlikely(syscalls_may_execute(syscalls, number)))
		syscalls_begin_exec(syscalls, tid, number);
}

/** syscalls_end - a thread ends a call */
hot_inline void syscalls_end(struct syscalls *syscalls, int tid, int64_t number, int64_t result)
{
	if (unlikely(syscalls->nr_executing > 0))
		syscalls_end_exec(syscalls, tid, number, result);
}

/* Limits the system calls of a process that reads what others wrote. */

/** system_calls_limit - let other system calls fail with ENOSYS; false without seccomp */
bool system_calls_limit(const int *calls, size_t nr_calls);

#endif
