// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identity of threads, by tid; ends tracks when their tasks are created, renamed, moved or removed.
 */
#include "track/state.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 128
/* Tasks without tracks that are kept because their cgroup is known. */
#define KNOWN_MAX (TASKS_MAX / 2)

struct task_block {
	struct task_block *next;
	struct task tasks[BLOCK_SIZE];
};

static bool task_has_tid(const void *value, const void *key)
{
	return ((const struct task *)value)->tid == *(const int *)key;
}

static uint64_t tid_hash(int tid)
{
	return hash_number((unsigned int)tid);
}

void tasks_release(struct tasks *tasks)
{
	struct task_block *next;

	for (struct task_block *block = tasks->blocks; block; block = next) {
		next = block->next;
		for (size_t i = 0; i < BLOCK_SIZE; i++)
			free(block->tasks[i].cgroup);
		free(block);
	}
	map_release(&tasks->map);
	*tasks = (struct tasks){ 0 };
}

static void task_release(struct tasks *tasks, struct task *task)
{
	free(task->cgroup);
	task->cgroup = NULL;
	task->next_free = tasks->free;
	tasks->free = task;
}

static struct task *task_new(struct tasks *tasks, int tid)
{
	struct task_block *block;
	struct task *task;

	if (!tasks->free) {
		block = calloc(1, sizeof(*block));
		if (!block)
			return NULL;
		block->next = tasks->blocks;
		tasks->blocks = block;
		for (size_t i = BLOCK_SIZE; i-- > 0;)
			task_release(tasks, &block->tasks[i]);
	}
	task = tasks->free;
	tasks->free = task->next_free;
	*task = (struct task){ .tid = tid };
	return task;
}

/*
 * Frees all tasks without tracks, but for some that live and whose cgroup is known; returns -1 if
 * memory for the table of the others ran out.
 */
static int tasks_prune(struct tasks *tasks)
{
	struct map kept = { 0 };
	size_t nr_known = 0;
	struct task *task;

	map_for_each(&tasks->map, task) {
		bool is_known = task->cgroup && !task->has_exited && nr_known < KNOWN_MAX;

		task->is_kept = task->tracks || task->crew || is_known;
		nr_known += is_known;
		if (task->is_kept && map_insert(&kept, tid_hash(task->tid), task) < 0) {
			map_release(&kept);
			return -1;
		}
	}
	map_for_each(&tasks->map, task) {
		if (!task->is_kept)
			task_release(tasks, task);
	}
	map_release(&tasks->map);
	tasks->map = kept;
	tasks->limit = kept.size + TASKS_MAX;
	return 0;
}

struct task *tasks_find(const struct tasks *tasks, int tid)
{
	return map_find(&tasks->map, tid_hash(tid), task_has_tid, &tid);
}

struct task *task_leader(const struct tasks *tasks, struct task *task)
{
	return task->tgid > 0 && task->tgid != task->tid ? tasks_find(tasks, task->tgid) : task;
}

bool tasks_lives(const struct tasks *tasks, int tid)
{
	const struct task *task = tasks_find(tasks, tid);

	return tasks->sees_exits && task && !task->has_exited;
}

struct task *tasks_add(struct tasks *tasks, int tid)
{
	struct task *task = task_new(tasks, tid);

	if (!task)
		return NULL;
	if (tasks->limit < TASKS_MAX)
		tasks->limit = TASKS_MAX;
	if ((tasks->map.size < tasks->limit || tasks_prune(tasks) == 0) &&
	    map_insert(&tasks->map, tid_hash(tid), task) == 0)
		return task;
	task_release(tasks, task);
	return NULL;
}

/* Removes a track from those of its process. */
static void crew_part(struct track *track)
{
	*track->crew_before = track->crew_after;
	if (track->crew_after)
		track->crew_after->crew_before = track->crew_before;
	track->crew_before = NULL;
}

static void tasks_remove(struct tasks *tasks, struct task *task)
{
	while (task->crew)
		crew_part(task->crew);
	map_remove(&tasks->map, tid_hash(task->tid), task);
	task_release(tasks, task);
}

void task_set_comm(struct task *task, struct text comm)
{
	size_t size = comm.size < sizeof(task->comm) ? comm.size : sizeof(task->comm) - 1;

	if (size > 0)
		memcpy(task->comm, comm.data, size);
	task->comm[size] = '\0';
}

