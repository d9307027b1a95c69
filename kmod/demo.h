/* SPDX-License-Identifier: GPL-2.0-only */
/* The demo driver's objects: a device with slots for requests in flight, and workers for them. */
#ifndef KTRACK_DEMO_H
#define KTRACK_DEMO_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#define DEMO_NR_REQUESTS_MAX	1000000
#define DEMO_NR_WORKERS_MAX	64
#define DEMO_NR_SLOTS_MAX	1024
#define DEMO_BYTES_MAX		4096
#define DEMO_NO_FLOW		0

enum demo_op {
	DEMO_READ,
	DEMO_WRITE,
};

/* A request occupies a slot from submission to completion. */
struct demo_request {
	u64 number;			/* of all requests, from 1, never reused */
	u32 index;			/* in its batch */
	u32 bytes;
	enum demo_op op;
	struct list_head in_list;	/* of free slots, or a worker's queue */
};

struct demo_worker {
	struct demo_device *device;
	struct task_struct *task;
	wait_queue_head_t wait;
	struct list_head queue;		/* of requests, under the device's lock */
	u64 nr_handled;			/* in this batch */
	u32 checksum;
	u8 buffer[DEMO_BYTES_MAX];
};

struct demo_device {
	struct miscdevice misc;
	struct mutex batch_lock;	/* owned by the writer of the current batch */
	u64 last_number;		/* of the last submitted request, protected by it */

	spinlock_t lock;		/* protects the members below, and queues */
	struct list_head free_slots;
	u32 depth;			/* requests in flight */
	u32 nr_completed;		/* in this batch */
	wait_queue_head_t completed;	/* woken when a slot becomes free */
	u64 __percpu *cpu_completed;	/* in this batch, per CPU */

	struct hrtimer timer;
	u32 nr_ticks_left;
	struct completion ticks_done;

	u32 nr_slots;
	struct demo_request *slots;
	u32 nr_workers;
	struct demo_worker *workers;
};

/* demo_main.c */
void demo_change_depth(struct demo_device *device, int change);

/* demo_device.c */
int demo_device_register(struct demo_device *device);
void demo_device_unregister(struct demo_device *device);

/* demo_worker.c */
int demo_worker_start(struct demo_worker *worker, struct demo_device *device, u32 index);
void demo_worker_stop(struct demo_worker *worker);
void demo_worker_queue(struct demo_worker *worker, struct demo_request *request);

#endif
