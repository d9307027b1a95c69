// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module watch: enables track events of modules that load, before their init runs.
 *
 * A recorder opens /dev/ktrack and writes enable requests, lines "INSTANCE SYSTEM[:EVENT]": track
 * events of modules loaded from now on are enabled in that tracefs instance if system and event
 * match. Both may have wildcards; events that do not follow the convention never match. One
 * write may have several lines, but a line belongs to one write, and the last needs no newline.
 * Lines are accepted up to the first one that is refused: that write is short, and the next one,
 * which begins with that line, fails.
 *
 * A request lasts until the file is closed, also by the kernel when its owner is killed. Until
 * then the instance cannot be removed: rmdir fails with EBUSY. An instance that does not exist is
 * created, and is not removed.
 *
 * If a module with enabled events fails in its init, the kernel clears the instance's buffer, as
 * for every module that unloads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/glob.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>
#include <linux/trace_events.h>

#include "compat.h"
#include "convention.h"
#include "module_watch.h"

#define WATCH_REQUESTS_MAX	256	/* of one open file */
#define WATCH_LINE_MAX		512

struct enable_request {
	struct list_head in_file;
	struct list_head in_all;
	struct trace_array *instance;
	const char *system;		/* patterns, parts of line */
	const char *event;
	char line[WATCH_LINE_MAX + 1];
};

struct watch_file {
	struct list_head requests;
	u32 nr_requests;
};

static DEFINE_MUTEX(watch_lock);
static LIST_HEAD(watch_requests);

static void module_watch_enable(struct trace_event_call *call)
{
	const char *name = trace_event_name(call);
	const struct enable_request *request;

	list_for_each_entry(request, &watch_requests, in_all)
		if (glob_match(request->system, call->class->system) &&
		    glob_match(request->event, name) &&
		    trace_array_set_clr_event(request->instance, call->class->system, name, true))
			pr_warn("%s:%s could not be enabled\n", call->class->system, name);
}

static int module_watch_notify(struct notifier_block *notifier, unsigned long state, void *data)
{
	const struct module *module = data;
	unsigned int index;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;

	mutex_lock(&watch_lock);
	for (index = 0; index < module->num_trace_events; index++)
		if (convention_matches(module->trace_events[index]))
			module_watch_enable(module->trace_events[index]);
	mutex_unlock(&watch_lock);
	return NOTIFY_OK;
}

/* Splits the request's line, and takes a reference on the instance that it names. */
static int enable_request_parse(struct enable_request *request)
{
	char *rest = strim(request->line);
	const char *name = strsep(&rest, " ");

	if (!rest || !*name || strchr(name, '/') || strchr(rest, ' '))
		return -EINVAL;
	request->system = strsep(&rest, ":");
	request->event = rest ?: "*";
	if (!*request->system || !*request->event)
		return -EINVAL;
	request->instance = compat_instance_get(name);
	return request->instance ? 0 : -ENOENT;
}

/* Terminates the first line of the @size_bytes in @request. Returns its size with its newline. */
static ssize_t enable_request_cut(struct enable_request *request, size_t size_bytes)
{
	char *end = strnchr(request->line, WATCH_LINE_MAX, '\n');

	if (end) {
		*end = '\0';
		return end + 1 - request->line;
	}
	return size_bytes <= WATCH_LINE_MAX ? size_bytes : -EINVAL;
}

/* Makes a request of the first line of @text. The caller owns it and continues at @taken_bytes. */
static struct enable_request *enable_request_new(const char __user *text, size_t size_bytes,
					       size_t *taken_bytes)
{
	struct enable_request *request;
	ssize_t result = -EFAULT;

	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(request->line, text, min_t(size_t, size_bytes, WATCH_LINE_MAX)))
		result = enable_request_cut(request, size_bytes);
	if (result > 0) {
		*taken_bytes = result;
		result = enable_request_parse(request);
	}
	if (!result)
		return request;
	kfree(request);
	return ERR_PTR(result);
}

static void enable_request_free(struct enable_request *request)
{
	trace_array_put(request->instance);
	kfree(request);
}

static int watch_file_add(struct watch_file *file, struct enable_request *request)
{
	int error = 0;

	mutex_lock(&watch_lock);
	if (file->nr_requests < WATCH_REQUESTS_MAX) {
		file->nr_requests++;
		list_add_tail(&request->in_file, &file->requests);
		list_add_tail(&request->in_all, &watch_requests);
	} else {
		error = -ENOSPC;
	}
	mutex_unlock(&watch_lock);
	return error;
}

/* Adds a request of the first line of @text. Returns the line's size, or an error. */
static ssize_t watch_file_take(struct watch_file *file, const char __user *text,
				  size_t size_bytes)
{
	struct enable_request *request;
	size_t taken_bytes;
	int error;

	request = enable_request_new(text, size_bytes, &taken_bytes);
	if (IS_ERR(request))
		return PTR_ERR(request);
	error = watch_file_add(file, request);
	if (!error)
		return taken_bytes;
	enable_request_free(request);
	return error;
}

static ssize_t module_watch_write(struct file *opened, const char __user *text, size_t size_bytes,
			      loff_t *position)
{
	size_t done_bytes = 0;
	ssize_t taken_bytes;

	while (done_bytes < size_bytes) {
		taken_bytes = watch_file_take(opened->private_data, text + done_bytes,
						 size_bytes - done_bytes);
		if (taken_bytes < 0)
			return done_bytes ?: taken_bytes;
		done_bytes += taken_bytes;
	}
	return done_bytes;
}

static int module_watch_open(struct inode *inode, struct file *opened)
{
	struct watch_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	INIT_LIST_HEAD(&file->requests);
	opened->private_data = file;
	return 0;
}

static int module_watch_close(struct inode *inode, struct file *opened)
{
	struct watch_file *file = opened->private_data;
	struct enable_request *request, *next;

	mutex_lock(&watch_lock);
	list_for_each_entry_safe(request, next, &file->requests, in_file) {
		list_del(&request->in_all);
		enable_request_free(request);
	}
	mutex_unlock(&watch_lock);
	kfree(file);
	return 0;
}

static const struct file_operations module_watch_operations = {
	.owner = THIS_MODULE,
	.open = module_watch_open,
	.write = module_watch_write,
	.release = module_watch_close,
};

static struct miscdevice module_watch_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrack",
	.fops = &module_watch_operations,
	.mode = 0600,
};

/* The kernel registers a module's events in its own notifiers, which must run first. */
static struct notifier_block module_watch_notifier = {
	.notifier_call = module_watch_notify,
	.priority = -1,
};

int module_watch_init(void)
{
	int error;

	error = register_module_notifier(&module_watch_notifier);
	if (error)
		return error;
	error = misc_register(&module_watch_misc);
	if (error)
		unregister_module_notifier(&module_watch_notifier);
	return error;
}

void module_watch_release(void)
{
	misc_deregister(&module_watch_misc);
	unregister_module_notifier(&module_watch_notifier);
}
