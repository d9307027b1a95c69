// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads rings that programs write, and may write anything to: a record's size is read once, the
 * record is copied, and only the copy is checked.
 *
 * A record is visible once its first word is committed. A program can be interrupted between its
 * reservation and that for any time; later records of its ring wait then, and records of others up
 * to when the ring was last seen complete are final.
 */
#include <stdlib.h>
#include <string.h>

#include "userring/events.h"
#include "userring/process.h"
#include "userring/program.h"

/*
 * Other rings do not wait longer for a record that was begun. So many passes must have found it:
 * the time may have passed while this process was stopped, and the program with it.
 */
#define LATE_NS NS_PER_S
#define LATE_PASSES 10

/* What searches of threads of a program may take of a second, as CPU time of this thread. */
#define SEARCH_LIMIT_NS (NS_PER_S / 10)

/** enum ring_status - what reading a record found */
enum ring_status {
	RING_NO_MEMORY = -2,
	RING_DAMAGED = -1,
	RING_END = 0,
	RING_RECORD = 1,
};

static unsigned char *ring_data(const struct program *program, size_t index)
{
	return program->base + KTRACK_USER_CONTROL_SIZE + program->events_size +
	       index * program->ring_size;
}

static uint32_t load_word(const unsigned char *from)
{
	return __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE);
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

/* Makes space for an id; returns false if memory ran out. */
static bool program_grow_ids(struct program *program, uint16_t number)
{
	size_t size = program->nr_ids ? program->nr_ids : 64;
	uint16_t *ids;

	while (size <= number)
		size *= 2;
	if (size == program->nr_ids)
		return true;
	ids = reallocarray(program->ids, size, sizeof(*ids));
	if (!ids)
		return false;
	memset(ids + program->nr_ids, 0, (size - program->nr_ids) * sizeof(*ids));
	program->ids = ids;
	program->nr_ids = size;
	return true;
}

/* Returns false if the description is damaged. */
static bool description_read(struct program *program, const unsigned char *from, size_t size,
			     struct event_table *events)
{
	struct described_event *event = malloc(sizeof(*event));
	unsigned char *copy = malloc(size);
	bool is_right = event && copy;

	if (is_right) {
		memcpy(copy, from, size);
		is_right = event_describe(event, copy, size);
	}
	if (is_right && program_grow_ids(program, event->number))
		program->ids[event->number] = event_table_add(events, event, program->user);
	else
		events->has_failed |= is_right || !event || !copy;
	free(event);
	free(copy);
	return is_right;
}

/* Reads the descriptions that are new; returns false if one is damaged. */
static bool program_read_events(struct program *program, struct event_table *events)
{
	while (program->events_size - program->events_used >= sizeof(struct ktrack_user_event)) {
		const unsigned char *from = program->base + KTRACK_USER_CONTROL_SIZE +
					    program->events_used;
		uint32_t word = load_word(from);
		int64_t size = description_size(program, word);

		if (size <= 0)
			return size == 0;
		if ((word & KTRACK_USER_COMMITTED) &&
		    !description_read(program, from, size, events))
			return false;
		program->events_used += size;
	}
	return true;
}

static uint16_t program_id(const struct program *program, uint16_t number)
{
	return number < program->nr_ids ? program->ids[number] : 0;
}

/*
 * Returns the id of an event of the program; RING_END if its description may be behind one that
 * another thread has begun, and which is awaited; RING_DAMAGED if it has none.
 */
static int program_find_id(struct program *program, uint16_t number, struct event_table *events)
{
	if (program_id(program, number) == 0 && !program_read_events(program, events))
		return RING_DAMAGED;
	if (program_id(program, number) != 0)
		return program_id(program, number);
	return events_reserved(program) > program->events_used && !program->has_ended
		       ? RING_END
		       : RING_DAMAGED;
}

/* Returns false if what a program's searches may cost is used up. */
static bool search_is_allowed(struct program *program)
{
	if (time_share_left(&program->searches, time_now_ns(CLOCK_MONOTONIC), SEARCH_LIMIT_NS) >= 0)
		return true;
	if (program->search_state == SEARCH_IS_COMPLETE)
		program->search_state = SEARCH_IS_LATE;
	return false;
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

	if (!search_is_allowed(program))
		return -1;
	if (program->is_nested)
		tid = process_find_thread(program->pid, inner);
	/* An ended thread's number may be another process's by now; or the program is hostile. */
	if (tid > 0 && !task_table_note(tasks, tid, program->pid, program->comm))
		tid = 0;
	if (program->is_nested || tasks->size == nr_tasks)
		program->searches.used_ns += time_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	return tid;
}

