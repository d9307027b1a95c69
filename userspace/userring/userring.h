/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of userring/: records of programs that are instrumented with ktrack/user.h, as one
 * stream of sub-buffers in the kernel's layout, and formats of their events.
 *
 * The memory that a program shares is hostile input: a process without privileges (reader.h) reads
 * it and sends what it finds (message.h); everything is copied before it is checked, and never read
 * again. ktrack-user(7) describes it.
 */
#ifndef USERRING_USERRING_H
#define USERRING_USERRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "event/event.h"

/** PROGRAM_PAGE_SIZE - size of a sub-buffer */
#define PROGRAM_PAGE_SIZE 4096

/** PROGRAM_RING_KIB - size of a ring, unless the program has chosen it */
#define PROGRAM_RING_KIB 4096

/** PROGRAM_RING_KIB_MIN, PROGRAM_RING_KIB_MAX - limits of how much of a ring is used */
#define PROGRAM_RING_KIB_MIN 4
#define PROGRAM_RING_KIB_MAX (16 << 10)

/** PROGRAM_EVENT_ID - the first event id; the kernel's are below */
#define PROGRAM_EVENT_ID 40000

/** enum programs_mode - what happens if the memory for records that wait is full
 * @PROGRAMS_WAIT: new records wait in the rings, which lose more if they are full, too
 * @PROGRAMS_KEEP_LAST: the oldest records are dropped
 * @PROGRAMS_KEEP_FIRST: new records are dropped
 */
enum programs_mode {
	PROGRAMS_WAIT,
	PROGRAMS_KEEP_LAST,
	PROGRAMS_KEEP_FIRST,
};

/**
 * struct programs_settings - which programs are recorded, and how
 * @report: for messages
 * @globs: patterns of names or paths, separated by commas; NULL for all programs
 * @of_descendants: only those of this process's descendants, which get a socket of their own
 * @size_max: memory for records that wait, in bytes
 * @ring_size: how much of each ring is used, a power of 2; 0 for all
 * @events: patterns of the events that are recorded, SYSTEM or SYSTEM:EVENT, separated by commas;
 *	NULL for all
 * @is_hurried: whether a signal has asked for the end; with PROGRAMS_WAIT, what takes long is
 *dropped then. NULL if none does
 */
struct programs_settings {
	const struct report *report;
	const char *globs;
	bool of_descendants;
	size_t size_max;
	uint32_t ring_size;
	const char *events;
	enum programs_mode mode;
	bool (*is_hurried)(void *context);
	void *context;
};

/**
 * struct program_event - an event of one or more programs
 * @id: event id of its records
 * @text: its format, as tracefs has it
 * @is_of_many: the user who was the first to describe it had many others
 * @is_unused: no record of it comes any more; whoever does not know it yet need not
 */
struct program_event {
	char *system;
	char *name;
	uint16_t id;
	struct text text;
	bool is_of_many;
	bool is_unused;
};

struct programs;

/**
 * programs_new - wait for programs, and search those that run; nothing is recorded yet
 * @out: for programs_close(); NULL on failure
 *
 * Without the right to create the usual socket it is in a temporary folder: programs that run
 * already are found by searching. Returns 0, or -1 with @error.
 */
int programs_new(struct programs **out, const struct programs_settings *settings,
		 struct error *error);

/** programs_close - stop recording, and release everything; NULL is fine */
void programs_close(struct programs *programs);

/** PROGRAMS_READER_USER - the system user that reads programs' memory if ktrack runs as root */
#define PROGRAMS_READER_USER "ktrack-reader"

/** programs_export_socket - let children of this process find a socket that is not the usual one */
void programs_export_socket(const struct programs *programs);

/** programs_socket - the path where programs announce themselves */
const char *programs_socket(const struct programs *programs);

/** programs_fd - readable if a program starts, or a pass is over; -1 if none is read any more */
int programs_fd(const struct programs *programs);

/** programs_start - record from now on; returns -1 with @error */
int programs_start(struct programs *programs, struct error *error);

/**
 * programs_stop - programs write no more records; those that they have begun are awaited
 *
 * What programs write behind this call is not read: later calls of this and of programs_read() have
 * no effect.
 */
void programs_stop(struct programs *programs);

