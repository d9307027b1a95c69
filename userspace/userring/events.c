// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the events of all programs, and of the threads that have written. */
#include "userring/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits of what programs can make ktrack remember. */
#define EVENTS_MAX 16384

/* A user with few events gets more than that, since one may have described half of them. */
#define EVENTS_FEW 64
#define EVENTS_RESERVED 4096
#define TASKS_MAX 65536

/** struct known_event - an event of the table */
struct known_event {
	struct program_event event;
	struct event_packing packing;
	struct text source;
};

static struct known_event *known_event_of(const struct program_event *event)
{
	return container_of(event, struct known_event, event);
}

/* The id is behind the name, in a line of its own. */
static void program_event_free(struct program_event *event)
{
	if (!event)
		return;
	free(event->system);
	free(event->name);
	free((char *)event->text.data);
	free((char *)known_event_of(event)->source.data);
	free(known_event_of(event));
}

/** struct event_key - what distinguishes events; their formats do not have what is not stored */
struct event_key {
	const char *system;
	const char *name;
	struct text body;
	struct text source;
	struct event_packing packing;
};

/* Behind the line with the id. */
static struct text event_body(const struct program_event *event)
{
	const char *body = strstr(event->text.data, "format:");

	return (struct text){ .data = body, .size = event->text.data + event->text.size - body };
}

static bool event_equals(const void *value, const void *key)
{
	const struct program_event *event = value;
	const struct event_key *wanted = key;

	return strcmp(event->system, wanted->system) == 0 &&
	       strcmp(event->name, wanted->name) == 0 &&
	       memcmp(&known_event_of(event)->packing, &wanted->packing, sizeof(wanted->packing)) ==
		       0 &&
	       text_equals(event_body(event), wanted->body);
}

static bool source_equals(const void *value, const void *key)
{
	return text_equals(known_event_of(value)->source, *(const struct text *)key);
}

uint16_t event_table_find(const struct event_table *table, struct text source)
{
	const struct program_event *event = map_find(&table->by_source, hash_text(source),
						     source_equals, &source);

	return event ? event->id : 0;
}

static struct program_event *program_event_new(const struct event_key *key, uint16_t id)
{
	struct known_event *known = calloc(1, sizeof(*known));
	struct program_event *event;
	char *text;
	int size;

	if (!known)
		return NULL;
	known->packing = key->packing;
	known->source = (struct text){ malloc(key->source.size + 1), key->source.size };
	if (known->source.data)
		memcpy((char *)known->source.data, key->source.data, key->source.size);
	event = &known->event;
	*event = (struct program_event){ .system = strdup(key->system),
					 .name = strdup(key->name),
					 .id = id };
	size = asprintf(&text, "name: %s\nID: %u\n%.*s", key->name, id, (int)key->body.size,
			key->body.data);
	if (size >= 0)
		event->text = (struct text){ .data = text, .size = size };
	if (size >= 0 && event->system && event->name && known->source.data)
		return event;
	program_event_free(event);
	return NULL;
}

static bool event_table_has_place(const struct event_table *table, const struct program_user *user)
{
	size_t nr_events = user ? user->nr_events : 0;

	if (user && nr_events < EVENTS_FEW)
		return table->size < EVENTS_MAX + EVENTS_RESERVED;
	return table->size < EVENTS_MAX && nr_events < EVENTS_MAX / 2;
}

/* Returns NULL if memory ran out. */
static struct program_event *event_table_insert(struct event_table *table,
						const struct event_key *key, uint64_t hash)
{
	struct program_event *event;

	if (!array_reserve(table->list, table->size))
		return NULL;
	event = program_event_new(key, PROGRAM_EVENT_ID + table->size);
	if (!event || map_insert(&table->by_format, hash, event) < 0) {
		program_event_free(event);
		return NULL;
	}
	/* Without memory for it, it is found by its format. */
	map_insert(&table->by_source, hash_text(key->source), event);
	table->list[table->size++] = event;
	return event;
}