/* Only what the trace does not contain is looked up: the result may be of another time. */
static void task_look_up(struct task *task, const struct tracks_settings *settings)
{
	struct thread_identity found = { 0 };

	task->is_looked_up = true;
	if (!settings->find_task || (task->tgid && task->comm[0]))
		return;
	settings->find_task(settings->context, task->tid, &found);
	if (!task->tgid)
		task->tgid = found.tgid;
	if (!task->comm[0])
		task_set_comm(task, text_of(found.comm));
}

struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid)
{
	struct task *task = tasks_find(tasks, tid);

	if (!task)
		task = tasks_add(tasks, tid);
	if (task && !task->is_looked_up)
		task_look_up(task, settings);
	return task;
}

/*
 * Moves the tracks of a thread to another tid: if a thread that is not the first of its process
 * executes a program, it gets the number of the process.
 */

static uint64_t moved_hash(const struct track *track)
{
	struct decoded_keys keys = { .nr_outer = track->shown.nr_outer };
	struct descriptor descriptor = { .index = track->descriptor_index,
					 .scope = DESCRIPTOR_SCOPE_THREAD };
	struct decoded_event decoded = { .descriptor = &descriptor,
					 .cpu = track->shown.cpu,
					 .buffer = track->buffer,
					 .scope_id = track->shown.id,
					 .track_name = track->shown.name,
					 .keys = &keys };

	for (size_t i = 0; i < keys.nr_outer; i++)
		keys.outer[i] = track->outer[i];
	return track_hash(&decoded);
}

static int track_move(struct tracks *tracks, struct track *track, int tid, struct error *error)
{
	if (track_suspend(tracks, track, error) < 0)
		return -1;
	tracks_forget(tracks, track);
	if (track->begun_id == 0)
		track->begun_id = track->shown.id.unsigned_number;
	track->shown.id = (struct value){ .kind = VALUE_SIGNED, .signed_number = tid };
	track->hash = moved_hash(track);
	if (map_insert(&tracks->map, track->hash, track) < 0) {
		track_delete(track);
		return error_set(error, "out of memory");
	}
	return tracks_identify(tracks, track, error) < 0 ? -1 : track_resume(tracks, track, error);
}

/* Moves open slices of a thread to the tid that it took over. */
static int task_move_tracks(struct tracks *tracks, struct task *task,
			    const struct task_change *change, struct error *error)
{
	struct track *next;

	for (struct track *track = task->tracks; track; track = next) {
		next = track->peer_after;
		if (track->shown.scope != SCOPE_THREAD || track->nr_slices == 0 || track->lanes)
			continue;
		tracks_advance(tracks, change->time_ns);
		if (track_move(tracks, track, change->tid, error) < 0)
			return -1;
	}
	return 0;
}

/* Ends tracks when their tasks are created, renamed, moved or removed. */

void track_join(struct track *track, struct task *task)
{
	track->peer_after = task->tracks;
	track->peer_before = &task->tracks;
	if (task->tracks)
		task->tracks->peer_before = &track->peer_after;
	task->tracks = track;
	task->is_new = false;
}

void track_join_crew(struct track *track, struct task *process)
{
	track->crew_after = process->crew;
	track->crew_before = &process->crew;
	if (process->crew)
		process->crew->crew_before = &track->crew_after;
	process->crew = track;
}

