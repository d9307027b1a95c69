/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload: the threads whose records are recorded, and their children. */
#ifndef READER_WORKLOAD_H
#define READER_WORKLOAD_H

#include <stdbool.h>

#include "event/event.h"
#include "rules/rules.h"

/**
 * struct workload_settings - record only existing threads and their children; by one of these
 * @option: the option that was given, NULL for none
 */
struct workload_settings {
	const char *option;
	int pid;
	const char *cgroup;
	const char *unit;
};

struct workload;

/** workload_new - an empty workload, for workload_free(); NULL without memory */
struct workload *workload_new(void);

/** workload_free - free a workload; NULL is fine */
void workload_free(struct workload *workload);

/**
 * workload_limit_rules - leave out the rules that need the records of all tasks
 * @remedy: for an error
 *
 * Returns 0 with a report, or -1 with @error if no rule is left.
 */
int workload_limit_rules(struct rules *rules, const char *remedy, const struct report *report,
			 struct error *error);

/** workload_append - append the numbers of its threads, "1,2,3" */
void workload_append(const struct workload *workload, struct buffer *out);

/** workload_add_list - add threads, "1,2,3" */
void workload_add_list(struct workload *workload, const char *list);

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
