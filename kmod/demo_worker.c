// SPDX-License-Identifier: GPL-2.0-only
/* The demo driver's workers: threads that handle the requests of their queue. */
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "demo.h"
#include "ktrack_demo_trace.h"

/* Every 16th request fails, so that results differ. */
static bool demo_request_fails(const struct demo_request *request)
{
	return request->index % 16 == 15;
}

static noinline void demo_prepare(struct demo_worker *worker, const struct demo_request *request)
{
	ktrack_guard(ktrack_demo_work, "prepare", DEMO_NO_FLOW);

	memset(worker->buffer, request->index, request->bytes);
}

static noinline void demo_checksum(struct demo_worker *worker, const struct demo_request *request)
{
	ktrack_begin_printf(ktrack_demo_work, ("checksum %u", request->index % 4), DEMO_NO_FLOW);
	worker->checksum = crc32_le(~0, worker->buffer, request->bytes);
	ktrack_end(ktrack_demo_work, DEMO_NO_FLOW);
}

/* Returns the number of bytes transferred, or an error. The slice ends in both cases. */
static noinline int demo_transfer(struct demo_worker *worker, const struct demo_request *request)
{
	ktrack_guard(ktrack_demo_work, "transfer", DEMO_NO_FLOW);

	demo_checksum(worker, request);
	if (demo_request_fails(request)) {
		ktrack_instant(ktrack_demo_work, "retry", DEMO_NO_FLOW);
		return -EIO;
	}
	return request->bytes;
}

/* Only the outermost slice is a point of the request's flow. */
static noinline int demo_handle(struct demo_worker *worker, const struct demo_request *request)
{
	ktrack_guard(ktrack_demo_work, "handle", request->number);

	demo_prepare(worker, request);
	return demo_transfer(worker, request);
}

/* Preemption stays off from the count to the record, so that both are of one CPU. */
static void demo_count_on_cpu(struct demo_device *device)
{
	u64 nr_completed;

	preempt_disable();
	nr_completed = this_cpu_inc_return(*device->cpu_completed);
	ktrack_sample(ktrack_demo_completed, nr_completed, KTRACK_THIS_CPU, "completed");
	preempt_enable();
}

/*
 * Ends the slice that the submitter began. Emit nothing after the slot is free: the last free slot
 * ends the batch.
 */
static void demo_complete(struct demo_worker *worker, struct demo_request *request, int result)
{
	struct demo_device *device = worker->device;

	ktrack_end(ktrack_demo_io, request->number, "queue0", request->number, request->op,
		   request->bytes, result);
	/* Not in the sample's arguments, which are evaluated only while it is enabled. */
	worker->nr_handled++;
	ktrack_sample(ktrack_demo_handled, worker->nr_handled);
	demo_count_on_cpu(device);

	spin_lock(&device->lock);
	demo_change_depth(device, -1);
	list_add_tail(&request->in_list, &device->free_slots);
	device->nr_completed++;
	spin_unlock(&device->lock);
	wake_up(&device->completed);
}

static struct demo_request *demo_worker_take(struct demo_worker *worker)
{
	struct demo_request *request;

	spin_lock(&worker->device->lock);
	request = list_first_entry_or_null(&worker->queue, struct demo_request, in_list);
	if (request)
		list_del(&request->in_list);
	spin_unlock(&worker->device->lock);
	return request;
}

static int demo_worker_run(void *argument)
{
	struct demo_worker *worker = argument;
	struct demo_request *request;

	while (!kthread_should_stop()) {
		wait_event_idle(worker->wait, (request = demo_worker_take(worker)) ||
				kthread_should_stop());
		if (request)
			demo_complete(worker, request, demo_handle(worker, request));
	}
	return 0;
}

/* Passes @request to the worker, which owns it from now on. */
void demo_worker_queue(struct demo_worker *worker, struct demo_request *request)
{
	spin_lock(&worker->device->lock);
	list_add_tail(&request->in_list, &worker->queue);
	spin_unlock(&worker->device->lock);
	wake_up(&worker->wait);
}

int demo_worker_start(struct demo_worker *worker, struct demo_device *device, u32 index)
{
	struct task_struct *task;

	worker->device = device;
	init_waitqueue_head(&worker->wait);
	INIT_LIST_HEAD(&worker->queue);
	task = kthread_run(demo_worker_run, worker, "ktrack_demo/%u", index);
	if (IS_ERR(task))
		return PTR_ERR(task);
	worker->task = task;
	return 0;
}

/* A worker that was never started is accepted. */
void demo_worker_stop(struct demo_worker *worker)
{
	if (worker->task)
		kthread_stop(worker->task);
}
