/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source room's public header: where records come from, in what order, and what was lost on the
 * way.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/base.h"

/**
 * SOURCE_TIME_LIMIT - every record's time lies from 0 to below this
 *
 * That is 146 years: sums and differences of two of them do not overflow.
 */
#define SOURCE_TIME_LIMIT (INT64_C(1) << 62)

/**
 * struct record - one record as the kernel wrote it
 * @time_ns: trace time
 * @cpu: whose ring buffer held it
 * @buffer: of which instance, where a source has several: index into the description's buffers
 * @data: its bytes, common fields first, in the order and at the offsets its format says; borrowed,
 * of any alignment
 * @size: how many bytes; nothing beyond may be read, whatever they say
 */
struct record {
	int64_t time_ns;
	int cpu;
	unsigned int buffer;
	const unsigned char *data;
	size_t size;
};

/** SOURCE_COUNT_UNKNOWN - the number of lost records where the kernel did not say it */
#define SOURCE_COUNT_UNKNOWN (-1)

/**
 * struct source_loss - records of one CPU that were overwritten before anybody read them
 * @buffer: as in struct record
 * @from_ns: what was lost is younger than this
 * @to_ns: and older than this
 * @count: how many, or SOURCE_COUNT_UNKNOWN
 * @is_sum: no gap, but how many records all gaps of unknown size on that CPU have together, which
 * the kernel's statistics show in the end
 */
struct source_loss {
	int cpu;
	unsigned int buffer;
	int64_t from_ns;
	int64_t to_ns;
	int64_t count;
	bool is_sum;
};

/**
 * struct source_handler - who gets the records
 * @record: the next record in time order; records with equal stamps come CPU by CPU
 * @loss: a gap; comes before any record with a later time than its beginning
 * @wants: whether what was lost on a CPU of a buffer counts; NULL where all does
 *
 * The first two return 0, or -1 with @error, which ends the reading.
 */
struct source_handler {
	void *context;
	int (*record)(void *context, const struct record *record, struct error *error);
	int (*loss)(void *context, const struct source_loss *loss, struct error *error);
	bool (*wants)(void *context, int cpu, unsigned int buffer);
};

struct source;

/**
 * source_open - open what a command line names
 * @out: a new source, for source_close()
 * @name: "tracefs" for source_instance_open() of the top level, "tracefs:INSTANCE" for that of
 * another, anything else for source_file_open()
 *
 * Returns 0, or -1 with @error.
 */
int source_open(struct source **out, const char *name, struct error *error);

/**
 * source_live_open - read the ring buffers of a tracefs instance while they are written
 * @out: a new source, for source_close()
 * @directory: the instance's directory in tracefs, whose clock is CLOCK_BOOTTIME ("boot")
 *
 * The records that are read are gone from the buffers. CPUs that are not online now are read once
 * they are. Returns 0, or -1 with @error.
 */
int source_live_open(struct source **out, const char *directory, struct error *error);

/**
 * SOURCE_DURABLE_SUFFIX - how the name of an instance ends that is beside another one, and has what
 * is too important to be overwritten: who threads are, and which modules come and go
 */
#define SOURCE_DURABLE_SUFFIX ".durable"

/**
 * source_live_add - read such an instance, on the same clock, along with the one that is read
 *
 * Its records are merged with the others'. What is lost of them is no loss that handlers are told
 * of; see source_lost_durable(). Returns 0, or -1 with @error.
 */
int source_live_add(struct source *source, const char *directory, struct error *error);

/**
 * source_file_open - read a trace.dat, version 6 or 7, as trace-cmd writes it
 * @out: a new source, for source_close()
 * @path: of the file; "-" is standard input
 *
 * What is damaged or cut short does not keep the rest from being read: all that is complete before
 * the damage is delivered, then source_damage() tells. Returns 0, or -1 with @error where the file
 * is of another kind, or so short that it names no records.
 */
int source_file_open(struct source **out, const char *path, struct error *error);

