/* SPDX-License-Identifier: GPL-2.0-only */
/* Dynamic events: tracepoints that are defined by a line of text; a part of tracefs.h. */
#ifndef TRACEFS_DYNAMIC_H
#define TRACEFS_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/** DYNAMIC_NAME_SIZE - fits the name of a group or of an event, with NUL; the kernel's limit */
#define DYNAMIC_NAME_SIZE 64

/**
 * struct dynamic_events - the dynamic events of this process
 * @writes: receives a line for each definition and removal, NULL for none; dynamic_open() clears it
 *
 * They are in one group, whose name shows the process, so that 'ktrack clean' finds the groups of
 * killed runs. Every tracing instance has them; they are enabled in one as other tracepoints.
 * A zeroed struct has none.
 */
struct dynamic_events {
	const struct report *writes;
	int fd;
	char group[DYNAMIC_NAME_SIZE];
	char (*names)[DYNAMIC_NAME_SIZE];
	size_t nr_names;
};

/** dynamic_is_open - whether dynamic_open() succeeded */
static inline bool dynamic_is_open(const struct dynamic_events *events)
{
	return events->group[0] && events->fd >= 0;
}

/** dynamic_open - prepare for dynamic_define(); returns -1 with @error */
int dynamic_open(struct dynamic_events *events, struct error *error);

/**
 * dynamic_define - define an event
 * @kind: "p", "r", with a number for the limit of concurrent calls: "r512"
 * @name: a C identifier, unique in the group
 * @place: what follows the name: the place of the probe, and its arguments
 * @object: for @error, which has the kernel's reason if tracefs shows it
 *
 * Returns 0, or -1 with @error.
 */
int dynamic_define(struct dynamic_events *events, const char *kind, const char *name,
		   const char *place, const char *object, struct error *error);

/**
 * dynamic_visit_missed - visit the events whose hits the kernel could not always record
 * @visit: receives the name of an event of this group, and the number of missed hits
 *
 * The kernel counts them for kprobes only.
 */
void dynamic_visit_missed(const struct dynamic_events *events,
			  void (*visit)(void *context, const char *name, uint64_t missed),
			  void *context);

/** dynamic_drop - remove the event that was defined last */
void dynamic_drop(struct dynamic_events *events);

/** dynamic_close - remove all events; no instance has them enabled; returns -1 with @error */
int dynamic_close(struct dynamic_events *events, struct error *error);

/**
 * struct dynamic_visitor - visits groups
 * @visit: the events of @group are removed by dynamic_remove(); returns -1 with @error
 */
struct dynamic_visitor {
	void *context;
	int (*visit)(void *context, const char *group, struct error *error);
};

/** dynamic_visit_stale - visit the groups of killed runs; returns -1 with @error */
int dynamic_visit_stale(const struct dynamic_visitor *visitor, struct error *error);

/** dynamic_remove - remove the events of a group; returns -1 with @error if one is in use */
int dynamic_remove(const char *group, struct error *error);

#endif
