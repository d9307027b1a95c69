// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a text line by line, and keeps its records as sub-buffers of each CPU in an unnamed file,
 * so that memory does not depend on the length. A sub-buffer there begins with the place of the
 * next one of its CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracetext/internal.h"

/* A longer line is cut. */
#define LINE_MAX_SIZE 65536

#define WINDOW_SIZE (2 * LINE_MAX_SIZE)

/* Further events share one format, and further threads have no name. */
#define EVENTS_MAX 1024
#define THREADS_MAX 65536
#define OTHER_EVENT "other"

/* Threads whose calls have durations, if lines have no times. */
#define GRAPH_THREADS_MAX 4096

/* No thread of the kernel has such a number: those of function_graph whose names nothing shows, of
 * each CPU.
 */
#define GRAPH_TID_MIN (1 << 22)

/* Smaller ids are ftrace's own. */
#define EVENT_ID_MIN 1000

/* Space for the longest record, and for a number of lost records behind it. */
#define SUB_BUFFER_SIZE 8192

/* The kernel's numbers: types of entries, and bits of the committed size, of records that are
 * missing before a sub-buffer, and of their number behind it.
 */
#define ENTRY_LONG 0
#define ENTRY_TIME_EXTEND 30
#define MISSED_EVENTS (UINT64_C(1) << 31)
#define MISSED_STORED (UINT64_C(1) << 30)

/* Size of a record's head with times, at most. */
#define ENTRY_HEAD_MAX 16

/**
 * struct text_sub_buffer - a sub-buffer in the file
 * @next: place of the CPU's next one, 0 if there is none
 * @size: of @bytes that are used
 */
struct text_sub_buffer {
	uint64_t next;
	uint64_t size;
	unsigned char bytes[SUB_BUFFER_SIZE];
};

/** SUB_BUFFERS_BEGIN - the first place, so that no place is 0 */
#define SUB_BUFFERS_BEGIN 8

/**
 * struct text_cpu - the records of a CPU
 * @first, @last: places of its first and last sub-buffer in the file, 0 if there is none
 * @current: the one that is filled; NULL if the CPU has no records
 * @used: bytes of its entries
 * @has_gap: records were lost before it
 * @gap_count: how many, or LOSS_COUNT_UNKNOWN
 * @last_ns: time of the last record
 * @slack_ns: how much earlier the next line may be: that time was added to one of a line
 * @tid: thread of its lines that name none: of the last switch of function_graph, or the one
 * before the first; TEXT_TID_UNKNOWN if there is none
 */
struct text_cpu {
	uint64_t first;
	uint64_t last;
	struct text_sub_buffer *current;
	size_t used;
	bool has_gap;
	int64_t gap_count;
	int64_t last_ns;
	int64_t slack_ns;
	int tid;
};

/**
 * struct text_thread - a thread that wrote a record
 * @last_ns: of its last line of function_graph, if lines have no times
 * @begins: when its calls began then, by their depth, TEXT_DEPTH_MAX of them; NULL if none did
 */
struct text_thread {
	int tid;
	int tgid;
	char comm[16];
	int64_t last_ns;
	int64_t *begins;
};

/**
 * struct trace_text - a text that was read
 * @file: unnamed file of sub-buffers, which has @size bytes
 * @cpus: by number
 * @events, @by_name: with a form, or without one; @by_other_name: without one, though they have one
 * @threads, @by_tid: their names, the last ones
 * @line: the last record, which following lines may continue in @text; its event in @event
 * @has_line: there is one
 * @has_overwritten: records before the first ones were overwritten, on CPUs that the text does not
 * name
 * @is_graph: its header names the tracer function_graph
 * @input: the file, while it is read
 * @has_switches: first switches of CPUs were searched
 * @lacks_times: a line had no time
 * @nr_graph_threads: threads with calls in lines without times
 * @has_microseconds: there was a time of six digits
 * @last_us, @last_ns: time of the last line in microseconds, and as it was stored
 * @hash: of all bytes
 */