void track_part(struct track *track)
{
	if (track->crew_before)
		crew_part(track);
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

/* The process of a thread's creator, 0 if it is unknown; adds no task, which may free others. */
static int parent_process(const struct tracks *tracks, int tid)
{
	const struct task *parent = tasks_find(&tracks->tasks, tid);
	struct thread_identity found = { .tgid = parent ? parent->tgid : 0 };

	if (found.tgid <= 0 && tracks->settings.find_task) {
		found.tgid = 0;
		tracks->settings.find_task(tracks->settings.context, tid, &found);
	}
	return found.tgid;
}

/* A process is created in the cgroup of its parent, unless it is known to have another one. */
static int task_inherit_cgroup(struct tracks *tracks, struct task *task,
			       const struct task_change *change, struct error *error)
{
	const struct tracks_settings *settings = &tracks->settings;
	struct task *parent = tasks_find(&tracks->tasks, change->parent_tid);
	SCOPED_BUFFER(path);

	free(task->cgroup);
	task->cgroup = NULL;
	parent = parent && !change->is_thread ? task_leader(&tracks->tasks, parent) : NULL;
	if (!parent || !parent->cgroup)
		return 0;
	if (settings->find_cgroup)
		settings->find_cgroup(settings->context, task->tid, &path);
	if (path.size > 0)
		return 0;
	task->cgroup = strdup(parent->cgroup);
	return task->cgroup ? 0 : error_set(error, "out of memory");
}

static int task_create(struct tracks *tracks, struct task *task, const struct task_change *change,
		       struct error *error)
{
	int tgid = change->tgid;
	bool is_fork = tgid == 0 && !change->is_thread;
	bool is_second = is_fork && task->awaits_fork;

	/* sched_process_fork follows task_newtask, and lacks the process that this has. */
	task->awaits_fork = !is_fork;
	if (is_second)
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
	return task_inherit_cgroup(tracks, task, change, error);
}

/* A track whose task was renamed or moved ends now, or with its last open slice. */
static int track_outdate(struct tracks *tracks, struct track *track, int64_t time_ns,
			 struct error *error)
{
	track->is_outdated = true;
	if (track->nr_slices > 0)
		return 0;
	tracks_advance(tracks, time_ns);
	return tracks_end(tracks, track, error);
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
		track->is_outdated = track->is_moved;
		if (strcmp(track->comm, task->comm) == 0)
			continue;
		has_outdated = true;
		if (track_outdate(tracks, track, change->time_ns, error) < 0)
			return -1;
	}
	tracks->totals.renamed_threads += has_outdated;
	return 0;
}

/* Only the first thread moves its process; another one moves in the process's own hierarchy. */
static int task_move(struct tracks *tracks, const struct task_change *change, struct error *error)
{
	struct task *task = tasks_get(&tracks->tasks, &tracks->settings, change->tid);
	char *cgroup = task ? strndup(change->cgroup.data, change->cgroup.size) : NULL;
	struct track *next;

	if (!cgroup)
		return error_set(error, "out of memory");
	if (task_leader(&tracks->tasks, task) != task) {
		free(cgroup);
		return 0;
	}
	free(task->cgroup);
	task->cgroup = cgroup;
	if (strlen(cgroup) > CGROUP_PATH_MAX)
		cgroup[CGROUP_PATH_MAX] = '\0';
	for (struct track *track = task->crew; track; track = next) {
		const char *shown = track->cgroup ? track->cgroup : "/";

		next = track->crew_after;
		track->is_moved = strcmp(shown, cgroup) != 0;
		if (track->is_moved && track_outdate(tracks, track, change->time_ns, error) < 0)
			return -1;
	}
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

int tracks_learn(struct tracks *tracks, const struct task_change *change, struct error *error)
{
	struct task *task;

	if (change->kind == TASK_CHANGE_MOVED)
		return change->cgroup.size > 0 ? task_move(tracks, change, error) : 0;
	task = tasks_find(&tracks->tasks, change->tid);
	if (!task)
		task = tasks_add(&tracks->tasks, change->tid);
	if (!task)
		return error_set(error, "out of memory");
	switch (change->kind) {
	case TASK_CHANGE_BORN:
		return task_create(tracks, task, change, error);
	case TASK_CHANGE_NAMED:
		if (task_has_name(task, change->comm))
			return 0;
		/* A thread that exits cannot change its name: the tid is another thread's. */
		return task->has_exited ? task_create(tracks, task, change, error)
					: task_rename(tracks, task, change, error);
	case TASK_CHANGE_TOOK_OVER:
		return task_take_over(tracks, task, change, error);
	case TASK_CHANGE_EXITED:
		tracks->tasks.sees_exits = true;
		task->has_exited = true;
		task->is_new = false;
		return 0;
	default:
		/* The kernel frees a thread late: its number may be another's. */
		if (tasks_lives(&tracks->tasks, change->tid))
			return 0;
		if (task_close_tracks(tracks, task, change, true, error) < 0)
			return -1;
		tasks_remove(&tracks->tasks, task);
		return 0;
	}
}
