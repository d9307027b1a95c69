// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the state of the tracepoints that an instance records: unloaded with their module, or
 * released. */
#include "tracefs/enabled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracefs/instance_state.h"
#include "tracefs/retry.h"

static void enabled_free(struct enabled *enabled)
{
	if (enabled->fd >= 0)
		close(enabled->fd);
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

/* The id of its records, 0 if unknown. */
static unsigned int id_read(const struct control *control, const struct enabled *enabled)
{
	struct buffer text = { 0 };
	unsigned int id = 0;

	if (event_file_read(control->events_fd, enabled->system, enabled->event, "id", &text) == 0)
		id = strtoul(buffer_string(&text), NULL, 10);
	buffer_release(&text);
	return id;
}

int enabled_add(struct enabled_list *list, const struct control *control, const char *system,
		const char *event, int lock, struct error *error)
{
	struct enabled *grown = reallocarray(list->list, list->size + 1, sizeof(*grown));
	struct enabled one = { .fd = -1 };

	if (!grown)
		return error_set(error, "out of memory");
	list->list = grown;
	one.system = strdup(system);
	one.event = strdup(event);
	if (enabled_open(&one, control, lock, error) < 0) {
		enabled_free(&one);
		return -1;
	}
	grown[list->size++] = one;
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

static int enabled_look(struct enabled *enabled, const struct instance_observer *observer,
			struct error *error)
{
	struct instance_change change = { .kind = INSTANCE_EVENT_STATE,
					  .system = enabled->system,
					  .event = enabled->event,
					  .before = enabled->state };

	enabled->state = event_state_read(enabled);
	change.now = enabled->state;
	return change.now == change.before ? 0
					   : observer->change(observer->context, &change, error);
}

static void enabled_drop_gone(struct enabled_list *list)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++) {
		if (list->list[i].state == EVENT_UNLOADED)
			enabled_free(&list->list[i]);
		else
			list->list[size++] = list->list[i];
	}
	list->size = size;
}

int enabled_look_all(struct enabled_list *list, const struct instance_observer *observer,
		     struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < list->size && status == 0; i++)
		status = enabled_look(&list->list[i], observer, error);
	enabled_drop_gone(list);
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

		if (one->id == 0)
			one->id = id_read(control, one);
		if (one->id == id)
			return true;
	}
	return false;
}

size_t enabled_recorded(const struct enabled_list *list)
{
	size_t size = 0;

	for (size_t i = 0; i < list->size; i++)
		size += list->list[i].state != EVENT_RELEASED;
	return size;
}
