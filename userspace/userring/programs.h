/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a recording of programs. */
#ifndef USERRING_PROGRAMS_H
#define USERRING_PROGRAMS_H

#include "userring/helper.h"
#include "userring/recorded.h"
#include "userring/refusals.h"

/**
 * struct programs - the state
 * @own_pid: this process
 * @fd: the connection to the reader; -1 if there is none any more
 * @message: BATCH_MAX bytes
 * @reader_pid: 0 if none has begun, or it was replaced
 * @nr_readers: how many have begun
 * @is_found: the reader has found the programs that run
 * @is_searching: a search is not over
 * @is_asked: request @number is not answered
 * @asked_ns, @nr_looks, @nr_sleeps: since the reader's last message: CLOCK_MONOTONIC, how often an
 *	answer was looked for, and how often the reader did not run then
 * @is_switched: the reader was told of @is_on and @from_ns
 * @is_over: recording has ended: nothing is read any more
 * @looked_ns, @hurried_ns: CLOCK_MONOTONIC when a signal was last looked for, and when one had come
 * @hurried_cpu_ns: CLOCK_THREAD_CPUTIME_ID then
 * @nr_limits, @limited_ns: how often records of users with many were dropped, and when
 * @next_event: index of the next event of programs_next_event()
 * @pass_size: so many bytes the next pass reads at most
 * @round_ns, @round_cpu_ns: CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID of the last request for one
 * @is_on: recording has started, and earlier records than @from_ns belong to another one
 * @ready_ns: all records up to this time are read
 * @wait_ns: how long rings may be left alone
 * @is_waiting, @is_cut: as of struct part_passed
 * @nr_late: programs that did not wait
 * @refused: errno of the last connection that could not be accepted, 0 if one was, since
 * @was_locked: another ktrack has a program, which may end soon
 * @has_failed: memory ran out
 * @reported: a bit for each kind of note that was reported
 * @has_left_out: an event was one too many, which is reported
 * @has_lost_helper, @has_replaced: the helper has ended, or the reader was replaced; reported
 */
struct programs {
	struct programs_settings settings;
	struct program_socket socket;
	struct helper helper;
	struct recorded recorded;
	struct refusals refusals;
	pid_t own_pid;
	int fd;
	unsigned char *message;
	pid_t reader_pid;
	unsigned int nr_readers;
	bool is_found;
	bool is_searching;
	bool is_asked;
	uint32_t number;
	int64_t asked_ns;
	unsigned int nr_looks;
	unsigned int nr_sleeps;
	bool is_switched;
	bool is_on;
	bool is_over;
	unsigned int nr_limits;
	int64_t limited_ns;
	size_t next_event;
	int64_t looked_ns;
	int64_t hurried_ns;
	int64_t hurried_cpu_ns;
	size_t pass_size;
	int64_t round_ns;
	int64_t round_cpu_ns;
	int64_t from_ns;
	int64_t ready_ns;
	int64_t searched_ns;
	int64_t wait_ns;
	bool is_waiting;
	bool is_cut;
	unsigned int nr_late;
	int refused;
	bool was_locked;
	bool has_failed;
	unsigned int reported;
	bool has_left_out;
	bool has_lost_helper;
	bool has_replaced;
};

/** programs_take_note - report a note of the reader */
void programs_take_note(struct programs *programs, const struct part_note *note);

/** programs_report_rest - report how many programs did not wait, and which were refused */
void programs_report_rest(struct programs *programs);

/** programs_lose - note an unknown number of lost records, which nobody counts */
void programs_lose(struct programs *programs);

#endif
