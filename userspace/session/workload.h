/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload: the threads whose records are recorded, and their children. */
#ifndef SESSION_WORKLOAD_H
#define SESSION_WORKLOAD_H

#include <stdbool.h>

#include "event/event.h"
#include "session/settings.h"

struct workload;

/** workload_new - an empty workload, for workload_free(); NULL without memory */
struct workload *workload_new(void);

/** workload_free - free a workload; NULL is fine */
void workload_free(struct workload *workload);

/** workload_add - add a thread; returns whether it is new */
bool workload_add(struct workload *workload, int tid);

/** workload_has - whether a thread belongs to the workload */
bool workload_has(const struct workload *workload, int tid);

/** workload_learn - children of the workload's threads belong to it, too */
void workload_learn(struct workload *workload, const struct task_change *change);

/**
 * workload_find - find the threads that exist now
 * @add: receives each one, repeatedly if it is called again; returns -1 with @error
 *
 * Returns 0, or -1 with @error if there is no such process, cgroup or unit.
 */
int workload_find(const struct workload_settings *settings,
		  int (*add)(void *context, int tid, struct error *error), void *context,
		  struct error *error);

#endif
