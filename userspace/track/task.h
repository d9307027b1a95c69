/* SPDX-License-Identifier: GPL-2.0-only */
/* Who threads are, asked once for each. */
#ifndef TRACK_TASK_H
#define TRACK_TASK_H

#include "base/base.h"
#include "track/track.h"

#define TASK_COMM_SIZE 64

/** struct task - a thread: its process, 0 where that is unknown, and its name, "" where that is */
struct task {
	int tid;
	int tgid;
	char comm[TASK_COMM_SIZE];
};

/**
 * struct tasks - those that were asked for; a bounded number, after which all are asked for anew
 */
struct tasks {
	struct map map;
};

void tasks_release(struct tasks *tasks);

/**
 * tasks_get - who a thread is; NULL where there is nobody to ask, or memory ran out; lives until
 * the next call
 */
const struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid);

#endif
