/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of source/: one interface to records of trace.dat files and of tracing instances,
 * merged in time order, with losses as intervals and changes of the instance in their place.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/base.h"
#include "event/event.h"
#include "tracefs/tracefs.h"
#include "userring/userring.h"

/**
 * struct source_handler - receives what a source delivers
 *
 * All but @wants return 0, or -1 with @error, which ends the reading.
 */
struct source_handler {
	void *context;
	/* the next record in time order; records with equal times come CPU by CPU */
	int (*record)(void *context, const struct record *record, struct error *error);
	/* a gap; comes before all records that are younger than its beginning */
	int (*loss)(void *context, const struct loss *loss, struct error *error);
	/* whether losses on a CPU of a buffer matter; NULL if all do */
	bool (*wants)(void *context, int cpu, unsigned int buffer);
	/* the instance has changed since the last delivered record; NULL ignores changes */
	int (*change)(void *context, const struct instance_change *change, struct error *error);
	/* an event of a program, before its first record; NULL ignores it */
	int (*event)(void *context, const struct program_event *event, struct error *error);
};

struct source;

/**
 * source_open - open what a command line names; returns -1 with @error
 * @out: for source_close(); NULL on failure
 * @name: "tracefs" or "tracefs:INSTANCE" for what the buffers of an instance contain now, any other
 * for source_file_open()
 * @settings: how a file is read; NULL for the default
 */
int source_open(struct source **out, const char *name, const struct input_settings *settings,
		struct error *error);

/**
 * source_file_open - open a trace.dat, version 6 or 7, or a text; either may be compressed
 * @out: for source_close(); NULL on failure
 * @path: of the file; "-" is standard input
 * @settings: how it is read; NULL for the default
 *
 * All complete records before damage are delivered, then source_damage() reports it. Returns 0, or
 * -1 with @error if the file is of another kind, or so short that it names no records.
 */
int source_file_open(struct source **out, const char *path, const struct input_settings *settings,
		     struct error *error);

/**
 * source_live_open - read the ring buffers of a tracing instance while they are written
 * @out: for source_close(); NULL on failure
 * @paths: of the instance, which this process set up, and its companions
 * @watched: the instance, whose changes are delivered in their place; NULL delivers none
 *
 * Reading consumes the records. CPUs that are offline are read once they are online. Records of
 * companions are merged with the others; losses of the sideband are not delivered, see
 * source_lost_sideband().
 * Returns 0, or -1 with @error.
 */
int source_live_open(struct source **out, const struct instance_paths *paths,
		     struct instance *watched, struct error *error);

/**
 * source_attached_open - read another owner's instance while it is written
 * @out: for source_close(); NULL on failure
 * @paths: of the instance and its companions
 *
 * Drain it up to source_now_ns(), and freeze it before source_finish(). Reading consumes the
 * records; the instance does not change otherwise. Returns 0, or -1 with @error.
 */
int source_attached_open(struct source **out, const struct instance_paths *paths,
			 struct error *error);

/**
 * source_programs_open - read the rings of programs only; returns -1 with @error
 * @out: for source_close(); NULL on failure
 * @programs: outlive the source; to be stopped before source_finish()
 */
int source_programs_open(struct source **out, struct programs *programs, struct error *error);

/** source_add_programs - also read the rings of programs, as source_programs_open() */
int source_add_programs(struct source *source, struct programs *programs, struct error *error);
/** source_close - close the source; NULL is fine */
void source_close(struct source *source);
/** source_describe - what the source knows about its recording; borrowed from it */
const struct recording *source_describe(const struct source *source);
/** source_has_one_buffer - whether at most one of its buffers has records */
bool source_has_one_buffer(const struct source *source);
/** source_name_is_instance - whether a source's name means an instance, not a file */
bool source_name_is_instance(const char *name);

/**
 * source_name_find - append the directory of the instance that a source's name means
 *
 * Returns 0, or -1 with @error if it does not mean an instance.
 */
int source_name_find(struct buffer *out, const char *name, struct error *error);

/** source_now_ns - time of the source's clock; 0 if unknown */
int64_t source_now_ns(struct source *source);
/** source_start_time - time of the first record, or now; returns -1 with @error */
int source_start_time(struct source *source, int64_t *start_ns, struct error *error);

/**
 * source_first_time - time of the first record
 *
 * Returns 1, 0 if there is no record, or -1 with @error.
 */
int source_first_time(struct source *source, int64_t *time_ns, struct error *error);

/**
 * source_next_time - time of the next record that is not delivered yet, of those of tracepoints
 *
 * Returns 1, 0 if there is none, or -1 with @error.
 */
int source_next_time(struct source *source, int64_t *time_ns, struct error *error);

/**
 * source_drain - deliver all records up to a time that has passed
 * @until_ns: on the trace clock
 *
 * Waits for every writer that took its timestamp up to @until_ns (a writer takes it first), so
 * that all these records are delivered, in order. Later records stay. Returns 0, or -1 with @error.
 */
int source_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		 struct error *error);

/**
 * source_finish - deliver all remaining records and losses after writing has stopped
 * @end_ns: when recording stopped
 * @lost: sum of all losses, over all CPUs that handler->wants
 *
 * Losses without a mark in the buffer are delivered as losses up to @end_ns. The counts of all
 * delivered losses add up to @lost. Returns 0, or -1 with @error.
 */