struct trace_text {
	int file;
	const char *name;
	uint64_t size;
	struct text_cpu *cpus;
	size_t nr_cpus;
	struct text_event **events;
	size_t nr_events;
	struct map by_name;
	struct map by_other_name;
	struct text_thread *threads;
	size_t nr_threads;
	struct map by_tid;
	struct text_line line;
	struct buffer text;
	struct buffer event;
	struct buffer record;
	bool has_line;
	bool is_graph;
	int input;
	bool has_switches;
	bool lacks_times;
	size_t nr_graph_threads;
	bool has_microseconds;
	bool has_overwritten;
	int64_t last_us;
	int64_t last_ns;
	uint64_t hash;
	uint64_t nr_cut;
	uint64_t nr_older;
	struct recording recording;
	struct stream *streams;
	size_t nr_streams;
	struct buffer damage;
};

/* Sub-buffers. */

static int text_refuse_write(const struct trace_text *text, struct error *error)
{
	return error_set_system(error, errno,
				"cannot copy the records of %s to a temporary file; set TMPDIR to "
				"a directory with more space",
				text->name);
}

/* Returns false with errno. */
static bool text_write(const struct trace_text *text, const void *bytes, size_t size, off_t place)
{
	const char *rest = bytes;

	while (size > 0) {
		ssize_t done = pwrite(text->file, rest, size, place);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		rest += done;
		place += done;
		size -= done;
	}
	return true;
}

/* Behind the entries is the number of records that were lost before them. */
static void cpu_end_sub_buffer(struct text_cpu *cpu)
{
	struct text_sub_buffer *current = cpu->current;
	uint64_t commit = cpu->used, count = cpu->gap_count;
	bool is_counted = cpu->has_gap && cpu->gap_count != LOSS_COUNT_UNKNOWN;

	commit |= cpu->has_gap ? MISSED_EVENTS : 0;
	commit |= is_counted ? MISSED_STORED : 0;
	memcpy(current->bytes + sizeof(uint64_t), &commit, sizeof(commit));
	current->size = PAGE_HEADER_SIZE + cpu->used;
	if (is_counted) {
		memcpy(current->bytes + current->size, &count, sizeof(count));
		current->size += sizeof(count);
	}
}

/* Writes the current sub-buffer, and its place to the one before. */
static int cpu_flush(struct trace_text *text, struct text_cpu *cpu, struct error *error)
{
	struct text_sub_buffer *current = cpu->current;
	uint64_t place = text->size;
	size_t size;

	if (!current || (cpu->used == 0 && !cpu->has_gap))
		return 0;
	cpu_end_sub_buffer(cpu);
	size = offsetof(struct text_sub_buffer, bytes) + current->size;
	if (!text_write(text, current, size, place) ||
	    (cpu->last > 0 && !text_write(text, &place, sizeof(place), cpu->last)))
		return text_refuse_write(text, error);
	text->size += size;
	if (cpu->first == 0)
		cpu->first = place;
	cpu->last = place;
	cpu->used = 0;
	cpu->has_gap = false;
	return 0;
}

static struct text_cpu *text_find_cpu(struct trace_text *text, int number, struct error *error)
{
	struct text_cpu *cpu;

	if (!array_extend(text->cpus, text->nr_cpus, (size_t)number)) {
		error_set(error, "out of memory");
		return NULL;
	}
	cpu = &text->cpus[number];
	if (cpu->current)
		return cpu;
	cpu->current = calloc(1, sizeof(*cpu->current));
	if (!cpu->current) {
		error_set(error, "out of memory");
		return NULL;
	}
	cpu->tid = TEXT_TID_UNKNOWN;
	cpu->has_gap = text->has_overwritten;
	cpu->gap_count = LOSS_COUNT_UNKNOWN;
	return cpu;
}

static void cpu_put_word(struct text_cpu *cpu, uint32_t word)
{
	memcpy(cpu->current->bytes + PAGE_HEADER_SIZE + cpu->used, &word, sizeof(word));
	cpu->used += sizeof(word);
}

static void cpu_put_head(struct text_cpu *cpu, unsigned int type, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	cpu_put_word(cpu, type << PAGE_DELTA_BITS | delta);
#else
	cpu_put_word(cpu, delta << PAGE_TYPE_BITS | type);
#endif
}

static int cpu_add_record(struct trace_text *text, struct text_cpu *cpu, int64_t time_ns,
			  struct error *error)
{
	const struct buffer *record = &text->record;
	size_t size = (record->size + 3) & ~(size_t)3;
	const uint64_t delta_max = (UINT64_C(1) << PAGE_DELTA_BITS) - 1;
	uint64_t delta;

