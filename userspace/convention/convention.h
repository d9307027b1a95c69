/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The convention room's public header: what makes a tracepoint one of kernel track events, and what
 * its records say.
 *
 * The convention is Perfetto's "Kernel track events: format and conventions". A tracepoint is
 * matched once, by the names and types of its fields; its records are then read through the slots
 * found there. Where the text is silent we do what Perfetto's importer does, but for what is said
 * at the spot.
 */
#ifndef CONVENTION_CONVENTION_H
#define CONVENTION_CONVENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "source/source.h"

enum template_kind {
	TEMPLATE_NONE,
	TEMPLATE_SLICE,
	TEMPLATE_COUNTER,
};

/**
 * enum template_scope - what the records' scope field means; without one they belong to the
 * writing thread
 */
enum template_scope {
	TEMPLATE_SCOPE_THREAD,
	TEMPLATE_SCOPE_PROCESS,
	TEMPLATE_SCOPE_CPU,
	TEMPLATE_SCOPE_CUSTOM,
};

/** enum slot_kind - how a field's bytes are to be read */
enum slot_kind {
	SLOT_ABSENT,
	SLOT_SIGNED,
	SLOT_UNSIGNED,
	SLOT_BOOLEAN,
	SLOT_FIXED_TEXT,
	SLOT_DYNAMIC_TEXT,
	SLOT_RELATIVE_TEXT,
	SLOT_FIXED_BYTES,
	SLOT_DYNAMIC_BYTES,
	SLOT_RELATIVE_BYTES,
};

/**
 * struct slot - where a field is in the record, and how to read it
 * @is_swapped: its bytes are in the other order than this machine's
 * @is_usual_text: it is a SLOT_DYNAMIC_TEXT that needs no more care than a bound
 * @end: behind its bytes: no shorter record has it
 * @read: the reader for its kind, size and order, of a record that has it; NULL where it is absent
 */
struct slot {
	enum slot_kind kind;
	bool is_swapped;
	bool is_usual_text;
	unsigned int offset;
	unsigned int size;
	unsigned int end;
	bool (*read)(const struct slot *slot, const struct record *record, struct value *out);
};

/**
 * struct extra - a field beyond the convention's
 * @label: its name as a text
 * @is_usual: it is a number of the usual kinds
 */
struct extra {
	char *name;
	struct text label;
	bool is_usual;
	struct slot slot;
};

/** OBSERVATION_SIZE_MAX - the largest record that is remembered: what fits into a short entry */
#define OBSERVATION_SIZE_MAX 112

/** OBSERVATION_PLACES - how many records are remembered */
#define OBSERVATION_PLACES 2048

/**
 * struct template - a tracepoint that follows the convention, as its records are read
 * @index: which tracepoint it is, from 0: one that comes again, with the same format, is the same
 * @format_hash: of its format, but for the id
 * @is_dropped: no record is read by it any more
 * @event_id: the common_type of its records
 * @category: "system:event"
 * @name: the event's name, which points into @category
 * @label: the same as a text, with its text_head()
 * @scope_field: name of the scope field, NULL for thread scope
 * @extras: the fields beyond the convention's
 * @fields: what a record of at least @extras_size bytes says of them, where all are of the usual
 * kinds: names and kinds are there, the numbers are filled in
 * @other_fields: room for what any other record says of them
 * @extras_size: SIZE_MAX where not all are
 * @usual_size: a record of at least so many bytes has all slots but the extras', all of which are
 * of the usual kinds; SIZE_MAX where they are not
 * @fixed_size: how long a record is before what its texts say; SIZE_MAX where not all is of the
 * usual kinds
 * @has_numbers: it has a counter value or extras, which differ from record to record
 * @telling: the bits of a record that tell what it says but for these
 */
struct template
{
	unsigned int index;
	uint64_t format_hash;
	bool is_dropped;
	unsigned int event_id;
	enum template_kind kind;
	enum template_scope scope;
	char *category;
	const char *name;
	struct text label;
	uint64_t label_head;
	char *scope_field;
	struct slot type;
	struct slot slice_name;
	struct slot track_name;
	struct slot scope_id;
	struct slot counter_value;
	struct slot pid;
	struct extra *extras;
	struct field *fields;
	struct field *other_fields;
	size_t nr_extras;
	size_t extras_size;
	size_t usual_size;
	size_t fixed_size;
	bool has_numbers;
	unsigned char telling[OBSERVATION_SIZE_MAX];
};

/** CONVENTION_TEMPLATES_MAX, CONVENTION_SIZE_MAX - how many are kept, and how many bytes they take
 */
#define CONVENTION_TEMPLATES_MAX 8192
#define CONVENTION_SIZE_MAX ((size_t)8 * 1024 * 1024)

/** struct convention - all templates, found by the id of the event */
struct convention;

/**
 * convention_new - one without templates
 * @is_swapped: records were written in the other byte order than this machine's
 *
 * Returns a convention for convention_free(), or NULL where memory ran out.
 */
struct convention *convention_new(bool is_swapped);

void convention_free(struct convention *convention);

