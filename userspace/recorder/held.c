// SPDX-License-Identifier: GPL-2.0-only
/* Looks after the tracepoints that an instance records: modules go, and users let go of them. */
#include "recorder/held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "recorder/instance.h"

static void held_free(struct held *held)
{
	if (held->fd >= 0)
		close(held->fd);
	free(held->system);
	free(held->event);
}

static bool held_switch(const struct held *held, const char *digit)
{
	return pwrite(held->fd, digit, 1, 0) == 1;
}

static int held_open(struct held *held, const struct control *control, int lock,
		     struct error *error)
{
	if (!held->system || !held->event)
		return error_set(error, "out of memory");
	held->fd = control_open_event(control, held->system, held->event, "enable",
				      O_RDWR | O_TRUNC);
	if (held->fd < 0 || !held_switch(held, "1"))
		return error_set_system(error, errno, "cannot write '1' to %s/events/%s/%s/enable",
					control->directory, held->system, held->event);
	/* Who releases it looks at the lock, for a moment. */
	if (flock(held->fd, lock) == 0)
		return 0;
	return error_set_system(error, errno, "cannot look after %s:%s", held->system, held->event);
}

/* 0 where there is none. */
static unsigned int id_read(const struct control *control, const struct held *held)
{
	struct buffer text = { 0 };
	unsigned int id = 0;

	if (source_event_read(control->events_fd, held->system, held->event, "id", &text) == 0)
		id = strtoul(buffer_string(&text), NULL, 10);
	buffer_release(&text);
	return id;
}

int held_add(struct held_list *held, const struct control *control, const char *system,
	     const char *event, int lock, struct error *error)
{
	struct held *list = reallocarray(held->list, held->size + 1, sizeof(*list));
	struct held one = { .fd = -1 };

	if (!list)
		return error_set(error, "out of memory");
	held->list = list;
	one.system = strdup(system);
	one.event = strdup(event);
	if (held_open(&one, control, lock, error) < 0) {
		held_free(&one);
		return -1;
	}
	one.id = id_read(control, &one);
	list[held->size++] = one;
	return 0;
}

void held_disable_all(struct held_list *held)
{
	for (size_t i = 0; i < held->size; i++)
		held_switch(&held->list[i], "0");
	held_release(held);
}

void held_release(struct held_list *held)
{
	for (size_t i = 0; i < held->size; i++)
		held_free(&held->list[i]);
	free(held->list);
	*held = (struct held_list){ 0 };
}

/* The file is of this tracepoint only: when its module is loaded again, there is another one. */
static enum recorder_standing standing_read(const struct held *held)
{
	char digit;

	if (pread(held->fd, &digit, 1, 0) != 1)
		return RECORDER_GONE;
	if (held->standing == RECORDER_GIVEN_UP)
		return RECORDER_GIVEN_UP;
	return digit == '0' ? RECORDER_LET_GO : RECORDER_RECORDED;
}

static int held_look(struct held *held, const struct recorder_observer *observer,
		     struct error *error)
{
	enum recorder_standing before = held->standing;

	held->standing = standing_read(held);
	if (held->standing == before)
		return 0;
	return observer->changed(observer->context, held->system, held->event, before,
				 held->standing, error);
}

static void held_drop_gone(struct held_list *held)
{
	size_t size = 0;

	for (size_t i = 0; i < held->size; i++) {
		if (held->list[i].standing == RECORDER_GONE)
			held_free(&held->list[i]);
		else
			held->list[size++] = held->list[i];
	}
	held->size = size;
}

int held_look_all(struct held_list *held, const struct recorder_observer *observer,
		  struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < held->size && status == 0; i++)
		status = held_look(&held->list[i], observer, error);
	held_drop_gone(held);
	return status;
}

void held_give_up(struct held_list *held)
{
	for (size_t i = 0; i < held->size; i++) {
		struct held *one = &held->list[i];

		if (one->standing != RECORDER_LET_GO)
			continue;
		one->standing = RECORDER_GIVEN_UP;
		flock(one->fd, LOCK_UN);
	}
}

bool held_has(const struct held_list *held, const char *system, const char *event)
{
	for (size_t i = 0; i < held->size; i++) {
		if (strcmp(held->list[i].event, event) == 0 &&
		    strcmp(held->list[i].system, system) == 0)
			return true;
	}
	return false;
}

bool held_has_id(const struct held_list *held, unsigned int id)
{
	for (size_t i = 0; i < held->size; i++) {
		if (held->list[i].id == id)
			return true;
	}
	return false;
}

size_t held_recorded(const struct held_list *held)
{
	size_t size = 0;

	for (size_t i = 0; i < held->size; i++)
		size += held->list[i].standing != RECORDER_GIVEN_UP;
	return size;
}
