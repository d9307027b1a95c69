/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The waist of the exporter: a small typed stream of track events, and who listens to it.
 *
 * Upstream nobody knows an output format, downstream nobody knows ftrace. The contract of the
 * stream:
 *  - it opens with one struct recording, which every sink gets before any event;
 *  - events come in time order; a loss comes before any event with a later time than its beginning,
 * except one of which only the kernel's statistics tell: that has no place, and comes when all
 * records have;
 *  - a track is announced (TIMELINE_TRACK_BEGIN) before it is used, and taken leave of
 * (TIMELINE_TRACK_END) once;
 *  - every slice end carries its begin;
 *  - a track lives until its end has been delivered, a name until the end of its slice has, a
 * counted name, a category and the names of its fields until TIMELINE_FINISH has; everything else
 * an event points to lives only while it is delivered. Sinks copy what they keep longer;
 *  - tracks, counted names and categories have one pointer slot for each sink, where a sink keeps
 * what it rendered once; what it puts there stays its own to free;
 *  - after TIMELINE_FINISH nothing comes. Where the recording goes on in another session, slices
 * that are open are ended as continued before that, and begin as continued on the timeline of the
 * next session, whose sinks find all slots empty.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/** TIMELINE_SINKS_MAX - how many sinks can listen at once, and so how many slots things have */
#define TIMELINE_SINKS_MAX 8

/**
 * struct recording - what a reader needs to know to trust the stream
 * @command: what ktrack was asked to do ("stream")
 * @argv: its words; NULL-terminated
 * @source: where the records come from, for people
 * @id: a stable hash of the source, for machines
 * @mode: the buffering mode, NULL where the recording was not made by this run
 * @clock: the trace clock
 * @counts_ticks: the clock counts something else than nanoseconds: what is called one is a tick
 * @time_source: how wall-clock time was found ("realtime"), "none" where it is unknown
 * @kernel: the kernel's release
 * @nr_cpus: how many CPUs can have written
 * @buffer_kib: ring buffer per CPU, 0 where it is unknown
 * @memory_kib: what all its buffers take of the kernel's memory, 0 where it is unknown
 * @overwrite: "1" where the oldest records give way in a full buffer, "0" where what comes is
 * dropped; NULL where @mode says it, or nobody knows
 * @has_one_buffer: all records are of one buffer, even if the source has more
 * @read_before: how many records others have taken out of the source, which are not in the stream
 * @start_ns: trace time at which the stream begins
 * @wall_offset_ns: what to add to trace time to get nanoseconds since 1970
 */
struct recording {
	const char *command;
	char *const *argv;
	const char *source;
	const char *id;
	const char *mode;
	const char *clock;
	bool counts_ticks;
	const char *time_source;
	const char *kernel;
	unsigned int nr_cpus;
	uint64_t buffer_kib;
	uint64_t memory_kib;
	const char *overwrite;
	bool has_one_buffer;
	uint64_t read_before;
	int64_t start_ns;
	int64_t wall_offset_ns;
};

/** struct timeline_category - a tracepoint, as far as sinks care: "system:event" */
struct timeline_category {
	const char *text;
	void *slots[TIMELINE_SINKS_MAX];
};

/**
 * struct timeline_name - the name of a slice or instant
 * @text: any bytes
 * @is_counted: within the bound on names of this tracepoint; statistics put the others together
 * @number: of counted names: which of its tracepoint's it is, from 0
 * @slots: of counted names; the others come and go
 */
struct timeline_name {
	struct text text;
	bool is_counted;
	unsigned int number;
	void *slots[TIMELINE_SINKS_MAX];
};

enum track_kind {
	TRACK_SLICES,
	TRACK_COUNTER,
};

enum scope_kind {
	SCOPE_THREAD,
	SCOPE_PROCESS,
	SCOPE_CPU,
	SCOPE_CUSTOM,
	SCOPE_KIND_COUNT
};

/**
 * struct timeline_track - one row of the picture: a tracepoint, a scope and a name
 * @number: from 1, in order of appearance
 * @name: the track name; where the tracepoint has none, the tracepoint's name
 * @field: the tracepoint's scope field, NULL where the scope is the writing thread
 * @id: tid, tgid, CPU or scope value, by @scope; a VALUE_SIGNED or VALUE_UNSIGNED
 * @cpu: keeps the idle tasks (tid 0) of the CPUs apart, -1 on all other tracks
 * @tgid: the thread's process, 0 where it is unknown or means nothing
 * @comm: the task's name, "" where it is unknown or means nothing
 * @buffer: name of the buffer that its records are from, NULL where the source has only one
 * @born_ns: when its thread or process was born, 0 where that is unknown or means nothing
 * @process_born_ns: likewise the process of its thread
 */