/**
 * struct source_description - what a reader needs to know of a source
 * @nr_cpus: how many CPUs it has buffers of
 * @clock: the trace clock, NULL where it is unknown
 * @kernel: release of the kernel that wrote, NULL where it is unknown
 * @buffers: names of its buffers ("" is the top level's), NULL where it has only one
 * @nr_buffers: how many
 * @buffer_kib: ring buffer for each CPU, 0 where it is unknown
 * @overwrite: tracefs' option, "1" where the oldest records give way, "0" where what comes is
 * dropped; NULL where it is unknown
 * @read_before: how many records others have taken out of its buffers
 * @is_swapped: records are in the other byte order than this machine's
 * @counts_ticks: its clock counts something else than nanoseconds, and nothing says how long one is
 * @time_source: how wall-clock time is known, "none" where it is not
 * @wall_offset_ns: what to add to a record's time to get nanoseconds since 1970; where that is not
 * known, what a file says is to be added, or 0
 * @id: a hash of what the source is, the same whenever it is read
 *
 * Strings live as long as the source is open.
 */
struct source_description {
	unsigned int nr_cpus;
	const char *clock;
	const char *kernel;
	const char *const *buffers;
	size_t nr_buffers;
	uint64_t buffer_kib;
	const char *overwrite;
	uint64_t read_before;
	bool is_swapped;
	bool counts_ticks;
	const char *time_source;
	int64_t wall_offset_ns;
	uint64_t id;
};

/**
 * source_instance_open - read what the buffers of a tracefs instance hold now
 * @out: a new source, for source_close()
 * @instance: its name, NULL for the top level
 *
 * What is read is gone from the buffers; there is no other way to read them raw. Nothing else of
 * the instance changes, whoever set it up. To be read by one source_finish(). Returns 0, or -1 with
 * @error.
 */
int source_instance_open(struct source **out, const char *instance, struct error *error);

/**
 * source_attached_open - read the buffers of an instance that somebody set up, while it is written
 * @out: a new source, for source_close()
 * @directory: the instance's
 *
 * To be drained up to source_now_ns(), and to be sealed before source_finish(). What is read is
 * gone from the buffers; nothing else of the instance changes. Returns 0, or -1 with @error.
 */
int source_attached_open(struct source **out, const char *directory, struct error *error);

/**
 * source_attached_start - when what such a source has begins: with the oldest record, or now
 *
 * Returns 0, or -1 with @error.
 */
int source_attached_start(struct source *source, int64_t *start_ns, struct error *error);

/**
 * source_now_ns - what the clock of such a source shows, whichever it is; 0 where nothing tells
 */
int64_t source_now_ns(const struct source *source);

/**
 * source_seal - take nothing more from the buffers of such a source
 *
 * What writers do from now on is no matter of its any more.
 */
void source_seal(struct source *source);

/**
 * source_instance_find - the directory of an instance, added to @out
 * @instance: its name, NULL for the top level
 *
 * Returns 0, or -1 with @error where there is none.
 */
int source_instance_find(struct buffer *out, const char *instance, struct error *error);

/**
 * source_name_find - the directory of the instance that a command line's name of a source means,
 * added to @out; returns -1 with @error where it means something else
 */
int source_name_find(struct buffer *out, const char *name, struct error *error);

/** source_describe - what is known of a source, as long as it is open */
const struct source_description *source_describe(const struct source *source);

/** source_has_one_buffer - whether at most one of its buffers has records */
bool source_has_one_buffer(const struct source *source);

/**
 * source_first_time - time of the first record
 *
 * Returns 1, or 0 where there is no record, or -1 with @error.
 */
int source_first_time(struct source *source, int64_t *time_ns, struct error *error);

/**
 * source_drain - deliver all records up to a moment that has passed
 * @until_ns: a reading of the trace clock
 *
 * Waits until every writer that took its time stamp up to @until_ns has committed its record (a
 * writer takes the stamp first), so that all of them are delivered, in order. Later records stay
 * where they are. Returns 0, or -1 with @error.
 */
int source_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		 struct error *error);

/**
 * source_wait - wait until a buffer has filled up to the instance's buffer_percent
 * @also_fd: or until this can be read, -1 for none
 * @timeout_ms: or until this time is over
 */
void source_wait(struct source *source, int also_fd, int timeout_ms);

