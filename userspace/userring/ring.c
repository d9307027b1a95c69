// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads rings that programs write, and may write anything to: a record's size is read once, the
 * record is copied, and only the copy is checked.
 *
 * Rings and descriptions are read with pread(2): reading a hole of a sparse file through a mapping
 * would allocate its pages, which count as this process's memory. A record is taken from a second
 * copy, made after the one whose first word is committed: a copy may be older at its end.
 *
 * A record is visible once its first word is committed. A program can be interrupted between its
 * reservation and that for any time; later records of its ring wait then, and records of others up
 * to when the ring was last seen complete are final.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userring/batch.h"
#include "userring/process.h"

/*
 * Other rings do not wait longer for a record that was begun. So many passes must have found it:
 * the time may have passed while this process was stopped, and the program with it.
 */
#define LATE_NS NS_PER_S
#define LATE_PASSES 10

/* A number of a thread that has ended is not used again sooner. */
#define THREAD_NS NS_PER_S

/* What searches of threads of a program may take of a second, as CPU time of this thread. */
#define SEARCH_LIMIT_NS (NS_PER_S / 10)

/* What the recorder needs for a record besides its bytes, of which it stores all but 16. */
#define RECORD_OVERHEAD 16

/**
 * enum ring_status - what reading found
 * @RING_WINDOW_END: the next record is not in the window as a whole
 * @RING_UNKNOWN: the record's event is not described yet
 */
enum ring_status {
	RING_FAILED = -2,
	RING_DAMAGED = -1,
	RING_END = 0,
	RING_RECORD = 1,
	RING_WINDOW_END = 2,
	RING_UNKNOWN = 3,
};

/**
 * struct ring_window - bytes of a ring that are read at once
 * @part: in the batch
 * @words: the first copy, for the first words of entries
 * @data: the second copy, in the part
 * @size: of both
 * @used: of them
 * @ring_size: of the ring
 * @number: of the event that is not described
 */
struct ring_window {
	struct part_records *part;
	const unsigned char *words;
	unsigned char *data;
	size_t size;
	size_t used;
	uint32_t ring_size;
	uint16_t number;
};

static struct memory_id memory_id(const struct program *program)
{
	return (struct memory_id){ .device = program->device, .inode = program->inode };
}

static uint32_t events_reserved(const struct program *program)
{
	return __atomic_load_n(&program->control->events_used, __ATOMIC_RELAXED);
}

/*
 * Returns the size of the next description, 0 if it is not committed, -1 if it is damaged. A thread
 * that was killed while it wrote one leaves its size, or zeros.
 */
static int64_t description_size(const struct program *program, uint32_t word)
{
	uint32_t size = word & ~7u;

	if (!(word & KTRACK_USER_COMMITTED) && !program->has_ended)
		return 0;
	if (word == 0)
		return program->events_used < events_reserved(program) ? 8 : 0;
	if (size < sizeof(struct ktrack_user_event) ||
	    size > program->events_size - program->events_used || size > UINT16_MAX)
		return -1;
	return size;
}

static bool is_described(const struct program *program, uint16_t number)
{
	return number < program->nr_described &&
	       (program->described[number / 64] >> number % 64 & 1);
}

/* Makes space for the bits of @number; returns false if memory ran out. */
static bool bits_grow(uint64_t **bits, size_t before, size_t size)
{
	uint64_t *grown = reallocarray(*bits, size / 64, sizeof(*grown));

	if (!grown)
		return false;
	memset(grown + before / 64, 0, (size - before) / 8);
	*bits = grown;
	return true;
}

/* Returns false if memory ran out. */
static bool program_note_described(struct program *program, uint16_t number, bool is_wanted)
{
	size_t size = program->nr_described ? program->nr_described : 64;

	while (size <= number)
		size *= 2;
	if (size != program->nr_described) {
		if (!bits_grow(&program->described, program->nr_described, size) ||
		    !bits_grow(&program->unwanted, program->nr_described, size))
			return false;
		program->nr_described = size;
	}
	program->described[number / 64] |= UINT64_C(1) << number % 64;
	if (!is_wanted)
		program->unwanted[number / 64] |= UINT64_C(1) << number % 64;
	return true;
}