	if (PAGE_HEADER_SIZE + cpu->used + size + ENTRY_HEAD_MAX + PAGE_COUNT_SIZE >
		    sizeof(cpu->current->bytes) &&
	    cpu_flush(text, cpu, error) < 0)
		return -1;
	if (cpu->used == 0) {
		memcpy(cpu->current->bytes, &time_ns, sizeof(time_ns));
		cpu->last_ns = time_ns;
	}
	delta = time_ns - cpu->last_ns;
	cpu->last_ns = time_ns;
	if (delta > delta_max) {
		cpu_put_head(cpu, ENTRY_TIME_EXTEND, delta & delta_max);
		cpu_put_word(cpu, delta >> PAGE_DELTA_BITS);
		delta = 0;
	}
	if (size <= 4 * PAGE_LENGTH_MAX) {
		cpu_put_head(cpu, size / 4, delta);
	} else {
		cpu_put_head(cpu, ENTRY_LONG, delta);
		cpu_put_word(cpu, size + sizeof(uint32_t));
	}
	memcpy(cpu->current->bytes + PAGE_HEADER_SIZE + cpu->used, record->data, record->size);
	memset(cpu->current->bytes + PAGE_HEADER_SIZE + cpu->used + record->size, 0,
	       size - record->size);
	cpu->used += size;
	return 0;
}

/* A sub-buffer begins behind lost records. */
static int cpu_add_loss(struct trace_text *text, struct text_cpu *cpu, int64_t lost,
			struct error *error)
{
	if (cpu->used > 0 && cpu_flush(text, cpu, error) < 0)
		return -1;
	memcpy(cpu->current->bytes, &cpu->last_ns, sizeof(cpu->last_ns));
	if (!cpu->has_gap)
		cpu->gap_count = 0;
	if (lost < 0 || cpu->gap_count < 0 ||
	    __builtin_add_overflow(cpu->gap_count, lost, &cpu->gap_count))
		cpu->gap_count = LOSS_COUNT_UNKNOWN;
	cpu->has_gap = true;
	return 0;
}

/* Events and threads. */

static bool event_is_named(const void *value, const void *key)
{
	const struct text_event *event = value;

	return text_equals(text_of(event->key), *(const struct text *)key);
}

/* Returns NULL if memory ran out. */
static struct text_event *text_add_event(struct trace_text *text, struct text name, bool has_form)
{
	struct text_event *event = calloc(1, sizeof(*event));

	if (event && text_event_init(event, name, has_form, EVENT_ID_MIN + text->nr_events) == 0 &&
	    array_reserve(text->events, text->nr_events)) {
		text->events[text->nr_events++] = event;
		return event;
	}
	if (event)
		text_event_release(event);
	free(event);
	return NULL;
}

/* Returns NULL if memory ran out. */
static struct text_event *text_find_event(struct trace_text *text, struct text name, bool has_form)
{
	struct map *map = has_form ? &text->by_name : &text->by_other_name;
	struct text_event *event;
	uint64_t hash = hash_text(name);

	event = map_find(map, hash, event_is_named, &name);
	if (event)
		return event;
	if (text->nr_events >= EVENTS_MAX) {
		struct text other = text_of(OTHER_EVENT);

		event = map_find(map, hash_text(other), event_is_named, &other);
		if (event)
			return event;
		name = other;
		hash = hash_text(other);
	}
	event = text_add_event(text, name, has_form);
	if (!event || map_insert(map, hash, event) < 0)
		return NULL;
	return event;
}

static bool text_thread_has_tid(const void *value, const void *key)
{
	return ((const struct text_thread *)value)->tid == *(const int *)key;
}

static struct text_thread *text_find_thread(const struct trace_text *text, int tid)
{
	return map_find(&text->by_tid, hash_number(tid), text_thread_has_tid, &tid);
}

/* What a line shows of its thread; the last line is right, as in the kernel's saved names. */
static int text_add_thread(struct trace_text *text, const struct text_line *line)
{
	struct text_thread *thread;

	if (line->tid == 0 || (line->comm.size == 0 && line->tgid == 0))
		return 0;
	thread = text_find_thread(text, line->tid);
	if (!thread && text->nr_threads >= THREADS_MAX)
		return 0;
	if (!thread) {
		thread = &text->threads[text->nr_threads];
		thread->tid = line->tid;
		if (map_insert(&text->by_tid, hash_number(line->tid), thread) < 0)
			return -1;
		text->nr_threads++;
	}
	if (line->tgid > 0)
		thread->tgid = line->tgid;
	if (line->comm.size > 0) {
		memset(thread->comm, 0, sizeof(thread->comm));
		memcpy(thread->comm, line->comm.data,
		       line->comm.size < sizeof(thread->comm) ? line->comm.size
							      : sizeof(thread->comm) - 1);
	}
	return 0;
}

