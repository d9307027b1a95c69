/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of all programs, and the threads that have written. */
#ifndef USERRING_EVENTS_H
#define USERRING_EVENTS_H

#include <ktrack/user/layout.h>

#include "userring/userring.h"
#include "userring/users.h"

/** EVENT_FIELDS_MAX - limit of an event's fields: ten attributes and those of the convention */
#define EVENT_FIELDS_MAX 12

/** EVENT_NAME_MAX - limit of names, in bytes */
#define EVENT_NAME_MAX 100

/** EVENT_TEXTS_MAX - limit of the texts of an event's values */
#define EVENT_TEXTS_MAX 512

/** struct described_text - a value and its text, which is printable and has no quotation mark */
struct described_text {
	int64_t value;
	char text[EVENT_NAME_MAX];
};

/** struct described_field - as struct ktrack_user_field; @nr_texts texts begin at @texts */
struct described_field {
	char name[EVENT_NAME_MAX];
	uint16_t offset;
	uint8_t size;
	uint8_t kind;
	bool is_signed;
	size_t texts;
	size_t nr_texts;
};

/** struct described_event - as struct ktrack_user_event, checked */
struct described_event {
	char system[EVENT_NAME_MAX];
	char name[EVENT_NAME_MAX];
	uint16_t number;
	uint8_t kind;
	uint32_t size;
	struct described_field fields[EVENT_FIELDS_MAX];
	size_t nr_fields;
	struct described_text texts[EVENT_TEXTS_MAX];
	size_t nr_texts;
};

/** event_describe - parse a copy of a description; returns false if it is damaged */
bool event_describe(struct described_event *out, const unsigned char *bytes, size_t size);

/** event_format - append a format of packed records without its id, and a NUL */
void event_format(struct buffer *out, const struct described_event *event);

/**
 * struct event_packing - how records of a ring become those that are stored, without unused bytes
 * @begin: where the first field of the event is stored
 * @end: behind the last one, in a record of a ring without what is not stored of each
 * @texts_begin: the same of the first string
 * @texts: @nr_texts offsets, as @end, of fields that refer to strings
 */
struct event_packing {
	uint16_t begin;
	uint16_t end;
	uint16_t texts_begin;
	uint16_t nr_texts;
	uint16_t texts[EVENT_FIELDS_MAX];
};

/** event_pack - how records of an event are packed */
void event_pack(struct event_packing *out, const struct described_event *event);

/**
 * record_pack - pack a record of a ring
 * @record: its begin, checked
 * @bytes: @size bytes of it from KTRACK_USER_STORED on; texts outside of them become empty
 * @out: as many bytes
 *
 * Returns the size of the packed record; 0 if fields are missing.
 */
size_t record_pack(const struct event_packing *packing, const struct ktrack_user_record *record,
		   const unsigned char *bytes, size_t size, unsigned char *out);

/**
 * struct event_table - events by name and format
 * @by_format, @by_source: find one; programs that run the same file share them
 * @is_full: there are too many, and one is left out
 * @has_failed: memory ran out for an event
 */
struct event_table {
	struct program_event **list;
	size_t size;
	struct map by_format;
	struct map by_source;
	bool is_full;
	bool has_failed;
};

/** EVENT_LEFT_OUT - instead of an id, of an event that is one too many: its records are lost */
#define EVENT_LEFT_OUT UINT16_MAX

/** event_table_find - the id of an event that had the same source; 0 if there is none */
uint16_t event_table_find(const struct event_table *table, struct text source);

/**
 * event_table_add - the id of an event
 * @source: the bytes of its description, from its kind on; writing its format takes ten times as
 *	long as finding these, which programs that start again and again have
 * @user: to whom it counts if it is new; NULL for nobody
 *
 * Returns EVENT_LEFT_OUT if there are too many, or 0 if memory ran out.
 */
uint16_t event_table_add(struct event_table *table, struct text source,
			 const struct described_event *event, struct program_user *user);

/** event_table_packing - how records of an event are packed; @id is in the table */
const struct event_packing *event_table_packing(const struct event_table *table, uint16_t id);

void event_table_release(struct event_table *table);

/** struct program_task - a thread that has written */
struct program_task {
	int tid;
	struct thread_identity identity;
};

/**
 * struct task_table - threads by number
 * @changed: those that task_table_note() has read, and that are not sent yet
 */
struct task_table {
	struct program_task **list;
	size_t size;
	struct map by_tid;
	struct program_task **changed;
	size_t nr_changed;
};

/** task_table_find - the thread, NULL if it has not written */
const struct program_task *task_table_find(const struct task_table *table, int tid);

/**
 * task_table_note - note a thread that has written
 * @comm: its name, if it has ended
 *
 * Returns false if the number belongs to a thread of another process.
 */
bool task_table_note(struct task_table *table, int tid, int tgid, const char *comm);

/**
 * task_table_note_process - note a process whose program has its first record
 *
 * It may have executed that program since it was noted; and its first thread may never write.
 */
void task_table_note_process(struct task_table *table, int pid, const char *comm);

/** task_table_put - note what another process has read of a thread; it has limits, too */
void task_table_put(struct task_table *table, int tid, const struct thread_identity *identity);

void task_table_release(struct task_table *table);

#endif
