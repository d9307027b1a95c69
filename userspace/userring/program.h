/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a program or of a shared library of it, and its rings. */
#ifndef USERRING_PROGRAM_H
#define USERRING_PROGRAM_H

#include <ktrack/user/layout.h>

#include "userring/events.h"
#include "userring/share.h"
#include "userring/users.h"
#include "userring/userring.h"

/**
 * PROGRAMS_MAX, PROCESS_PROGRAMS_MAX - limits of programs at once, and of those of one process,
 *	whose libraries may have their own
 */
#define PROGRAMS_MAX 4096
#define PROCESS_PROGRAMS_MAX 256

/** PROGRAM_LISTED_MAX - limit of events of one memory that are listed */
#define PROGRAM_LISTED_MAX 4096

/**
 * struct program_ring - ktrack's state of a ring
 * @tail: up to which it is read
 * @lost: the ring's count of lost records
 * @size: the part that is in use, 0 for all
 * @is_parked: its writer has not yet set its size
 * @complete_ns: all records up to this time are read
 * @inner, @tid: numbers of the last thread, in the program's PID namespace and in the own
 * @nr_waits: passes that found a record that others wait for
 * @is_waiting: a record is begun and not complete
 * @is_left: records were left in it, and are awaited
 * @is_late: one of both has been so for too long: others do not wait for it
 */
struct program_ring {
	uint64_t tail;
	uint64_t lost;
	int64_t complete_ns;
	int32_t inner;
	int32_t tid;
	uint32_t nr_waits;
	uint32_t size;
	bool is_parked;
	bool is_waiting;
	bool is_left;
	bool is_late;
};

/** PROGRAM_THREADS - number of threads of a program whose numbers are kept */
#define PROGRAM_THREADS 64

/**
 * struct program_thread - a thread that was looked for
 * @inner, @tid: numbers in the program's PID namespace and in the own; @tid is 0 if there is none
 * @looked_ns: CLOCK_BOOTTIME of the pass; 0 if the place is free
 */
struct program_thread {
	int32_t inner;
	int32_t tid;
	int64_t looked_ns;
};

/** enum search_state - whether a search of threads was left out, and that was reported */
enum search_state {
	SEARCH_IS_COMPLETE,
	SEARCH_IS_LATE,
	SEARCH_IS_REPORTED,
};

/**
 * struct program - a memfd of a process
 * @fd: of the memory, for locking and reading
 * @user: to whom it counts; NULL if that is not limited
 * @started: when the process started, in clock ticks since boot
 * @device, @inode: of the memfd, which identify it
 * @base, @size: the memory
 * @control: its begin; written by the program at any moment
 * @nr_rings, @ring_size, @events_size: checked copies
 * @ring_wanted: the part of a ring that is to be in use, 0 for all
 * @events: patterns of the events that are wanted, NULL for all
 * @clock_offset_ns: by how much its clock is ahead, in another time namespace
 * @lost: the program's count of records without a ring
 * @events_used: bytes of descriptions that are read
 * @described, @unwanted: a bit for each number of an event that is described, and of one that is not
 *	wanted, up to @nr_described
 * @from_ns: earlier records belong to another recording
 * @added_ns: CLOCK_BOOTTIME when it was added
 * @threads: that were looked for, by their inner number: those whose coroutines end each other's
 *	guards alternate in one ring
 * @searches: the time that searches of threads take
 * @search_state: of these searches
 * @left: bytes of its rings that are still read; the end limits them
 * @first_ring: with which the next pass begins
 * @turn: larger than those of programs that were cut before it; 0 if it was not cut yet
 * @most_bytes: the most that one of its rings had in the last pass
 * @is_ours: it is locked, so that this process is its only reader
 * @is_nested: the process is in another PID namespace, so that its threads have other numbers
 * @has_ended: the process is gone
 * @is_cut: the last pass has left records in its rings, because there are too many
 * @is_damaged: its memory is not what ktrack/user.h writes; it is left alone
 * @has_process: its process is noted as a thread that has written
 * @is_announced: the recorder knows of it
 */