struct timeline_track {
	unsigned long number;
	struct timeline_category *category;
	enum track_kind kind;
	enum scope_kind scope;
	struct text name;
	const char *field;
	struct value id;
	int cpu;
	int tgid;
	const char *comm;
	const char *buffer;
	int64_t born_ns;
	int64_t process_born_ns;
	void *slots[TIMELINE_SINKS_MAX];
};

/** struct timeline_count - how many records of a tracepoint, which is "system:event" */
struct timeline_count {
	const char *tracepoint;
	uint64_t count;
};

/**
 * struct timeline_totals - what was counted over the whole recording
 * @lost_gaps: how many gaps the lost records left, and how many of these are of unknown size
 * @lost_task_records: told who threads are, and are no track's
 * @late_records: came after younger ones, whose time they were given
 * @has_complete_from: @complete_from_ns is from when on nothing was lost
 * @has_complete_until: @complete_until_ns is up to when
 * @has_wall_drift: @wall_drift_ns is by how much the wall clock has moved against the trace clock
 * from the recording's beginning to its end
 * @malformed_of: the malformed ones by tracepoint, of those that have any
 * @foreign_ends: ends by another thread than the begin's, while slices overlapped on their track
 * @retired_tracks: evicted: closed to save memory; they continue as new tracks
 * @renamed_threads: each continues on new tracks
 * @evicted_slices: open on evicted tracks, and so unfinished
 */
struct timeline_totals {
	uint64_t lost_records;
	uint64_t lost_gaps;
	uint64_t lost_gaps_unknown;
	uint64_t lost_task_records;
	uint64_t late_records;
	uint64_t unmatched_ends;
	uint64_t foreign_ends;
	uint64_t malformed;
	bool has_complete_from;
	int64_t complete_from_ns;
	bool has_complete_until;
	int64_t complete_until_ns;
	bool has_wall_drift;
	int64_t wall_drift_ns;
	const struct timeline_count *malformed_of;
	size_t nr_malformed_of;
	uint64_t unfinished;
	uint64_t suspect;
	uint64_t retired_tracks;
	uint64_t renamed_threads;
	uint64_t evicted_slices;
	uint64_t other_names;
};

/**
 * enum timeline_emitter - what can be told of who wrote a record, which may be another than its
 * track is about
 */
enum timeline_emitter {
	TIMELINE_EMITTER_TID,
	TIMELINE_EMITTER_CPU,
	TIMELINE_EMITTER_COMM,
	TIMELINE_EMITTER_COUNT
};

enum timeline_kind {
	TIMELINE_TRACK_BEGIN,
	TIMELINE_SLICE_BEGIN,
	TIMELINE_SLICE_END,
	TIMELINE_INSTANT,
	TIMELINE_COUNTER,
	TIMELINE_TRACK_END,
	TIMELINE_LOSS,
	TIMELINE_LOSS_SUM,
	TIMELINE_MALFORMED,
	TIMELINE_COMMAND_BEGIN,
	TIMELINE_COMMAND_END,
	TIMELINE_TRACEPOINT,
	TIMELINE_FOREIGN_END,
	TIMELINE_FINISH,
	TIMELINE_KIND_COUNT
};

/**
 * enum timeline_recorded - as of when a tracepoint is recorded whose module came or went in the
 * middle of the recording: all that it writes since it was loaded; all from now on; no more
 */
enum timeline_recorded {
	TIMELINE_RECORDED_FROM_LOAD,
	TIMELINE_RECORDED_FROM_NOW,
	TIMELINE_RECORDED_UNTIL_NOW,
};

/**
 * timeline_append_loss - "lost 5 records in 2 gaps, 1 of unknown size", or "lost an unknown number
 * of records in 2 gaps"
 * @records: how many; 0 for an unknown number
 * @gaps: 0 if nobody counted them
 */
void timeline_append_loss(struct buffer *buffer, uint64_t records, uint64_t gaps,
			  uint64_t gaps_unknown);

/** TIMELINE_COUNT_UNKNOWN - the number of lost records where nobody knows it */
#define TIMELINE_COUNT_UNKNOWN (-1)

