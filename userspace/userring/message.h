/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages between the recorder and the process that reads the memory of programs.
 *
 * That process may be under the control of a hostile program: the recorder checks all that it
 * receives, and receives no descriptor. Each message is a batch of parts, in the machine's byte
 * order. Records are bytes of a ring with their positions, so that the recorder takes none twice
 * that a killed reader had sent and not yet freed.
 */
#ifndef USERRING_MESSAGE_H
#define USERRING_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

/** PART_DATA_MAX - the most bytes of a ring, or of a description, in a part */
#define PART_DATA_MAX (64u << 10)

/** BATCH_FULL, BATCH_MAX - a batch with so many bytes is sent, and has at most so many */
#define BATCH_FULL (64u << 10)
#define BATCH_MAX (BATCH_FULL + PART_DATA_MAX + 4096)

/**
 * enum part_kind - what a part reports
 * @PART_BEGUN: a reader has begun; the first part
 * @PART_PROGRAM: it reads a memory from now on
 * @PART_EVENT: the description of an event
 * @PART_RECORDS: bytes of a ring
 * @PART_LOST: records of threads without a ring are lost
 * @PART_TASK: a thread has written
 * @PART_ENDED: a memory is read for the last time
 * @PART_NOTE: something to be reported
 * @PART_SEARCHED: a search for running programs is over
 * @PART_PASSED: all rings were read
 * @PART_FOUND: a memory that was inspected
 * @PART_FOUND_EVENT: as PART_EVENT, of the last memory that was inspected
 */
enum part_kind {
	PART_BEGUN,
	PART_PROGRAM,
	PART_EVENT,
	PART_RECORDS,
	PART_LOST,
	PART_TASK,
	PART_ENDED,
	PART_NOTE,
	PART_SEARCHED,
	PART_PASSED,
	PART_FOUND,
	PART_FOUND_EVENT,
	NR_PART_KINDS,
};

/** PROGRAM_PATH_MAX - size of the path of a program's file in a message */
#define PROGRAM_PATH_MAX 4096

/** struct memory_id - device and inode of a memory */
struct memory_id {
	uint64_t device;
	uint64_t inode;
};

/** struct part - the begin of each part; @size with it, a multiple of 8 */
struct part {
	uint32_t size;
	uint32_t kind;
};

/** struct part_begun - @pid of the reader */
struct part_begun {
	struct part head;
	int32_t pid;
	uint32_t unused;
};

/** struct part_ring - where a ring begins, and its count of lost records */
struct part_ring {
	uint64_t tail;
	uint64_t lost;
};

/** struct part_program - @nr_rings of struct part_ring follow; @user to whom it counts */
struct part_program {
	struct part head;
	struct memory_id id;
	uint64_t lost;
	int32_t pid;
	uint32_t user;
	uint32_t nr_rings;
	uint32_t unused;
	char comm[THREAD_COMM_SIZE];
};

/** struct part_event - the description follows */
struct part_event {
	struct part head;
	struct memory_id id;
	uint32_t size;
	uint32_t unused;
};

/**
 * struct part_records - bytes of a ring from position @from to @to follow
 * @lost: the ring's count of lost records
 *
 * They are entries as in the ring, all committed, with the reader's numbers of threads and times.
 */
struct part_records {
	struct part head;
	struct memory_id id;
	uint64_t lost;
	uint64_t from;
	uint64_t to;
	uint32_t ring;
	uint32_t unused;
};

/** struct part_lost - the memory's count of lost records */
struct part_lost {
	struct part head;
	struct memory_id id;
	uint64_t lost;
};

struct part_task {
	struct part head;
	int32_t tid;
	int32_t tgid;
	char comm[THREAD_COMM_SIZE];
};

/** struct part_ended - @is_cut if records are left in its rings */
struct part_ended {
	struct part head;
	struct memory_id id;
	uint32_t is_cut;
	uint32_t unused;
};

/**
 * enum note_kind - what a note reports of a process
 * @NOTE_FULL: it is one too many
 * @NOTE_LOCKED: another ktrack records it
 * @NOTE_REFUSED: its memory cannot be used, the number is errno
 * @NOTE_LATE: it has not waited
 * @NOTE_DROPPED: it has connected and sent nothing
 * @NOTE_PROBLEM: its message could not be received, the number is errno
 * @NOTE_UNACCEPTED: a connection could not be accepted, the number is errno; 0: one was, since
 * @NOTE_CUT: it was left out by a search
 * @NOTE_DAMAGED: its rings are damaged
 * @NOTE_THREADS: some threads were not looked for
 * @NOTE_LEFT: records are left in its rings
 */
enum note_kind {
	NOTE_FULL,
	NOTE_LOCKED,
	NOTE_REFUSED,
	NOTE_LATE,
	NOTE_DROPPED,
	NOTE_PROBLEM,
	NOTE_UNACCEPTED,
	NOTE_CUT,
	NOTE_DAMAGED,
	NOTE_THREADS,
	NOTE_LEFT,
	NR_NOTE_KINDS,
};

struct part_note {
	struct part head;
	uint32_t kind;
	int32_t pid;
	int32_t number;
	uint32_t unused;
	char comm[THREAD_COMM_SIZE];
};

/**
 * struct part_passed - the answer to a request
 * @number: of the request
 * @is_waiting: records are begun and not complete
 * @is_cut: records are left in rings
 * @ready_ns: all records up to this time are read
 * @wait_ns: how long rings may be left alone
 */
struct part_passed {
	struct part head;
	uint32_t number;
	uint16_t is_waiting;
	uint16_t is_cut;
	int64_t ready_ns;
	int64_t wait_ns;
};

/**
 * struct part_found - what an inspection has found
 * @number: errno if the memory cannot be used
 * @is_recorded: another ktrack records it
 * @is_freed: a killed ktrack had left it on, and it was switched off
 */
struct part_found {
	struct part head;
	int32_t pid;
	int32_t number;
	uint32_t is_recorded;
	uint32_t is_freed;
	char comm[THREAD_COMM_SIZE];
	char path[PROGRAM_PATH_MAX];
};

/**
 * enum request_kind - what the recorder asks for
 * @REQUEST_SWITCH: switch programs on or off; the first request of a reader
 * @REQUEST_PASS: read all rings
 * @REQUEST_FINISH: switch off, read what is left, and release all programs
 */
enum request_kind {
	REQUEST_SWITCH,
	REQUEST_PASS,
	REQUEST_FINISH,
};

/**
 * struct reader_request - a request
 * @pid: of the reader; an earlier one may have left requests unread
 * @number: of a request that is answered
 * @is_on: programs are recorded
 * @is_hurried: of programs with the most, what takes long is left in their rings at the end
 * @from_ns: earlier records belong to another recording
 * @size_max: so many bytes are read in a pass, a part of it for each user
 */
struct reader_request {
	uint32_t kind;
	int32_t pid;
	uint32_t number;
	uint16_t is_on;
	uint16_t is_hurried;
	int64_t from_ns;
	uint64_t size_max;
};

#endif
