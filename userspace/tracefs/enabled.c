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

static void enabled_free(struct enabled *held)
{
	if (held->fd >= 0)
		close(held->fd);
	free(held->system);
	free(held->event);
}

static bool enabled_switch(const struct enabled *held, const char *digit)
{
	return pwrite(held->fd, digit, 1, 0) == 1;
}

static int enabled_open(struct enabled *held, const struct control *control, int lock,
			struct error *error)
{
	if (!held->system || !held->event)
		return error_set(error, "out of memory");
	held->fd = control_open_event(control, held->system, held->event, "enable",
				      O_RDWR | O_TRUNC);
	if (held->fd < 0 || !enabled_switch(held, "1"))
		return error_set_system(error, errno, "cannot write '1' to %s/events/%s/%s/enable",
					control->directory, held->system, held->event);
	/* 'ktrack release' tests this lock. */
	if (flock(held->fd, lock) == 0)
		return 0;
	return error_set_system(error, errno, "cannot lock the enable file of %s:%s", held->system,
				held->event);
}

/* 0 if there is none. */
static unsigned int id_read(const struct control *control, const struct enabled *held)
{
	struct buffer text = { 0 };
	unsigned int id = 0;

	if (event_file_read(control->events_fd, held->system, held->event, "id", &text) == 0)
		id = strtoul(buffer_string(&text), NULL, 10);
	buffer_release(&text);
	return id;
}

int enabled_add(struct enabled_list *held, const struct control *control, const char *system,
		const char *event, int lock, struct error *error)
{
	struct enabled *list = reallocarray(held->list, held->size + 1, sizeof(*list));
	struct enabled one = { .fd = -1 };

	if (!list)
		return error_set(error, "out of memory");
	held->list = list;
	one.system = strdup(system);
	one.event = strdup(event);
	if (enabled_open(&one, control, lock, error) < 0) {
		enabled_free(&one);
		return -1;
	}
	list[held->size++] = one;
	return 0;
}

void enabled_disable_all(struct enabled_list *held)
{
	for (size_t i = 0; i < held->size; i++)
		enabled_switch(&held->list[i], "0");
	enabled_release(held);
}

void enabled_release(struct enabled_list *held)
{
	for (size_t i = 0; i < held->size; i++)
		enabled_free(&held->list[i]);
	free(held->list);
	*held = (struct enabled_list){ 0 };
}

/* The file is of this tracepoint only: when its module is loaded again, there is another one. */
static enum event_state event_state_read(const struct enabled *held)
{
	char digit;

	if (pread(held->fd, &digit, 1, 0) != 1)
		return EVENT_UNLOADED;
	if (held->state == EVENT_RELEASED)
		return EVENT_RELEASED;
	return digit == '0' ? EVENT_RELEASING : EVENT_RECORDED;
}

static int enabled_look(struct enabled *held, const struct instance_observer *observer,
			struct error *error)
{
	struct instance_change change = { .kind = INSTANCE_EVENT_STATE,
					  .system = held->system,
					  .event = held->event,
					  .before = held->state };

	held->state = event_state_read(held);
	change.now = held->state;
	return change.now == change.before ? 0
					   : observer->change(observer->context, &change, error);
}

static void enabled_drop_gone(struct enabled_list *held)
{
	size_t size = 0;

	for (size_t i = 0; i < held->size; i++) {
		if (held->list[i].state == EVENT_UNLOADED)
			enabled_free(&held->list[i]);
		else
			held->list[size++] = held->list[i];
	}
	held->size = size;
}

int enabled_look_all(struct enabled_list *held, const struct instance_observer *observer,
		     struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < held->size && status == 0; i++)
		status = enabled_look(&held->list[i], observer, error);
	enabled_drop_gone(held);
	return status;
}

void enabled_release_all(struct enabled_list *held)
{
	for (size_t i = 0; i < held->size; i++) {
		struct enabled *one = &held->list[i];

		if (one->state != EVENT_RELEASING)
			continue;
		one->state = EVENT_RELEASED;
		flock(one->fd, LOCK_UN);
	}
}

bool enabled_has(const struct enabled_list *held, const char *system, const char *event)
{
	for (size_t i = 0; i < held->size; i++) {
		if (strcmp(held->list[i].event, event) == 0 &&
		    strcmp(held->list[i].system, system) == 0)
			return true;
	}
	return false;
}

bool enabled_has_id(struct enabled_list *held, const struct control *control, unsigned int id)
{
	for (size_t i = 0; i < held->size; i++) {
		struct enabled *one = &held->list[i];

		if (one->id == 0)
			one->id = id_read(control, one);
		if (one->id == id)
			return true;
	}
	return false;
}

size_t enabled_recorded(const struct enabled_list *held)
{
	size_t size = 0;

	for (size_t i = 0; i < held->size; i++)
		size += held->list[i].state != EVENT_RELEASED;
	return size;
}
