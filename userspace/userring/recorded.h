/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was recorded of programs: the recorder's side of the messages of the reader, which may be
 * damaged or false.
 */
#ifndef USERRING_RECORDED_H
#define USERRING_RECORDED_H

#include "userring/events.h"
#include "userring/message.h"
#include "userring/queue.h"

/** struct recorded_ring - up to which position its records are taken, and its count of lost ones */
struct recorded_ring {
	uint64_t to;
	uint64_t lost;
};

/**
 * struct recorded_program - a memory that the reader reads
 * @ids: @nr_ids event ids by number of a description, 0 if there is none
 * @lost: the memory's count of records without a ring
 * @is_missing: the reader was replaced, and the new one has not found it yet
 */
struct recorded_program {
	struct memory_id id;
	int pid;
	struct program_user *user;
	uint16_t *ids;
	size_t nr_ids;
	uint64_t lost;
	uint32_t nr_rings;
	struct recorded_ring *rings;
	bool is_missing;
};

/** struct part_visitor - receives the parts that recorded_take() leaves to others; checked sizes */
struct part_visitor {
	void *context;
	void (*visit)(void *context, const struct part *part);
};

/**
 * struct recorded - the state
 * @size_max: so many bytes of records may wait; more are lost
 * @nr_left_out: records of events that are left out, or without space; not yet counted as lost
 */
struct recorded {
	struct record_queue queue;
	struct event_table events;
	struct task_table tasks;
	struct user_table users;
	struct recorded_program **list;
	size_t size;
	struct map by_id;
	size_t size_max;
	uint64_t nr_left_out;
};

/** enum recorded_status - what became of a message */
enum recorded_status {
	RECORDED_NO_MEMORY = -1,
	RECORDED_WHOLE = 0,
	RECORDED_DAMAGED = 1,
};

/**
 * recorded_take - take the parts of a message up to the first that is damaged
 * @bytes: aligned to 8 bytes
 */
enum recorded_status recorded_take(struct recorded *recorded, const unsigned char *bytes,
				   size_t size, const struct part_visitor *others);

/** recorded_begin_search - the reader was replaced: a new one has to find all programs */
void recorded_begin_search(struct recorded *recorded);

/** recorded_end_search - forget the programs that were not found; returns how many */
size_t recorded_end_search(struct recorded *recorded);

void recorded_release(struct recorded *recorded);

#endif