struct program {
	int fd;
	int pid;
	struct program_user *user;
	uint64_t started;
	char *path;
	char comm[THREAD_COMM_SIZE];
	dev_t device;
	ino_t inode;
	unsigned char *base;
	size_t size;
	struct ktrack_user_control *control;
	uint32_t nr_rings;
	uint32_t ring_size;
	uint32_t events_size;
	uint32_t ring_wanted;
	const char *events;
	int64_t clock_offset_ns;
	uint64_t lost;
	uint32_t events_used;
	uint64_t *described;
	uint64_t *unwanted;
	size_t nr_described;
	struct program_ring *rings;
	int64_t from_ns;
	int64_t added_ns;
	struct program_thread threads[PROGRAM_THREADS];
	struct time_share searches;
	enum search_state search_state;
	uint64_t left;
	size_t first_ring;
	uint64_t turn;
	int64_t most_bytes;
	bool is_ours;
	bool is_nested;
	bool has_ended;
	bool is_cut;
	bool is_damaged;
	bool has_process;
	bool is_announced;
};

/**
 * program_open - check and map a memory
 * @fd: a memfd; the caller closes it
 * @pid: a process that has it
 *
 * Returns NULL with errno: EINVAL if it is none of ktrack/user.h, or of another version, EPERM if
 * it is not sealed, ESRCH if it belongs to another process.
 */
struct program *program_open(int fd, int pid);

/** program_matches - whether a list of patterns matches its name or path; NULL matches all */
bool program_matches(const struct program *program, const char *globs);

/** program_lock - become its only reader; returns false if another ktrack is */
bool program_lock(struct program *program);

/** program_is_locked - whether another ktrack is its reader */
bool program_is_locked(const struct program *program);

/** program_ring_size - the part of a ring that is in use */
static inline uint32_t program_ring_size(const struct program *program, size_t index)
{
	const struct program_ring *ring = &program->rings[index];

	return ring->size != 0 ? ring->size : program->ring_size;
}

/** ring_offset - where a ring begins in the memory */
static inline size_t ring_offset(const struct program *program, size_t index)
{
	return KTRACK_USER_CONTROL_SIZE + program->events_size + index * program->ring_size;
}

/** program_take_size - copy and check a ring's size; returns false if it is none */
bool program_take_size(struct program *program, size_t index);

/** ring_is_parked - whether the ring is empty, and its writer has to set its size */
bool ring_is_parked(const struct program *program, const struct ktrack_user_ring *shared);

/** program_switch - switch recording on, for records from now on, or off */
void program_switch(struct program *program, bool is_on);

/** program_take_missed - whether it could not reach this ktrack, or an earlier one; asked once */
bool program_take_missed(struct program *program);

/** program_look - notice that the process has ended */
void program_look(struct program *program);

/** program_close - switch it off and unlock it, if it is ours; NULL is fine */
void program_close(struct program *program);

/** PROGRAM_HURRIED_MAX - so many bytes of a program are read at least, however late the end is */
#define PROGRAM_HURRIED_MAX 16384

struct batch;
struct ring_segment;

/**
 * struct ring_reader - what reading rings needs
 * @batch: receives records and descriptions
 * @tasks: of threads that have written
 * @user_max: so many bytes of a user are read in a pass; later ones stay in their rings
 * @awaits_left: what is read waits for these later ones: no other user has programs
 */
struct ring_reader {
	struct batch *batch;
	struct task_table *tasks;
	size_t user_max;
	bool awaits_left;
};

/**
 * program_read - read all rings of a program
 * @now_ns: before the reading began
 *
 * Returns the number of bytes, or -1 if the batch has failed. A damaged program is marked. What the
 * batch has sent is free in the rings.
 */
int64_t program_read(struct program *program, const struct ring_reader *reader, int64_t now_ns);

/** program_announce - send where its rings begin, once; returns false if the batch has failed */
bool program_announce(struct program *program, struct batch *batch);

/** segment_free - free bytes of a ring that the recorder has */
void segment_free(const struct ring_segment *segment, const struct batch *batch);

/** program_pread - copy bytes of the memory without allocating its holes; false if that fails */
bool program_pread(const struct program *program, void *out, size_t size, size_t offset);

/** program_ready_ns - all records up to this time are read */
int64_t program_ready_ns(const struct program *program, int64_t now_ns);

/** program_pending - bytes of its rings that are not read */
uint64_t program_pending(const struct program *program);

/** program_is_waiting - whether a record is begun and not complete */
bool program_is_waiting(const struct program *program);

#endif
