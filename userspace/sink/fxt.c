// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline in Fuchsia's trace format: records of words of 64 bits, little endian. A string or a
 * thread is registered by a record before its first use; when the table is full, further ones are
 * inline. The numbers below are the format's.
 *
 * Koids are the numbers of Linux: of a thread its tid, of a process its tgid; machines that are
 * merged have MACHINE_KOIDS each. What is no thread of Linux (rows, lanes, CPUs, counters) is a
 * thread of the machine's process, with a koid from OWN_KOIDS on. Perfetto keeps 32 bits of a koid.
 *
 * The states of threads are records of the scheduler. A switch has two threads, which are two
 * tracks here: the one that stops is kept until the other one begins to run, or until time goes on.
 */
#include <endian.h>
#include <stdlib.h>

#include "sink/file.h"
#include "sink/flow.h"
#include "sink/proto.h"
#include "sink/rows.h"
#include "sink/text.h"

#define FXT_MAGIC UINT64_C(0x0016547846040010)
#define PROVIDER_ID 1
#define STRINGS_MAX 32767
#define THREADS_MAX 255
#define ARGS_MAX 15
#define STRING_INLINE 0x8000
/* A record has at most 4095 words, of which some are for what follows the arguments. */
#define RECORD_MAX (4095 * 8)
#define RECORD_REST 64
/* Longer texts are cut. */
#define FXT_TEXT_MAX 8000
/* Longer ones are not registered: they hardly repeat. */
#define STRING_SIZE_MAX 64
/* Texts of fields leave the other half of the table to names. */
#define VALUES_MAX (STRINGS_MAX / 2)
#define LINUX_PIDS INT64_C(4194304)
#define MACHINE_KOIDS UINT64_C(8388608)
#define OWN_KOIDS (UINT64_C(1) << 30)
#define OWN_KOIDS_END (UINT64_C(1) << 32)
/* The first ones are the processes of machines, and then ktrack's. */
#define KTRACK_KOID (OWN_KOIDS + TIMELINE_MACHINES_MAX + 1)
/* Perfetto ends at a higher one. */
#define CPUS_MAX 4096
#define THREADS_RECENT 65536
#define PROCESSES_RECENT 16384

enum fxt_record {
	FXT_METADATA = 0,
	FXT_INITIALIZATION = 1,
	FXT_STRING = 2,
	FXT_THREAD = 3,
	FXT_EVENT = 4,
	FXT_KERNEL_OBJECT = 7,
	FXT_SCHEDULING = 8,
};

enum fxt_event {
	FXT_INSTANT = 0,
	FXT_COUNTER = 1,
	FXT_DURATION_BEGIN = 2,
	FXT_DURATION_END = 3,
	FXT_DURATION_COMPLETE = 4,
	FXT_ASYNC_BEGIN = 5,
	FXT_ASYNC_INSTANT = 6,
	FXT_ASYNC_END = 7,
	FXT_FLOW_BEGIN = 8,
	FXT_FLOW_STEP = 9,
};

enum fxt_arg {
	FXT_INT32 = 1,
	FXT_UINT32 = 2,
	FXT_INT64 = 3,
	FXT_UINT64 = 4,
	FXT_DOUBLE = 5,
	FXT_TEXT = 6,
	FXT_KOID = 8,
	FXT_BOOLEAN = 9,
};

enum fxt_object_kind {
	FXT_PROCESS = 1,
	FXT_THREAD_OBJECT = 2,
};

enum fxt_state {
	FXT_RUNNING = 1,
	FXT_SUSPENDED = 2,
	FXT_BLOCKED = 3,
	FXT_DYING = 4,
	FXT_DEAD = 5,
};

/** struct fxt_string - a registered string, as records have it, and its index */
struct fxt_string {
	struct text text;
	unsigned int index;
	char bytes[];
};

/** struct fxt_place - a thread of the file; its index in the table of threads, 0 if it is inline */
struct fxt_place {
	uint64_t process;
	uint64_t koid;
	unsigned int index;
};

/** struct fxt_process - a process that was written, and the hash of its name */
struct fxt_process {
	uint64_t koid;
	uint64_t label_hash;
};

struct fxt_thread {
	uint64_t hash;		/* of its identity; 0 for none */
	struct fxt_place place; /* its koid is 0 at first */
	int64_t born_ns;	/* 0 if unknown */
	uint64_t label_hash;	/* of its name */
};

struct fxt_track {
	struct sink_track link;
	struct fxt_place place; /* where it is, unless it has a row */
	bool is_schedule;	/* its slices are states of a thread: records of the scheduler */
	bool is_idle;		/* that of an idle task */
	unsigned int cpu;	/* of a thread that runs: where */
	struct buffer label;	/* of counters: the name */
};

/** struct fxt_switch - the half of a context switch: a thread that stops */
struct fxt_switch {
	int64_t time_ns;
	uint64_t koid; /* 0 for none */
	unsigned int cpu;
	bool is_idle;
	bool has_state; /* its state has begun; else it is dead, unless one begins at this time */
	bool is_continued; /* as another thread, whose number it has since it executed a program */
	struct buffer state; /* the text of ktrack's state */
};

struct fxt_sink {
	struct sink_file file;
	struct buffer record; /* that is built; strings that it uses precede it in the file */
	uint64_t header;      /* of it, without size and number of arguments, at bit @args_at */
	unsigned int args_at;
	unsigned int nr_args;
	uint64_t nr_left;    /* arguments that have no place */
	size_t last_arg;     /* where the last one begins */
	struct buffer clean; /* scratch: a string in UTF-8 */
	struct map strings;
	unsigned int nr_strings;
	unsigned int nr_threads;
	int64_t shift_ns; /* is added to times, which are not negative in a file */
	unsigned int cpus[TIMELINE_MACHINES_MAX + 1]; /* number of the first one of each machine */
	uint64_t next_koid;
	struct fxt_thread *threads; /* those of the latest tracks */
	struct fxt_process *processes;
	struct flow_set flows;
	struct fxt_switch leaving; /* the half of a context switch that is not written yet */
};

