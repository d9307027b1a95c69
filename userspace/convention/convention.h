/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of convention/: matches tracepoints against the convention of kernel track events.
 *
 * The convention is Perfetto's "Kernel track events: format and conventions". A tracepoint is
 * matched once, by names and types of its fields; the result is a struct descriptor. If the text
 * of the convention leaves a case open, the behavior is that of Perfetto's importer, unless a
 * comment gives a reason for another one.
 */
#ifndef CONVENTION_CONVENTION_H
#define CONVENTION_CONVENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "event/event.h"

/* Symbols of descriptors: collected while tracepoints are added, and read together. */

struct convention;

/** struct symbols_pending - a descriptor whose symbols are not read yet, and its format */
struct symbols_pending {
	struct descriptor *descriptor;
	char *format;
	size_t size;
};

/** struct convention_symbols - state of reading symbols */
struct convention_symbols {
	bool is_wanted; /* symbols are read */
	struct symbols_reader reader;
	struct symbols_pending *pending;
	size_t nr_pending;
	size_t pending_size; /* bytes of all @pending formats */
	/* the first descriptor whose symbols could not be read since the last report */
	const struct descriptor *failed;
	const char *reason; /* why, a constant text */
	size_t nr_failed;   /* number of these descriptors */
	/* the first descriptor since the last report with a text whose value is only a name */
	const struct descriptor *unnamed;
	char *enumerator;  /* that name */
	size_t nr_unnamed; /* number of these descriptors */
};

/** CONVENTION_DESCRIPTORS_MAX - maximum number of descriptors in use */
#define CONVENTION_DESCRIPTORS_MAX 8192
/** CONVENTION_SIZE_MAX - maximum memory of descriptors in use, in bytes */
#define CONVENTION_SIZE_MAX ((size_t)8 * 1024 * 1024)
/** CONVENTION_IDS - number of event ids: the first two bytes of each record */
#define CONVENTION_IDS 65536
/** CONVENTION_TASKS_MAX - more than there are tracepoints about threads */
#define CONVENTION_TASKS_MAX 16

struct convention_entry;

/**
 * struct convention - the descriptors of one source, found by event id; its members are private
 * @nr_used, @used_size: number and bytes of descriptors that are not dropped
 */
struct convention {
	bool is_swapped;		   /* the records' byte order is not this machine's */
	struct convention_entry **entries; /* all descriptors that were added */
	size_t nr_entries;
	/* behind the last entry of a tracepoint of the kernel: programs may have thousands */
	size_t kernel_end;
	size_t nr_used;
	size_t used_size;
	bool is_full;		     /* a descriptor was refused */
	bool is_crowded;	     /* one of a user with many */
	unsigned int nr_tracepoints; /* size of @tracepoints, and the next index */
	struct map tracepoints;	     /* the first entry of each index, by category and format */
	const struct descriptor *by_id[CONVENTION_IDS];
	struct task_descriptor tasks[CONVENTION_TASKS_MAX];
	size_t nr_tasks;
	/* number of the entry of @tasks, from 1; 0 if records of an id are not about threads */
	uint8_t task_of_id[CONVENTION_IDS];
	struct convention_symbols symbols; /* see convention_want_symbols() */
};

/** convention_new - a convention without descriptors, for convention_free(); or NULL */
struct convention *convention_new(bool is_swapped);
/** convention_reserve - leave the first @nr_indexes indexes of descriptors to others */
void convention_reserve(struct convention *convention, unsigned int nr_indexes);
/** convention_free - free a convention and its descriptors; NULL is allowed */
void convention_free(struct convention *convention);

/**
 * convention_add - match the format of a tracepoint; if it follows the convention, its records are
 * decoded by a new descriptor from now on
 * @text: the format file
 * @out: the descriptor, owned by the convention, or NULL if the tracepoint does not follow
 *
 * Returns 0, 1 with @error if the format cannot be parsed or there are too many descriptors (only
 * the first of these is reported), or -1 with @error if memory ran out.
 */
