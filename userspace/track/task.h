/* SPDX-License-Identifier: GPL-2.0-only */
/* Who threads are, as far as the trace has come: asked once for each, and told by its records. */
#ifndef TRACK_TASK_H
#define TRACK_TASK_H

#include "base/base.h"
#include "track/track.h"

/** TASK_COMM_SIZE - room for the longest: a kernel worker with the name of its queue */
#define TASK_COMM_SIZE 48

struct track;
struct task_block;

/**
 * struct task - who has a thread's number
 * @tgid: its process, 0 where that is unknown
 * @comm: its name, "" where that is unknown
 * @born_ns: when it was born, 0 where that is unknown
 * @is_asked: whoever is to be asked was asked
 * @is_new: nothing but its birth is known
 * @has_exited: it may still write, but not change its name
 * @tracks: the first of those that are about it, as a thread or as a process
 * @next_free: of those that are nobody
 */
struct task {
	int tid;
	int tgid;
	int64_t born_ns;
	bool is_asked;
	bool is_new;
	bool has_exited;
	struct track *tracks;
	struct task *next_free;
	char comm[TASK_COMM_SIZE];
};

/**
 * struct tasks - those that were asked for or told of; a bounded number, above which those without
 * tracks are forgotten
 * @limit: that number, 0 for the least
 * @blocks: what all of them live in: among the tracks, which come and go, they would leave holes
 * @free: the first that is nobody
 */
struct tasks {
	struct map map;
	size_t limit;
	struct task_block *blocks;
	struct task *free;
};

void tasks_release(struct tasks *tasks);

/** tasks_find - what is known of a thread without asking; NULL where nothing is */
struct task *tasks_find(const struct tasks *tasks, int tid);

/** tasks_add - a thread that tasks_find() does not find; returns NULL where memory ran out */
struct task *tasks_add(struct tasks *tasks, int tid);

/** tasks_remove - forget a thread that has no tracks */
void tasks_remove(struct tasks *tasks, struct task *task);

/**
 * tasks_get - who a thread is, by whoever there is to ask; lives until the next tasks_add() or
 * tasks_get(), or as long as it has tracks; NULL where memory ran out
 */
struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid);

/** task_set_comm - cut where it is too long */
void task_set_comm(struct task *task, struct text comm);

#endif