/* Lines. */

/*
 * Lines with microseconds come in their order, which their times do not have: of those with the
 * same time, each is a nanosecond later, so that streams of several CPUs are merged likewise.
 */
static int64_t text_order(struct trace_text *text, const struct text_line *line)
{
	int64_t time_ns = line->time_ns;

	/* Of more than a thousand, the rest have the time of the last one. */
	if (line->decimals == 6 && text->last_us == time_ns / NS_PER_US)
		time_ns = text->last_ns + (text->last_ns + 1 < time_ns + NS_PER_US);
	text->has_microseconds |= line->decimals == 6;
	text->last_us = line->time_ns / NS_PER_US;
	text->last_ns = time_ns;
	return time_ns;
}

static int text_refuse_memory(struct error *error)
{
	return error_set(error, "out of memory");
}

/* Makes a record of a line; its event and text are complete. */
static int text_add_line(struct trace_text *text, const struct text_line *line, int64_t time_ns,
			 struct error *error)
{
	struct text_event *event;
	struct text_cpu *cpu;

	buffer_clear(&text->record);
	event = text_find_event(text, line->event, true);
	if (event && !text_event_pack(event, line, &text->record)) {
		event = text_find_event(text, line->event, false);
		if (event)
			text_event_pack(event, line, &text->record);
	}
	if (!event || text->record.failed)
		return text_refuse_memory(error);
	cpu = text_find_cpu(text, line->cpu, error);
	if (!cpu)
		return -1;
	if (time_ns < cpu->last_ns) {
		text->nr_older += cpu->last_ns - time_ns > cpu->slack_ns;
		time_ns = cpu->last_ns;
	} else {
		cpu->slack_ns = 0;
	}
	return cpu_add_record(text, cpu, time_ns, error);
}

/* Adds the return of a call that has one line for both; the next line may be earlier than its end.
 */
static int text_add_return(struct trace_text *text, const struct text_line *line,
			   int64_t duration_ns, struct error *error)
{
	int64_t time_ns = text->cpus[line->cpu].last_ns + duration_ns;
	struct text_line exit = *line;
	struct text_thread *thread;

	exit.event = text_of("funcgraph_exit");
	exit.text = text_of("| }");
	if (time_ns >= RECORD_TIME_LIMIT)
		time_ns = RECORD_TIME_LIMIT - 1;
	if (text_add_line(text, &exit, time_ns, error) < 0)
		return -1;
	/* Times of records and durations are read one after the other. */
	text->cpus[line->cpu].slack_ns = duration_ns + NS_PER_US;
	thread = line->has_time ? NULL : text_find_thread(text, line->tid);
	if (thread)
		thread->last_ns = time_ns;
	return 0;
}

/*
 * Calls of function_graph without times: each begins when the one before ended, and ends with its
 * inner ones or after its own duration.
 */
static int64_t graph_time(struct trace_text *text, const struct text_line *line)
{
	struct text_thread *thread = text_find_thread(text, line->tid);
	bool is_exit = text_equals(line->event, text_of("funcgraph_exit"));
	int64_t time_ns = (size_t)line->cpu < text->nr_cpus ? text->cpus[line->cpu].last_ns : 0;
	struct text rest = line->text;
	int64_t duration_ns;

	text->lacks_times = true;
	if (!thread)
		return time_ns;
	/* It may have been on another CPU. */
	if (thread->last_ns > time_ns)
		time_ns = thread->last_ns;
	if (!thread->begins && text->nr_graph_threads < GRAPH_THREADS_MAX) {
		thread->begins = calloc(TEXT_DEPTH_MAX, sizeof(*thread->begins));
		text->nr_graph_threads++;
	}
	text_skip_spaces(&rest);
	if (thread->begins && !is_exit) {
		thread->begins[line->depth] = time_ns;
	} else if (thread->begins && text_take_duration(&rest, &duration_ns) &&
		   thread->begins[line->depth] + duration_ns > time_ns) {
		time_ns = thread->begins[line->depth] + duration_ns;
		if (time_ns >= RECORD_TIME_LIMIT)
			time_ns = RECORD_TIME_LIMIT - 1;
	}
	thread->last_ns = time_ns;
	return time_ns;
}