static void fxt_put_word(struct buffer *out, uint64_t word)
{
	word = htole64(word);
	buffer_append(out, &word, sizeof(word));
}

static void fxt_put_stream(struct buffer *out, struct text text)
{
	static const char zeros[8];

	buffer_append(out, text.data, text.size);
	buffer_append(out, zeros, -text.size % sizeof(zeros));
}

/* The text in UTF-8, cut behind a whole character. */
static struct text fxt_clean(struct fxt_sink *sink, struct text text)
{
	size_t size;

	if (text.size > FXT_TEXT_MAX)
		text.size = FXT_TEXT_MAX;
	buffer_clear(&sink->clean);
	proto_append_text(&sink->clean, text);
	sink->record.failed |= sink->clean.failed;
	size = sink->clean.size;
	if (size > FXT_TEXT_MAX) {
		size = FXT_TEXT_MAX;
		while ((sink->clean.data[size] & 0xc0) == 0x80)
			size--;
	}
	return (struct text){ .data = sink->clean.data, .size = size };
}

static bool fxt_is_string(const void *value, const void *key)
{
	const struct fxt_string *string = value;

	return text_equals(string->text, *(const struct text *)key);
}

/* The index of a string, which is registered if need be; 0 if it is not. */
static unsigned int fxt_string_index(struct fxt_sink *sink, struct text text, unsigned int limit)
{
	struct buffer *out = &sink->file.out;
	struct fxt_string *string;
	struct text clean;
	uint64_t hash;

	if (text.size > STRING_SIZE_MAX)
		return 0;
	hash = hash_text(text);
	string = map_find(&sink->strings, hash, fxt_is_string, &text);
	if (string)
		return string->index;
	if (sink->nr_strings >= limit)
		return 0;
	string = malloc(sizeof(*string) + text.size);
	if (!string || map_insert(&sink->strings, hash, string) < 0) {
		free(string);
		sink->record.failed = true;
		return 0;
	}
	memcpy(string->bytes, text.data, text.size);
	string->text = (struct text){ .data = string->bytes, .size = text.size };
	string->index = ++sink->nr_strings;
	clean = fxt_clean(sink, text);
	fxt_put_word(out, FXT_STRING | (1 + (clean.size + 7) / 8) << 4 |
				  (uint64_t)string->index << 16 | (uint64_t)clean.size << 32);
	fxt_put_stream(out, clean);
	return string->index;
}

/* Returns the reference of a string, whose bytes follow in the record if it is inline. */
static uint64_t fxt_put_string(struct fxt_sink *sink, struct text text, unsigned int limit)
{
	unsigned int index;

	if (text.size == 0)
		return 0;
	index = fxt_string_index(sink, text, limit);
	if (index > 0)
		return index;
	text = fxt_clean(sink, text);
	fxt_put_stream(&sink->record, text);
	return STRING_INLINE | text.size;
}

static void fxt_record_begin(struct fxt_sink *sink, uint64_t header, unsigned int args_at)
{
	buffer_clear(&sink->record);
	fxt_put_word(&sink->record, 0);
	sink->header = header;
	sink->args_at = args_at;
	sink->nr_args = 0;
	sink->nr_left = 0;
}

/* Writes a word of the record that depends on what follows it. */
static void fxt_set_word(struct fxt_sink *sink, size_t at, uint64_t word)
{
	word = htole64(word);
	if (!sink->record.failed)
		memcpy(sink->record.data + at, &word, sizeof(word));
}

static void fxt_record_end(struct fxt_sink *sink)
{
	fxt_set_word(sink, 0,
		     sink->header | sink->record.size / 8 << 4 |
			     (uint64_t)sink->nr_args << sink->args_at);
	buffer_append(&sink->file.out, sink->record.data, sink->record.size);
	sink->file.out.failed |= sink->record.failed;
}

/* Appends an argument: a header, its name, and its value in the header or behind. */
static void fxt_append_arg(struct fxt_sink *sink, struct text name, enum fxt_arg kind,
			   uint64_t value)
{
	bool is_short = kind == FXT_INT32 || kind == FXT_UINT32 || kind == FXT_BOOLEAN;
	size_t begin = sink->record.size;
	uint64_t ref;

	fxt_put_word(&sink->record, 0);
	ref = fxt_put_string(sink, name, STRINGS_MAX);
	if (!is_short)
		fxt_put_word(&sink->record, value);
	fxt_set_word(sink, begin,
		     kind | (sink->record.size - begin) / 8 << 4 | ref << 16 |
			     (is_short ? value << 32 : 0));
}

static void fxt_append_text(struct fxt_sink *sink, struct text name, struct text value)
{
	size_t begin = sink->record.size;
	uint64_t name_ref, value_ref;

	fxt_put_word(&sink->record, 0);
	name_ref = fxt_put_string(sink, name, STRINGS_MAX);
	value_ref = fxt_put_string(sink, value, VALUES_MAX);
	fxt_set_word(sink, begin,
		     FXT_TEXT | (sink->record.size - begin) / 8 << 4 | name_ref << 16 |
			     value_ref << 32);
}