int convention_add(struct convention *convention, const char *system, struct text text,
		   const struct descriptor **out, struct error *error);

/**
 * convention_add_program - convention_add() of an event of a program; formats are untrusted then
 * @is_of_many: as of struct tracepoint; a quarter of the place is left to others
 */
int convention_add_program(struct convention *convention, const char *system, struct text text,
			   bool is_of_many, const struct descriptor **out, struct error *error);

/**
 * convention_want_symbols - texts of symbolic fields are wanted of tracepoints that are added from
 * now on; convention_read_symbols() reads them
 * @is_trusted: the formats are the running kernel's
 */
void convention_want_symbols(struct convention *convention, bool is_trusted);

/**
 * convention_read_symbols - read the symbols of the tracepoints that were added since the last call
 * @report: receives one line if that failed for some of them, whose fields remain numbers, and one
 * if texts belong to names whose numbers are not in the formats
 *
 * To be called before one of them is dropped. Returns 0, or -1 if memory ran out.
 */
int convention_read_symbols(struct convention *convention, const struct report *report);

/** field_role_mark - a constant word for fields of a role in lists, NULL if they need none */
const char *field_role_mark(enum field_role role);
/** convention_size - number of descriptors, dropped ones included */
size_t convention_size(const struct convention *convention);
/** convention_descriptor - the descriptor at @index, below convention_size() */
const struct descriptor *convention_descriptor(const struct convention *convention, size_t index);

/** convention_find_id - the descriptor of records with event id @id, NULL if there is none */
hot_inline const struct descriptor *convention_find_id(const struct convention *convention,
						       uint16_t id)
{
	return convention->by_id[id];
}

/** convention_decode - set all of @out by a record of @descriptor; returns its @problem, or NULL */
const char *convention_decode(struct decoded_event *restrict out,
			      const struct descriptor *descriptor, const struct record *record);

/**
 * convention_drop - decode no more records by @descriptor, which stays valid: its tracepoint was
 * removed and the kernel may reuse the id
 */
void convention_drop(struct convention *convention, const struct descriptor *descriptor);

/** convention_use - decode the records of its id by @descriptor, even if it was dropped */
void convention_use(struct convention *convention, const struct descriptor *descriptor);
/** convention_find_name - the last descriptor added of a kernel's tracepoint; NULL if none */
const struct descriptor *convention_find_name(const struct convention *convention,
					      const char *system, const char *name);
/** convention_has_id - whether there is a descriptor for event id @id */
bool convention_has_id(const struct convention *convention, uint16_t id);
/** convention_add_task - read a format if its records are about threads; 1 with @error if bad */
int convention_add_task(struct convention *convention, const char *system, const char *name,
			struct text text, struct error *error);
/** convention_needs_task - whether that is so, with @name NULL of any tracepoint of @system */
bool convention_needs_task(const char *system, const char *name);

/** convention_has_task_id - whether records of event id @id are about threads */
hot_inline bool convention_has_task_id(const struct convention *convention, uint16_t id)
{
	return convention->task_of_id[id] > 0;
}

/**
 * convention_read_writer - find the name of the thread that wrote a record
 * @id: of its event
 * @comm: borrowed from @record
 *
 * Returns false if the record has no name of it.
 */
bool convention_read_writer(const struct convention *convention, uint16_t id,
			    const struct record *record, int *tid, struct text *comm);

/**
 * convention_read_task - decode a record about a thread
 * @id: of its event
 * @out: borrows from the record
 *
 * Returns false if @record is not about a thread, or cannot be decoded.
 */
hot_inline bool convention_read_task(const struct convention *convention, uint16_t id,
				     const struct record *record, struct task_change *out)
{
	return convention_has_task_id(convention, id) &&
	       task_change_read(out, &convention->tasks[convention->task_of_id[id] - 1], record);
}

#endif