/* A thread's number as this process has it: the process's number if it has ended or is hostile. */
static int32_t ring_find_thread(struct program *program, struct program_ring *ring,
				struct task_table *tasks, int32_t tid)
{
	if (ring->inner != tid) {
		ring->tid = program_find_thread(program, tasks, tid);
		ring->inner = ring->tid < 0 ? 0 : tid;
	}
	if (ring->tid > 0)
		return ring->tid;
	task_table_note(tasks, program->pid, program->pid, program->comm);
	return program->pid;
}

/* This process may have been preempted for long since it has read the clock. */
static bool time_is_possible(uint64_t time_ns, int64_t now_ns)
{
	return time_ns < RECORD_TIME_LIMIT &&
	       (time_ns <= (uint64_t)now_ns ||
		time_ns <= (uint64_t)time_now_ns(CLOCK_BOOTTIME) + NS_PER_S);
}

/* Stores a copied record with what only ktrack has. */
static int record_store(struct program *program, struct program_ring *ring,
			const struct ring_reader *reader, unsigned char *copy, size_t size,
			int64_t now_ns)
{
	struct ktrack_user_record record;
	int id;

	memcpy(&record, copy, sizeof(record));
	record.time_ns -= (uint64_t)program->clock_offset_ns;
	if (!time_is_possible(record.time_ns, now_ns))
		return RING_DAMAGED;
	if ((int64_t)record.time_ns < program->from_ns)
		return RING_RECORD;
	id = program_find_id(program, record.number, reader->events);
	if (id <= 0)
		return id;
	if (id == EVENT_LEFT_OUT || queue_bytes(reader->queue) >= reader->size_max) {
		program->nr_left_out++;
		return RING_RECORD;
	}
	record.tid = ring_find_thread(program, ring, reader->tasks, record.tid);
	record.number = id;
	record.flags = 0;
	record.tgid = program->pid;
	memcpy(copy, &record, sizeof(record));
	if (program->user)
		program->user->nr_bytes += size + sizeof(struct queued_record);
	return queue_add(reader->queue, record.time_ns, copy + KTRACK_USER_STORED,
			 size - KTRACK_USER_STORED) < 0
		       ? RING_NO_MEMORY
		       : RING_RECORD;
}

/*
 * The size of the entry at the tail, 0 if it is not committed, -1 if it cannot be. Padding is
 * smaller than the record that did not fit: clearing what one word claims takes no time.
 */
static int64_t entry_size(const struct program *program, uint64_t tail, uint64_t head,
			  uint32_t word)
{
	uint32_t size = word & ~7u;

	if (!(word & KTRACK_USER_COMMITTED))
		return 0;
	if (size < 8 || size > KTRACK_USER_RECORD_MAX || size > head - tail ||
	    size > program->ring_size - (tail & (program->ring_size - 1)))
		return -1;
	if (!(word & KTRACK_USER_PAD) && size < sizeof(struct ktrack_user_record))
		return -1;
	return size;
}

/*
 * A thread was killed while it wrote this record, whose size is known, or not yet: then all its
 * bytes are zeros.
 */
static int64_t entry_skip(const struct program *program, uint64_t tail, uint64_t head,
			  uint32_t word)
{
	return word == 0 ? 8 : entry_size(program, tail, head, word | KTRACK_USER_COMMITTED);
}

/* Reads the entry at the tail. */
static int entry_read(struct program *program, size_t index, const struct ring_reader *reader,
		      uint64_t head, int64_t now_ns)
{
	struct program_ring *ring = &program->rings[index];
	unsigned char *from = ring_data(program, index) + (ring->tail & (program->ring_size - 1));
	unsigned char copy[KTRACK_USER_RECORD_MAX];
	uint32_t word = load_word(from);
	bool is_cut = program->has_ended && !(word & KTRACK_USER_COMMITTED);
	int64_t size = is_cut ? entry_skip(program, ring->tail, head, word)
			      : entry_size(program, ring->tail, head, word);
	int status = RING_RECORD;

	if (size <= 0)
		return size < 0 ? RING_DAMAGED : RING_END;
	if (is_cut) {
		ring->tail += size;
		return RING_RECORD;
	}
	if (!(word & KTRACK_USER_PAD)) {
		memcpy(copy, from, size);
		status = record_store(program, ring, reader, copy, size, now_ns);
	}
	if (status != RING_END)
		ring->tail += size;
	return status;
}

static void ring_clear(const struct program *program, size_t index, uint64_t begin, uint64_t end)
{
	unsigned char *data = ring_data(program, index);
	size_t offset = begin & (program->ring_size - 1), size = end - begin;
	size_t first = program->ring_size - offset;

	if (first > size)
		first = size;
	memset(data + offset, 0, first);
	memset(data, 0, size - first);
}

