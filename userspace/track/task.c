// SPDX-License-Identifier: GPL-2.0-only
/* Identity of threads, by tid. */
#include "track/task.h"

#include <stdlib.h>
#include <string.h>

#include "track/state.h"

#define TASKS_MAX 4096

#define BLOCK_SIZE 128

struct task_block {
	struct task_block *next;
	struct task tasks[BLOCK_SIZE];
};

static bool task_has_tid(const void *value, const void *key)
{
	const struct task *task = value;
	const int *tid = key;

	return task->tid == *tid;
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
		free(block);
	}
	map_release(&tasks->map);
	*tasks = (struct tasks){ 0 };
}

static void task_release(struct tasks *tasks, struct task *task)
{
	task->next_free = tasks->free;
	tasks->free = task;
}

static int tasks_grow(struct tasks *tasks)
{
	struct task_block *block = calloc(1, sizeof(*block));

	if (!block)
		return -1;
	block->next = tasks->blocks;
	tasks->blocks = block;
	for (size_t i = BLOCK_SIZE; i-- > 0;)
		task_release(tasks, &block->tasks[i]);
	return 0;
}

static struct task *task_new(struct tasks *tasks, int tid)
{
	struct task *task;

	if (!tasks->free && tasks_grow(tasks) < 0)
		return NULL;
	task = tasks->free;
	tasks->free = task->next_free;
	*task = (struct task){ .tid = tid };
	return task;
}

/* Frees all tasks without tracks; returns -1 if memory for the table of the others ran out. */
static int tasks_prune(struct tasks *tasks)
{
	struct map kept = { 0 };

	for (size_t i = 0; i < tasks->map.capacity; i++) {
		struct task *task = tasks->map.slots[i].value;

		if (task && task->tracks && map_insert(&kept, tid_hash(task->tid), task) < 0) {
			map_release(&kept);
			return -1;
		}
	}
	for (size_t i = 0; i < tasks->map.capacity; i++) {
		struct task *task = tasks->map.slots[i].value;

		if (task && !task->tracks)
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

void tasks_remove(struct tasks *tasks, struct task *task)
{
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

/* Ends the slices and the track for the sinks, but keeps them. */
static int track_leave(struct tracks *tracks, struct track *track, struct error *error)
{
	for (size_t index = track->nr_slices; index > 0; index--) {
		if (slice_suspend(tracks, track, index - 1, error) < 0)
			return -1;
	}
	return tracks_push_end(tracks, track, error);
}

static int track_move(struct tracks *tracks, struct track *track, int tid, struct error *error)
{
	if (track_leave(tracks, track, error) < 0)
		return -1;
	tracks_forget(tracks, track);
	track->shown.id = (struct value){ .kind = VALUE_SIGNED, .signed_number = tid };
	track->hash = moved_hash(track);
	if (map_insert(&tracks->map, track->hash, track) < 0) {
		track_delete(track);
		return error_set(error, "out of memory");
	}
	if (tracks_identify(tracks, track, error) < 0)
		return -1;
	return track_resume(tracks, track, error);
}

int task_move_tracks(struct tracks *tracks, struct task *task, const struct task_change *change,
		     struct error *error)
{
	struct track *next;

	for (struct track *track = task->tracks; track; track = next) {
		bool can_move = track->shown.scope == SCOPE_THREAD && track->nr_slices > 0 &&
				!track->lanes;

		next = track->peer_after;
		if (!can_move)
			continue;
		tracks_advance(tracks, change->time_ns);
		if (track_move(tracks, track, change->tid, error) < 0)
			return -1;
	}
	return 0;
}
