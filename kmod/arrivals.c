// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enables the track events of modules that arrive, before their init runs, for whoever asked.
 *
 * Who records opens /dev/ktrack and writes lines "INSTANCE SYSTEM[:EVENT]": in that tracefs
 * instance, track events of modules loaded from now on are enabled where system and event
 * match. Both may have wildcards; events that don't follow the convention never match.
 * One write may have several lines, but a line belongs to one write, and the last needs no
 * newline. Lines are taken up to the first that is refused: the write is short then, and the
 * next one, which begins with that line, fails.
 *
 * What was asked for lasts until the file is closed, be it because its owner was killed. Until
 * then the instance can't be removed: rmdir says EBUSY. Where there is no instance of that name,
 * one is made, and stays.
 *
 * Where the init of a module fails whose events were enabled, the kernel wipes the buffer of the
 * instance, as it does for every module that goes.
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

#include "arrivals.h"
#include "compat.h"
#include "convention.h"

#define ARRIVALS_NR_WISHES_MAX	256	/* of one open file */
#define ARRIVALS_LINE_MAX	512

struct arrivals_wish {
	struct list_head in_file;
	struct list_head in_all;
	struct trace_array *instance;
	const char *system;		/* patterns, parts of line */
	const char *event;
	char line[ARRIVALS_LINE_MAX + 1];
};

struct arrivals_file {
	struct list_head wishes;
	u32 nr_wishes;
};

static DEFINE_MUTEX(arrivals_lock);
static LIST_HEAD(arrivals_wishes);

static void arrivals_enable(struct trace_event_call *call)
{
	const char *name = trace_event_name(call);
	const struct arrivals_wish *wish;

	list_for_each_entry(wish, &arrivals_wishes, in_all)
		if (glob_match(wish->system, call->class->system) &&
		    glob_match(wish->event, name) &&
		    trace_array_set_clr_event(wish->instance, call->class->system, name, true))
			pr_warn("%s:%s could not be enabled\n", call->class->system, name);
}

static int arrivals_notify(struct notifier_block *notifier, unsigned long state, void *data)
{
	const struct module *module = data;
	unsigned int index;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_DONE;

	mutex_lock(&arrivals_lock);
	for (index = 0; index < module->num_trace_events; index++)
		if (convention_matches(module->trace_events[index]))
			arrivals_enable(module->trace_events[index]);
	mutex_unlock(&arrivals_lock);
	return NOTIFY_OK;
}

/* Splits the line, which the wish owns, and takes hold of the instance that it names. */
static int arrivals_wish_parse(struct arrivals_wish *wish)
{
	char *rest = strim(wish->line);
	const char *name = strsep(&rest, " ");

	if (!rest || !*name || strchr(name, '/') || strchr(rest, ' '))
		return -EINVAL;
	wish->system = strsep(&rest, ":");
	wish->event = rest ?: "*";
	if (!*wish->system || !*wish->event)
		return -EINVAL;
	wish->instance = compat_instance_get(name);
	return wish->instance ? 0 : -ENOENT;
}

/* Ends the line that @wish holds, as one of @size_bytes. Returns its size with its newline. */
static ssize_t arrivals_wish_cut(struct arrivals_wish *wish, size_t size_bytes)
{
	char *end = strnchr(wish->line, ARRIVALS_LINE_MAX, '\n');

	if (end) {
		*end = '\0';
		return end + 1 - wish->line;
	}
	return size_bytes <= ARRIVALS_LINE_MAX ? size_bytes : -EINVAL;
}

/* The wish of the first line in @text; it is owned by the caller, who then goes to @taken_bytes. */
static struct arrivals_wish *arrivals_wish_new(const char __user *text, size_t size_bytes,
					       size_t *taken_bytes)
{
	struct arrivals_wish *wish;
	ssize_t result = -EFAULT;

	wish = kzalloc(sizeof(*wish), GFP_KERNEL);
	if (!wish)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(wish->line, text, min_t(size_t, size_bytes, ARRIVALS_LINE_MAX)))
		result = arrivals_wish_cut(wish, size_bytes);
	if (result > 0) {
		*taken_bytes = result;
		result = arrivals_wish_parse(wish);
	}
	if (!result)
		return wish;
	kfree(wish);
	return ERR_PTR(result);
}

static void arrivals_wish_free(struct arrivals_wish *wish)
{
	trace_array_put(wish->instance);
	kfree(wish);
}

static int arrivals_file_add(struct arrivals_file *file, struct arrivals_wish *wish)
{
	int error = 0;

	mutex_lock(&arrivals_lock);
	if (file->nr_wishes < ARRIVALS_NR_WISHES_MAX) {
		file->nr_wishes++;
		list_add_tail(&wish->in_file, &file->wishes);
		list_add_tail(&wish->in_all, &arrivals_wishes);
	} else {
		error = -ENOSPC;
	}
	mutex_unlock(&arrivals_lock);
	return error;
}

/* Takes the first line of @text. Returns its size, or an error. */
static ssize_t arrivals_file_take(struct arrivals_file *file, const char __user *text,
				  size_t size_bytes)
{
	struct arrivals_wish *wish;
	size_t taken_bytes;
	int error;

	wish = arrivals_wish_new(text, size_bytes, &taken_bytes);
	if (IS_ERR(wish))
		return PTR_ERR(wish);
	error = arrivals_file_add(file, wish);
	if (!error)
		return taken_bytes;
	arrivals_wish_free(wish);
	return error;
}

static ssize_t arrivals_write(struct file *opened, const char __user *text, size_t size_bytes,
			      loff_t *position)
{
	size_t done_bytes = 0;
	ssize_t taken_bytes;

	while (done_bytes < size_bytes) {
		taken_bytes = arrivals_file_take(opened->private_data, text + done_bytes,
						 size_bytes - done_bytes);
		if (taken_bytes < 0)
			return done_bytes ?: taken_bytes;
		done_bytes += taken_bytes;
	}
	return done_bytes;
}

static int arrivals_open(struct inode *inode, struct file *opened)
{
	struct arrivals_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	INIT_LIST_HEAD(&file->wishes);
	opened->private_data = file;
	return 0;
}

static int arrivals_close(struct inode *inode, struct file *opened)
{
	struct arrivals_file *file = opened->private_data;
	struct arrivals_wish *wish, *next;

	mutex_lock(&arrivals_lock);
	list_for_each_entry_safe(wish, next, &file->wishes, in_file) {
		list_del(&wish->in_all);
		arrivals_wish_free(wish);
	}
	mutex_unlock(&arrivals_lock);
	kfree(file);
	return 0;
}

static const struct file_operations arrivals_operations = {
	.owner = THIS_MODULE,
	.open = arrivals_open,
	.write = arrivals_write,
	.release = arrivals_close,
};

static struct miscdevice arrivals_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrack",
	.fops = &arrivals_operations,
	.mode = 0600,
};

/* The kernel makes a module's events known in notifiers of its own, which have to come first. */
static struct notifier_block arrivals_notifier = {
	.notifier_call = arrivals_notify,
	.priority = -1,
};

int arrivals_init(void)
{
	int error;

	error = register_module_notifier(&arrivals_notifier);
	if (error)
		return error;
	error = misc_register(&arrivals_misc);
	if (error)
		unregister_module_notifier(&arrivals_notifier);
	return error;
}

void arrivals_release(void)
{
	misc_deregister(&arrivals_misc);
	unregister_module_notifier(&arrivals_notifier);
}
