// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small driver that uses the track event macros, and its module.
 *
 * Writing a number to /dev/ktrack_demo submits that many requests. A few of them are in flight at
 * once, for a few workers; the write returns when all are completed. ktrack_demo_trace.h has the
 * tracepoints, demo_device.c the submitter and its timer, demo_worker.c the workers. Functions with
 * a slice are noinline, so that 'ktrack record --function' shows them, too.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "demo.h"

#define CREATE_TRACE_POINTS
#include "ktrack_demo_trace.h"

static unsigned int workers = 2;
module_param(workers, uint, 0444);
MODULE_PARM_DESC(workers, "threads that handle requests (1 to 64, default 2)");

static unsigned int slots = 4;
module_param(slots, uint, 0444);
MODULE_PARM_DESC(slots, "requests that may be in flight (1 to 1024, default 4)");

static struct demo_device *demo;

/* One lock protects value and sample, so that samples have the order of the changes. */
void demo_change_depth(struct demo_device *device, int change)
{
	lockdep_assert_held(&device->lock);
	device->depth += change;
	ktrack_sample(ktrack_demo_depth, device->depth, 0, "depth");
}

/* Accepts incomplete devices, too. */
static void demo_free(struct demo_device *device)
{
	u32 index;

	for (index = 0; index < device->nr_workers; index++)
		demo_worker_stop(&device->workers[index]);
	free_percpu(device->cpu_completed);
	kvfree(device->workers);
	kvfree(device->slots);
	kfree(device);
}

static int demo_start_workers(struct demo_device *device, u32 nr_workers)
{
	int error;

	for (; device->nr_workers < nr_workers; device->nr_workers++) {
		error = demo_worker_start(&device->workers[device->nr_workers], device,
					  device->nr_workers);
		if (error)
			return error;
	}
	return 0;
}

static void demo_init_slots(struct demo_device *device, u32 nr_slots)
{
	for (; device->nr_slots < nr_slots; device->nr_slots++)
		list_add_tail(&device->slots[device->nr_slots].in_list, &device->free_slots);
}

static struct demo_device *demo_new(u32 nr_workers, u32 nr_slots)
{
	struct demo_device *device;
	int error = -ENOMEM;

	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return ERR_PTR(-ENOMEM);

	spin_lock_init(&device->lock);
	INIT_LIST_HEAD(&device->free_slots);
	init_waitqueue_head(&device->completed);
	device->workers = kvcalloc(nr_workers, sizeof(*device->workers), GFP_KERNEL);
	device->slots = kvcalloc(nr_slots, sizeof(*device->slots), GFP_KERNEL);
	device->cpu_completed = alloc_percpu(u64);
	if (!device->workers || !device->slots || !device->cpu_completed)
		goto fail;

	demo_init_slots(device, nr_slots);
	error = demo_start_workers(device, nr_workers);
	if (error)
		goto fail;
	return device;

fail:
	demo_free(device);
	return ERR_PTR(error);
}

static int __init ktrack_demo_init(void)
{
	int error;

	if (workers < 1 || workers > DEMO_NR_WORKERS_MAX ||
	    slots < 1 || slots > DEMO_NR_SLOTS_MAX)
		return -EINVAL;

	demo = demo_new(workers, slots);
	if (IS_ERR(demo))
		return PTR_ERR(demo);
	error = demo_device_register(demo);
	if (error)
		demo_free(demo);
	return error;
}

static void __exit ktrack_demo_exit(void)
{
	demo_device_unregister(demo);
	demo_free(demo);
}

module_init(ktrack_demo_init);
module_exit(ktrack_demo_exit);

MODULE_DESCRIPTION("A small driver that shows how to trace with ktrack's macros");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
