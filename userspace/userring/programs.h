/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a recording of programs. */
#ifndef USERRING_PROGRAMS_H
#define USERRING_PROGRAMS_H

#include "userring/events.h"
#include "userring/program.h"
#include "userring/helper.h"

/**
 * struct programs - the state
 * @nr_users: users of the current pass
 * @is_on: recording has started
 * @ready_ns: all records up to this time are read
 * @last_bytes: what the last pass found
 * @nr_late: programs that did not wait
 * @was_full, @was_refused, @has_dropped: a program was one too many, or another ktrack has it, or
 * it sent nothing for too long
 * @refused: errno of the last connection that could not be accepted, 0 if one was, since
 * @has_problem: a program's message could not be received
 * @has_refused: a connection could not be accepted, which is reported
 * @has_left_out: an event was one too many, which is reported
 * @has_cut: a search was not complete, which is reported
 * @has_lost_helper: the helper has ended, which is reported
 */
struct programs {
	struct programs_settings settings;
	struct program_socket socket;
	struct helper helper;
	struct program **list;
	size_t size;
	struct record_queue queue;
	struct event_table events;
	struct task_table tasks;
	struct user_table users;
	size_t nr_users;
	bool is_on;
	int64_t ready_ns;
	int64_t searched_ns;
	int64_t looked_ns;
	int64_t last_bytes;
	unsigned int nr_late;
	int refused;
	bool was_full;
	bool was_refused;
	bool has_dropped;
	bool has_problem;
	bool has_refused;
	bool has_left_out;
	bool has_cut;
	bool has_lost_helper;
};

/** programs_begin - start the helper, and add the programs that run; returns -1 with @error */
int programs_begin(struct programs *programs, struct error *error);

/** programs_search - search programs that run and are not recorded; programs_accept() adds them */
void programs_search(struct programs *programs);

/** programs_accept - add the programs that the helper reports; returns -1 with @error */
int programs_accept(struct programs *programs, struct error *error);

/** programs_report_rest - report how many programs did not wait, if that is not reported yet */
void programs_report_rest(const struct programs *programs);

/** programs_await_answers - programs_accept() until the helper has let all programs go on */
int programs_await_answers(struct programs *programs, struct error *error);

/** programs_lose - note an unknown number of lost records, which nobody counts */
void programs_lose(struct programs *programs);

#endif
