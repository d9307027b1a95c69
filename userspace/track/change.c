// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of tracks when their tasks are born, renamed or gone. */
#include <string.h>

#include "track/state.h"

void track_join(struct track *track, struct task *task)
{
	track->peer_after = task->tracks;
	track->peer_before = &task->tracks;
	if (task->tracks)
		task->tracks->peer_before = &track->peer_after;
	task->tracks = track;
	task->is_new = false;
}

void track_part(struct track *track)
{
	if (!track->peer_before)
		return;
	*track->peer_before = track->peer_after;
	if (track->peer_after)
		track->peer_after->peer_before = track->peer_before;
	track->peer_before = NULL;
}

/* Time comes to a change only where the timeline is told something of it. */
static void tracks_reach(struct tracks *tracks, const struct task_change *change)
{
	if (change->time_ns > tracks->now_ns)
		tracks->now_ns = change->time_ns;
}

/*
 * Ends the tracks of a thread that is no more, with all that is open on them; those of its process
 * only where that is no more either.
 */
static int task_leave(struct tracks *tracks, struct task *task, const struct task_change *change,
		      bool with_process, struct error *error)
{
	struct track *next;

	for (struct track *track = task->tracks; track; track = next) {
		next = track->peer_after;
		if (!with_process && track->shown.scope != SCOPE_THREAD)
			continue;
		tracks_reach(tracks, change);
		if (tracks_close(tracks, track, error) < 0)
			return -1;
	}
	return 0;
}

static int task_be_born(struct tracks *tracks, struct task *task, const struct task_change *change,
			struct error *error)
{
	int tgid = change->tgid;

	if (task_leave(tracks, task, change, true, error) < 0)
		return -1;
	if (change->is_thread) {
		const struct task *parent = tasks_find(&tracks->tasks, change->parent_tid);

		tgid = parent ? parent->tgid : 0;
	}
	/* The kernel tells a birth twice, once with less. */
	if (tgid || !task->is_new)
		task->tgid = tgid;
	if (!task->is_new || task->born_ns == 0)
		task->born_ns = change->time_ns;
	task_set_comm(task, change->comm);
	task->is_asked = false;
	task->is_new = true;
	task->has_exited = false;
	return 0;
}

/*
 * Tracks of a thread that has another name now come back under it, where nothing is open on them;
 * the others when their slices have ended.
 */
static int task_rename(struct tracks *tracks, struct task *task, const struct task_change *change,
		       struct error *error)
{
	struct track *next;
	bool has_outdated = false;

	task_set_comm(task, change->comm);
	for (struct track *track = task->tracks; track; track = next) {
		next = track->peer_after;
		track->is_outdated = strcmp(track->comm, task->comm) != 0;
		has_outdated = has_outdated || track->is_outdated;
		if (!track->is_outdated || track->nr_slices > 0)
			continue;
		tracks_reach(tracks, change);
		if (tracks_end(tracks, track, error) < 0)
			return -1;
	}
	tracks->totals.renamed_threads += has_outdated;
	return 0;
}

static bool task_has_name(const struct task *task, struct text comm)
{
	return comm.size == 0 || text_equals(comm, text_of(task->comm));
}

static int task_take_over(struct tracks *tracks, struct task *task,
			  const struct task_change *change, struct error *error)
{
	struct task *before = tasks_find(&tracks->tasks, change->old_tid);

	task->tgid = change->tgid;
	if (change->old_tid != change->tid && task_leave(tracks, task, change, false, error) < 0)
		return -1;
	if (before && before != task) {
		if (task_leave(tracks, before, change, true, error) < 0)
			return -1;
		tasks_remove(&tracks->tasks, before);
	}
	return task_has_name(task, change->comm) ? 0 : task_rename(tracks, task, change, error);
}

/* Who is on the way out has no other name: it is another's. */
static int task_be_named(struct tracks *tracks, struct task *task, const struct task_change *change,
			 struct error *error)
{
	if (task_has_name(task, change->comm))
		return 0;
	if (task->has_exited)
		return task_be_born(tracks, task, change, error);
	return task_rename(tracks, task, change, error);
}

static int task_go(struct tracks *tracks, struct task *task, const struct task_change *change,
		   struct error *error)
{
	if (task_leave(tracks, task, change, true, error) < 0)
		return -1;
	tasks_remove(&tracks->tasks, task);
	return 0;
}

int tracks_learn(struct tracks *tracks, const struct task_change *change, struct error *error)
{
	struct task *task = tasks_find(&tracks->tasks, change->tid);

	if (!task)
		task = tasks_add(&tracks->tasks, change->tid);
	if (!task)
		return error_set(error, "out of memory");
	switch (change->kind) {
	case TASK_CHANGE_BORN:
		return task_be_born(tracks, task, change, error);
	case TASK_CHANGE_NAMED:
		return task_be_named(tracks, task, change, error);
	case TASK_CHANGE_TOOK_OVER:
		return task_take_over(tracks, task, change, error);
	case TASK_CHANGE_EXITED:
		task->has_exited = true;
		task->is_new = false;
		return 0;
	default:
		return task_go(tracks, task, change, error);
	}
}