/* Makes a record of the last line, and of those that continue it. */
static int text_end_line(struct trace_text *text, struct error *error)
{
	struct text_line *line = &text->line;
	int64_t duration_ns;

	if (!text->has_line)
		return 0;
	text->has_line = false;
	text_line_name_call(&text->event, &text->text);
	line->event = buffer_text(&text->event);
	line->text = buffer_text(&text->text);
	while (line->text.size > 0 && line->text.data[line->text.size - 1] == '\n')
		line->text.size--;
	if (text->text.failed || text->event.failed)
		return text_refuse_memory(error);
	if (text_add_line(text, line,
			  line->has_time ? text_order(text, line) : graph_time(text, line),
			  error) < 0)
		return -1;
	return text_line_leaf(line, &duration_ns) ? text_add_return(text, line, duration_ns, error)
						  : 0;
}

/* The header of tracefs' file trace says how many records are left of those that were written. */
static void text_take_header(struct trace_text *text, struct text bytes)
{
	struct text start = text_of("# entries-in-buffer/entries-written: ");
	uint64_t left, written;

	text->is_graph |= text_begins(bytes, text_of("# tracer: function_graph"));
	if (!text_begins(bytes, start))
		return;
	bytes = (struct text){ bytes.data + start.size, bytes.size - start.size };
	if (!text_take_number(&bytes, &left) || bytes.size == 0 || *bytes.data != '/')
		return;
	bytes = (struct text){ bytes.data + 1, bytes.size - 1 };
	text->has_overwritten = text_take_number(&bytes, &written) && written > left;
}

/* The text behind the records of systrace's page. */
static bool line_ends_text(struct text bytes)
{
	text_skip_spaces(&bytes);
	return text_begins(bytes, text_of("</"));
}

static int text_take_other(struct trace_text *text, struct text bytes, struct error *error)
{
	if (!text->has_line) {
		text_take_header(text, bytes);
		return 0;
	}
	if (line_ends_text(bytes))
		return text_end_line(text, error);
	/* Lines of function_graph between others mark switches and interrupts. */
	if (text->line.is_graph)
		return 0;
	if (text->text.size + bytes.size < TEXT_SIZE_MAX) {
		buffer_append_char(&text->text, '\n');
		buffer_append(&text->text, bytes.data, bytes.size);
	}
	return 0;
}

/* The first switch of a CPU has the thread of the lines before it. */
static int graph_take_first_switch(struct trace_text *text, struct text bytes, struct error *error)
{
	struct text_line line;
	struct text_cpu *cpu;

	if (!text_line_parse_graph(bytes, &line) || line.kind != TEXT_LINE_SWITCH)
		return 0;
	cpu = text_find_cpu(text, line.cpu, error);
	if (!cpu)
		return -1;
	if (cpu->tid != TEXT_TID_UNKNOWN)
		return 0;
	cpu->tid = line.tid = line.before_tid;
	line.comm = line.before_comm;
	return text_add_thread(text, &line) < 0 ? text_refuse_memory(error) : 0;
}

/* Takes the first switches of whole lines, and moves the rest to the begin; returns its size. */
static ssize_t graph_take_first_switches(struct trace_text *text, struct text bytes,
					 bool *is_behind, struct error *error)
{
	char *begin = (char *)bytes.data, *end;

	while ((end = memchr(bytes.data, '\n', bytes.size))) {
		struct text line = { bytes.data, end - bytes.data };

		if (!*is_behind && memmem(line.data, line.size, " => ", 4) &&
		    graph_take_first_switch(text, line, error) < 0)
			return -1;
		*is_behind = false;
		bytes = (struct text){ end + 1, bytes.size - line.size - 1 };
	}
	/* No switch is so long. */
	if (bytes.size >= LINE_MAX_SIZE) {
		*is_behind = true;
		return 0;
	}
	memmove(begin, bytes.data, bytes.size);
	return bytes.size;
}

