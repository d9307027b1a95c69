// SPDX-License-Identifier: GPL-2.0-only
/* Tests: sets of threads, and which threads run 32-bit programs. */
#include "event/syscalls.h"
#include "event/task.h"

#include "fixtures/tap.h"

static void check_list(const struct thread_set *set, const char *want)
{
	SCOPED_BUFFER(list);

	thread_set_append(set, &list);
	CHECK_TEXT(buffer_string(&list), want);
}

TEST(a_set_has_threads_until_they_are_removed)
{
	SCOPED(thread_set) set = { 0 };

	CHECK(!thread_set_has(&set, 7) && !thread_set_remove(&set, 7));
	check_list(&set, "");
	CHECK(thread_set_add(&set, 7) && !thread_set_add(&set, 7));
	CHECK(thread_set_add(&set, THREAD_SET_MAX - 1));
	CHECK(!thread_set_add(&set, 0) && !thread_set_add(&set, -1));
	CHECK(!thread_set_add(&set, THREAD_SET_MAX));
	thread_set_add_list(&set, "8,9,x,,4194304,10");
	check_list(&set, "7,8,9,10,4194303");
	CHECK(thread_set_remove(&set, 7) && !thread_set_remove(&set, 7));
	check_list(&set, "8,9,10,4194303");
}

static void check_call(struct syscalls *syscalls, int tid, int64_t number, const char *want,
		       const char *want_abi)
{
	struct text name;
	SCOPED_BUFFER(got);

	syscalls_begin(syscalls, tid, number);
	syscalls_choose(syscalls, tid);
	name = syscalls_name(syscalls, number);
	buffer_append(&got, name.data, name.size);
	CHECK_TEXT(buffer_string(&got), want);
	buffer_clear(&got);
	buffer_append(&got, syscalls->abi.data, syscalls->abi.size);
	CHECK_TEXT(buffer_string(&got), want_abi);
}

TEST(the_end_of_execve_shows_the_kind_of_program)
{
	struct syscalls *syscalls = syscalls_new("x86_64");

	check_call(syscalls, 7, 59, "execve", "");
	syscalls_end(syscalls, 7, 11, 0);
	check_call(syscalls, 7, 20, "getpid", "i386");
	syscalls_end(syscalls, 7, 20, 7);
	check_call(syscalls, 8, 20, "writev", "");
	/* A call of the same number by the other ABI is none that executes a program. */
	check_call(syscalls, 7, 59, "oldolduname", "i386");
	syscalls_end(syscalls, 7, 59, 0);
	check_call(syscalls, 7, 4, "write", "i386");
	check_call(syscalls, 7, 358, "execveat", "i386");
	syscalls_end(syscalls, 7, 59, 0);
	check_call(syscalls, 7, 4, "stat", "");
	CHECK_NUMBER(syscalls->nr_executing, 0);
	syscalls_free(syscalls);
}

TEST(a_failed_execve_changes_nothing)
{
	struct syscalls *syscalls = syscalls_new("x86_64");

	check_call(syscalls, 7, 59, "execve", "");
	syscalls_end(syscalls, 7, 11, -2);
	check_call(syscalls, 7, 11, "munmap", "");
	syscalls_end(syscalls, 7, 11, 0);
	check_call(syscalls, 7, 11, "munmap", "");
	CHECK_NUMBER(syscalls->nr_executing, 0);
	syscalls_free(syscalls);
}

static void learn(struct syscalls *syscalls, enum task_change_kind kind, int tid, int other)
{
	const struct task_change change = { .kind = kind,
					    .tid = tid,
					    .parent_tid = other,
					    .old_tid = other };

	syscalls_learn(syscalls, &change);
}

TEST(threads_inherit_the_kind_of_program)
{
	struct syscalls *syscalls = syscalls_new("x86_64");

	syscalls_add_narrow(syscalls, "7,9");
	learn(syscalls, TASK_CHANGE_BORN, 8, 7);
	learn(syscalls, TASK_CHANGE_BORN, 9, 1);
	check_call(syscalls, 8, 20, "getpid", "i386");
	check_call(syscalls, 9, 20, "writev", "");
	learn(syscalls, TASK_CHANGE_GONE, 8, 0);
	check_call(syscalls, 8, 20, "writev", "");
	syscalls_free(syscalls);
}

TEST(a_thread_that_executes_a_program_gets_another_number)
{
	struct syscalls *syscalls = syscalls_new("x86_64");

	check_call(syscalls, 8, 59, "execve", "");
	learn(syscalls, TASK_CHANGE_TOOK_OVER, 7, 8);
	syscalls_end(syscalls, 7, 11, 0);
	check_call(syscalls, 7, 20, "getpid", "i386");
	check_call(syscalls, 8, 59, "execve", "");
	learn(syscalls, TASK_CHANGE_GONE, 8, 0);
	CHECK_NUMBER(syscalls->nr_executing, 0);
	syscalls_free(syscalls);
}

TEST(machines_without_such_programs_have_no_such_threads)
{
	struct syscalls *syscalls = syscalls_new("riscv64");

	syscalls_add_narrow(syscalls, "7");
	check_call(syscalls, 7, 64, "write", "");
	syscalls_free(syscalls);
	syscalls = syscalls_new("aarch64");
	syscalls_add_narrow(syscalls, "7");
	check_call(syscalls, 7, 20, "getpid", "arm");
	check_call(syscalls, 8, 221, "execve", "");
	CHECK_NUMBER(syscalls->nr_executing, 0);
	syscalls_free(syscalls);
}
