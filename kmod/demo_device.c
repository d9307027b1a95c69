// SPDX-License-Identifier: GPL-2.0-only
/* The demo driver's device file: a number written to it submits a batch of that many requests. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <ktrack/generic.h>

#include "compat.h"
#include "demo.h"
#include "ktrack_demo_trace.h"

#define DEMO_TICK_NS		(100 * NSEC_PER_USEC)
#define DEMO_REQUESTS_PER_TICK	8

/* Runs in softirq context, on the CPU that started the timer. */
static enum hrtimer_restart demo_tick(struct hrtimer *timer)
{
	struct demo_device *device = container_of(timer, struct demo_device, timer);
	bool is_last = --device->nr_ticks_left == 0;

	ktrack_begin(ktrack_demo_tick, "tick", smp_processor_id(), "timer");
	if (!is_last)
		hrtimer_forward_now(timer, ns_to_ktime(DEMO_TICK_NS));
	ktrack_end(ktrack_demo_tick, smp_processor_id(), "timer");

	if (!is_last)
		return HRTIMER_RESTART;
	complete(&device->ticks_done);
	return HRTIMER_NORESTART;
}

static void demo_start_ticks(struct demo_device *device, u32 nr_requests)
{
	device->nr_ticks_left = DIV_ROUND_UP(nr_requests, DEMO_REQUESTS_PER_TICK);
	reinit_completion(&device->ticks_done);
	hrtimer_start(&device->timer, ns_to_ktime(DEMO_TICK_NS), HRTIMER_MODE_REL_SOFT);
}

/* Returns NULL if all slots are occupied. */
static struct demo_request *demo_slot_take(struct demo_device *device)
{
	struct demo_request *slot;

	spin_lock(&device->lock);
	slot = list_first_entry_or_null(&device->free_slots, struct demo_request, in_list);
	if (slot)
		list_del(&slot->in_list);
	spin_unlock(&device->lock);
	return slot;
}

/* The worker ends the slice that begins here. */
static void demo_start_request(struct demo_device *device, struct demo_request *request)
{
	ktrack_begin(ktrack_demo_io, "request", request->number, "queue0", request->number,
		     request->op, request->bytes);
	spin_lock(&device->lock);
	demo_change_depth(device, 1);
	spin_unlock(&device->lock);
}

static noinline int demo_submit(struct demo_device *device, u32 index, u64 *submitted_bytes)
{
	u64 number = ++device->last_number;
	struct demo_request *request;
	int error;

	ktrack_guard(ktrack_demo_submit, "submit", current->tgid, "submit", number);

	error = wait_event_killable(device->completed, (request = demo_slot_take(device)));
	if (error)
		return error;

	request->number = number;
	request->index = index;
	request->bytes = 512 << (index % 4);
	request->op = index % 2 ? DEMO_WRITE : DEMO_READ;
	demo_start_request(device, request);
	*submitted_bytes += request->bytes;
	ktrack_sample(ktrack_demo_bytes, *submitted_bytes, current->tgid, "bytes");
	demo_worker_queue(&device->workers[index % device->nr_workers], request);
	return 0;
}

/* Returns the number of submitted requests: fewer if the writer was killed. */
static noinline u32 demo_submit_all(struct demo_device *device, u32 nr_requests)
{
	u64 submitted_bytes = 0;
	u32 index;

	ktrack_guard(ktrack_demo_submit, "batch", current->tgid, "submit", DEMO_NO_FLOW);

	for (index = 0; index < nr_requests; index++)
		if (demo_submit(device, index, &submitted_bytes))
			break;
	return index;
}

static bool demo_all_completed(struct demo_device *device, u32 nr_submitted)
{
	bool all;

	spin_lock(&device->lock);
	all = device->nr_completed == nr_submitted;
	spin_unlock(&device->lock);
	return all;
}

static void demo_reset_counters(struct demo_device *device)
{
	unsigned int cpu;
	u64 *completed;
	u32 index;

	device->nr_completed = 0;
	for (index = 0; index < device->nr_workers; index++)
		device->workers[index].nr_handled = 0;
	for_each_possible_cpu(cpu) {
		completed = per_cpu_ptr(device->cpu_completed, cpu);
		*completed = 0;
	}
}

/*
 * Waits for all submitted requests, until every slot is free. A killed writer drops the requests
 * that it has not submitted.
 */
static noinline int demo_run_batch(struct demo_device *device, u32 nr_requests)
{
	u32 nr_submitted;
	int error;

	ktrack_guard(ktrack_slice, "run");

	demo_reset_counters(device);
	demo_start_ticks(device, nr_requests);
	nr_submitted = demo_submit_all(device, nr_requests);
	wait_event(device->completed, demo_all_completed(device, nr_submitted));
	error = wait_for_completion_killable(&device->ticks_done);
	hrtimer_cancel(&device->timer);
	if (error || nr_submitted < nr_requests)
		return -EINTR;

	ktrack_instant(ktrack_slice, "done");
	return 0;
}

static ssize_t demo_write(struct file *file, const char __user *text, size_t size_bytes,
			  loff_t *position)
{
	struct demo_device *device = container_of(file->private_data, struct demo_device, misc);
	u32 nr_requests;
	int error;

	error = kstrtou32_from_user(text, size_bytes, 10, &nr_requests);
	if (error)
		return error;
	if (nr_requests < 1 || nr_requests > DEMO_NR_REQUESTS_MAX)
		return -ERANGE;

	error = mutex_lock_killable(&device->batch_lock);
	if (error)
		return error;
	error = demo_run_batch(device, nr_requests);
	mutex_unlock(&device->batch_lock);
	return error ?: size_bytes;
}

static const struct file_operations demo_operations = {
	.owner = THIS_MODULE,
	.write = demo_write,
};

int demo_device_register(struct demo_device *device)
{
	mutex_init(&device->batch_lock);
	init_completion(&device->ticks_done);
	hrtimer_setup(&device->timer, demo_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);

	device->misc.minor = MISC_DYNAMIC_MINOR;
	device->misc.name = "ktrack_demo";
	device->misc.fops = &demo_operations;
	device->misc.mode = 0600;
	return misc_register(&device->misc);
}

void demo_device_unregister(struct demo_device *device)
{
	misc_deregister(&device->misc);
}
