/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader: the process that opens, checks, maps and reads the memory of programs. It has no
 * capability, a user of its own if ktrack has one, and only the system calls that it needs. It
 * sends to the recorder what message.h describes. If it is killed, the helper starts another one.
 */
#ifndef USERRING_READER_H
#define USERRING_READER_H

#include "userring/batch.h"
#include "userring/helper.h"

/** FILL_NEVER_NS - of a ring that does not fill */
#define FILL_NEVER_NS (60 * NS_PER_S)

/**
 * struct reader - the state
 * @globs: which programs are taken
 * @inspection: they are only inspected
 * @ring_size, @events: as of struct programs_settings
 * @fd: the connection to the recorder
 * @helper: its messages
 * @place: shared with the helper: the process that is being examined, 0 for none
 * @search_number: earlier searches were for an earlier reader
 * @nr_users: users of the current pass
 * @held: bytes of the passes since the last one that left no records in rings
 * @turn: of the program of which a pass has cut the records last
 * @is_on, @from_ns: as of struct reader_request
 * @ready_ns: all records up to this time are read
 * @passed_ns: of the last pass
 * @fill_ns: how long the ring that fills fastest takes for that
 * @end_ns: CLOCK_THREAD_CPUTIME_ID until when the last pass reads all, 0 before the end
 * @is_hurried: the end has less time
 * @is_over: the recorder has ended
 */
struct reader {
	const char *globs;
	enum inspection_kind inspection;
	uint32_t ring_size;
	const char *events;
	int fd;
	struct helper helper;
	int *place;
	int search_number;
	struct batch batch;
	struct task_table tasks;
	struct user_table users;
	size_t nr_users;
	uint64_t held;
	struct program **list;
	size_t size;
	uint64_t turn;
	bool is_on;
	int64_t from_ns;
	int64_t ready_ns;
	int64_t looked_ns;
	int64_t passed_ns;
	int64_t fill_ns;
	int64_t end_ns;
	bool is_hurried;
	bool is_over;
};

/** READER_HELD_MAX - so many bytes wait for others of their user that were left in rings */
#define READER_HELD_MAX ((uint64_t)64 << 20)

/** reader_run - the reader's process; returns when the recorder has ended, or memory ran out */
void reader_run(const struct helper_work *work, int inbox_fd, int *place, int search_number);

/** reader_accept - take programs that the helper reports; returns false if the reader has failed */
bool reader_accept(struct reader *reader);

/**
 * reader_inspect - report a memory, instead of taking the program
 * @program: NULL if it cannot be used; closed
 * @number: errno then
 */
void reader_inspect(struct reader *reader, struct program *program,
		    const struct helper_message *message, int number);

/** reader_await_answers - reader_accept() until the helper has let all programs go on */
void reader_await_answers(struct reader *reader);

/**
 * fill_ns_slower - the time that the fastest ring takes to fill, after time in which nothing was
 * seen
 *
 * A burst may follow another one: it is taken for half as fast after a second, not at once.
 */
int64_t fill_ns_slower(int64_t fill_ns, int64_t elapsed_ns);

/** fill_ns_after - the same if a program has a faster one, by the bytes that it had in this time */
int64_t fill_ns_after(int64_t fill_ns, int64_t elapsed_ns, const struct program *program);

/** READER_END_MAX - limit of bytes of rings that are read when programs were switched off */
#define READER_END_MAX ((uint64_t)64 << 20)

/** READER_END_MORE - of each program beyond its share: what its threads write meanwhile */
#define READER_END_MORE PROGRAM_HURRIED_MAX

/**
 * READER_END_NS, READER_HURRY_NS - CPU time of the last pass until those with the most are read in
 *	part, and the same if it is hurried
 */
#define READER_END_NS (NS_PER_S / 2)
#define READER_HURRY_NS (3 * NS_PER_S / 100)

/**
 * reader_check_end - whether the recorder waits: it has asked for the end, or that takes too long
 *
 * Called with each message: a pass over full rings may take long on a slow machine.
 */
void reader_check_end(struct reader *reader);

/**
 * reader_finish - switch programs off, and read what they have, those with the least first
 * @size_max: as of struct reader_request
 *
 * Programs may fill their rings faster than they are read. Records that they have begun are
 * awaited. Returns false as reader_pass().
 */
bool reader_finish(struct reader *reader, uint64_t size_max);

/** reader_pass - read all rings; @size_max as of struct reader_request; false as reader_accept() */
bool reader_pass(struct reader *reader, uint64_t size_max);

/**
 * reader_passed - the answer to a request: rings are read again before a quarter of one is full, and
 * at once if records were left in them
 */
struct part_passed reader_passed(const struct reader *reader, uint32_t number);

/** reader_release_programs - release all programs; false as reader_pass() */
bool reader_release_programs(struct reader *reader);

/** reader_set_place - note which process is examined */
static inline void reader_set_place(struct reader *reader, int pid)
{
	if (reader->place)
		__atomic_store_n(reader->place, pid, __ATOMIC_RELAXED);
}

#endif
