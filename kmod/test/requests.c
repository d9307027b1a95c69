// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests that overlap: four threads on two CPUs begin 250 each. When all thousand are in flight,
 * each thread ends those of its neighbor, in another order.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "test.h"
#include "ktrack_test_trace.h"

#define TEST_NR_THREADS		4
#define TEST_NR_OF_THREAD	250
#define TEST_NR_IN_FLIGHT	(TEST_NR_THREADS * TEST_NR_OF_THREAD)

struct test_requests;

struct test_thread {
	struct test_requests *requests;
	struct task_struct *task;
	u32 index;
};

struct test_requests {
	u32 nr_rounds;
	atomic_t nr_arrived;		/* in all phases: two for each round */
	wait_queue_head_t arrived;
	struct completion all_done;
	atomic_t nr_running;
	struct test_thread threads[TEST_NR_THREADS];
};

static u64 test_request_id(u32 round, u32 thread, u32 index)
{
	return 1 + (u64)round * TEST_NR_IN_FLIGHT + thread * TEST_NR_OF_THREAD + index;
}

/* A flow's number from another file than the one that emits it. */
u64 test_flow_new(void)
{
	return ktrack_flow_new(ktrack_test_request);
}

/* Waits until all threads have ended their phase, whose numbers begin at 1. */
static void test_wait_for_all(struct test_requests *requests, u32 phase)
{
	u32 nr_wanted = phase * TEST_NR_THREADS;

	atomic_inc(&requests->nr_arrived);
	wake_up_all(&requests->arrived);
	wait_event(requests->arrived, atomic_read(&requests->nr_arrived) >= nr_wanted);
}

static void test_begin_requests(u32 round, u32 thread)
{
	u32 index;

	for (index = 0; index < TEST_NR_OF_THREAD; index++) {
		u64 id = test_request_id(round, thread, index);

		ktrack_begin(ktrack_test_request, "request", id, id, index % 2);
	}
}

/* 7 and the number of requests have no common divisor, so each of them is ended once. */
static void test_end_requests(u32 round, u32 thread)
{
	u32 index;

	for (index = 0; index < TEST_NR_OF_THREAD; index++) {
		u64 id = test_request_id(round, thread, index * 7 % TEST_NR_OF_THREAD);

		ktrack_end(ktrack_test_request, id, id, TEST_WRITE, -(s64)id);
	}
}

static int test_thread_run(void *argument)
{
	struct test_thread *thread = argument;
	struct test_requests *requests = thread->requests;
	u32 round;

	for (round = 0; round < requests->nr_rounds; round++) {
		test_begin_requests(round, thread->index);
		test_wait_for_all(requests, 2 * round + 1);
		test_end_requests(round, (thread->index + 1) % TEST_NR_THREADS);
		test_wait_for_all(requests, 2 * round + 2);
	}
	if (atomic_dec_and_test(&requests->nr_running))
		complete(&requests->all_done);
	return 0;
}

/* Every second thread is on the second CPU, if there is one. */
static int test_threads_create(struct test_requests *requests)
{
	unsigned int first = cpumask_first(cpu_online_mask);
	unsigned int second = cpumask_next(first, cpu_online_mask);
	u32 index;

	for (index = 0; index < TEST_NR_THREADS; index++) {
		struct test_thread *thread = &requests->threads[index];

		thread->requests = requests;
		thread->index = index;
		thread->task = kthread_create(test_thread_run, thread, "ktrack_test/%u", index);
		if (IS_ERR(thread->task))
			return PTR_ERR(thread->task);
		kthread_bind(thread->task, index % 2 && second < nr_cpu_ids ? second : first);
		get_task_struct(thread->task);
	}
	return 0;
}

/* Threads that were never woken end without running. */
static void test_threads_stop(struct test_requests *requests)
{
	u32 index;

	for (index = 0; index < TEST_NR_THREADS; index++) {
		struct test_thread *thread = &requests->threads[index];

		if (IS_ERR_OR_NULL(thread->task))
			continue;
		kthread_stop(thread->task);
		put_task_struct(thread->task);
	}
}

int test_requests_run(u32 nr_rounds)
{
	struct test_requests *requests;
	u32 index;
	int error;

	requests = kzalloc(sizeof(*requests), GFP_KERNEL);
	if (!requests)
		return -ENOMEM;
	requests->nr_rounds = nr_rounds;
	atomic_set(&requests->nr_running, TEST_NR_THREADS);
	init_waitqueue_head(&requests->arrived);
	init_completion(&requests->all_done);
	error = test_threads_create(requests);
	for (index = 0; !error && index < TEST_NR_THREADS; index++)
		wake_up_process(requests->threads[index].task);
	if (!error)
		wait_for_completion(&requests->all_done);
	test_threads_stop(requests);
	kfree(requests);
	return error;
}