/**
 * struct source_counts - what the kernel counts of a running instance, over all CPUs
 * @read: records that were read
 * @lost: that were not, because they were overwritten or dropped
 * @held_bytes: what waits in the buffers
 */
struct source_counts {
	uint64_t read;
	uint64_t lost;
	uint64_t held_bytes;
};

/** source_count - how much has been read until now; zeros where nobody counts */
void source_count(struct source *source, struct source_counts *out);

/**
 * source_read_ahead - take what the buffers hold now, so that it is not overwritten before its turn
 *
 * source_drain() does so by itself while it delivers; this is for a handler that keeps it waiting.
 * There is a bound to it.
 */
void source_read_ahead(struct source *source);

/**
 * source_hold - leave what the buffers hold there, but for the instance beside, until told
 * otherwise
 *
 * That is what source_wait() waits for then, and all that source_read_ahead() takes.
 */
void source_hold(struct source *source, bool is_held);

/**
 * source_finish - deliver all that is left, and settle the account of what was lost
 * @end_ns: when the tracing was switched off
 * @lost: how many records the kernel counts as lost, over all CPUs that count
 *
 * To be called once nothing writes any more. Losses that left no mark in the buffer (all that is
 * known is that they happened) are delivered as losses that reach to @end_ns. The numbers of all
 * losses add up to @lost. Returns 0, or -1 with @error.
 */
int source_finish(struct source *source, int64_t end_ns, const struct source_handler *handler,
		  uint64_t *lost, struct error *error);

/**
 * source_lost_durable - how many records that tell who threads are were lost, by now that
 * source_finish() is done: names may be others'
 */
uint64_t source_lost_durable(const struct source *source);

/**
 * struct source_span - a part of a recording in which nothing was lost, whatever was before and
 * after
 * @has_from: its first part may be missing, as what was read at the end only has its last records;
 * all is there from @from_ns on, or from the beginning where that is older
 * @has_until: its last part is missing; all is there up to @until_ns
 */
struct source_span {
	bool has_from;
	bool has_until;
	int64_t from_ns;
	int64_t until_ns;
};

/** source_span - what is known of that, once source_first_time() and source_finish() are done */
const struct source_span *source_span(const struct source *source);

/**
 * struct source_watcher - who looks at the instance itself while its records are read
 * @look: records have been read, and none of them has been delivered yet: what is true of the
 * instance now was true when they were written; returns -1 with @error
 */
struct source_watcher {
	void *context;
	int (*look)(void *context, struct error *error);
};

/** source_watch - let @watcher look, from now on; of source_live_open() */
void source_watch(struct source *source, const struct source_watcher *watcher);

/**
 * source_settle - remember what the kernel has counted until now, since it is about to empty the
 * buffers and to forget that; returns -1 with @error
 */
int source_settle(struct source *source, struct error *error);

/**
 * source_start_over - the kernel has emptied all buffers, and counts from 0 again; of
 * source_live_open()
 * @was_read: nobody wrote since source_settle(), and all had been read then
 * @now_ns: what was in the buffers is older than this; told as lost, where not @was_read
 */
int source_start_over(struct source *source, bool was_read, int64_t now_ns,
		      const struct source_handler *handler, struct error *error);

/**
 * source_cut - forget what was read and has not been delivered, and read nothing more; of
 * source_live_open()
 */
void source_cut(struct source *source);

/**
 * source_page_look - how many records a sub-buffer has, as this kernel writes them
 * @first_ns, @last_ns: times of the first and the last, where there are some
 */
size_t source_page_look(const void *bytes, size_t size, int64_t *first_ns, int64_t *last_ns);

/**
 * source_damage - what kept a source from giving all it should have
 *
 * Returns one line that lives as long as the source is open, or NULL where all was well.
 */
const char *source_damage(const struct source *source);

/** source_close - give everything back; NULL is fine */
void source_close(struct source *source);

/**
 * source_clock_find - the system's clock that a trace clock shows
 * @name: of the trace clock
 *
 * Returns false where there is none that programs can read.
 */
bool source_clock_find(const char *name, clockid_t *out);

/**
 * source_directory - where tracefs is
 * @out: a path that lives as long as the process
 *
 * Returns 0, or -1 with @error, which says what to do: it mounts nothing.
 */
