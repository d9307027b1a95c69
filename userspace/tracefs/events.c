// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of an instance: enables them, sets their triggers, and undoes it; sees changes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <tracefs.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/tracefs.h"

/* Writes and reads the trigger files of tracepoints with kernel stacks. */

int stack_trigger_set(struct stack_trigger *out, const struct control *control, const char *system,
		      const char *event, const char *filter, uint64_t limit, struct error *error)
{
	SCOPED_BUFFER(text);
	struct error ignored = { 0 };

	buffer_append_string(&text, "stacktrace");
	if (limit > 0)
		buffer_printf(&text, ":%llu", (unsigned long long)limit);
	if (filter) {
		SCOPED_BUFFER(translated);

		control_translate_filter(control, system, event, filter, &translated, &ignored);
		buffer_printf(&text, " if %s", buffer_string(&translated));
	}
	*out = (struct stack_trigger){ .limit = limit,
				       .text = text.failed ? NULL : strdup(buffer_string(&text)) };
	out->fd = control_open_event(control, system, event, "trigger", O_RDWR);
	if (!out->text)
		return error_set(error, "out of memory");
	if (out->fd >= 0 && retry_write(out->fd, out->text, strlen(out->text)) >= 0) {
		control_report_event_write(control, system, event, "trigger", out->text);
		return 0;
	}
	return error_set_system(error, errno, "cannot write '%s' to events/%s/%s/trigger",
				out->text, system, event);
}

/* The file has lines "stacktrace:count=N if FILTER". */
static bool trigger_read_count(const struct stack_trigger *trigger, uint64_t *out)
{
	static const char key[] = ":count=";
	char text[256];
	ssize_t size = retry_pread(trigger->fd, text, sizeof(text) - 1);
	const char *count;

	if (size <= 0)
		return false;
	text[size] = '\0';
	count = strstr(text, key);
	if (count)
		*out = strtoull(count + strlen(key), NULL, 10);
	return count;
}

bool stack_trigger_refill(const struct stack_trigger *trigger)
{
	static const char removal[] = "!stacktrace";
	uint64_t left = 0;

	if (trigger->limit == 0 || !trigger_read_count(trigger, &left) || left > trigger->limit / 2)
		return false;
	/* The count of a trigger cannot be changed. Records without stacks show what is missing. */
	if (retry_write(trigger->fd, removal, strlen(removal)) < 0 ||
	    retry_write(trigger->fd, trigger->text, strlen(trigger->text)) < 0)
		return true;
	return left == 0;
}

void stack_trigger_close(struct stack_trigger *trigger)
{
	file_close(trigger->fd);
	free(trigger->text);
	*trigger = (struct stack_trigger){ .fd = -1 };
}

/* Keeps the state of the tracepoints that an instance records: unloaded with their module, or
 * released. */

static void enabled_free(struct enabled *enabled)
{
	file_close(enabled->fd);
	free(enabled->system);
	free(enabled->event);
}

static bool enabled_switch(const struct enabled *enabled, const struct control *control,
			   const char *digit)
{
	if (retry_pwrite(enabled->fd, digit, 1) != 1)
		return false;
	control_report_event_write(control, enabled->system, enabled->event, "enable", digit);
	return true;
}

static int enabled_open(struct enabled *enabled, const struct control *control, int lock,
			struct error *error)
{
	if (!enabled->system || !enabled->event)
		return error_set(error, "out of memory");
	enabled->fd = control_open_event(control, enabled->system, enabled->event, "enable",
					 O_RDWR | O_TRUNC);
	if (enabled->fd < 0 || !enabled_switch(enabled, control, "1"))
		return error_set_system(error, errno, "cannot write '1' to %s/events/%s/%s/enable",
					control->directory, enabled->system, enabled->event);
	/* 'ktrack release' tests this lock. */
	if (flock(enabled->fd, lock) == 0)
		return 0;
	return error_set_system(error, errno, "cannot lock the enable file of %s:%s",
				enabled->system, enabled->event);
}