static void fxt_append_value(struct fxt_sink *sink, struct text name, const struct value *value)
{
	SCOPED_BUFFER(bytes);
	uint64_t bits;

	switch (value->kind) {
	case VALUE_SIGNED:
		if (value->signed_number == (int32_t)value->signed_number)
			fxt_append_arg(sink, name, FXT_INT32, (uint32_t)value->signed_number);
		else
			fxt_append_arg(sink, name, FXT_INT64, value->unsigned_number);
		break;
	case VALUE_UNSIGNED:
		fxt_append_arg(sink, name,
			       value->unsigned_number <= UINT32_MAX ? FXT_UINT32 : FXT_UINT64,
			       value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		fxt_append_arg(sink, name, FXT_BOOLEAN, value->boolean);
		break;
	case VALUE_FLOATING:
		memcpy(&bits, &value->floating, sizeof(bits));
		fxt_append_arg(sink, name, FXT_DOUBLE, bits);
		break;
	case VALUE_TEXT:
		fxt_append_text(sink, name, value->text);
		break;
	default:
		value_append_text(&bytes, value);
		fxt_append_text(sink, name, buffer_text(&bytes));
		sink->record.failed |= bytes.failed;
	}
}

/* The last argument is the number of those that have no place: it replaces one if it has to. */
static void fxt_arg(struct fxt_sink *sink, struct text name, const struct value *value)
{
	size_t begin = sink->record.size;

	if (sink->nr_left > 0) {
		sink->nr_left++;
		return;
	}
	if (sink->nr_args == ARGS_MAX) {
		sink->record.size = sink->last_arg;
		sink->nr_args--;
		sink->nr_left = 2;
		return;
	}
	fxt_append_value(sink, name, value);
	if (sink->record.size > RECORD_MAX - RECORD_REST) {
		sink->record.size = begin;
		sink->nr_left = 1;
		return;
	}
	sink->last_arg = begin;
	sink->nr_args++;
}

static void fxt_args_end(struct fxt_sink *sink)
{
	const struct value left = { .kind = VALUE_UNSIGNED, .unsigned_number = sink->nr_left };

	if (sink->nr_left == 0)
		return;
	fxt_append_value(sink, text_of("ktrack:more"), &left);
	sink->nr_args++;
}

static void fxt_arg_number(struct fxt_sink *sink, const char *name, int64_t number)
{
	const struct value value = { .kind = VALUE_SIGNED, .signed_number = number };

	fxt_arg(sink, text_of(name), &value);
}

static void fxt_arg_text(struct fxt_sink *sink, const char *name, struct text text)
{
	const struct value value = { .kind = VALUE_TEXT, .text = text };

	fxt_arg(sink, text_of(name), &value);
}

static void fxt_arg_true(struct fxt_sink *sink, const char *name)
{
	const struct value value = { .kind = VALUE_BOOLEAN, .boolean = true };

	fxt_arg(sink, text_of(name), &value);
}

static void fxt_event_begin(struct fxt_sink *sink, enum fxt_event kind,
			    const struct fxt_place *place, const char *category, struct text name,
			    int64_t time_ns)
{
	uint64_t header = FXT_EVENT | (uint64_t)kind << 16 | (uint64_t)place->index << 24;

	fxt_record_begin(sink, header, 20);
	fxt_put_word(&sink->record, (uint64_t)(time_ns + sink->shift_ns));
	if (place->index == 0) {
		fxt_put_word(&sink->record, place->process);
		fxt_put_word(&sink->record, place->koid);
	}
	sink->header |= fxt_put_string(sink, text_of(category), STRINGS_MAX) << 32;
	sink->header |= fxt_put_string(sink, name, STRINGS_MAX) << 48;
}

static void fxt_name(struct fxt_sink *sink, enum fxt_object_kind kind,
		     const struct fxt_place *place, struct text name)
{
	fxt_record_begin(sink, FXT_KERNEL_OBJECT | (uint64_t)kind << 16, 40);
	fxt_put_word(&sink->record, kind == FXT_PROCESS ? place->process : place->koid);
	sink->header |= fxt_put_string(sink, name, STRINGS_MAX) << 24;
	if (kind == FXT_THREAD_OBJECT) {
		fxt_append_arg(sink, text_of("process"), FXT_KOID, place->process);
		sink->nr_args = 1;
	}
	fxt_record_end(sink);
}

/* Gives a thread an index in the table, if there is one. */
static void fxt_thread_register(struct fxt_sink *sink, struct fxt_place *place)
{
	struct buffer *out = &sink->file.out;

	if (place->index > 0 || sink->nr_threads == THREADS_MAX)
		return;
	place->index = ++sink->nr_threads;
	fxt_put_word(out, FXT_THREAD | 3 << 4 | (uint64_t)place->index << 16);
	fxt_put_word(out, place->process);
	fxt_put_word(out, place->koid);
}

/* Of a limited number of threads; the hash is the same in every run, as the file must be. */
static struct fxt_thread *fxt_thread_find(struct fxt_sink *sink, const struct buffer *identity)
{
	uint64_t hash = text_hash(buffer_text(identity)) | 1;
	struct fxt_thread *thread = &sink->threads[hash / 2 % THREADS_RECENT];

	sink->file.out.failed |= identity->failed;
	if (thread->hash != hash)
		*thread = (struct fxt_thread){ .hash = hash };
	return thread;
}

static uint64_t fxt_koid_new(struct fxt_sink *sink)
{
	if (sink->next_koid == OWN_KOIDS_END)
		sink->next_koid = KTRACK_KOID + 2;
	return sink->next_koid++;
}

/* Whether a name is new; @label_hash is the one before. */
static bool fxt_is_renamed(uint64_t *label_hash, struct text name)
{
	uint64_t before = *label_hash;

	*label_hash = text_hash(name) | 1;
	return *label_hash != before;
}

static unsigned int machine_number(const struct timeline_track *track)
{
	return track->machine ? track->machine->number : 0;
}

static bool is_linux_pid(int64_t pid)
{
	return pid > 0 && pid <= LINUX_PIDS;
}

/* The name of a process is its main thread's, which need not have a track. */
static void fxt_process_name(struct fxt_sink *sink, const struct timeline_track *track,
			     const struct fxt_place *place)
{
	struct fxt_process *process = &sink->processes[place->process % PROCESSES_RECENT];
	bool is_main = track->id.signed_number == track->tgid && track->comm[0];
	const char *comm = is_main ? track->comm : track->process_comm;
	struct buffer *text = &sink->file.text;

	if (process->koid != place->process)
		*process = (struct fxt_process){ .koid = place->process };
	if (!comm[0] && process->label_hash)
		return;
	buffer_clear(text);
	if (comm[0])
		buffer_append_string(text, comm);
	else
		buffer_printf(text, "process %d", track->tgid);
	if (fxt_is_renamed(&process->label_hash, buffer_text(text)))
		fxt_name(sink, FXT_PROCESS, place, buffer_text(text));
}

/* A thread that is traced before its process is known remains in the machine's. */
static struct fxt_place *fxt_place_thread(struct fxt_sink *sink, const struct timeline_track *track)
{
	uint64_t first = machine_number(track) * MACHINE_KOIDS;
	uint64_t koid = first + track->id.unsigned_number, process = first + (uint64_t)track->tgid;
	struct buffer *text = &sink->file.text;
	struct fxt_thread *thread;
	bool is_moved;

	buffer_clear(text);
	buffer_append_unsigned(text, koid);
	thread = fxt_thread_find(sink, text);
	is_moved = thread->place.koid == 0 || (thread->born_ns != 0 && track->born_ns != 0 &&
					       thread->born_ns != track->born_ns);
	if (!is_linux_pid(track->tgid))
		process = OWN_KOIDS + machine_number(track);
	if (is_moved)
		thread->place = (struct fxt_place){ .process = process, .koid = koid };
	if (track->born_ns != 0)
		thread->born_ns = track->born_ns;
	if (process < OWN_KOIDS && thread->place.process == process)
		fxt_process_name(sink, track, &thread->place);
	buffer_clear(text);
	if (track->comm[0])
		buffer_append_string(text, track->comm);
	else
		buffer_printf(text, "thread %lld", (long long)track->id.signed_number);
	if (fxt_is_renamed(&thread->label_hash, buffer_text(text)) || is_moved)
		fxt_name(sink, FXT_THREAD_OBJECT, &thread->place, buffer_text(text));
	return &thread->place;
}

/* The place of anything else, where a track continues one that differs by a task's name only. */
static struct fxt_place *fxt_place_own(struct fxt_sink *sink, const struct timeline_track *track,
				       bool is_thread)
{
	struct buffer *text = &sink->file.text;
	struct fxt_thread *thread;

	buffer_clear(text);
	rows_append_key(text, track, is_thread);
	thread = fxt_thread_find(sink, text);
	if (thread->place.koid == 0)
		thread->place = (struct fxt_place){ .process = OWN_KOIDS + machine_number(track),
						    .koid = fxt_koid_new(sink) };
	buffer_clear(text);
	if (is_thread)
		thread_append_name(text, track);
	else
		track_append_label(text, track);
	if (fxt_is_renamed(&thread->label_hash, buffer_text(text)) || !is_thread)
		fxt_name(sink, FXT_THREAD_OBJECT, &thread->place, buffer_text(text));
	return &thread->place;
}

/* The place of a thread's states, and of its first row. */
static struct fxt_place *fxt_place_first(struct fxt_sink *sink, const struct timeline_track *track)
{
	if (track->id.kind == VALUE_SIGNED && is_linux_pid(track->id.signed_number))
		return fxt_place_thread(sink, track);
	return fxt_place_own(sink, track, true);
}

static void fxt_row_make(struct fxt_sink *sink, struct row *row, struct fxt_place *place)
{
	struct fxt_place *made = malloc(sizeof(*made));

	sink->file.out.failed |= !made;
	if (!made)
		return;
	fxt_thread_register(sink, place);
	*made = *place;
	row->data = made;
}

static void fxt_track_begin(struct fxt_sink *sink, struct timeline_track *shown)
{
	struct fxt_track *track = sink_file_track_new(&sink->file, shown, sizeof(*track));
	struct fxt_place *place;

	if (!track || !sink_file_rows_begin(&sink->file, &track->link, shown))
		return;
	track->is_schedule = shown->is_state && shown->scope == SCOPE_THREAD &&
			     shown->nr_outer == 0 &&
			     strcmp(shown->category->text, "sched:thread") == 0;
	track->is_idle = shown->cpu >= 0;
	if (track->link.row.row) {
		place = fxt_place_first(sink, shown);
		if (!track->link.row.row->data)
			fxt_row_make(sink, track->link.row.row, place);
		return;
	}
	place = track->is_schedule ? fxt_place_first(sink, shown)
				   : fxt_place_own(sink, shown, false);
	if (!track->is_schedule)
		fxt_thread_register(sink, place);
	track->place = *place;
	if (shown->kind == TRACK_COUNTER)
		track_append_label(&track->label, shown);
	sink->file.out.failed |= track->label.failed;
}

/* Perfetto merges the arguments of both ends of a slice, so that the last ones have other names. */
static void fxt_arg_field(struct fxt_sink *sink, const struct field *field, bool is_end)
{
	struct buffer *text = &sink->file.text;

	if (!is_end) {
		fxt_arg(sink, field->name, &field->value);
		return;
	}
	buffer_clear(text);
	buffer_append_string(text, "end:");
	buffer_append(text, field->name.data, field->name.size);
	fxt_arg(sink, buffer_text(text), &field->value);
}

static void fxt_arg_number_at(struct fxt_sink *sink, const char *name, int64_t number, bool is_end)
{
	const struct field field = { .name = text_of(name),
				     .value = { .kind = VALUE_SIGNED, .signed_number = number } };

	fxt_arg_field(sink, &field, is_end);
}

static void fxt_args(struct fxt_sink *sink, const struct timeline_event *event, bool is_row)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;
	unsigned int with = sink->file.with;
	const struct field comm = { .name = text_of("ktrack:comm"),
				    .value = { .kind = VALUE_TEXT,
					       .text = text_of(event->comm ? event->comm : "") } };
	struct field flows = { .name = text_of("ktrack:flow"), .value = { .kind = VALUE_TEXT } };
	SCOPED_BUFFER(text);

	/* What ktrack says itself is first, and so not among the arguments that are only counted.
	 */
	if (event->is_suspect)
		fxt_arg_true(sink, "ktrack:suspect");
	if (event->is_unfinished)
		fxt_arg_true(sink, "ktrack:unfinished");
	if (event->is_foreign)
		fxt_arg_true(sink, "ktrack:foreign");
	if (event->is_crossing)
		fxt_arg_true(sink, "ktrack:crossing");
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		fxt_arg_number(sink, "ktrack:begin_ns", event->begin_ns + sink->shift_ns);
	else if (event->is_cut)
		fxt_arg_true(sink, "ktrack:cut");
	if (event_has_emitter(event, with, TIMELINE_EMITTER_TID))
		fxt_arg_number_at(sink, "ktrack:tid", event->tid, is_end);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_CPU))
		fxt_arg_number_at(sink, "ktrack:cpu", event->cpu, is_end);
	if (event_has_emitter(event, with, TIMELINE_EMITTER_COMM))
		fxt_arg_field(sink, &comm, is_end);
	if (is_row && !is_end && row_track_is_named(event->track))
		fxt_arg_text(sink, "ktrack:track", event->track->name);
	if (event->nr_flows > 0) {
		flows_append_text(&text, event);
		flows.value.text = buffer_text(&text);
		fxt_arg_field(sink, &flows, is_end);
		sink->record.failed |= text.failed;
	}
	for (unsigned int i = 0; i < event->nr_fields; i++)
		fxt_arg_field(sink, &event->fields[i], is_end);
	fxt_args_end(sink);
}

