// SPDX-License-Identifier: GPL-2.0-only
/* Names of system calls, and limits of a process to some of them, by libseccomp. */
#include "event/syscalls.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>

/* This bit of a number, and not a property of the thread, selects x32. */
#define X32_BIT 0x40000000

/** struct machine_row - a machine, and the ABI of its 32-bit programs */
struct machine_row {
	/* of its name, for names that libseccomp does not have; NULL for none */
	const char *pattern;
	uint32_t architecture;
	uint32_t narrow;
};

static const struct machine_row machine_rows[] = {
	{ NULL, SCMP_ARCH_X86_64, SCMP_ARCH_X86 },
	{ NULL, SCMP_ARCH_AARCH64, SCMP_ARCH_ARM },
	{ "i[3-6]86", SCMP_ARCH_X86, 0 },
	{ "armv*", SCMP_ARCH_ARM, 0 },
};

#define NR_ROWS (sizeof(machine_rows) / sizeof(machine_rows[0]))

static void execs_find(struct syscalls *syscalls, bool is_narrow, uint32_t architecture)
{
	static const char *const names[] = {
		[SYSCALL_EXECVE] = "execve", [SYSCALL_EXECVEAT] = "execveat"
	};

	for (int i = 0; i < SYSCALL_EXEC_COUNT; i++) {
		int number = seccomp_syscall_resolve_name_arch(architecture, names[i]);

		syscalls->execs[is_narrow][i] = number < 0 ? -1 : number;
		if (number >= 0)
			syscalls->may_execute[number & SYSCALLS_EXEC_MASK] = true;
	}
}

struct syscalls *syscalls_new(const char *machine)
{
	struct syscalls *syscalls = calloc(1, sizeof(*syscalls));
	uint32_t architecture;

	if (!syscalls)
		return NULL;
	architecture = machine ? seccomp_arch_resolve_name(machine) : seccomp_arch_native();
	for (size_t i = 0; i < NR_ROWS && architecture == 0; i++) {
		if (machine_rows[i].pattern && fnmatch(machine_rows[i].pattern, machine, 0) == 0)
			architecture = machine_rows[i].architecture;
	}
	syscalls->own.architecture = architecture;
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (machine_rows[i].architecture == architecture)
			syscalls->narrow_architecture = machine_rows[i].narrow;
	}
	syscalls->has_x32 = architecture == SCMP_ARCH_X86_64;
	/* Only x86 shows the new program's ABI at the end of the call. */
	if (syscalls->has_x32) {
		execs_find(syscalls, false, architecture);
		execs_find(syscalls, true, syscalls->narrow_architecture);
	}
	return syscalls;
}

static void syscall_table_release(struct syscall_table *table)
{
	for (size_t i = 0; table && i < SYSCALLS_CACHE_SIZE; i++)
		free((char *)table->names[i].data);
}

void syscalls_free(struct syscalls *syscalls)
{
	if (!syscalls)
		return;
	syscall_table_release(&syscalls->own);
	syscall_table_release(syscalls->narrow);
	syscall_table_release(syscalls->x32);
	free(syscalls->narrow);
	free(syscalls->x32);
	thread_set_release(&syscalls->narrow_threads);
	thread_set_release(&syscalls->executing);
	free(syscalls);
}

int syscall_number(const char *name)
{
	int number = seccomp_syscall_resolve_name(name);

	return number < 0 ? -1 : number;
}

/* Returns an allocated text, without data if memory ran out. */
static out_of_line struct text syscall_make_name(uint32_t architecture, int number)
{
	char *name = architecture ? seccomp_syscall_resolve_num_arch(architecture, number) : NULL;

	if (!name && asprintf(&name, "syscall_%d", number) < 0)
		return (struct text){ 0 };
	return text_of(name);
}

static struct text name_find(struct syscalls *syscalls, struct syscall_table *table, int64_t number)
{
	if (likely(number >= 0 && number < SYSCALLS_CACHE_SIZE && table)) {
		struct text *name = &table->names[number];

		if (unlikely(!name->data))
			*name = syscall_make_name(table->architecture, number);
		if (likely(name->data))
			return *name;
	}
	snprintf(syscalls->other, sizeof(syscalls->other), "syscall_%" PRId64, number);
	return text_of(syscalls->other);
}

static struct text name_other(struct syscalls *syscalls, int64_t number)
{
	uint32_t architecture = syscalls->narrow_architecture;
	struct syscall_table **table = &syscalls->narrow;

	if (!syscalls->is_narrow) {
		architecture = SCMP_ARCH_X32;
		table = &syscalls->x32;
		number -= X32_BIT;
	}
	syscalls->abi = text_of(architecture == SCMP_ARCH_X86	? "i386"
				: architecture == SCMP_ARCH_X32 ? "x32"
								: "arm");
	syscalls->has_abis = true;
	if (!*table)
		*table = calloc(1, sizeof(**table));
	if (*table)
		(*table)->architecture = architecture;
	return name_find(syscalls, *table, number);
}

struct text syscalls_find_name(struct syscalls *syscalls, int64_t number)
{
	bool is_x32 = syscalls->has_x32 && number >= X32_BIT &&
		      number < X32_BIT + SYSCALLS_CACHE_SIZE;

	if (unlikely(syscalls->is_narrow || is_x32))
		return name_other(syscalls, number);
	syscalls->abi = (struct text){ 0 };
	return name_find(syscalls, &syscalls->own, number);
}

/* Finds the threads that run 32-bit programs. */

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

/* Limits the system calls of a process. */

bool system_calls_limit(const int *calls, size_t nr_calls)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	bool is_filtered = filter;

	for (size_t i = 0; i < nr_calls && is_filtered; i++)
		is_filtered = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
	is_filtered = is_filtered && seccomp_load(filter) == 0;
	if (filter)
		seccomp_release(filter);
	return is_filtered;
}
