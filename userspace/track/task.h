/* SPDX-License-Identifier: GPL-2.0-only */
/* Identity of threads: looked up once for each, then updated by records. */
#ifndef TRACK_TASK_H
#define TRACK_TASK_H

#include "base/base.h"
#include "track/track.h"

/** TASK_COMM_SIZE - size of a name with its NUL; kernel workers with their queue have the longest
 */
#define TASK_COMM_SIZE 48

struct track;
struct task_block;

/**
 * struct task - the thread or process with a tid
 * @tgid: its process, 0 if unknown
 * @parent_tid: its creator, 0 if unknown
 * @born_ns: time of its creation, 0 if unknown
 * @is_looked_up: settings.find_task() was called for it
 * @is_new: only its creation is recorded
 * @awaits_fork: its creation was recorded by the first of two tracepoints
 * @names_itself: it has used its own number
 * @has_exited: it may still write records, but not change its name
 * @tracks: the first track of the thread or process
 * @next_free: next unused task
 * @comm: its name, "" if unknown
 */
struct task {
	int tid;
	int tgid;
	int parent_tid;
	int64_t born_ns;
	bool is_looked_up;
	bool is_new;
	bool awaits_fork;
	bool names_itself;
	bool has_exited;
	struct track *tracks;
	struct task *next_free;
	char comm[TASK_COMM_SIZE];
};

/**
 * struct tasks - known threads, up to a limit at which those without tracks are freed
 * @limit: that limit, 0 for the minimum
 * @blocks: memory of all tasks; separate allocations among the short-lived tracks would fragment
 * the heap
 * @free: first unused task
 * @sees_exits: exits of threads are recorded
 */
struct tasks {
	struct map map;
	size_t limit;
	struct task_block *blocks;
	struct task *free;
	bool sees_exits;
};

/** tasks_release - free all tasks, and zero @tasks */
void tasks_release(struct tasks *tasks);

/** tasks_find - the task with @tid, NULL if there is none; does not look it up */
struct task *tasks_find(const struct tasks *tasks, int tid);

/** tasks_lives - whether the thread with @tid certainly has not exited */
bool tasks_lives(const struct tasks *tasks, int tid);

/** tasks_add - add a task that tasks_find() does not find; returns NULL if memory ran out */
struct task *tasks_add(struct tasks *tasks, int tid);

/** tasks_remove - remove a task without tracks */
void tasks_remove(struct tasks *tasks, struct task *task);

/**
 * tasks_get - the task with @tid, looked up if it is new
 *
 * Returns a task that is valid until the next tasks_add() or tasks_get(), or as long as it has
 * tracks; NULL if memory ran out.
 */
struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid);

/** task_set_comm - set the name, cut to TASK_COMM_SIZE */
void task_set_comm(struct task *task, struct text comm);

#endif