/* Whether patterns, SYSTEM or SYSTEM:EVENT, mean an event. */
static bool description_is_wanted(const char *patterns, const struct described_event *event)
{
	struct text list = text_of(patterns ? patterns : "*"), item;
	char pattern[4096], *colon;

	while (text_take_item(&list, &item)) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)item.size, item.data);
		colon = strchr(pattern, ':');
		if (colon)
			*colon = '\0';
		if (fnmatch(pattern, event->system, 0) == 0 &&
		    (!colon || fnmatch(colon + 1, event->name, 0) == 0))
			return true;
	}
	return false;
}

/* Returns the number of a description, or -1 if it is damaged. */
static int description_check(const unsigned char *bytes, size_t size, const char *patterns,
			     bool *is_wanted)
{
	struct described_event event;
	int number = event_describe(&event, bytes, size) ? event.number : -1;

	*is_wanted = number >= 0 && description_is_wanted(patterns, &event);
	return number;
}

/*
 * Sends a description of a wanted event. Returns false if it is damaged, or the batch has failed.
 * @copy: of its bytes
 */
static bool description_send(struct program *program, const unsigned char *copy, size_t size,
			     struct batch *batch)
{
	struct part_event *part;
	bool is_wanted;
	int number = description_check(copy, size, program->events, &is_wanted);

	if (number < 0)
		return false;
	if (!program_note_described(program, number, is_wanted)) {
		batch->has_failed = true;
		return false;
	}
	if (!is_wanted)
		return true;
	part = batch_reserve(batch, sizeof(*part) + size);
	if (!part)
		return false;
	*part = (struct part_event){ .id = memory_id(program), .size = size };
	memcpy(part + 1, copy, size);
	batch_add(batch, &part->head, PART_EVENT, sizeof(*part) + size);
	return true;
}

/* Copies the next descriptions twice; returns how many bytes, or -1 if that fails. */
static int64_t descriptions_copy(const struct program *program, const struct batch *batch)
{
	size_t offset = KTRACK_USER_CONTROL_SIZE + program->events_used;
	uint32_t end = events_reserved(program), size;

	if (end > program->events_size)
		end = program->events_size;
	size = end > program->events_used ? end - program->events_used : 0;
	if (size > PART_DATA_MAX)
		size = PART_DATA_MAX;
	if (!program_pread(program, batch->words, size, offset))
		return -1;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return program_pread(program, batch->descriptions, size, offset) ? (int64_t)size : -1;
}

/*
 * Reads a part of the descriptions that are new; returns false if one is damaged.
 * @is_over: there are no more that are complete
 */
static bool descriptions_read(struct program *program, struct batch *batch, bool *is_over)
{
	int64_t size, at = 0, end = descriptions_copy(program, batch);

	*is_over = end < 8;
	for (; end - at >= 8 && program->left > 0; at += size) {
		uint32_t word;

		memcpy(&word, batch->words + at, sizeof(word));
		size = description_size(program, word);
		*is_over = size == 0;
		if (size <= 0)
			return size == 0;
		if (size > end - at)
			return at > 0;
		if ((word & KTRACK_USER_COMMITTED) &&
		    !description_send(program, batch->descriptions + at, size, batch))
			return false;
		program->events_used += size;
		if (batch->is_hurried && (uint64_t)size < program->left)
			program->left -= size;
		else if (batch->is_hurried)
			program->left = 0;
	}
	return end >= 0;
}

/* Reads the descriptions that are new, or as many as there is time for. */
static bool program_read_events(struct program *program, struct batch *batch)
{
	bool is_over = false, is_whole = true;

	while (is_whole && !is_over && program->left > 0)
		is_whole = descriptions_read(program, batch, &is_over);
	return is_whole;
}