/* Lines before the first switch of a CPU show no thread, but that switch does: reads ahead once. */
static int graph_find_switches(struct trace_text *text, struct error *error)
{
	char *bytes = malloc(WINDOW_SIZE);
	bool is_behind = false;
	ssize_t left = 0, size;
	off_t offset = 0;

	text->has_switches = true;
	if (!bytes)
		return text_refuse_memory(error);
	do {
		size = file_read_block(text->input, bytes + left, WINDOW_SIZE - left, offset);
		if (size > 0) {
			offset += size;
			left = graph_take_first_switches(text, (struct text){ bytes, left + size },
							 &is_behind, error);
		}
	} while (size > 0 && left >= 0);
	if (size < 0)
		error_set_system(error, errno, "cannot read %s", text->name);
	free(bytes);
	return size < 0 || left < 0 ? -1 : 0;
}

/* The thread of a line of function_graph that shows none; unknown on a CPU without switches. */
static int graph_find_thread(struct trace_text *text, struct text_line *line, struct error *error)
{
	static const struct text unknown = { "unknown", sizeof("unknown") - 1 };
	struct text_cpu *cpu = text_find_cpu(text, line->cpu, error);

	if (!cpu)
		return -1;
	if (cpu->tid == TEXT_TID_UNKNOWN && !text->has_switches) {
		if (graph_find_switches(text, error) < 0)
			return -1;
		cpu = &text->cpus[line->cpu];
	}
	line->tid = cpu->tid;
	if (line->tid != TEXT_TID_UNKNOWN)
		return 0;
	line->tid = GRAPH_TID_MIN + line->cpu;
	line->comm = unknown;
	return 0;
}

static int graph_take_switch(struct trace_text *text, const struct text_line *line,
			     struct error *error)
{
	struct text_cpu *cpu;

	if (text_end_line(text, error) < 0)
		return -1;
	cpu = text_find_cpu(text, line->cpu, error);
	if (!cpu)
		return -1;
	cpu->tid = line->tid;
	return text_add_thread(text, line) < 0 ? text_refuse_memory(error) : 0;
}

static int text_take_record(struct trace_text *text, const struct text_line *line,
			    struct error *error)
{
	size_t size = line->text.size < TEXT_SIZE_MAX ? line->text.size : TEXT_SIZE_MAX;

	if (text_end_line(text, error) < 0)
		return -1;
	text->line = *line;
	if (line->tid == TEXT_TID_UNKNOWN && graph_find_thread(text, &text->line, error) < 0)
		return -1;
	if (text_add_thread(text, &text->line) < 0)
		return text_refuse_memory(error);
	text->has_line = true;
	buffer_clear(&text->event);
	buffer_append(&text->event, line->event.data, line->event.size);
	buffer_clear(&text->text);
	buffer_append(&text->text, line->text.data, size);
	return 0;
}

static int text_take_any(struct trace_text *text, struct text bytes, struct error *error)
{
	struct text_cpu *cpu;
	struct text_line line;

	text_line_parse(bytes, &line);
	if (line.kind == TEXT_LINE_OTHER)
		return text_take_other(text, bytes, error);
	if (line.kind == TEXT_LINE_RECORD)
		return text_take_record(text, &line, error);
	if (line.kind == TEXT_LINE_SWITCH)
		return graph_take_switch(text, &line, error);
	if (text_end_line(text, error) < 0)
		return -1;
	cpu = text_find_cpu(text, line.cpu, error);
	return cpu ? cpu_add_loss(text, cpu, line.lost, error) : -1;
}

/** struct text_window - the bytes that are parsed; @is_behind: those of a line that was cut */
struct text_window {
	char *bytes;
	size_t size;
	bool is_behind;
};

/* Parses whole lines, and the last one at the end of the text. */
static int text_take_lines(struct trace_text *text, struct text_window *window, bool is_last,
			   struct error *error)
{
	size_t done = 0;

	while (done < window->size) {
		char *line = window->bytes + done;
		size_t left = window->size - done;
		char *end = memchr(line, '\n', left);
		size_t size = end ? (size_t)(end - line) : left;

		if (!end && !is_last && left < LINE_MAX_SIZE)
			break;
		if (!window->is_behind &&
		    text_take_any(text, (struct text){ line, size }, error) < 0)
			return -1;
		text->nr_cut += !end && !is_last && !window->is_behind;
		window->is_behind = !end;
		done += size + (end != NULL);
	}
	memmove(window->bytes, window->bytes + done, window->size - done);
	window->size -= done;
	return 0;
}

static int text_read_window(struct trace_text *text, int fd, struct text_window *window,
			    struct byte_progress *progress, struct error *error)
{
	off_t offset = 0;
	ssize_t size;