int enabled_add(struct enabled_list *list, const struct control *control, const char *system,
		const char *event, int lock, struct error *error)
{
	struct enabled one = { .fd = -1 };

	if (!array_reserve(list->list, list->size))
		return error_set(error, "out of memory");
	one.system = strdup(system);
	one.event = strdup(event);
	if (enabled_open(&one, control, lock, error) < 0) {
		enabled_free(&one);
		return -1;
	}
	list->list[list->size++] = one;
	return 0;
}

void enabled_disable_all(struct enabled_list *list, const struct control *control)
{
	for (size_t i = 0; i < list->size; i++)
		enabled_switch(&list->list[i], control, "0");
	enabled_release(list);
}

void enabled_release(struct enabled_list *list)
{
	for (size_t i = 0; i < list->size; i++)
		enabled_free(&list->list[i]);
	free(list->list);
	*list = (struct enabled_list){ 0 };
}

/* After a reload of the module, the tracepoint has another file: this one stays unreadable. */
static enum event_state event_state_read(const struct enabled *enabled)
{
	char digit;

	if (retry_pread(enabled->fd, &digit, 1) != 1)
		return EVENT_UNLOADED;
	if (enabled->state == EVENT_RELEASED)
		return EVENT_RELEASED;
	return digit == '0' ? EVENT_RELEASING : EVENT_RECORDED;
}

int enabled_look_all(struct enabled_list *list, enum instance_kind instance,
		     const struct instance_observer *observer, struct error *error)
{
	size_t size = 0;
	int status = 0;

	for (size_t i = 0; i < list->size && status == 0; i++) {
		struct enabled *one = &list->list[i];
		struct instance_change change = { .kind = INSTANCE_EVENT_STATE,
						  .instance = instance,
						  .system = one->system,
						  .event = one->event,
						  .before = one->state };

		one->state = event_state_read(one);
		change.now = one->state;
		if (change.now != change.before)
			status = observer->change(observer->context, &change, error);
	}
	for (size_t i = 0; i < list->size; i++) {
		if (list->list[i].state == EVENT_UNLOADED)
			enabled_free(&list->list[i]);
		else
			list->list[size++] = list->list[i];
	}
	list->size = size;
	return status;
}

void enabled_release_all(struct enabled_list *list)
{
	for (size_t i = 0; i < list->size; i++) {
		struct enabled *one = &list->list[i];

		if (one->state != EVENT_RELEASING)
			continue;
		one->state = EVENT_RELEASED;
		flock(one->fd, LOCK_UN);
	}
}

bool enabled_has(const struct enabled_list *list, const char *system, const char *event)
{
	for (size_t i = 0; i < list->size; i++) {
		if (strcmp(list->list[i].event, event) == 0 &&
		    strcmp(list->list[i].system, system) == 0)
			return true;
	}
	return false;
}

bool enabled_has_id(struct enabled_list *list, const struct control *control, unsigned int id)
{
	for (size_t i = 0; i < list->size; i++) {
		struct enabled *one = &list->list[i];

		SCOPED_BUFFER(text);

		if (one->id == 0 &&
		    event_file_read(control->events_fd, one->system, one->event, "id", &text) == 0)
			one->id = strtoul(buffer_string(&text), NULL, 10);
		if (one->id == id)
			return true;
	}
	return false;
}

size_t enabled_recorded(const struct enabled_list *list)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++)
		size += list->list[i].state == EVENT_RECORDED ||
			list->list[i].state == EVENT_RELEASING;
	return size;
}

/*
 * Other programs empty the buffers of an instance, and change its clock, by writing to its files.
 * Settings that ktrack writes while it records are ignored by their names.
 */

/* Space for some events with names of any length. */
#define EVENTS_SIZE 4096

/** struct changes - watches of all directories */
struct changes {
	int fd;		    /* of inotify */
	int first_sideband; /* number of the sideband instance's first watch */
	char file[32];	    /* name of the last file written */
};