/**
 * convention_add - look at a tracepoint's format and remember it if it follows the convention
 * @out: the template, which the convention owns, or NULL where the tracepoint does not follow
 *
 * Returns 0, 1 with @error where the format cannot be read or there are too many, and the
 * tracepoint is left out, or -1 with @error where memory ran out. Only the first of too many is
 * reported.
 */
int convention_add(struct convention *convention, const char *system, struct text text,
		   const struct template **out, struct error *error);

/** convention_size - how many tracepoints follow */
size_t convention_size(const struct convention *convention);

/** convention_template - the one at @index, below convention_size() */
const struct template *convention_template(const struct convention *convention, size_t index);

/**
 * convention_find - the template that reads @record
 *
 * Returns NULL where the record is of another tracepoint, or too short to say.
 */
const struct template *convention_find(const struct convention *convention,
				       const struct record *record);

/**
 * convention_drop - the tracepoint has gone, and its id may be another's: no record is read by
 * @template any more, which stays
 */
void convention_drop(struct convention *convention, const struct template *template);

/** convention_use - read the records of its id by @template, be it that it was dropped */
void convention_use(struct convention *convention, const struct template *template);

/**
 * convention_find_name - the template of that tracepoint, of several the one that was added last;
 * or NULL
 */
const struct template *convention_find_name(const struct convention *convention, const char *system,
					    const char *name);

/** convention_knows - whether there is a template for records of that id */
bool convention_knows(const struct convention *convention, uint16_t id);

/** convention_names_threads - whether records of that id are of a tracepoint that names threads */
bool convention_names_threads(const struct convention *convention, uint16_t id);

/** convention_id - the id of a record's event; returns false where it is too short to have one */
bool convention_id(const struct convention *convention, const struct record *record, uint16_t *id);

enum observation_kind {
	OBSERVATION_BEGIN,
	OBSERVATION_END,
	OBSERVATION_INSTANT,
	OBSERVATION_COUNTER,
};

/**
 * struct observation - what one record says, in the convention's terms
 * @cpu, @buffer: of the record
 * @tid: of the thread that wrote it
 * @scope_id: VALUE_SIGNED or VALUE_UNSIGNED; the tid where the tracepoint has no scope field
 * @slice_name: of begin and instant; empty in an end
 * @track_name: the tracepoint's name where it has no such field
 * @slice_head, @track_head: the text_head() of both
 * @counter_value: of counters; VALUE_SIGNED or VALUE_UNSIGNED
 * @extras: the fields beyond the convention's
 * @problem: of what convention_read() gives: what observation_read() says of it
 * @likeness: two observations with one number differ in time, CPU, counter value and extras only;
 * 0 where nothing is known of that
 * @place: below OBSERVATION_PLACES; those with one likeness have one place, where readers can keep
 * what they make of it
 *
 * Texts are borrowed from the record, fields and their names from the template: they live until its
 * next record is read.
 */
struct observation {
	struct value scope_id;
	struct text slice_name;
	struct text track_name;
	uint64_t slice_head;
	uint64_t track_head;
	struct value counter_value;
	const struct template *template;
	int64_t time_ns;
	enum observation_kind kind;
	int cpu;
	unsigned int buffer;
	int tid;
	uint64_t likeness;
	const char *problem;
	const struct field *extras;
	size_t nr_extras;
	unsigned int place;
};

/**
 * observation_read - read @record by its template
 *
 * Returns NULL, or what is wrong with the record, as a constant text; @out then holds no more than
 * template, time and cpu.
 */
const char *observation_read(struct observation *out, const struct template *template,
			     const struct record *record);

/**
 * convention_read - the same for any record, and quicker where it is like one that was read lately
 *
 * Returns an observation that is good until the next call, with its @problem, or NULL where
 * convention_find() does.
 */
const struct observation *convention_read(struct convention *convention,
					  const struct record *record);

/** enum task_change_kind - what a thread's number stands for from now on */
enum task_change_kind {
	TASK_CHANGE_BORN,
	TASK_CHANGE_NAMED,
	TASK_CHANGE_TOOK_OVER,
	TASK_CHANGE_EXITED,
	TASK_CHANGE_GONE,
};

/**
 * struct task_change - what a record of the scheduler says of a thread
 * @kind: a new thread has this number; this is its name; it took the number over from another
 * thread of its process, as execve(2) does; it is about to end, but may still write; nobody has
 * this number any more
 * @tid: the number
 * @tgid: its process, 0 where the record does not tell
 * @parent_tid: of the born: who made it; it is in the same process where @is_thread
 * @old_tid: of those that took over: their number before
 * @comm: its name, empty where the record does not tell; borrowed from the record
 */
struct task_change {
	enum task_change_kind kind;
	int64_t time_ns;
	int tid;
	int tgid;
	int parent_tid;
	bool is_thread;
	int old_tid;
	struct text comm;
};

/**
 * convention_add_task - look at a tracepoint's format and remember it if its records tell of
 * threads
 *
 * Returns 0, 1 with @error where the format cannot be read and the tracepoint is left out, or -1
 * with @error where memory ran out.
 */
int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text text, struct error *error);

/** convention_read_task - whether @record tells of a thread, and what, in @out */
bool convention_read_task(const struct convention *convention, const struct record *record,
			  struct task_change *out);

#endif