/**
 * struct timeline_event - something that happened at @time_ns; members of other kinds than its own
 * say nothing
 * @time_ns: trace time
 * @track: of track, slice, instant and counter events
 * @name: of slices and instants
 * @tid, @cpu, @comm: who wrote the record of a slice's begin or end, an instant or a sample; -1 and
 * "" where that is unknown
 * @fields: what the record says beyond the convention; of slices, instants and counters
 * @begin_ns: of slice ends: when the slice began; of losses: what was lost is younger than this
 * @outer_ns: of instants and counters: when the innermost open slice began, or else the track
 * @depth: of slices: 1 for the outermost; of instants and counters: how many slices are open around
 * them
 * @unmatched_ends: of a track's end: how many ends came when no slice was open on it
 * @is_continued: of slice begins: the slice was open when the session began; of slice ends: that,
 * or it is open when the session ends, and goes on in the next one
 * @is_suspect: of slice ends: a loss may have falsified this slice
 * @is_unfinished: of slice ends: no record ended it: the recording ended first, or the record was
 * lost (it is suspect then)
 * @is_foreign: of slice ends: threads ended each other's slices on the track while it was open
 * @value: of counters: a VALUE_SIGNED or VALUE_UNSIGNED
 * @loss_cpu: of losses, and of their sums
 * @loss_end_ns: what was lost is older than this; INT64_MAX where nothing came after it
 * @loss_count: of losses, or TIMELINE_COUNT_UNKNOWN; of a sum: how many records the CPU's gaps of
 * unknown size have together
 * @loss_buffer: whose records were lost, NULL where the source has only one buffer
 * @problem: of malformed records: what is wrong, a constant text
 * @tracepoint: of malformed records, foreign ends and tracepoints: "system:event"
 * @recorded: of tracepoints
 * @argv: of the traced command's begin: NULL-terminated
 * @pid: of the traced command's end
 * @status: of the traced command's end and of the finish: an exit status, 128+N for signal N
 * @totals: of the finish
 */
struct timeline_event {
	enum timeline_kind kind;
	int64_t time_ns;
	struct timeline_track *track;
	struct timeline_name *name;
	int tid;
	int cpu;
	const char *comm;
	const struct field *fields;
	size_t nr_fields;
	int64_t begin_ns;
	int64_t outer_ns;
	unsigned int depth;
	uint64_t unmatched_ends;
	bool is_continued;
	bool is_suspect;
	bool is_unfinished;
	bool is_foreign;
	struct value value;
	int loss_cpu;
	int64_t loss_end_ns;
	int64_t loss_count;
	const char *loss_buffer;
	const char *problem;
	const char *tracepoint;
	enum timeline_recorded recorded;
	char *const *argv;
	int pid;
	int status;
	const struct timeline_totals *totals;
};

struct sink;

/**
 * struct sink_ops - what an output does
 * @open: the stream begins; @slot is this sink's index into the slots of tracks, names and
 * categories
 * @event: something happened
 * @flush: bring everything so far to where readers see it; may be NULL
 * @free: give everything back, also after a failure; the stream may have ended early
 *
 * All but @free return 0, or -1 with @error; after a failure only @free is called.
 */
struct sink_ops {
	int (*open)(struct sink *sink, const struct recording *recording, unsigned int slot,
		    struct error *error);
	int (*event)(struct sink *sink, const struct timeline_event *event, struct error *error);
	int (*flush)(struct sink *sink, struct error *error);
	void (*free)(struct sink *sink);
};

/** struct sink - the head of every sink's own struct */
struct sink {
	const struct sink_ops *ops;
};

/**
 * struct timeline - the stream's fan-out
 *
 * @last_ns: nothing older comes; INT64_MAX once the stream is finished
 *
 * Zeroed it has no sinks. It owns the sinks that were added.
 */
struct timeline {
	struct sink *sinks[TIMELINE_SINKS_MAX];
	unsigned int nr_sinks;
	int64_t last_ns;
};

/**
 * timeline_add - let @sink listen; takes it over, also on failure
 *
 * Returns 0, or -1 with @error where there are TIMELINE_SINKS_MAX already.
 */
int timeline_add(struct timeline *timeline, struct sink *sink, struct error *error);

/** timeline_open - tell every sink what is to come; once, before the first event */
int timeline_open(struct timeline *timeline, const struct recording *recording,
		  struct error *error);

/** timeline_push_all - what timeline_push() does with any number of sinks */
int timeline_push_all(struct timeline *timeline, const struct timeline_event *event,
		      struct error *error);

/**
 * timeline_push - deliver @event, which is not older than its predecessor, to every sink
 *
 * Returns 0, or -1 with the first sink's @error; the stream is over then.
 */
static inline int timeline_push(struct timeline *timeline, const struct timeline_event *event,
				struct error *error)
{
	struct sink *sink = timeline->sinks[0];

	assert(event->time_ns >= timeline->last_ns);
	timeline->last_ns = event->kind == TIMELINE_FINISH ? INT64_MAX : event->time_ns;
	return timeline->nr_sinks == 1 ? sink->ops->event(sink, event, error)
				       : timeline_push_all(timeline, event, error);
}

/** timeline_flush - bring everything that was pushed to where readers see it */
int timeline_flush(struct timeline *timeline, struct error *error);

/** timeline_release - free the sinks; fine on a zeroed timeline */
void timeline_release(struct timeline *timeline);

#endif