static void fxt_write_named(struct fxt_sink *sink, const struct fxt_place *place,
			    const struct timeline_event *event, bool is_row)
{
	static const enum fxt_event kinds[][2] = {
		[TIMELINE_SLICE_BEGIN] = { FXT_DURATION_BEGIN, FXT_ASYNC_BEGIN },
		[TIMELINE_SLICE_END] = { FXT_DURATION_END, FXT_ASYNC_END },
		[TIMELINE_INSTANT] = { FXT_INSTANT, FXT_ASYNC_INSTANT },
	};
	bool is_async = event->track->lane > 0 &&
			(event->kind != TIMELINE_INSTANT || event->depth > 0);

	fxt_event_begin(sink, kinds[event->kind][is_async], place, event->track->category->text,
			event->name->text, event->time_ns);
	fxt_args(sink, event, is_row);
	/* The slices of a lane do not overlap. */
	if (is_async)
		fxt_put_word(&sink->record, place->koid);
	fxt_record_end(sink);
}

/* Viewers compare the id only, so that flows of different names have different ones. */
static void fxt_write_flows(struct fxt_sink *sink, const struct fxt_place *place,
			    const struct timeline_event *event)
{
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		const struct field *flow = timeline_event_flow(event, i);
		int is_known = flow_set_add(&sink->flows, flow);

		sink->file.out.failed |= is_known < 0;
		fxt_event_begin(sink, is_known ? FXT_FLOW_STEP : FXT_FLOW_BEGIN, place, "flow",
				flow->name, event->time_ns);
		fxt_put_word(&sink->record, flow->value.unsigned_number ^ text_hash(flow->name)
										  << 32);
		fxt_record_end(sink);
	}
}