	do {
		char *space = window->bytes + window->size;

		size = file_read_block(fd, space, WINDOW_SIZE - window->size, offset);
		if (size < 0)
			return error_set_system(error, errno, "cannot read %s", text->name);
		text->hash = text->hash * 31 + text_hash((struct text){ space, size });
		window->size += size;
		offset += size;
		byte_progress_add(progress, size, 0);
		if (text_take_lines(text, window, size == 0, error) < 0)
			return -1;
	} while (size > 0);
	return text_end_line(text, error);
}

static int text_read(struct trace_text *text, int fd, struct byte_progress *progress,
		     struct error *error)
{
	struct text_window window = { .bytes = malloc(WINDOW_SIZE) };
	int status;

	text->input = fd;
	text->threads = calloc(THREADS_MAX, sizeof(*text->threads));
	status = window.bytes && text->threads
			 ? text_read_window(text, fd, &window, progress, error)
			 : text_refuse_memory(error);
	free(window.bytes);
	for (size_t i = 0; i < text->nr_cpus; i++) {
		if (status == 0)
			status = cpu_flush(text, &text->cpus[i], error);
		free(text->cpus[i].current);
		text->cpus[i].current = NULL;
	}
	return status;
}

/* The begin of systrace's page. */
#define PAGE_HEAD "<!DOCTYPE html"

bool trace_text_matches(struct text head)
{
	if (memchr(head.data, '\0', head.size))
		return false;
	if (text_begins(head, text_of("# tracer:")) || text_begins(head, text_of(PAGE_HEAD)))
		return true;
	while (head.size > 0) {
		struct text_line line;

		text_line_parse(text_take_line(&head), &line);
		if (line.kind != TEXT_LINE_OTHER)
			return true;
	}
	return false;
}

/* Streams. */

/** struct text_stream - what a stream reads; @next is the place of its next sub-buffer */
struct text_stream {
	struct trace_text *text;
	uint64_t next;
	struct text_sub_buffer current;
};

static ssize_t text_refill(struct stream *stream, struct error *error)
{
	struct text_stream *own = stream->own;
	const size_t head = offsetof(struct text_sub_buffer, bytes);
	ssize_t size;

	if (own->next == 0)
		return 0;
	size = file_read_block(own->text->file, &own->current, sizeof(own->current), own->next);
	if (size < (ssize_t)head || own->current.size > size - head)
		return error_set_system(error, size < 0 ? errno : EIO,
					"cannot read the records of %s", own->text->name);
	own->next = own->current.next;
	stream->bytes = own->current.bytes;
	return own->current.size;
}

static void text_stream_close(struct stream *stream)
{
	free(stream->own);
}

static const struct stream_ops text_stream_ops = {
	.refill = text_refill,
	.close = text_stream_close,
};

static int text_open_streams(struct trace_text *text, struct error *error)
{
	for (size_t i = 0; i < text->nr_cpus; i++) {
		const struct text_cpu *cpu = &text->cpus[i];
		struct text_stream *own;

		if (cpu->first == 0)
			continue;
		own = calloc(1, sizeof(*own));
		if (!own || !array_reserve(text->streams, text->nr_streams)) {
			free(own);
			return text_refuse_memory(error);
		}
		*own = (struct text_stream){ .text = text, .next = cpu->first };
		text->streams[text->nr_streams++] = (struct stream){
			.ops = &text_stream_ops,
			.cpu = i,
			.own = own,
		};
	}
	return 0;
}

static int text_describe(struct trace_text *text, struct error *error)
{
	text->recording.nr_cpus = text->nr_cpus;
	text->recording.time_source = "none";
	text->recording.wall_error_ns = -1;
	if (text->nr_older > 0) {
		buffer_printf(&text->damage, "%s: ", text->name);
		buffer_append_count(&text->damage, text->nr_older, "line");
		buffer_append_string(&text->damage,
				     " with an earlier time than the line before of the same CPU, "
				     "which was used instead");
	}
	if (text->nr_cut > 0) {
		if (text->damage.size == 0)
			buffer_printf(&text->damage, "%s: ", text->name);
		else
			buffer_append_string(&text->damage, "; ");
		buffer_append_count(&text->damage, text->nr_cut, "line");
		buffer_printf(&text->damage, " of more than %d bytes, which were cut",
			      LINE_MAX_SIZE);
	}
	if (text->damage.failed || recording_keep_id(&text->recording, text->hash) < 0)
		return text_refuse_memory(error);
	return text_open_streams(text, error);
}