int source_finish(struct source *source, int64_t end_ns, const struct source_handler *handler,
		  uint64_t *lost, struct error *error);

/**
 * source_wait - wait until records should be drained
 * @also_fd: or until this is readable; -1 for none
 * @timeout_ms: or until this time has passed
 * @latency_ms: how long a record may wait; 0 waits until a buffer is BUFFER_PERCENT full
 *
 * A live source sleeps without ticks while there is no record.
 */
void source_wait(struct source *source, int also_fd, int timeout_ms, int latency_ms);

/** source_count - the kernel's counts now; zeros if nobody writes */
void source_count(struct source *source, struct buffer_counts *out);

/**
 * source_read_ahead - read the buffers now, so that their records are not overwritten
 *
 * source_drain() does it while it delivers; this is for a handler that blocks. Queues are limited.
 */
void source_read_ahead(struct source *source);

/** source_hold - leave records in the buffers, except those of the sideband, until called again */
void source_hold(struct source *source, bool is_held);

/** struct tapped_page - a sub-buffer as it was read, before its records are delivered */
struct tapped_page {
	int cpu;
	enum instance_kind kind;
	const void *bytes;
	size_t size;
	int64_t delivered_ns; /* all records up to this time are delivered */
};

/** struct source_tap - receives the sub-buffers of a live source */
struct source_tap {
	void *context;
	/* returns -1 with @error, which ends the reading */
	int (*take)(void *context, const struct tapped_page *page, struct error *error);
};

/**
 * source_set_tap - pass each sub-buffer of a live source to @tap, too
 *
 * Fewer are read ahead then: who keeps them limits their memory.
 */
void source_set_tap(struct source *source, const struct source_tap *tap);

/** source_freeze - read nothing more, and end the account of losses */
void source_freeze(struct source *source);
/** source_cut - drop undelivered records that were read ahead, and read nothing more */
void source_cut(struct source *source);

/**
 * source_settle - save the kernel's counts before it empties the buffers; returns -1 with @error
 */
int source_settle(struct source *source, struct error *error);

/**
 * source_start_over - the kernel has emptied all buffers of an instance and reset its counts
 * @was_read: all records were read, and nobody wrote since source_settle()
 * @now_ns: younger than all records that were emptied; they are a loss unless @was_read
 *
 * Returns 0, or -1 with @error.
 */
int source_start_over(struct source *source, enum instance_kind kind, bool was_read, int64_t now_ns,
		      const struct source_handler *handler, struct error *error);

/** source_lost_sideband - lost records of sideband buffers, after source_finish(); threads may have
 * wrong names then
 */
uint64_t source_lost_sideband(const struct source *source);

/** struct source_span - the complete part of a recording that was read at the end */
struct source_span {
	bool has_from;	/* CPUs overwrote their first records; complete from @from_ns on */
	bool has_until; /* CPUs dropped their last records; complete up to @until_ns */
	int64_t from_ns;
	int64_t until_ns;
};

/** source_span - the complete part, after source_first_time() and source_finish() */
const struct source_span *source_span(const struct source *source);
/** source_set_progress - count the bytes that are delivered from now on; NULL for none */
void source_set_progress(struct source *source, struct byte_progress *progress);

/** source_damage - the problem of a source and the number of further ones
 *
 * Returns one line that lives as long as the source, or NULL if there was no problem.
 */
const char *source_damage(const struct source *source);

/** source_lack - what other sources have and this one has not, for a message; NULL for nothing */
const char *source_lack(const struct source *source);

struct part_writer;
struct spool_owner;

/**
 * source_part_begin - begin to write a part of a trace.dat, as part_writer_new()
 *
 * Returns 0, or -1 with @error, also if the source is no trace.dat.
 */
int source_part_begin(struct source *source, const char *path, const struct spool_owner *owner,
		      struct part_writer **out, struct error *error);

/** source_visit - visit all tracepoints whose records a source may have; returns as
 * tracepoints_visit()
 */
int source_visit(struct source *source, const struct tracepoint_visitor *visitor,
		 struct error *error);

/**
 * source_note_unknown - count a record with event id @id that could not be decoded, for
 * source_damage()
 */
void source_note_unknown(struct source *source, uint16_t id, const struct record *record);

/** source_find_task - look up a thread */
void source_find_task(struct source *source, int tid, struct thread_identity *out);
/** source_find_cgroup - append the path of a process's cgroup, as trace_file_find_cgroup(); nothing
 * if it is unknown
 */
void source_find_cgroup(struct source *source, int pid, struct buffer *out);
/** source_formats_name_functions - whether a format of trace_printk() prints functions by name */
bool source_formats_name_functions(struct source *source);

/**
 * source_read_symbols - read the symbols of the traced kernel
 * @out: for kallsyms_free(); NULL on failure
 *
 * A live source's are those of /proc/kallsyms, whose addresses are hidden without privileges.
 * Returns 0, or -1 with @error if there are none, or hidden ones.
 */
int source_read_symbols(struct source *source, struct kallsyms **out, struct error *error);

#endif