/*
 * Reads descriptions until that of an event is found; RING_END if it may be behind one that another
 * thread has begun, and which is awaited; RING_DAMAGED if there is none.
 */
static int program_find_event(struct program *program, uint16_t number, struct batch *batch)
{
	if (!program_read_events(program, batch))
		return batch->has_failed ? RING_FAILED : RING_DAMAGED;
	/* What is not read any more is cut. */
	if (is_described(program, number) || program->left == 0)
		return RING_RECORD;
	return events_reserved(program) > program->events_used && !program->has_ended
		       ? RING_END
		       : RING_DAMAGED;
}

/*
 * Looks for a thread, perhaps of another PID namespace. Every record of a hostile program may name
 * another one: what a program's searches cost is limited, except for new threads, whose number is.
 * Returns 0 if the program has none, -1 if that is unknown.
 */
static int program_find_thread(struct program *program, struct task_table *tasks, int32_t inner)
{
	int64_t begin_ns = time_now_ns(CLOCK_THREAD_CPUTIME_ID);
	size_t nr_tasks = tasks->size;
	int tid = inner;

	if (time_share_left(&program->searches, time_now_ns(CLOCK_MONOTONIC), SEARCH_LIMIT_NS) <
	    0) {
		if (program->search_state == SEARCH_IS_COMPLETE)
			program->search_state = SEARCH_IS_LATE;
		return -1;
	}
	if (program->is_nested)
		tid = process_find_thread(program->pid, inner);
	/* An ended thread's number may be another process's by now; or the program is hostile. */
	if (tid > 0 && !task_table_note(tasks, tid, program->pid, program->comm))
		tid = 0;
	if (program->is_nested || tasks->size == nr_tasks)
		program->searches.used_ns += time_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	return tid;
}

/* As program_find_thread(), of a thread that may have been looked for in the last second. */
static int program_know_thread(struct program *program, struct task_table *tasks, int32_t inner,
			       int64_t now_ns)
{
	struct program_thread *thread = &program->threads[(uint32_t)inner % PROGRAM_THREADS];
	int tid;

	if (thread->looked_ns > 0 && thread->inner == inner &&
	    now_ns - thread->looked_ns < THREAD_NS)
		return thread->tid;
	tid = program_find_thread(program, tasks, inner);
	if (tid >= 0)
		*thread = (struct program_thread){ inner, tid, now_ns };
	return tid;
}

/* A thread's number as this process has it: the process's number if it has ended or is hostile. */
static int32_t ring_find_thread(struct program *program, struct program_ring *ring,
				struct task_table *tasks, int32_t tid, int64_t now_ns)
{
	if (!program->has_process)
		task_table_note_process(tasks, program->pid, program->comm);
	program->has_process = true;
	if (ring->inner != tid) {
		ring->tid = program_know_thread(program, tasks, tid, now_ns);
		ring->inner = ring->tid < 0 ? 0 : tid;
	}
	if (ring->tid > 0)
		return ring->tid;
	return program->pid;
}

/* The process's number if the thread has ended, or is unknown. */
static int32_t program_find_mover(struct program *program, struct task_table *tasks, int32_t inner,
				  int64_t now_ns)
{
	int tid = program_know_thread(program, tasks, inner, now_ns);

	return tid > 0 ? tid : program->pid;
}

/** struct end_record - an end in a ring, which begins as every record of a slice does */
struct end_record {
	struct ktrack_user_record head;
	uint8_t type;
	uint32_t name;
};

/*
 * Translates the name of an end that names its slice: the recorder's clock may be another one, as
 * may be the numbers of threads. Only such a name looks like one, whatever the record is.
 */
