// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prepared incidents: each is a slice of the writer, and is slow for one reason, which ktrack why
 * has to find. COUNT is the number of milliseconds.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "test.h"
#include "ktrack_test_trace.h"

#define TEST_STORM_BUSY_US	1000
#define TEST_STORM_PERIOD_NS	(200 * NSEC_PER_USEC)
#define TEST_TIMEOUT_MS		8

struct test_incident {
	u32 ms;
	struct mutex lock;
	struct completion locked;
	struct completion hogged;
	struct completion hog_ended;
	struct completion ready;
	struct hrtimer timer;
	ktime_t until;
	struct work_struct slow_work;
	struct work_struct work;
};

/* Runs, and gives up the CPU for others if the scheduler asks for it. */
static void test_busy(u32 ms)
{
	ktime_t until = ktime_add_ms(ktime_get(), ms);

	while (ktime_before(ktime_get(), until))
		cond_resched();
}

/* A thread on one CPU, which ends by itself. */
static int test_thread_start(int (*run)(void *argument), struct test_incident *incident,
			     const char *name, int cpu, bool is_urgent)
{
	struct task_struct *task = kthread_create(run, incident, "%s", name);

	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	if (is_urgent)
		sched_set_fifo(task);
	wake_up_process(task);
	return 0;
}

static int test_hold_asleep(void *argument)
{
	struct test_incident *incident = argument;

	mutex_lock(&incident->lock);
	complete(&incident->locked);
	msleep(incident->ms);
	mutex_unlock(&incident->lock);
	complete(&incident->ready);
	return 0;
}

/* Needs the CPU while it holds the lock, but an urgent thread has it. */
static int test_hold_busy(void *argument)
{
	struct test_incident *incident = argument;

	mutex_lock(&incident->lock);
	complete(&incident->locked);
	wait_for_completion(&incident->hogged);
	test_busy(1);
	mutex_unlock(&incident->lock);
	complete(&incident->ready);
	return 0;
}

static int test_hog(void *argument)
{
	struct test_incident *incident = argument;

	complete(&incident->hogged);
	mdelay(incident->ms);
	complete(&incident->hog_ended);
	return 0;
}

static void test_lock_wait(struct test_incident *incident)
{
	ktrack_begin(ktrack_test_thread, "incident", 0);
	mutex_lock(&incident->lock);
	mutex_unlock(&incident->lock);
	ktrack_end(ktrack_test_thread, 0);
	wait_for_completion(&incident->ready);
}

static int test_incident_lock(struct test_incident *incident)
{
	int error = test_thread_start(test_hold_asleep, incident, "test_holder", 1, false);

	if (error)
		return error;
	wait_for_completion(&incident->locked);
	test_lock_wait(incident);
	return 0;
}

static int test_incident_inversion(struct test_incident *incident)
{
	int error = test_thread_start(test_hold_busy, incident, "test_holder", 1, false);

	if (error)
		return error;
	wait_for_completion(&incident->locked);
	error = test_thread_start(test_hog, incident, "test_hog", 1, true);
	if (error) {
		complete(&incident->hogged);
		wait_for_completion(&incident->ready);
		return error;
	}
	test_lock_wait(incident);
	wait_for_completion(&incident->hog_ended);
	return 0;
}

static enum hrtimer_restart test_storm_tick(struct hrtimer *timer)
{
	struct test_incident *incident = container_of(timer, struct test_incident, timer);

	udelay(TEST_STORM_BUSY_US);
	if (ktime_after(ktime_get(), incident->until))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(TEST_STORM_PERIOD_NS));
	return HRTIMER_RESTART;
}