/* An event at a place; flows belong to the slice that is open. */
static void fxt_write(struct fxt_sink *sink, const struct fxt_place *place,
		      const struct timeline_event *event, unsigned int depth, bool is_row)
{
	bool is_end = event->kind == TIMELINE_SLICE_END;

	if (depth + (event->kind == TIMELINE_INSTANT) > VIEWER_DEPTH_MAX) {
		sink->file.nr_deep += !is_end && !event->is_cut;
		return;
	}
	if (is_end)
		fxt_write_flows(sink, place, event);
	fxt_write_named(sink, place, event, is_row);
	if (!is_end)
		fxt_write_flows(sink, place, event);
}

static void fxt_single_write(void *file, const struct row_place *place,
			     const struct timeline_event *event)
{
	struct fxt_sink *sink = container_of((struct sink_file *)file, struct fxt_sink, file);
	const struct fxt_track *track = event->track->sink_data[sink->file.sink_index];

	fxt_write(sink, &track->place, event, place->depth, false);
}

static void fxt_row_write(void *file, const struct row_place *place,
			  const struct timeline_event *event)
{
	struct fxt_sink *sink = container_of((struct sink_file *)file, struct fxt_sink, file);
	struct fxt_place further;
	struct buffer *text = &sink->file.text;

	if (!place->row->data) {
		further = (struct fxt_place){ .process = OWN_KOIDS + machine_number(event->track),
					      .koid = fxt_koid_new(sink) };
		buffer_clear(text);
		rows_append_name(text, place->row, event->track);
		fxt_name(sink, FXT_THREAD_OBJECT, &further, buffer_text(text));
		fxt_row_make(sink, place->row, &further);
	}
	if (place->row->data)
		fxt_write(sink, place->row->data, event, place->depth, true);
}