static void end_name_take(struct program *program, struct task_table *tasks,
			  const struct ktrack_user_record *record, unsigned char *copy, size_t size,
			  int64_t now_ns)
{
	static const unsigned int at = KTRACK_USER_END_AT;
	char name[KTRACK_USER_END_SIZE + 1], *end;
	struct end_record slice;
	uint64_t begin_ns;
	unsigned char *text;
	int32_t inner;

	if (size < sizeof(slice))
		return;
	memcpy(&slice, copy, sizeof(slice));
	text = copy + KTRACK_USER_STORED + (slice.name & UINT16_MAX);
	if (slice.type != 'E' || slice.name >> 16 != sizeof(name) ||
	    (slice.name & UINT16_MAX) + KTRACK_USER_STORED + sizeof(name) > size)
		return;
	memcpy(name, text, sizeof(name));
	if (name[at] != '@' || name[KTRACK_USER_END_SIZE] != '\0' ||
	    strspn(name, "0123456789abcdef") != at ||
	    strspn(name + at + 1, "0123456789abcdef") != KTRACK_USER_END_SIZE - at - 1)
		return;
	begin_ns = strtoull(name, &end, 16);
	inner = (int32_t)strtoul(end + 1, NULL, 16);
	snprintf(name, sizeof(name), "%016llx %08x",
		 (unsigned long long)(slice.head.time_ns - begin_ns),
		 (unsigned int)(inner == slice.head.tid
					? record->tid
					: program_find_mover(program, tasks, inner, now_ns)));
	memcpy(text, name, sizeof(name));
}

/* This process may have been preempted for long since it has read the clock. */
static bool time_is_possible(uint64_t time_ns, int64_t now_ns)
{
	return time_ns < RECORD_TIME_LIMIT &&
	       (time_ns <= (uint64_t)now_ns ||
		time_ns <= (uint64_t)time_now_ns(CLOCK_BOOTTIME) + NS_PER_S);
}

/* Checks a copied record, and sets what only the reader has. */
static int record_take(struct program *program, struct program_ring *ring,
		       const struct ring_reader *reader, struct ring_window *window, uint32_t *word,
		       int64_t now_ns)
{
	unsigned char *copy = window->data + window->used;
	struct ktrack_user_record record;

	memcpy(&record, copy, sizeof(record));
	record.time_ns -= (uint64_t)program->clock_offset_ns;
	if (!time_is_possible(record.time_ns, now_ns))
		return RING_DAMAGED;
	if ((int64_t)record.time_ns < program->from_ns) {
		*word |= KTRACK_USER_PAD;
		return RING_RECORD;
	}
	window->number = record.number;
	if (!is_described(program, record.number))
		return RING_UNKNOWN;
	if (program->unwanted[record.number / 64] >> record.number % 64 & 1) {
		*word |= KTRACK_USER_PAD;
		return RING_RECORD;
	}
	record.tid = ring_find_thread(program, ring, reader->tasks, record.tid, now_ns);
	end_name_take(program, reader->tasks, &record, copy, *word & ~7u, now_ns);
	memcpy(copy, &record, sizeof(record));
	return RING_RECORD;
}

/*
 * The size of the entry at the tail, 0 if it is not committed, -1 if it cannot be. Padding is
 * smaller than the record that did not fit: clearing what one word claims takes no time.
 */
static int64_t entry_size(uint32_t ring_size, uint64_t tail, uint64_t head, uint32_t word)
{
	uint32_t size = word & ~7u;

	if (!(word & KTRACK_USER_COMMITTED))
		return 0;
	if (size < 8 || size > KTRACK_USER_RECORD_MAX || size > head - tail ||
	    size > ring_size - (tail & (ring_size - 1)))
		return -1;
	if (!(word & KTRACK_USER_PAD) && size < sizeof(struct ktrack_user_record))
		return -1;
	return size;
}

/*
 * A thread was killed while it wrote this record, whose size is known, or not yet: then all its
 * bytes are zeros, and so may those behind it be.
 */
static int64_t entry_skip(const struct ring_window *window, uint64_t tail, uint64_t head,
			  uint32_t word)
{
	static const unsigned char zeros[8];
	size_t size = 0;

	if (word != 0)
		return entry_size(window->ring_size, tail, head, word | KTRACK_USER_COMMITTED);
	while (size < window->size - window->used &&
	       memcmp(window->data + window->used + size, zeros, sizeof(zeros)) == 0)
		size += sizeof(zeros);
	return size > 0 ? (int64_t)size : 8;
}

