/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that an instance records, and their state. */
#ifndef TRACEFS_ENABLED_H
#define TRACEFS_ENABLED_H

#include "tracefs/control.h"
#include "tracefs/tracefs.h"

/**
 * struct enabled - a tracepoint
 * @id: of its records; 0 until enabled_has_id() needs it
 * @fd: its enable file. It becomes unreadable when the module is unloaded, which distinguishes the
 * tracepoint from a later one of the same name
 */
struct enabled {
	char *system;
	char *event;
	unsigned int id;
	int fd;
	enum event_state state;
};

/** struct enabled_list - those of an instance; zeroed it is empty */
struct enabled_list {
	struct enabled *list;
	size_t size;
};

/**
 * enabled_add - enable a tracepoint and add it to the list
 * @control: the instance's
 * @lock: LOCK_SH or LOCK_EX, for flock(2) on the enable file, until it is released: the lock
 * shows 'ktrack release' that its records are still unread
 *
 * Returns -1 with @error.
 */
int enabled_add(struct enabled_list *list, const struct control *control, const char *system,
		const char *event, int lock, struct error *error);

/**
 * enabled_disable_all - disable all tracepoints and empty the list; unloaded tracepoints are
 * skipped
 */
void enabled_disable_all(struct enabled_list *list, const struct control *control);

/**
 * enabled_look_all, enabled_release_all, enabled_has, enabled_has_id, enabled_recorded - implement
 * instance_look(), instance_release_events(), instance_has_event(), instance_sideband_has_id() and
 * instance_count_events()
 */
int enabled_look_all(struct enabled_list *list, const struct instance_observer *observer,
		     struct error *error);
void enabled_release_all(struct enabled_list *list);
bool enabled_has(const struct enabled_list *list, const char *system, const char *event);
bool enabled_has_id(struct enabled_list *list, const struct control *control, unsigned int id);
size_t enabled_recorded(const struct enabled_list *list);

/** enabled_release - empty the list without disabling tracepoints */
void enabled_release(struct enabled_list *list);

#endif
