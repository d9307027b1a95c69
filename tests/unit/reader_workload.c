// SPDX-License-Identifier: GPL-2.0-only
/* Tests: which threads belong to a workload. */
#include "reader/reader.h"

#include <unistd.h>

#include "fixtures/tap.h"

static struct thread_set *workload_of(int tid)
{
	struct thread_set *workload = workload_new();

	CHECK(workload && thread_set_add(workload, tid));
	return workload;
}

TEST(a_thread_is_added_once)
{
	struct thread_set *workload = workload_of(7);

	CHECK(!thread_set_add(workload, 7));
	CHECK(thread_set_has(workload, 7));
	CHECK(!thread_set_has(workload, 8));
	workload_free(workload);
}

TEST(numbers_of_no_thread_do_not_belong)
{
	struct thread_set *workload = workload_of(7);

	CHECK(!thread_set_add(workload, 0));
	CHECK(!thread_set_add(workload, -1));
	CHECK(!thread_set_add(workload, 1 << 22));
	CHECK(!thread_set_has(workload, 0));
	CHECK(!thread_set_has(workload, -1));
	CHECK(!thread_set_has(workload, INT32_MAX));
	workload_free(workload);
}

TEST(a_list_of_its_threads_makes_the_same_workload)
{
	struct thread_set *workload = workload_of(7), *copy = workload_of(12);
	SCOPED_BUFFER(list);

	thread_set_add(workload, 4194303);
	thread_set_add(workload, 40);
	thread_set_append(workload, &list);
	CHECK_TEXT(buffer_string(&list), "7,40,4194303");
	thread_set_add_list(copy, buffer_string(&list));
	CHECK(thread_set_has(copy, 7) && thread_set_has(copy, 40) && thread_set_has(copy, 4194303));
	CHECK(thread_set_has(copy, 12) && !thread_set_has(copy, 4));
	workload_free(workload);
	workload_free(copy);
}

TEST(a_damaged_list_adds_what_it_can)
{
	struct thread_set *workload = workload_of(7);

	thread_set_add_list(workload, ",,9,99999999,x,3");
	CHECK(thread_set_has(workload, 9) && thread_set_has(workload, 3));
	CHECK(!thread_set_has(workload, 99999999));
	workload_free(workload);
}

TEST(children_belong_until_they_are_gone)
{
	struct thread_set *workload = workload_of(7);

	workload_learn(workload, &(struct task_change){
					 .kind = TASK_CHANGE_BORN, .tid = 9, .parent_tid = 8 });
	CHECK(!thread_set_has(workload, 9));
	workload_learn(workload, &(struct task_change){
					 .kind = TASK_CHANGE_BORN, .tid = 9, .parent_tid = 7 });
	workload_learn(workload, &(struct task_change){
					 .kind = TASK_CHANGE_BORN, .tid = 10, .parent_tid = 9 });
	workload_learn(workload, &(struct task_change){ .kind = TASK_CHANGE_EXITED, .tid = 9 });
	CHECK(thread_set_has(workload, 9) && thread_set_has(workload, 10));
	workload_learn(workload, &(struct task_change){ .kind = TASK_CHANGE_GONE, .tid = 9 });
	CHECK(!thread_set_has(workload, 9) && thread_set_has(workload, 10));
	workload_free(workload);
}

TEST(a_thread_that_takes_over_a_number_keeps_belonging)
{
	struct thread_set *workload = workload_of(7);

	workload_learn(workload, &(struct task_change){
					 .kind = TASK_CHANGE_TOOK_OVER, .tid = 5, .old_tid = 7 });
	CHECK(thread_set_has(workload, 5));
	workload_free(workload);
}

static int thread_take(void *context, int tid, struct error *error)
{
	(void)error;
	*(bool *)context |= tid == gettid();
	return 0;
}

static void check_find(const struct workload_settings *settings, const char *problem)
{
	struct error error = { 0 };
	bool has_own = false;
	int status = workload_find(settings, thread_take, &has_own, &error);

	CHECK_TEXT(error.text, problem);
	CHECK_NUMBER(status, *problem ? -1 : 0);
	CHECK(has_own == !*problem);
}

TEST(threads_of_a_process_are_found)
{
	check_find(&(struct workload_settings){ .pid = getpid() }, "");
	check_find(&(struct workload_settings){ .pid = 1 << 22 }, "-p 4194304: no such process");
}

TEST(no_such_cgroup_is_an_error)
{
	check_find(&(struct workload_settings){ .cgroup = "no/such" },
		   "--cgroup=no/such: no such cgroup in /sys/fs/cgroup");
	check_find(&(struct workload_settings){ .unit = "no-such-unit" },
		   "--unit=no-such-unit: no cgroup of this name in /sys/fs/cgroup; it does not "
		   "run");
}
