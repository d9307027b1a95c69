/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a recording of programs. */
#ifndef USERRING_PROGRAMS_H
#define USERRING_PROGRAMS_H

#include "userring/events.h"
#include "userring/program.h"
#include "userring/scan.h"

/**
 * struct programs - the state
 * @is_on: recording has started
 * @ready_ns: all records up to this time are read
 * @last_bytes: what the last pass found
 * @mappings: the time that reading mappings takes
 * @nr_late: programs that did not wait and are reported
 * @was_full, @was_refused, @has_dropped: a program was one too many, or another ktrack has it, or
 * it sent nothing for too long
 * @has_problem: a program's message could not be received
 * @has_refused: a connection could not be accepted, which is reported
 * @has_left_out: an event was one too many, which is reported
 */
struct programs {
	struct programs_settings settings;
	struct program_socket socket;
	struct program **list;
	size_t size;
	struct record_queue queue;
	struct event_table events;
	struct task_table tasks;
	bool is_on;
	int64_t ready_ns;
	int64_t searched_ns;
	int64_t looked_ns;
	int64_t last_bytes;
	struct time_share mappings;
	unsigned int nr_late;
	bool was_full;
	bool was_refused;
	bool has_dropped;
	bool has_problem;
	bool has_refused;
	bool has_left_out;
};

/** programs_search - add the programs that run and are not recorded; returns -1 with @error */
int programs_search(struct programs *programs, struct error *error);

/** programs_accept - add the programs that announce themselves; returns -1 with @error */
int programs_accept(struct programs *programs, struct error *error);

/** programs_lose - note an unknown number of lost records, which nobody counts */
void programs_lose(struct programs *programs);

#endif