/* Takes the entry at the tail, which is the next one of the window. */
static int entry_read(struct program *program, struct program_ring *ring,
		      const struct ring_reader *reader, struct ring_window *window, uint64_t head,
		      int64_t now_ns)
{
	uint32_t word;
	int64_t size;
	int status;
	bool is_cut;

	memcpy(&word, window->words + window->used, sizeof(word));
	is_cut = program->has_ended && !(word & KTRACK_USER_COMMITTED);
	size = is_cut ? entry_skip(window, ring->tail, head, word)
		      : entry_size(window->ring_size, ring->tail, head, word);
	if (size <= 0)
		return size < 0 ? RING_DAMAGED : RING_END;
	if ((size_t)size > window->size - window->used)
		return RING_WINDOW_END;
	if (is_cut)
		word = size | KTRACK_USER_COMMITTED | KTRACK_USER_PAD;
	status = word & KTRACK_USER_PAD ? RING_RECORD
					: record_take(program, ring, reader, window, &word, now_ns);
	if (status != RING_RECORD)
		return status;
	memcpy(window->data + window->used, &word, sizeof(word));
	/* Padding, too: reading it takes as long, and the rings of others fill meanwhile. */
	if (program->user)
		program->user->nr_bytes += size + RECORD_OVERHEAD;
	ring->tail += size;
	window->used += size;
	return RING_RECORD;
}

static bool program_may_read(const struct program *program, const struct ring_reader *reader)
{
	if (program->left == 0)
		return false;
	return !program->user || program->user->nr_bytes < reader->user_max;
}

/* Copies bytes of a ring from its tail on to the end of the batch. Returns an enum ring_status. */
static int window_open(struct ring_window *window, struct program *program, size_t index,
		       struct batch *batch, uint64_t head)
{
	const struct program_ring *ring = &program->rings[index];
	uint32_t ring_size = program_ring_size(program, index);
	size_t offset = ring->tail & (ring_size - 1);

	*window = (struct ring_window){ .words = batch->words,
					.size = head - ring->tail,
					.ring_size = ring_size };
	if (window->size > ring_size - offset)
		window->size = ring_size - offset;
	if (window->size > PART_DATA_MAX)
		window->size = PART_DATA_MAX;
	window->part = batch_reserve(batch, sizeof(*window->part) + window->size);
	if (!window->part)
		return RING_FAILED;
	window->data = (unsigned char *)(window->part + 1);
	offset += ring_offset(program, index);
	if (!program_pread(program, batch->words, window->size, offset))
		return RING_DAMAGED;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return program_pread(program, window->data, window->size, offset) ? RING_RECORD
									  : RING_DAMAGED;
}

/* Adds what was taken to the batch; of a ring without new records, its count of lost ones. */
static void window_close(const struct ring_window *window, struct program *program, size_t index,
			 struct batch *batch)
{
	const struct program_ring *ring = &program->rings[index];
	struct part_records *part = window->part;

	part->id = memory_id(program);
	part->lost = ring->lost;
	part->from = ring->tail - window->used;
	part->to = ring->tail;
	part->ring = index;
	part->unused = 0;
	batch_add(batch, &part->head, PART_RECORDS, sizeof(*part) + window->used);
	if (window->used > 0)
		batch_add_segment(batch, &(struct ring_segment){ .program = program,
								 .ring = index,
								 .begin = part->from,
								 .end = part->to,
								 .copy = window->data });
}