/* In this order, so that the next ktrack can finish it if this one is killed. */
static void ring_free(const struct program *program, size_t index, uint64_t begin, uint64_t end)
{
	struct ktrack_user_ring *shared = &program->control->rings[index];

	__atomic_store_n(&shared->read, end, __ATOMIC_RELEASE);
	ring_clear(program, index, begin, end);
	__atomic_store_n(&shared->tail, end, __ATOMIC_RELEASE);
}

void program_clear_read(struct program *program)
{
	for (size_t i = 0; i < program->nr_rings; i++) {
		struct ktrack_user_ring *shared = &program->control->rings[i];
		uint64_t tail = __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
		uint64_t end = __atomic_load_n(&shared->read, __ATOMIC_ACQUIRE);
		uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);

		if (head - tail <= program->ring_size && end - tail <= head - tail && end != tail)
			ring_free(program, i, tail, end);
	}
}

/* The writer's counts only grow. */
static int ring_take_lost(const struct ring_reader *reader, uint64_t now, uint64_t *before,
			  int64_t now_ns)
{
	uint64_t lost = now - *before;

	if (now == *before)
		return 0;
	*before = now;
	return queue_lose(reader->queue, now_ns,
			  lost > INT32_MAX ? LOSS_COUNT_UNKNOWN : (int64_t)lost);
}

static bool user_may_read(const struct program *program, const struct ring_reader *reader)
{
	return !program->user || program->user->nr_bytes < reader->user_max;
}

/* Returns the number of bytes, or an enum ring_status below 0. */
static int64_t ring_read(struct program *program, size_t index, const struct ring_reader *reader,
			 int64_t now_ns)
{
	struct ktrack_user_ring *shared = &program->control->rings[index];
	struct program_ring *ring = &program->rings[index];
	uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);
	uint64_t begin = ring->tail;
	int status = RING_RECORD;
	bool is_cut;

	/*
	 * A hostile program may have set both: the word at the tail would end behind the memory,
	 * and skipping words would pass the head.
	 */
	if (head - ring->tail > program->ring_size || ring->tail % 8 != 0 || head % 8 != 0)
		return RING_DAMAGED;
	while (status == RING_RECORD && ring->tail != head && user_may_read(program, reader))
		status = entry_read(program, index, reader, head, now_ns);
	is_cut = status == RING_RECORD && ring->tail != head;
	program->is_cut |= is_cut;
	if (ring->tail != begin)
		ring_free(program, index, begin, ring->tail);
	if (status < 0)
		return status;
	/* Others do not wait for a user who writes more than is read: what comes too late is lost. */
	ring->is_waiting = !is_cut && ring->tail != head;
	ring->nr_waits = ring->is_waiting ? ring->nr_waits + 1 : 0;
	if (!ring->is_waiting)
		ring->complete_ns = now_ns;
	ring->is_late = ring->nr_waits > LATE_PASSES && now_ns - ring->complete_ns > LATE_NS;
	if (ring_take_lost(reader, __atomic_load_n(&shared->lost, __ATOMIC_RELAXED), &ring->lost,
			   now_ns) < 0)
		return RING_NO_MEMORY;
	return ring->tail - begin;
}

/* One loss for all of a pass: each loss among records ends a sub-buffer. */
static int left_out_lose(struct program *program, const struct ring_reader *reader, int64_t now_ns)
{
	int64_t count = program->nr_left_out;

	program->nr_left_out = 0;
	return count > 0 ? queue_lose(reader->queue, now_ns, count) : 0;
}

int64_t program_read(struct program *program, const struct ring_reader *reader, int64_t now_ns)
{
	int64_t sum = 0, size = 0;

	program->is_cut = false;
	for (size_t i = 0; i < program->nr_rings && size >= 0; i++) {
		size = ring_read(program, i, reader, now_ns);
		sum += size;
	}
	if (size == RING_NO_MEMORY || left_out_lose(program, reader, now_ns) < 0 ||
	    ring_take_lost(reader, __atomic_load_n(&program->control->lost, __ATOMIC_RELAXED),
			   &program->lost, now_ns) < 0)
		return -1;
	if (size >= 0)
		return sum;
	program->is_damaged = true;
	return queue_lose(reader->queue, now_ns, LOSS_COUNT_UNKNOWN) < 0 ? -1 : 0;
}

int64_t program_ready_ns(const struct program *program, int64_t now_ns)
{
	for (size_t i = 0; i < program->nr_rings && !program->is_damaged; i++) {
		const struct program_ring *ring = &program->rings[i];

		if (ring->is_waiting && !ring->is_late && ring->complete_ns < now_ns)
			now_ns = ring->complete_ns;
	}
	return now_ns;
}

bool program_is_waiting(const struct program *program)
{
	for (size_t i = 0; i < program->nr_rings && !program->is_damaged; i++) {
		if (program->rings[i].is_waiting)
			return true;
	}
	return false;
}