/* When one of them is written, the kernel empties some buffers or all of them. */
static const char *const emptying_files[] = {
	"trace",	  "snapshot",	 "buffer_size_kb", "buffer_subbuf_size_kb",
	"current_tracer", "free_buffer",
};

static int watch_add(struct changes *changes, const char *directory, const char *entry)
{
	SCOPED_BUFFER(path);

	buffer_printf(&path, "%s/%s", directory, entry);
	return inotify_add_watch(changes->fd, buffer_string(&path), IN_MODIFY | IN_ONLYDIR);
}

/* Returns -1 with errno. */
static int watch_cpus(struct changes *changes, const char *directory)
{
	SCOPED_BUFFER(path);
	struct dirent *entry;
	int status = 0;
	DIR *list;

	buffer_printf(&path, "%s/per_cpu", directory);
	list = opendir(buffer_string(&path));
	while (list && status == 0 && (entry = readdir(list))) {
		if (entry->d_name[0] != '.' &&
		    watch_add(changes, buffer_string(&path), entry->d_name) < 0)
			status = -1;
	}
	if (list)
		closedir(list);
	return list ? status : -1;
}

static int watch_instance(struct changes *changes, const struct instance *instance, int *first,
			  struct error *error)
{
	*first = watch_add(changes, instance->directory, ".");
	if (*first >= 0 && watch_cpus(changes, instance->directory) == 0)
		return 0;
	return error_set_system(error, errno, "%s: cannot notice what others write to it",
				instance->directory);
}

int changes_open(struct changes **out, const struct instance *instance, struct error *error)
{
	struct changes *changes = calloc(1, sizeof(*changes));
	int status, ignored;

	*out = changes;
	if (!changes)
		return error_set(error, "out of memory");
	changes->first_sideband = INT32_MAX;
	changes->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (changes->fd < 0)
		status = error_set_system(error, errno, "cannot watch for changes");
	else
		status = watch_instance(changes, instance, &ignored, error);
	for (instance = instance->next; status == 0 && instance; instance = instance->next)
		status = watch_instance(
			changes, instance,
			instance->kind == INSTANCE_SIDEBAND ? &changes->first_sideband : &ignored,
			error);
	if (status == 0)
		return 0;
	changes_close(changes);
	*out = NULL;
	return -1;
}

int changes_fd(const struct changes *changes)
{
	return changes->fd;
}

/* Events that inotify dropped may have been any. */
static void event_take(struct changes *changes, const struct inotify_event *event,
		       struct instance_change *out)
{
	const char *name = event->len > 0 ? event->name : "";
	bool is_sideband = event->wd >= changes->first_sideband;
	bool is_overflow = event->mask & IN_Q_OVERFLOW;
	bool is_clock = strcmp(name, "trace_clock") == 0, is_emptying = false;

	for (size_t i = 0; i < sizeof(emptying_files) / sizeof(emptying_files[0]); i++)
		is_emptying |= strcmp(name, emptying_files[i]) == 0;
	if (!is_overflow && !is_clock && !is_emptying)
		return;
	snprintf(changes->file, sizeof(changes->file), "%s", is_overflow ? "trace" : name);
	out->is_reclocked |= is_clock || is_overflow;
	out->is_emptied |= !is_sideband;
	out->is_sideband_emptied |= is_sideband || is_overflow;
}

bool changes_take(struct changes *changes, struct instance_change *out)
{
	char events[EVENTS_SIZE] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t size;

	*out = (struct instance_change){ .kind = INSTANCE_WRITTEN, .file = changes->file };
	while ((size = TEMP_FAILURE_RETRY(read(changes->fd, events, sizeof(events)))) > 0) {
		for (const char *at = events; at < events + size;) {
			const struct inotify_event *event = (const struct inotify_event *)at;

			event_take(changes, event, out);
			at += sizeof(*event) + event->len;
		}
	}
	return out->is_reclocked || out->is_emptied || out->is_sideband_emptied;
}

void changes_close(struct changes *changes)
{
	if (!changes)
		return;
	file_close(changes->fd);
	free(changes);
}