static int ring_window_read(struct program *program, size_t index, const struct ring_reader *reader,
			    uint64_t head, int64_t now_ns)
{
	struct program_ring *ring = &program->rings[index];
	struct ring_window window;
	int status = window_open(&window, program, index, reader->batch, head);

	if (status < 0)
		return status;
	if (reader->batch->is_hurried && program->left > PROGRAM_HURRIED_MAX)
		program->left = PROGRAM_HURRIED_MAX;
	while (status == RING_RECORD && window.used < window.size &&
	       program_may_read(program, reader))
		status = entry_read(program, ring, reader, &window, head, now_ns);
	program->left -= window.used < program->left ? window.used : program->left;
	if (window.used > 0)
		window_close(&window, program, index, reader->batch);
	if (status == RING_UNKNOWN)
		return program_find_event(program, window.number, reader->batch);
	return status == RING_WINDOW_END ? RING_RECORD : status;
}

/* The writer's counts only grow. Sent behind the records, which may fill the ring. */
static bool ring_send_lost(struct program *program, size_t index, struct batch *batch)
{
	struct program_ring *ring = &program->rings[index];
	uint64_t lost = __atomic_load_n(&program->control->rings[index].lost, __ATOMIC_RELAXED);
	struct ring_window window = { 0 };

	if (lost == ring->lost)
		return true;
	ring->lost = lost;
	window.part = batch_reserve(batch, sizeof(*window.part));
	if (window.part)
		window_close(&window, program, index, batch);
	return window.part;
}

/* Whether nothing is written before the writer has set the ring's size, which is taken then. */
static bool ring_waits_for_size(struct program *program, size_t index)
{
	struct program_ring *ring = &program->rings[index];

	if (!ring->is_parked || ring_is_parked(program, &program->control->rings[index]))
		return ring->is_parked;
	ring->is_parked = false;
	program->is_damaged |= !program_take_size(program, index);
	return program->is_damaged;
}

/* Returns the number of bytes, or an enum ring_status below 0. */
static int64_t ring_read(struct program *program, size_t index, const struct ring_reader *reader,
			 int64_t now_ns)
{
	struct program_ring *ring = &program->rings[index];
	int status = RING_RECORD;
	uint64_t head, begin = ring->tail;
	bool is_cut;

	if (ring_waits_for_size(program, index))
		return program->is_damaged ? RING_DAMAGED : 0;
	head = __atomic_load_n(&program->control->rings[index].head, __ATOMIC_ACQUIRE);

	/*
	 * A hostile program may have set both: the word at the tail would end behind the memory,
	 * and skipping words would pass the head.
	 */
	if (head - ring->tail > program_ring_size(program, index) || ring->tail % 8 != 0 ||
	    head % 8 != 0)
		return RING_DAMAGED;
	while (status == RING_RECORD && ring->tail != head && program_may_read(program, reader))
		status = ring_window_read(program, index, reader, head, now_ns);
	if (status < 0)
		return status;
	is_cut = status == RING_RECORD && ring->tail != head;
	program->is_cut |= is_cut;
	ring->is_waiting = !is_cut && ring->tail != head;
	/* Other users do not wait for one who writes more than is read: what comes too late is
	 * lost. The threads of one user wait for each other. */
	ring->is_left = is_cut && reader->awaits_left;
	ring->nr_waits = ring->is_waiting || ring->is_left ? ring->nr_waits + 1 : 0;
	if (ring->nr_waits == 0)
		ring->complete_ns = now_ns;
	ring->is_late = ring->nr_waits > LATE_PASSES && now_ns - ring->complete_ns > LATE_NS;
	return ring_send_lost(program, index, reader->batch) ? (int64_t)(ring->tail - begin)
							     : RING_FAILED;
}

bool program_announce(struct program *program, struct batch *batch)
{
	size_t size = sizeof(struct part_program) + program->nr_rings * sizeof(struct part_ring);
	struct part_program *part = program->is_announced ? NULL : batch_reserve(batch, size);
	struct part_ring *rings = (struct part_ring *)(part + 1);

	if (!part)
		return program->is_announced;
	*part = (struct part_program){ .id = memory_id(program),
				       .lost = program->lost,
				       .pid = program->pid,
				       .user = program->user ? program->user->uid : USER_UNKNOWN,
				       .nr_rings = program->nr_rings };
	memcpy(part->comm, program->comm, sizeof(part->comm));
	for (size_t i = 0; i < program->nr_rings; i++)
		rings[i] = (struct part_ring){ program->rings[i].tail, program->rings[i].lost };
	batch_add(batch, &part->head, PART_PROGRAM, size);
	program->is_announced = true;
	return true;
}

