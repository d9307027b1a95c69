// SPDX-License-Identifier: GPL-2.0-only
/* Finds the threads that run 32-bit programs. */
#include "event/syscall_threads.h"

void syscalls_add_narrow(struct syscalls *syscalls, const char *threads)
{
	if (syscalls->narrow_architecture)
		thread_set_add_list(&syscalls->narrow_threads, threads);
}

static void execution_forget(struct syscalls *syscalls, int tid)
{
	syscalls->nr_executing -= thread_set_remove(&syscalls->executing, tid);
}

static void narrow_copy(struct syscalls *syscalls, int from, int to)
{
	if (thread_set_has(&syscalls->narrow_threads, from))
		thread_set_add(&syscalls->narrow_threads, to);
	else
		thread_set_remove(&syscalls->narrow_threads, to);
}

void syscalls_learn(struct syscalls *syscalls, const struct task_change *change)
{
	if (change->kind == TASK_CHANGE_BORN) {
		narrow_copy(syscalls, change->parent_tid, change->tid);
		execution_forget(syscalls, change->tid);
	} else if (change->kind == TASK_CHANGE_TOOK_OVER) {
		narrow_copy(syscalls, change->old_tid, change->tid);
		if (thread_set_remove(&syscalls->executing, change->old_tid))
			syscalls->nr_executing -= !thread_set_add(&syscalls->executing,
								  change->tid);
	} else if (change->kind == TASK_CHANGE_GONE) {
		thread_set_remove(&syscalls->narrow_threads, change->tid);
		execution_forget(syscalls, change->tid);
	}
}

void syscalls_begin_exec(struct syscalls *syscalls, int tid, int64_t number)
{
	const int64_t *execs = syscalls->execs[thread_set_has(&syscalls->narrow_threads, tid)];

	if (number == execs[SYSCALL_EXECVE] || number == execs[SYSCALL_EXECVEAT])
		syscalls->nr_executing += thread_set_add(&syscalls->executing, tid);
}

void syscalls_end_exec(struct syscalls *syscalls, int tid, int64_t number, int64_t result)
{
	if (!thread_set_remove(&syscalls->executing, tid))
		return;
	syscalls->nr_executing--;
	if (result == 0 && number == syscalls->execs[true][SYSCALL_EXECVE])
		thread_set_add(&syscalls->narrow_threads, tid);
	else if (result == 0)
		thread_set_remove(&syscalls->narrow_threads, tid);
}