int trace_text_open(struct trace_text **out, int fd, const char *name,
		    struct byte_progress *progress, struct error *error)
{
	struct trace_text *text = calloc(1, sizeof(*text));
	char head[sizeof(PAGE_HEAD) - 1];
	int status;

	*out = text;
	if (!text) {
		close(fd);
		return text_refuse_memory(error);
	}
	text->name = name;
	text->last_us = -1;
	text->size = SUB_BUFFERS_BEGIN;
	text->file = file_open_temporary(NULL);
	status = text->file < 0 ? text_refuse_write(text, error)
				: text_read(text, fd, progress, error);
	/* Any page may have been taken for systrace's. */
	if (status == 0 && text->nr_events == 0 && text->nr_cpus == 0 &&
	    file_read_block(fd, head, sizeof(head), 0) == sizeof(head) &&
	    memcmp(head, PAGE_HEAD, sizeof(head)) == 0)
		status = error_set(error,
				   "%s: a page without lines of ftrace, not a trace.dat; name a "
				   "recording of ktrack or trace-cmd",
				   name);
	if (status == 0 && text->nr_events == 0 && text->is_graph)
		status = error_set(
			error,
			"%s: no call of function_graph that shows its CPU; set the options "
			"funcgraph-cpu and funcgraph-duration of tracefs",
			name);
	close(fd);
	if (status == 0 && text_describe(text, error) == 0)
		return 0;
	trace_text_close(text);
	*out = NULL;
	return -1;
}

void trace_text_close(struct trace_text *text)
{
	if (!text)
		return;
	streams_close(text->streams, text->nr_streams);
	free(text->cpus);
	for (size_t i = 0; i < text->nr_events; i++) {
		text_event_release(text->events[i]);
		free(text->events[i]);
	}
	free(text->events);
	for (size_t i = 0; i < text->nr_threads; i++)
		free(text->threads[i].begins);
	free(text->threads);
	map_release(&text->by_name);
	map_release(&text->by_other_name);
	map_release(&text->by_tid);
	buffer_release(&text->text);
	buffer_release(&text->event);
	buffer_release(&text->record);
	buffer_release(&text->damage);
	recording_release(&text->recording);
	if (text->file >= 0)
		close(text->file);
	free(text);
}

const struct recording *trace_text_describe(const struct trace_text *text)
{
	return &text->recording;
}

struct stream *trace_text_streams(struct trace_text *text, size_t *nr_streams)
{
	*nr_streams = text->nr_streams;
	return text->streams;
}

int trace_text_visit(struct trace_text *text, const struct tracepoint_visitor *visitor,
		     struct error *error)
{
	SCOPED_BUFFER(format);
	int status = 0;

	for (size_t i = 0; i < text->nr_events && status == 0; i++) {
		const struct text_event *event = text->events[i];
		struct tracepoint tracepoint = { .system = event->system, .name = event->name };

		if (!event->is_used ||
		    (visitor->wants &&
		     (!visitor->wants(visitor->context, event->system, NULL) ||
		      !visitor->wants(visitor->context, event->system, event->name))))
			continue;
		buffer_clear(&format);
		text_event_describe(event, &format);
		if (format.failed) {
			status = text_refuse_memory(error);
			break;
		}
		tracepoint.format = buffer_text(&format);
		status = visitor->visit(visitor->context, &tracepoint, error);
	}
	return status;
}

void trace_text_find_task(const struct trace_text *text, int tid, struct thread_identity *out)
{
	const struct text_thread *thread = text_find_thread(text, tid);

	if (!thread)
		return;
	out->tgid = thread->tgid;
	memcpy(out->comm, thread->comm, sizeof(thread->comm));
}

const char *trace_text_lack(const struct trace_text *text)
{
	if (text->lacks_times)
		return "text of function_graph has durations and no times: calls follow each other "
		       "without gaps; the options funcgraph-abstime and funcgraph-proc of tracefs "
		       "print times and threads";
	return text->has_microseconds
		       ? "text of ftrace has times in microseconds, losses only if it reports "
			 "them, and no tracks of drivers; 'ktrack record' keeps them"
		       : "text of ftrace has losses only if it reports them, and no tracks of "
			 "drivers; 'ktrack record' keeps them";
}

const char *trace_text_damage(const struct trace_text *text)
{
	return text->damage.size > 0 ? buffer_string((struct buffer *)&text->damage) : NULL;
}