/* The first letter names the state of a thread: "S", "D|K", "R+"; others wait, too. */
static enum fxt_state fxt_state_of(struct text name)
{
	switch (name.size > 0 ? name.data[0] : '\0') {
	case 'R':
		return FXT_RUNNING;
	case 'T':
	case 't':
		return FXT_SUSPENDED;
	case 'Z':
		return FXT_DYING;
	case 'X':
		return FXT_DEAD;
	default:
		return FXT_BLOCKED;
	}
}

static unsigned int fxt_cpu(const struct fxt_sink *sink, const struct timeline_event *event)
{
	uint64_t cpu = event->cpu > 0 ? (unsigned int)event->cpu : 0;

	cpu += sink->cpus[machine_number(event->track)];
	return cpu < CPUS_MAX ? cpu : CPUS_MAX - 1;
}

/*
 * Writes a context switch from the thread that leaves, if there is one, to @koid; 0 for none of the
 * recording. A thread that is idle, or none, has the weight that hides it in Perfetto.
 */
static void fxt_switch_write(struct fxt_sink *sink, int64_t time_ns, unsigned int cpu,
			     uint64_t koid, bool is_idle)
{
	struct fxt_switch *leaving = &sink->leaving;
	struct text state = buffer_text(&leaving->state);
	bool leaves = leaving->koid > 0;

	fxt_record_begin(sink,
			 FXT_SCHEDULING | (uint64_t)cpu << 20 |
				 (uint64_t)(leaves ? fxt_state_of(state) : FXT_RUNNING) << 36 |
				 UINT64_C(1) << 60,
			 16);
	fxt_put_word(&sink->record, (uint64_t)(time_ns + sink->shift_ns));
	fxt_put_word(&sink->record, leaving->koid);
	fxt_put_word(&sink->record, koid);
	if (!leaves || leaving->is_idle)
		fxt_arg_number(sink, "outgoing_weight", INT32_MIN);
	if (koid == 0 || is_idle)
		fxt_arg_number(sink, "incoming_weight", INT32_MIN);
	if (leaves)
		fxt_arg_text(sink, "ktrack:state", state);
	leaving->koid = 0;
	fxt_record_end(sink);
}

/* Writes a switch whose other half did not come. */
static void fxt_switch_flush(struct fxt_sink *sink)
{
	struct fxt_switch *leaving = &sink->leaving;

	if (leaving->is_continued)
		leaving->koid = 0;
	if (leaving->koid != 0)
		fxt_switch_write(sink, leaving->time_ns, leaving->cpu, 0, false);
}

/* The same, before a state of a thread begins: it is not dead then. */
static void fxt_switch_settle(struct fxt_sink *sink, uint64_t koid)
{
	if (sink->leaving.koid == koid && !sink->leaving.has_state)
		sink->leaving.koid = 0;
	fxt_switch_flush(sink);
}

/* A thread stops; its state is that of the slice that begins, or it is dead. */
static void fxt_leave(struct fxt_sink *sink, const struct fxt_track *track,
		      const struct timeline_event *event)
{
	struct fxt_switch *leaving = &sink->leaving;
	bool has_state = event->kind == TIMELINE_SLICE_BEGIN;
	struct text state = has_state ? event->name->text : text_of("X");

	fxt_switch_settle(sink, track->place.koid);
	leaving->time_ns = event->time_ns;
	leaving->has_state = has_state;
	leaving->is_continued = event->is_continued;
	leaving->koid = track->place.koid;
	leaving->cpu = event->is_continued ? track->cpu : fxt_cpu(sink, event);
	leaving->is_idle = track->is_idle;
	buffer_clear(&leaving->state);
	buffer_append(&leaving->state, state.data, state.size);
	sink->file.out.failed |= leaving->state.failed;
}

/* A thread runs: the other half of a switch on its CPU, or of one whose CPU no record says. */
static void fxt_run(struct fxt_sink *sink, struct fxt_track *track,
		    const struct timeline_event *event)
{
	struct fxt_switch *leaving = &sink->leaving;
	uint64_t koid = track->place.koid;

	track->cpu = event->is_continued && leaving->koid > 0 ? leaving->cpu : fxt_cpu(sink, event);
	if (leaving->koid == koid || leaving->cpu != track->cpu)
		fxt_switch_settle(sink, koid);
	fxt_switch_write(sink, event->time_ns, track->cpu, koid, track->is_idle);
}

static void fxt_wake(struct fxt_sink *sink, const struct fxt_track *track,
		     const struct timeline_event *event)
{
	uint64_t first = machine_number(event->track) * MACHINE_KOIDS;

	fxt_switch_settle(sink, track->place.koid);
	fxt_record_begin(sink,
			 FXT_SCHEDULING | (uint64_t)fxt_cpu(sink, event) << 20 | UINT64_C(2) << 60,
			 16);
	fxt_put_word(&sink->record, (uint64_t)(event->time_ns + sink->shift_ns));
	fxt_put_word(&sink->record, track->place.koid);
	if (track->is_idle)
		fxt_arg_number(sink, "weight", INT32_MIN);
	if (is_linux_pid(event->tid)) {
		fxt_append_arg(sink, text_of("waker"), FXT_KOID, first + (uint64_t)event->tid);
		sink->nr_args++;
	}
	for (unsigned int i = 0; i < event->nr_fields; i++)
		fxt_arg(sink, event->fields[i].name, &event->fields[i].value);
	fxt_args_end(sink);
	fxt_record_end(sink);
}