static bool program_send_lost(struct program *program, struct batch *batch)
{
	uint64_t lost = __atomic_load_n(&program->control->lost, __ATOMIC_RELAXED);
	struct part_lost *part;

	if (lost == program->lost)
		return true;
	part = batch_reserve(batch, sizeof(*part));
	if (!part)
		return false;
	program->lost = lost;
	*part = (struct part_lost){ .id = memory_id(program), .lost = lost };
	batch_add(batch, &part->head, PART_LOST, sizeof(*part));
	return true;
}

/* Sends the threads that are new, or whose numbers were used again. */
static bool tasks_send(struct task_table *tasks, struct batch *batch)
{
	for (; tasks->nr_changed > 0; tasks->nr_changed--) {
		const struct program_task *task = tasks->changed[tasks->nr_changed - 1];
		struct part_task *part = batch_reserve(batch, sizeof(*part));

		if (!part)
			return false;
		*part = (struct part_task){ .tid = task->tid, .tgid = task->identity.tgid };
		memcpy(part->comm, task->identity.comm, sizeof(part->comm));
		batch_add(batch, &part->head, PART_TASK, sizeof(*part));
	}
	return true;
}

int64_t program_read(struct program *program, const struct ring_reader *reader, int64_t now_ns)
{
	struct batch *batch = reader->batch;
	size_t first = program->first_ring;
	int64_t sum = 0, size = 0;

	program->is_cut = false;
	program->most_bytes = 0;
	if (!program_announce(program, batch))
		return -1;
	for (size_t i = 0; i < program->nr_rings && size >= 0; i++) {
		size_t index = (first + i) % program->nr_rings;
		bool was_cut = program->is_cut;

		size = ring_read(program, index, reader, now_ns);
		sum += size;
		/* The ring that had the rest of the share is the last one in the next pass. */
		if (program->is_cut && !was_cut)
			program->first_ring = (index + (size > 0)) % program->nr_rings;
		/* As if all of the ring were in use. */
		if (size > 0)
			size *= program->ring_size / program_ring_size(program, index);
		if (size > program->most_bytes)
			program->most_bytes = size;
	}
	if (size == RING_FAILED || !tasks_send(reader->tasks, batch) ||
	    !program_send_lost(program, batch) || batch->has_failed)
		return -1;
	if (size >= 0)
		return sum;
	program->is_damaged = true;
	batch_note(batch, NOTE_DAMAGED, program->pid, 0, program->comm);
	return 0;
}

int64_t program_ready_ns(const struct program *program, int64_t now_ns)
{
	for (size_t i = 0; i < program->nr_rings && !program->is_damaged; i++) {
		const struct program_ring *ring = &program->rings[i];

		if ((ring->is_waiting || ring->is_left) && !ring->is_late &&
		    ring->complete_ns < now_ns)
			now_ns = ring->complete_ns;
	}
	return now_ns;
}

/* A hostile program may have any head. */
uint64_t program_pending(const struct program *program)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < program->nr_rings && !program->is_damaged; i++) {
		uint64_t head = __atomic_load_n(&program->control->rings[i].head, __ATOMIC_RELAXED);
		uint64_t size = head - program->rings[i].tail;

		/* Its head is as if it were full. */
		if (program->rings[i].is_parked &&
		    ring_is_parked(program, &program->control->rings[i]))
			continue;
		sum += size < program->ring_size ? size : program->ring_size;
	}
	return sum;
}

bool program_is_waiting(const struct program *program)
{
	for (size_t i = 0; i < program->nr_rings && !program->is_damaged; i++) {
		if (program->rings[i].is_waiting)
			return true;
	}
	return false;
}