int source_directory(const char **out, struct error *error);

/**
 * struct source_tracepoint - a tracepoint of the running kernel
 * @format: the text of its format file, lives only during the visit
 */
struct source_tracepoint {
	const char *system;
	const char *name;
	struct text format;
};

/**
 * struct source_visitor - who takes a look at tracepoints
 * @wants: whether the format is of interest at all; NULL where all are
 * @visit: returns 0 to go on, anything else to stop, -1 with @error
 */
struct source_visitor {
	void *context;
	bool (*wants)(void *context, const char *system, const char *name);
	int (*visit)(void *context, const struct source_tracepoint *tracepoint,
		     struct error *error);
};

/**
 * source_events_open - open the directory of the running kernel's tracepoints
 *
 * Every instance has one with the same tracepoints, those of modules that come later, too. Returns
 * a descriptor, or -1 with @error, as source_directory() does.
 */
int source_events_open(struct error *error);

/**
 * source_tracepoints_visit - show all tracepoints of the running kernel, sorted by system and name
 * @events_fd: such a directory
 *
 * Returns what the visitor returned last, 0 where there was nothing to visit, or -1 with @error.
 */
int source_tracepoints_visit(int events_fd, const struct source_visitor *visitor,
			     struct error *error);

/** source_visit - show all tracepoints that a source may have records of; returns likewise */
int source_visit(struct source *source, const struct source_visitor *visitor, struct error *error);

/**
 * source_event_read - append what a file of a tracepoint holds
 * @events_fd: as source_tracepoints_visit() has it
 *
 * Returns -1 with errno.
 */
int source_event_read(int events_fd, const char *system, const char *event, const char *file,
		      struct buffer *out);

/** source_format_id - the id in a format, "ID: N", which its records begin with; -1 for none */
int64_t source_format_id(struct text format);

/** source_is_disabled - whether the instance in @directory has no tracepoint enabled */
bool source_is_disabled(const char *directory);

/** source_event_is_enabled - whether the instance whose directory that is has it enabled */
bool source_event_is_enabled(int events_fd, const char *system, const char *event);

/**
 * source_note_unknown - a record was of no use, maybe because its format is missing;
 * source_damage() reports that at the end
 */
void source_note_unknown(struct source *source, const struct record *record);

/** SOURCE_COMM_SIZE - room for a task's name and its NUL */
#define SOURCE_COMM_SIZE 64

/**
 * struct source_task - who a thread is
 * @tgid: its process, 0 where that is unknown
 * @comm: its name, "" where that is unknown
 */
struct source_task {
	int tgid;
	char comm[SOURCE_COMM_SIZE];
};

/** source_find_task - look up a thread in what the source knows */
void source_find_task(struct source *source, int tid, struct source_task *out);

/**
 * struct source_saved - the files in which the kernel saves who threads were that have ended; they
 * can be read again and again
 * @names_fd: lines of "TID NAME", -1 where the kernel has no such file
 * @groups_fd: lines of "TID TGID", likewise
 */
struct source_saved {
	int names_fd;
	int groups_fd;
};

/** SOURCE_SAVED_NONE - none of them is open */
#define SOURCE_SAVED_NONE                       \
	{                                       \
		.names_fd = -1, .groups_fd = -1 \
	}

/** source_saved_open - open what there is, in the directory @tracefs */
void source_saved_open(struct source_saved *out, const char *tracefs);

void source_saved_close(struct source_saved *saved);

/**
 * saved_names_clean - drop the lines of saved_cmdlines that cannot be trusted
 * @names: lines "TID NAME"; sorted by thread afterwards; marked as failed if memory ran out
 *
 * A thread can set a name with a newline, such as "x\n1 init", which the kernel prints as it is, so
 * that it looks like the line of another thread. Forged lines are recognized while the thread that
 * forged them lives, or if the other thread has a line too, and then neither is kept. A thread that
 * lives is to be looked up in procfs first.
 */
void saved_names_clean(struct buffer *names);

/** thread_name_append - add a thread's name to a line, with '?' for control characters */
void thread_name_append(struct buffer *out, struct text name);

#endif