/* A state of a thread; one that continues on another track was written. */
static void fxt_schedule(struct fxt_sink *sink, struct fxt_track *track,
			 const struct timeline_event *event)
{
	bool is_begin = event->kind == TIMELINE_SLICE_BEGIN;
	bool is_end = event->kind == TIMELINE_SLICE_END && !event->is_unfinished;
	bool is_running;

	if (!is_begin && !is_end)
		return;
	is_running = text_equals(event->name->text, text_of("Running"));
	if (is_end ? is_running : !is_running && !event->is_continued) {
		if (is_begin && text_equals(event->name->text, text_of("Runnable")))
			fxt_wake(sink, track, event);
		else
			fxt_leave(sink, track, event);
	} else if (is_begin && is_running) {
		fxt_run(sink, track, event);
	}
}

static const struct fxt_place fxt_ktrack = { .process = KTRACK_KOID, .koid = KTRACK_KOID + 1 };

/* Losses may overlap: each CPU of each buffer has a thread. */
static void fxt_write_loss(struct fxt_sink *sink, const struct timeline_event *event)
{
	struct buffer *text = &sink->file.text;
	struct fxt_thread *thread;

	buffer_clear(text);
	loss_append_track(text, event);
	thread = fxt_thread_find(sink, text);
	if (thread->place.koid == 0)
		thread->place = (struct fxt_place){ .process = KTRACK_KOID,
						    .koid = fxt_koid_new(sink) };
	if (fxt_is_renamed(&thread->label_hash, buffer_text(text)))
		fxt_name(sink, FXT_THREAD_OBJECT, &thread->place, buffer_text(text));
	fxt_event_begin(sink, FXT_DURATION_COMPLETE, &thread->place, "ktrack",
			remark_set(text, event), event->begin_ns);
	fxt_put_word(&sink->record, (uint64_t)(event->loss_end_ns + sink->shift_ns));
	sink->record.failed |= text->failed;
	fxt_record_end(sink);
}

static void fxt_own_write(struct fxt_sink *sink, enum fxt_event kind, int64_t time_ns,
			  struct text name)
{
	fxt_event_begin(sink, kind, &fxt_ktrack, "ktrack", name, time_ns);
	fxt_record_end(sink);
}

static void fxt_remark(struct fxt_sink *sink, enum fxt_event kind,
		       const struct timeline_event *event)
{
	fxt_own_write(sink, kind, event->time_ns, remark_set(&sink->file.text, event));
	sink->file.out.failed |= sink->file.text.failed;
}

static void fxt_fault_write(struct sink_file *file, const struct timeline_event *finish,
			    struct text text)
{
	fxt_own_write(container_of(file, struct fxt_sink, file), FXT_INSTANT, finish->time_ns,
		      text);
}

static void fxt_finish(struct fxt_sink *sink, const struct timeline_event *event)
{
	sink_file_report_faults(&sink->file, event, fxt_fault_write);
	if (!event->totals->has_wall_drift)
		return;
	fxt_event_begin(sink, FXT_INSTANT, &fxt_ktrack, "ktrack", text_of("ktrack"),
			event->time_ns);
	fxt_arg_number(sink, "wall_drift_ns", event->totals->wall_drift_ns);
	fxt_record_end(sink);
}

static void fxt_track_event(struct fxt_sink *sink, struct fxt_track *track,
			    const struct timeline_event *event)
{
	if (track->is_schedule) {
		fxt_schedule(sink, track, event);
	} else if (event->kind == TIMELINE_COUNTER) {
		/* Viewers draw each argument as a series, so that other fields are none. */
		fxt_event_begin(sink, FXT_COUNTER, &track->place, event->track->category->text,
				buffer_text(&track->label), event->time_ns);
		fxt_arg(sink, text_of("value"), &event->value);
		fxt_put_word(&sink->record, track->place.koid);
		fxt_record_end(sink);
	} else if (event->kind != TIMELINE_TRACK_END &&
		   !sink_file_rows_event(&sink->file, &track->link, event)) {
		fxt_write(sink, &track->place, event, event->depth, false);
	}
}

static void fxt_event(struct sink_file *file, const struct timeline_event *event)
{
	struct fxt_sink *sink = container_of(file, struct fxt_sink, file);

	if (sink->leaving.koid > 0 &&
	    (sink->leaving.time_ns != event->time_ns || event->kind == TIMELINE_FINISH))
		fxt_switch_flush(sink);
	switch (event->kind) {
	case TIMELINE_TRACK_BEGIN:
		fxt_track_begin(sink, event->track);
		break;
	case TIMELINE_LOSS:
		fxt_write_loss(sink, event);
		break;
	case TIMELINE_COMMAND_BEGIN:
		fxt_remark(sink, FXT_DURATION_BEGIN, event);
		break;
	case TIMELINE_COMMAND_END:
		fxt_event_begin(sink, FXT_DURATION_END, &fxt_ktrack, "ktrack", text_of(""),
				event->time_ns);
		fxt_arg_number(sink, "pid", event->pid);
		fxt_arg_number(sink, "status", event->status);
		fxt_record_end(sink);
		break;
	case TIMELINE_FINISH:
		fxt_finish(sink, event);
		break;
	case TIMELINE_MALFORMED:
	case TIMELINE_FOREIGN_END:
	case TIMELINE_TRACEPOINT:
		fxt_remark(sink, FXT_INSTANT, event);
		break;
	case TIMELINE_LOSS_SUM:
		break;
	default:
		fxt_track_event(sink, event->track->sink_data[file->sink_index], event);
	}
}