uint16_t event_table_add(struct event_table *table, struct text source,
			 const struct described_event *described, struct program_user *user)
{
	struct event_key key = { .system = described->system,
				 .name = described->name,
				 .source = source };
	struct program_event *event = NULL;
	struct buffer body = { 0 };
	uint64_t hash;

	if (!event_table_has_place(table, user)) {
		table->is_full = true;
		return EVENT_LEFT_OUT;
	}
	event_format(&body, described);
	event_pack(&key.packing, described);
	key.body = buffer_text(&body);
	hash = hash_text(key.body) + hash_text(text_of(key.name));
	if (!body.failed)
		event = map_find(&table->by_format, hash, event_equals, &key);
	if (!event && !body.failed) {
		event = event_table_insert(table, &key, hash);
		if (event && user)
			event->is_of_many = user->nr_events++ >= EVENTS_FEW;
	}
	table->has_failed |= !event;
	buffer_release(&body);
	return event ? event->id : 0;
}

const struct event_packing *event_table_packing(const struct event_table *table, uint16_t id)
{
	return &known_event_of(table->list[id - PROGRAM_EVENT_ID])->packing;
}

void event_table_release(struct event_table *table)
{
	for (size_t i = 0; i < table->size; i++)
		program_event_free(table->list[i]);
	free(table->list);
	map_release(&table->by_format);
	map_release(&table->by_source);
}

static bool task_equals(const void *value, const void *key)
{
	return ((const struct program_task *)value)->tid == *(const int *)key;
}

const struct program_task *task_table_find(const struct task_table *table, int tid)
{
	return map_find(&table->by_tid, hash_number(tid), task_equals, &tid);
}

/* A thread that has ended has no name of its own any more. That of another process keeps its own.
 */
static bool task_read(struct program_task *task, int tgid, const char *comm)
{
	struct buffer name = { 0 };
	char path[64], other[32];
	bool is_mine = true;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", tgid, task->tid);
	snprintf(other, sizeof(other), "/proc/%d", task->tid);
	if (file_read(path, &name) == 0) {
		name.size = strcspn(buffer_string(&name), "\n");
		comm = buffer_string(&name);
	} else {
		is_mine = access(other, F_OK) < 0;
	}
	if (is_mine) {
		task->identity.tgid = tgid;
		snprintf(task->identity.comm, sizeof(task->identity.comm), "%s", comm);
	}
	buffer_release(&name);
	return is_mine;
}

/* Returns NULL if there are too many, or memory ran out. */
static struct program_task *task_table_add(struct task_table *table, int tid)
{
	struct program_task *task = table->size < TASKS_MAX ? calloc(1, sizeof(*task)) : NULL;

	if (!task)
		return NULL;
	task->tid = tid;
	if (!array_reserve(table->list, table->size) ||
	    map_insert(&table->by_tid, hash_number(tid), task) < 0) {
		free(task);
		return NULL;
	}
	table->list[table->size++] = task;
	return task;
}

/* Notes what procfs has of a thread; @known is NULL for a new one. */
static bool task_table_renew(struct task_table *table, struct program_task *known, int tid,
			     int tgid, const char *comm)
{
	struct program_task task = { .tid = tid };

	if (!known && table->size == TASKS_MAX)
		return true;
	if (!task_read(&task, tgid, comm))
		return false;
	if (!known)
		known = task_table_add(table, tid);
	if (known)
		known->identity = task.identity;
	/* Without memory for the note, the thread has no name. */
	if (known && array_reserve(table->changed, table->nr_changed))
		table->changed[table->nr_changed++] = known;
	return true;
}

bool task_table_note(struct task_table *table, int tid, int tgid, const char *comm)
{
	struct program_task *known = map_find(&table->by_tid, hash_number(tid), task_equals, &tid);

	if (tid <= 0)
		return false;
	/* The number of an ended thread may be used again. */
	return (known && known->identity.tgid == tgid) ||
	       task_table_renew(table, known, tid, tgid, comm);
}

void task_table_note_process(struct task_table *table, int pid, const char *comm)
{
	task_table_renew(table, map_find(&table->by_tid, hash_number(pid), task_equals, &pid), pid,
			 pid, comm);
}

void task_table_put(struct task_table *table, int tid, const struct thread_identity *identity)
{
	struct program_task *task = map_find(&table->by_tid, hash_number(tid), task_equals, &tid);

	if (!task && tid > 0)
		task = task_table_add(table, tid);
	if (task)
		task->identity = *identity;
}

void task_table_release(struct task_table *table)
{
	for (size_t i = 0; i < table->size; i++)
		free(table->list[i]);
	free(table->list);
	free(table->changed);
	map_release(&table->by_tid);
}
