/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that an instance records, and what becomes of them. */
#ifndef RECORDER_HELD_H
#define RECORDER_HELD_H

#include "recorder/control.h"
#include "recorder/recorder.h"

/**
 * struct held - a tracepoint
 * @id: of its records
 * @fd: its enable file, which tells this one from another that comes under the same name: once the
 * module has gone it cannot be read any more
 */
struct held {
	char *system;
	char *event;
	unsigned int id;
	int fd;
	enum recorder_standing standing;
};

/** struct held_list - those of an instance; zeroed it is empty */
struct held_list {
	struct held *list;
	size_t size;
};

/**
 * held_add - enable a tracepoint, and look after it from then on
 * @control: the instance's
 * @lock: LOCK_SH or LOCK_EX, for flock(2) on the enable file, until it is given up: by that
 * 'ktrack release' sees that its records are still needed
 *
 * Returns -1 with @error.
 */
int held_add(struct held_list *held, const struct control *control, const char *system,
	     const char *event, int lock, struct error *error);

/**
 * held_disable_all - disable one tracepoint after the other, and look after none any more; what has
 * gone meanwhile needs no disabling
 */
void held_disable_all(struct held_list *held);

/** held_look_all, held_give_up, held_has, held_has_id, held_recorded - recorder_look() and what
 * follows it */
int held_look_all(struct held_list *held, const struct recorder_observer *observer,
		  struct error *error);
void held_give_up(struct held_list *held);
bool held_has(const struct held_list *held, const char *system, const char *event);
bool held_has_id(const struct held_list *held, unsigned int id);
size_t held_recorded(const struct held_list *held);

/** held_release - look after none any more */
void held_release(struct held_list *held);

#endif