/* The properties of a recording, in as many instants as their number needs. */
static void fxt_about(struct fxt_sink *sink, const struct recording *recording, unsigned int output,
		      const struct timeline_machine *machine)
{
	struct text rest = text_of(recording->labels ? recording->labels : ""), key, label;
	const struct recording_property *property = NULL;
	SCOPED_BUFFER(name);
	struct value value;

	fxt_event_begin(sink, FXT_INSTANT, &fxt_ktrack, "ktrack", text_of("ktrack"),
			sink->file.start_ns);
	if (machine) {
		fxt_arg_text(sink, "name", text_of(machine->name));
		fxt_arg_number(sink, "shift_ns", machine->shift_ns);
		if (recording->wall_error_ns >= 0)
			fxt_arg_number(sink, "wall_error_ns", recording->wall_error_ns);
	} else {
		fxt_arg_text(sink, "ktrack", text_of(KTRACK_VERSION));
		fxt_arg_number(sink, "start_ns", recording->start_ns);
		fxt_arg_number(sink, "unix_start_ns",
			       recording->start_ns + recording->wall_offset_ns);
	}
	while (recording_next(recording, output, &property, &value))
		fxt_arg(sink, text_of(property->name), &value);
	while (recording_take_label(&rest, &key, &label)) {
		if (sink->nr_args == ARGS_MAX || sink->record.size > RECORD_MAX / 4) {
			fxt_record_end(sink);
			fxt_event_begin(sink, FXT_INSTANT, &fxt_ktrack, "ktrack", text_of("ktrack"),
					sink->file.start_ns);
		}
		buffer_clear(&name);
		buffer_append_string(&name, "label.");
		buffer_append(&name, key.data, key.size);
		fxt_arg_text(sink, buffer_string(&name), label);
	}
	sink->record.failed |= name.failed;
	fxt_record_end(sink);
}

/* The processes of machines, and the instants about them. */
static void fxt_machines_write(struct fxt_sink *sink, const struct recording *recording)
{
	struct fxt_place place = { .process = OWN_KOIDS };
	unsigned int cpus = 0;

	if (recording->nr_machines == 0)
		fxt_name(sink, FXT_PROCESS, &place,
			 text_of(recording->host ? recording->host : "machine"));
	for (size_t i = 0; i < recording->nr_machines; i++) {
		const struct timeline_machine *machine = &recording->machines[i];

		sink->cpus[machine->number] = cpus;
		cpus += machine->recording->nr_cpus < CPUS_MAX ? machine->recording->nr_cpus
							       : CPUS_MAX;
		place.process = OWN_KOIDS + machine->number;
		fxt_name(sink, FXT_PROCESS, &place, text_of(machine->name));
		fxt_about(sink, machine->recording, RECORDING_MACHINE, machine);
	}
}

static void fxt_open(struct sink_file *file, const struct recording *recording)
{
	struct fxt_sink *sink = container_of(file, struct fxt_sink, file);
	struct text name = text_of("ktrack");
	struct buffer *out = &file->out;

	sink->threads = calloc(THREADS_RECENT, sizeof(*sink->threads));
	sink->processes = calloc(PROCESSES_RECENT, sizeof(*sink->processes));
	out->failed |= !sink->threads || !sink->processes;
	if (out->failed)
		return;
	sink->next_koid = KTRACK_KOID + 2;
	sink->shift_ns = recording->start_ns < 0 ? -recording->start_ns : 0;
	fxt_put_word(out, FXT_MAGIC);
	fxt_put_word(out, FXT_METADATA | 2 << 4 | 1 << 16 | PROVIDER_ID << 20 |
				  (uint64_t)name.size << 52);
	fxt_put_stream(out, name);
	fxt_put_word(out, FXT_METADATA | 1 << 4 | 2 << 16 | PROVIDER_ID << 20);
	fxt_put_word(out, FXT_INITIALIZATION | 2 << 4);
	fxt_put_word(out, 1000000000);
	fxt_name(sink, FXT_PROCESS, &fxt_ktrack, name);
	fxt_name(sink, FXT_THREAD_OBJECT, &fxt_ktrack, name);
	fxt_about(sink, recording, RECORDING_CHROME, NULL);
	fxt_machines_write(sink, recording);
}

static void fxt_flush(struct sink_file *file)
{
	fxt_switch_flush(container_of(file, struct fxt_sink, file));
	sink_file_flush(file);
}

static void fxt_track_release(struct sink_track *link)
{
	buffer_release(&container_of(link, struct fxt_track, link)->label);
}

static void fxt_release(struct sink_file *file)
{
	struct fxt_sink *sink = container_of(file, struct fxt_sink, file);

	map_free(&sink->strings);
	flow_set_release(&sink->flows);
	free(sink->threads);
	free(sink->processes);
	buffer_release(&sink->record);
	buffer_release(&sink->clean);
	buffer_release(&sink->leaving.state);
}

static const struct sink_file_ops fxt_file = {
	.size = sizeof(struct fxt_sink),
	.open = fxt_open,
	.event = fxt_event,
	.flush = fxt_flush,
	.row_write = fxt_row_write,
	.single_write = fxt_single_write,
	.track_release = fxt_track_release,
	.release = fxt_release,
};

const struct sink_kind sink_fxt = {
	.name = "fxt",
	.help = "write a trace in Fuchsia's trace format",
	.viewer = "ui.perfetto.dev",
	.is_rare = true,
	.use = SINK_USE_FILE,
	.file = &fxt_file,
};
