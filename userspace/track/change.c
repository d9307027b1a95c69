// SPDX-License-Identifier: GPL-2.0-only
/* Ends tracks when their tasks are created, renamed or removed. */
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

/*
 * Closes the tracks of a thread that ended, and those of its process if that ended. Time advances
 * only if there is a track.
 */
static int task_close_tracks(struct tracks *tracks, struct task *task,
			     const struct task_change *change, bool with_process,
			     struct error *error)
{
	struct track *next;

	for (struct track *track = task->tracks; track; track = next) {
		next = track->peer_after;
		if (!with_process && track->shown.scope != SCOPE_THREAD)
			continue;
		tracks_advance(tracks, change->time_ns);
		if (tracks_close(tracks, track, error) < 0)
			return -1;
	}
	return 0;
}

/* sched_process_fork follows task_newtask, and lacks the process that this has. */
static bool is_second_report(struct task *task, const struct task_change *change)
{
	bool is_fork = change->tgid == 0 && !change->is_thread;
	bool is_second = is_fork && task->awaits_fork;

	task->awaits_fork = !is_fork;
	return is_second;
}

/* The process of a thread's creator, 0 if it is unknown; adds no task, which may free others. */
static int parent_process(const struct tracks *tracks, int tid)
{
	const struct task *parent = tasks_find(&tracks->tasks, tid);
	const struct tracks_settings *settings = &tracks->settings;
	struct thread_identity found = { 0 };

	if (parent && parent->tgid > 0)
		return parent->tgid;
	if (settings->find_task)
		settings->find_task(settings->context, tid, &found);
	return found.tgid;
}

static int task_create(struct tracks *tracks, struct task *task, const struct task_change *change,
		       struct error *error)
{
	int tgid = change->tgid;

	if (is_second_report(task, change))
		return 0;
	if (task_close_tracks(tracks, task, change, true, error) < 0)
		return -1;
	if (change->is_thread)
		tgid = parent_process(tracks, change->parent_tid);
	/* Two tracepoints report a creation, one of them without tgid. */
	if (tgid || !task->is_new)
		task->tgid = tgid;
	if (!task->is_new || task->born_ns == 0)
		task->born_ns = change->time_ns;
	task->parent_tid = change->parent_tid;
	task->names_itself = false;
	task_set_comm(task, change->comm);
	task->is_looked_up = false;
	task->is_new = true;
	task->has_exited = false;
	return 0;
}

/*
 * Tracks of a renamed thread end, so that its next records make tracks with the new name. Tracks
 * with open slices end with these.
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
		tracks_advance(tracks, change->time_ns);
		if (tracks_end(tracks, track, error) < 0)
			return -1;
	}
	tracks->totals.renamed_threads += has_outdated;
	return 0;
}

/* A text of a record contains no NUL. */
static bool task_has_name(const struct task *task, struct text comm)
{
	if (comm.size == 0)
		return true;
	return comm.size < sizeof(task->comm) && task->comm[comm.size] == '\0' &&
	       text_equals(comm, (struct text){ task->comm, comm.size });
}

static int task_take_over(struct tracks *tracks, struct task *task,
			  const struct task_change *change, struct error *error)
{
	struct task *before = tasks_find(&tracks->tasks, change->old_tid);

	task->tgid = change->tgid;
	task->has_exited = false;
	if (change->old_tid != change->tid &&
	    task_close_tracks(tracks, task, change, false, error) < 0)
		return -1;
	if (!task_has_name(task, change->comm) && task_rename(tracks, task, change, error) < 0)
		return -1;
	if (before && before != task) {
		if (task_move_tracks(tracks, before, change, error) < 0 ||
		    task_close_tracks(tracks, before, change, true, error) < 0)
			return -1;
		tasks_remove(&tracks->tasks, before);
	}
	return 0;
}

/* A thread that exits cannot change its name: the tid is another thread's. */
static int task_set_name(struct tracks *tracks, struct task *task, const struct task_change *change,
			 struct error *error)
{
	if (task_has_name(task, change->comm))
		return 0;
	if (task->has_exited)
		return task_create(tracks, task, change, error);
	return task_rename(tracks, task, change, error);
}

/* The kernel frees a thread late: its number may be another's. */
static int task_end(struct tracks *tracks, struct task *task, const struct task_change *change,
		    struct error *error)
{
	if (tasks_lives(&tracks->tasks, change->tid))
		return 0;
	if (task_close_tracks(tracks, task, change, true, error) < 0)
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
		return task_create(tracks, task, change, error);
	case TASK_CHANGE_NAMED:
		return task_set_name(tracks, task, change, error);
	case TASK_CHANGE_TOOK_OVER:
		return task_take_over(tracks, task, change, error);
	case TASK_CHANGE_EXITED:
		tracks->tasks.sees_exits = true;
		task->has_exited = true;
		task->is_new = false;
		return 0;
	default:
		return task_end(tracks, task, change, error);
	}
}