/**
 * programs_read - ask for a pass over all rings, and take what was read
 * @timeout_ms: how long to wait for the pass; a later call takes the rest
 *
 * Also takes programs that have started, and releases those that have ended. Returns -1 with
 * @error if memory ran out.
 */
int programs_read(struct programs *programs, int timeout_ms, struct error *error);

/** PROGRAMS_PASS_MS - how long a pass may be waited for if nothing else is to be done */
#define PROGRAMS_PASS_MS 20

/** programs_ready_ns - all records up to this time have been read */
int64_t programs_ready_ns(const struct programs *programs);

/** programs_wait_ms - how long rings may be left alone: short if they fill quickly */
int programs_wait_ms(const struct programs *programs);

/**
 * programs_fill - make a sub-buffer of the next records up to a time
 * @page: PROGRAM_PAGE_SIZE bytes
 *
 * Returns its size, 0 if there is no record.
 */
size_t programs_fill(struct programs *programs, int64_t until_ns, unsigned char *page);

/**
 * programs_extend - add the next records to the last sub-buffer of programs_fill()
 * @page: its bytes
 *
 * Returns its new size, 0 if none can be added.
 */
size_t programs_extend(struct programs *programs, int64_t until_ns, unsigned char *page);

/**
 * struct programs_counts - since the beginning
 * @read: records that programs_fill() returned
 * @lost: records that did not fit, of events that are left out, and those that came too late
 * @in_rings: of these, records that did not fit into the rings of their programs
 * @is_damaged: an unknown number is lost, too
 */
struct programs_counts {
	uint64_t read;
	uint64_t lost;
	uint64_t in_rings;
	bool is_damaged;
};

/** programs_count - count records */
void programs_count(const struct programs *programs, struct programs_counts *out);

/** programs_nr_events - how many events were found; earlier ones stay */
size_t programs_nr_events(const struct programs *programs);

/** programs_event - the event at @index */
const struct program_event *programs_event(const struct programs *programs, size_t index);

/**
 * programs_next_event - the next event, by its index, of which records come; NULL if there is none
 *
 * Making thousands of events known takes long: a signal is noticed meanwhile.
 */
const struct program_event *programs_next_event(struct programs *programs);

/** programs_find_task - process and name of a thread that has written; false if there is none */
bool programs_find_task(const struct programs *programs, int tid, struct thread_identity *out);

/** programs_task - a thread that has written, by its place; false if there are no more */
bool programs_task(const struct programs *programs, size_t index, int *tid,
		   struct thread_identity *out);

/**
 * struct program_found - a program that can be recorded
 * @path: of its file
 * @is_recorded: a ktrack records it
 * @nr_events: number of its events that have been used; their names are SYSTEM:EVENT
 */
struct program_found {
	int pid;
	const char *path;
	const char *comm;
	bool is_recorded;
	size_t nr_events;
	const char *const *events;
};

/** struct program_visitor - receives programs; returns -1 with @error to stop */
struct program_visitor {
	void *context;
	int (*visit)(void *context, const struct program_found *program, struct error *error);
};

/** programs_visit - visit all programs of this machine that the caller may read */
int programs_visit(const struct program_visitor *visitor, struct error *error);

/**
 * struct programs_examined - the programs that run
 * @nr_programs: that can be recorded
 * @nr_refused: that cannot
 * @refused: names of the first of these, with their reasons; the caller releases it
 */
struct programs_examined {
	size_t nr_programs;
	size_t nr_refused;
	struct buffer refused;
};

/**
 * programs_examine - examine the programs of this machine that the caller may read
 *
 * Whoever has chosen a socket gets its programs only.
 */
int programs_examine(struct programs_examined *out, struct error *error);

/**
 * program_may_emit - whether a program has ktrack/user.h and may emit events of a system
 * @file: the bytes of its file
 * @system: its name; a pattern with wildcards means no system
 */
bool program_may_emit(const struct buffer *file, const char *system);

/** programs_find_reader - the user that reads programs for a ktrack of root; false if none */
bool programs_find_reader(uid_t *user, gid_t *group);

/** programs_clean - switch off programs that a killed ktrack recorded; returns how many */
unsigned int programs_clean(void);

#endif
