// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A device that does one thing at a time: each number written to /dev/relay keeps it busy. */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#define CREATE_TRACE_POINTS
#include "relay_trace.h"

#define RELAY_REQUESTS_MAX 64
#define RELAY_WORKERS 4

struct relay_request {
	struct work_struct work;
	u32 us;
};

static struct workqueue_struct *relay_queue;
static DEFINE_MUTEX(relay_busy);
static DEFINE_SPINLOCK(relay_lock);
static u32 relay_nr_open;

static int relay_count(int change)
{
	int error = 0;

	spin_lock(&relay_lock);
	if (relay_nr_open + change > RELAY_REQUESTS_MAX)
		error = -EBUSY;
	else
		relay_nr_open += change;
	ktrack_sample(relay_open, relay_nr_open);
	spin_unlock(&relay_lock);
	return error;
}

static void relay_transfer(struct relay_request *request)
{
	ktrack_guard(relay_handle, "transfer");

	usleep_range(request->us, request->us + 50);
}

static void relay_work(struct work_struct *work)
{
	struct relay_request *request = container_of(work, struct relay_request, work);
	ktrack_guard(relay_handle, "handle");

	mutex_lock(&relay_busy);
	relay_transfer(request);
	mutex_unlock(&relay_busy);
	relay_count(-1);
	ktrack_end(relay_request, ktrack_id(request), request->us);
	kfree(request);
}

static ssize_t relay_write(struct file *file, const char __user *text, size_t size, loff_t *place)
{
	struct relay_request *request;
	u32 us;
	int error = kstrtou32_from_user(text, size, 0, &us);

	if (error)
		return error;
	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return -ENOMEM;
	error = relay_count(1);
	if (error) {
		kfree(request);
		return error;
	}
	request->us = us;
	ktrack_begin(relay_request, "request", ktrack_id(request), us);
	INIT_WORK(&request->work, relay_work);
	queue_work(relay_queue, &request->work);
	return size;
}

static const struct file_operations relay_operations = {
	.owner = THIS_MODULE,
	.write = relay_write,
};

static struct miscdevice relay_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "relay",
	.fops = &relay_operations,
};

static int __init relay_init(void)
{
	int error;

	relay_queue = alloc_workqueue("relay", WQ_UNBOUND, RELAY_WORKERS);
	if (!relay_queue)
		return -ENOMEM;
	error = misc_register(&relay_device);
	if (error)
		destroy_workqueue(relay_queue);
	return error;
}
module_init(relay_init);

static void __exit relay_exit(void)
{
	misc_deregister(&relay_device);
	destroy_workqueue(relay_queue);
}
module_exit(relay_exit);

MODULE_DESCRIPTION("A device that does one thing at a time");
MODULE_LICENSE("Dual MIT/GPL");