static int test_incident_storm(struct test_incident *incident)
{
	incident->until = ktime_add_ms(ktime_get(), incident->ms);
	hrtimer_setup(&incident->timer, test_storm_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	ktrack_begin(ktrack_test_thread, "incident", 0);
	hrtimer_start(&incident->timer, ns_to_ktime(TEST_STORM_PERIOD_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	test_busy(incident->ms);
	ktrack_end(ktrack_test_thread, 0);
	hrtimer_cancel(&incident->timer);
	return 0;
}

/* The writer is bound to its CPU. */
static int test_incident_starvation(struct test_incident *incident)
{
	int error;

	ktrack_begin(ktrack_test_thread, "incident", 0);
	error = test_thread_start(test_hog, incident, "test_hog", raw_smp_processor_id(), true);
	test_busy(2);
	ktrack_end(ktrack_test_thread, 0);
	if (!error)
		wait_for_completion(&incident->hog_ended);
	return error;
}

static int test_incident_sleep(struct test_incident *incident)
{
	ktrack_begin(ktrack_test_thread, "incident", 0);
	msleep(incident->ms);
	ktrack_end(ktrack_test_thread, 0);
	return 0;
}

static void test_slow_work(struct work_struct *work)
{
	test_busy(container_of(work, struct test_incident, slow_work)->ms);
}

static void test_quick_work(struct work_struct *work)
{
	complete(&container_of(work, struct test_incident, work)->ready);
}

/* A worker has other work to do first. */
static int test_incident_worker(struct test_incident *incident)
{
	struct workqueue_struct *queue = alloc_ordered_workqueue("test_queue", 0);

	if (!queue)
		return -ENOMEM;
	INIT_WORK(&incident->slow_work, test_slow_work);
	INIT_WORK(&incident->work, test_quick_work);
	queue_work(queue, &incident->slow_work);
	ktrack_begin(ktrack_test_thread, "incident", 0);
	queue_work(queue, &incident->work);
	wait_for_completion(&incident->ready);
	ktrack_end(ktrack_test_thread, 0);
	destroy_workqueue(queue);
	return 0;
}

/* Nobody completes it: the wait ends by its timeout. */
static int test_incident_lost_wakeup(struct test_incident *incident)
{
	ktrack_begin(ktrack_test_thread, "incident", 0);
	wait_for_completion_timeout(&incident->ready, msecs_to_jiffies(incident->ms));
	ktrack_end(ktrack_test_thread, 0);
	return 0;
}

static enum hrtimer_restart test_slow_callback(struct hrtimer *timer)
{
	mdelay(container_of(timer, struct test_incident, timer)->ms);
	return HRTIMER_NORESTART;
}

/* Another timer's callback takes the CPU when the timer has to expire. */
static int test_incident_late_timer(struct test_incident *incident)
{
	ktime_t timeout = ms_to_ktime(TEST_TIMEOUT_MS);

	hrtimer_setup(&incident->timer, test_slow_callback, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	ktrack_begin(ktrack_test_thread, "incident", 0);
	hrtimer_start(&incident->timer, ms_to_ktime(TEST_TIMEOUT_MS / 2),
		      HRTIMER_MODE_REL_PINNED_HARD);
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&timeout, HRTIMER_MODE_REL_PINNED);
	ktrack_end(ktrack_test_thread, 0);
	hrtimer_cancel(&incident->timer);
	return 0;
}

static enum hrtimer_restart test_device_interrupt(struct hrtimer *timer)
{
	struct test_incident *incident = container_of(timer, struct test_incident, timer);

	schedule_work(&incident->work);
	return HRTIMER_NORESTART;
}

static void test_request_end(struct work_struct *work)
{
	test_busy(2);
	ktrack_end(ktrack_test_request, 1, 1, TEST_READ, 0);
	complete(&container_of(work, struct test_incident, work)->ready);
}

/* An asynchronous request: a device that needs long, its interrupt, and a worker. */
static int test_incident_request(struct test_incident *incident)
{
	INIT_WORK(&incident->work, test_request_end);
	hrtimer_setup(&incident->timer, test_device_interrupt, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	ktrack_begin(ktrack_test_request, "incident", 1, 1, TEST_READ);
	hrtimer_start(&incident->timer, ms_to_ktime(incident->ms), HRTIMER_MODE_REL_HARD);
	wait_for_completion(&incident->ready);
	return 0;
}

/* Two incidents of programs: what a process does between them. */
static int test_incident_begin(struct test_incident *incident)
{
	ktrack_begin(ktrack_test_thread, "incident", 0);
	return 0;
}

static int test_incident_end(struct test_incident *incident)
{
	ktrack_end(ktrack_test_thread, 0);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct test_incident *incident);
} test_incidents[] = {
	{ "lock", test_incident_lock },
	{ "inversion", test_incident_inversion },
	{ "storm", test_incident_storm },
	{ "starvation", test_incident_starvation },
	{ "sleep", test_incident_sleep },
	{ "worker", test_incident_worker },
	{ "lost_wakeup", test_incident_lost_wakeup },
	{ "late_timer", test_incident_late_timer },
	{ "request", test_incident_request },
	{ "begin", test_incident_begin },
	{ "end", test_incident_end },
};

int test_incident_run(const char *name, u32 ms)
{
	struct test_incident *incident;
	u32 index;
	int error;

	for (index = 0; index < ARRAY_SIZE(test_incidents); index++)
		if (!strcmp(test_incidents[index].name, name))
			break;
	if (index == ARRAY_SIZE(test_incidents))
		return -ENOENT;
	incident = kzalloc(sizeof(*incident), GFP_KERNEL);
	if (!incident)
		return -ENOMEM;
	incident->ms = ms;
	mutex_init(&incident->lock);
	init_completion(&incident->locked);
	init_completion(&incident->hogged);
	init_completion(&incident->hog_ended);
	init_completion(&incident->ready);
	error = test_incidents[index].run(incident);
	kfree(incident);
	return error;
}
