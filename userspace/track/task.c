// SPDX-License-Identifier: GPL-2.0-only
/* Remembers who threads are. */
#include "track/task.h"

#include <stdlib.h>

#define TASKS_MAX 32768

static bool task_has_tid(const void *value, const void *key)
{
	return ((const struct task *)value)->tid == *(const int *)key;
}

static uint64_t tid_hash(int tid)
{
	return (unsigned int)tid * UINT64_C(0x9e3779b97f4a7c15) >> 16;
}

void tasks_release(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->map.capacity; i++)
		free(tasks->map.slots[i].value);
	map_release(&tasks->map);
}

static struct task *tasks_add(struct tasks *tasks, const struct tracks_settings *settings, int tid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	settings->find_task(settings->context, tid, &task->tgid, task->comm, sizeof(task->comm));
	if (tasks->map.size >= TASKS_MAX)
		tasks_release(tasks);
	if (map_insert(&tasks->map, tid_hash(tid), task) == 0)
		return task;
	free(task);
	return NULL;
}

const struct task *tasks_get(struct tasks *tasks, const struct tracks_settings *settings, int tid)
{
	struct task *task;

	if (!settings->find_task)
		return NULL;
	task = map_find(&tasks->map, tid_hash(tid), task_has_tid, &tid);
	return task ? task : tasks_add(tasks, settings, tid);
}
