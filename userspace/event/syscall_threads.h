/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the threads that run 32-bit programs. On x86, the call that executes a program ends with
 * the number that execve(2) has in the ABI of the new program, whatever number it began with:
 * 59 to 11 is a 64-bit program that executes a 32-bit one. New threads inherit it.
 */
#ifndef EVENT_SYSCALL_THREADS_H
#define EVENT_SYSCALL_THREADS_H

#include "event/task.h"
#include "event/syscalls.h"

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

#endif
