/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of timeline/: the interface between producers and outputs, a typed stream of track
 * events.
 *
 * Producers do not depend on output formats, outputs do not depend on ftrace. The contract:
 *  - timeline_open() passes one struct recording to every sink before the first event;
 *  - events are in time order. A loss precedes all events of its machine later than its begin. The
 *    exception is a loss that only the kernel's statistics report: it has no time and follows all
 *    records;
 *  - TIMELINE_TRACK_BEGIN announces a track before its first use, TIMELINE_TRACK_END ends it once;
 *  - every slice end contains its begin time;
 *  - a track is valid until its TIMELINE_TRACK_END was delivered, a name until the end of its slice
 *    was. A counted name, a category and the names of its fields are valid until TIMELINE_FINISH
 *    was delivered. All other pointers of an event are valid during the call only;
 *  - tracks, counted names and categories have one sink data pointer for each sink, for what it
 *    rendered once. The sink owns and frees it;
 *  - TIMELINE_FINISH is the last event. If the recording continues in another session, open slices
 *    end as continued before it, and begin as continued on the next session's timeline, with all
 *    sink data NULL.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "event/event.h"

/** TIMELINE_MACHINES_MAX - limit of recordings that are merged */
#define TIMELINE_MACHINES_MAX 64

/** struct timeline_machine - one of several recordings that are merged into one stream */
struct timeline_machine {
	unsigned int number; /* from 1 */
	const char *name;    /* of the machine; if it is not unique, with the file */
	/* with its own times: add @shift_ns for those of the stream */
	const struct recording *recording;
	int64_t shift_ns; /* from its times to those of the stream */
};

/** TIMELINE_SINKS_MAX - maximum number of sinks at once, and of sink data pointers */
#define TIMELINE_SINKS_MAX 16

/** struct timeline_category - a tracepoint */
struct timeline_category {
	const char *text; /* "system:event" */
	/* one pointer for each sink, by its index; NULL at first */
	void *sink_data[TIMELINE_SINKS_MAX];
};

/** struct timeline_name - the name of a slice or instant */
struct timeline_name {
	struct text text; /* any bytes */
	bool is_counted;  /* among the limited number of names that statistics count one by one */
	unsigned int number; /* of counted names: index within the tracepoint, from 0 */
	/* of counted names: one pointer for each sink, by its index */
	void *sink_data[TIMELINE_SINKS_MAX];
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
	SCOPE_GLOBAL,
	SCOPE_KIND_COUNT
};

/** struct timeline_track - a tracepoint, a scope and a name */
struct timeline_track {
	unsigned long number; /* from 1, in order of appearance */
	struct timeline_category *category;
	enum track_kind kind;
	enum scope_kind scope;
	bool is_state;	  /* its slices are states, of which one follows another */
	bool may_cross;	  /* a slice may end before one that began later */
	struct text name; /* the track name, or the event's name if records have none */
	/* name of the scope field, NULL if the scope is the writing thread or global */
	const char *field;
	/* tid, tgid, CPU or scope value, VALUE_SIGNED or VALUE_UNSIGNED; 0 if global */
	struct value id;
	struct text device; /* name of the block device that @id is; empty if unknown or none */
	/* outer scopes of a compound scope, in the order of declaration */
	const struct field *outer;
	size_t nr_outer;   /* number of outer scopes */
	unsigned int lane; /* 1, 2, ...: one of a track's lanes, for asynchronous slices; else 0 */
	int cpu;  /* CPU of an idle task (tid 0) to separate these, -1 on all other tracks */
	int tgid; /* the thread's process, 0 if unknown or not applicable */
	const char *comm; /* the task's name, "" if unknown or not applicable */
	/* that of the process's first thread when the track began, likewise */
	const char *process_comm;
	/* path of the process's cgroup when the track began; NULL if root or unknown */
	const char *cgroup;
	const char *buffer; /* name of the buffer of its records, NULL if the source has only one */
	const struct timeline_machine *machine; /* whose track it is; NULL if there is only one */
	/* creation time of its thread or process, 0 if unknown or not applicable */
	int64_t born_ns;
	int64_t process_born_ns;	     /* creation time of its thread's process, likewise */
	void *sink_data[TIMELINE_SINKS_MAX]; /* one pointer for each sink, by its index */
};

/** struct explanation - where the time of a slice went */
struct explanation {
	unsigned long track; /* number of its track */
	unsigned int depth;  /* 1 for the outermost */
	/* @begin_ns, @end_ns: of the slice */
	int64_t begin_ns;
	int64_t end_ns;
	struct text json; /* an object, as 'ktrack why --json' prints it */
};

/**
 * struct explanations - explained slices, for outputs that show them
 *
 * Valid during TIMELINE_FINISH, for sinks that were added after the one that explains.
 */
struct explanations {
	/* by @begin_ns, @track and @depth; NULL if there is only the overview */
	const struct explanation *items;
	size_t nr_items;
	size_t limit; /* number of slices of each name that are explained, the slowest; 0 for all */
	bool has_states; /* states of threads are recorded; without them no slice is explained */
	bool has_interrupts; /* interrupts are recorded */
	struct text overview; /* an object: who used the CPUs, the slowest kinds of slices */
};

/** struct timeline_count - number of records of a tracepoint, "system:event" */
struct timeline_count {
	const char *tracepoint;
	uint64_t count;
};

/** struct timeline_totals - sums over the whole recording */
struct timeline_totals {
	uint64_t lost_records; /* number of lost records, as far as it is known */
	/* number of losses; @lost_gaps_unknown of them have an unknown number of records */
	uint64_t lost_gaps;
	uint64_t lost_gaps_unknown;
	uint64_t lost_task_records; /* lost records about threads, which are on no track */
	uint64_t late_records;	    /* records older than their predecessor, whose time they got */
	uint64_t unmatched_ends;    /* ends without an open slice */
	uint64_t filtered_ends;	    /* ends of slices that a rule's condition hides */
	/* ends by another thread than the begin's, while slices overlapped on their track */
	uint64_t foreign_ends;
	uint64_t malformed;	/* records that could not be decoded */
	bool has_complete_from; /* nothing was lost after @complete_from_ns */
	int64_t complete_from_ns;
	bool has_complete_until; /* nothing was lost before @complete_until_ns */
	int64_t complete_until_ns;
	/* @wall_drift_ns: of the wall clock against the trace clock over the recording */
	bool has_wall_drift;
	int64_t wall_drift_ns;
	/* malformed records by tracepoint, without zeros */
	const struct timeline_count *malformed_of;
	size_t nr_malformed_of;
	uint64_t unfinished; /* slices without an end */
	uint64_t suspect;    /* slices that a loss may have falsified */
	/* evicted tracks: closed to save memory; they continue as new tracks */
	uint64_t retired_tracks;
	uint64_t renamed_threads; /* each continues on new tracks */
	uint64_t evicted_slices;  /* unfinished slices of evicted tracks */
	uint64_t other_names;	  /* slices and instants whose name is not counted */
};

/**
 * enum timeline_emitter - properties of the thread that wrote a record, which may differ from the
 * track's thread
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
 * enum timeline_recorded - since when a tracepoint is recorded whose module was loaded or unloaded
 * during the recording: from the module's load, from now, or until now
 */
enum timeline_recorded {
	TIMELINE_RECORDED_FROM_LOAD,
	TIMELINE_RECORDED_FROM_NOW,
	TIMELINE_RECORDED_UNTIL_NOW,
};

/** timeline_append_loss - append "lost 5 records in 2 gaps, 1 of unknown size"; 0: unknown */
void timeline_append_loss(struct buffer *buffer, uint64_t records, uint64_t gaps,
			  uint64_t gaps_unknown);
/** track_append_label - append a label of a track for people: "queue0 tid 537 kworker/0:1" */
void track_append_label(struct buffer *out, const struct timeline_track *track);
/** track_append_identity - append a JSON object with all that distinguishes the track */
void track_append_identity(struct buffer *out, const struct timeline_track *track);

/** TIMELINE_COUNT_UNKNOWN - number of lost records if it is unknown */
#define TIMELINE_COUNT_UNKNOWN (-1)

/**
 * struct timeline_event - an event at @time_ns
 * @time_ns: trace time
 * @track: of track, slice, instant and counter events
 * @name: of slices and instants
 * @tid, @cpu, @comm: writer of the record of a slice's begin or end, an instant or a sample; -1 and
 * "" if unknown
 * @fields: @nr_fields extra fields of the record, and then @nr_flows ids of flows; of slices,
 * instants and counters. A flow connects all slices and instants that have its name and its id, in
 * the order of time; an id is a VALUE_UNSIGNED other than 0. A slice has one id of a flow at most,
 * in the event of its begin or of its end
 * @nr_any: 0 if there are neither extra fields nor flows
 * @begin_ns: of slice ends and of begins that are cut: when the slice began; of losses: all lost
 * records are younger
 * @outer_ns: of instants and counters: begin of the innermost open slice, or of the track
 * @depth: of slices: their place on the track, 1 for the outermost. Slices that cross keep their
 * places, and the next slice takes the lowest free one. Of instants: depth of the innermost open
 * slice, which is the one that began last; 0 for none
 * @outer: of slices: depth of the one around it, 0 for none: of slices that are open, the last one
 * that did not begin later
 * @is_continued: of slice begins: the slice was open when the session began; of slice ends: also
 * if it is open when the session ends
 * @is_suspect: of slice ends: a loss may have falsified this slice
 * @is_unfinished: of slice ends: no record ended it: the recording ended, or the record was lost
 * (it is suspect then)
 * @is_foreign: of slice ends: threads ended each other's slices on the track while it was open
 * @is_restarted: of slice ends, with @is_unfinished: its key began again while it was open, so that
 * nothing is known of its end: it may have been at any time since its begin
 * @is_cut: only in outputs, see sink/rows.h: of slice ends: the slice continues on another row; of
 * slice begins: it has begun at @begin_ns on another row
 * @is_crossing: of slice ends: the slice began before the window that is shown, or ended behind it
 * @flags: not 0 if any of the seven flags before it is set
 * @value: of counters: a VALUE_SIGNED, VALUE_UNSIGNED or VALUE_FLOATING
 * @unmatched_ends: of track ends: number of ends without an open slice
 * @loss_cpu: of losses, and of their sums
 * @loss_machine: of losses: the machine; NULL if there is only one
 * @loss_end_ns: of losses: all lost records are older; INT64_MAX if no record followed
 * @loss_count: of losses: number of records, or TIMELINE_COUNT_UNKNOWN; of a sum: number of records
 * in all the CPU's gaps of unknown size
 * @loss_buffer: of losses: name of the buffer, NULL if the source has only one
 * @problem: of malformed records: a constant text
 * @tracepoint: of malformed records, foreign ends and tracepoints: "system:event"
 * @recorded: of tracepoints
 * @argv: of the traced command's begin: NULL-terminated
 * @pid: of the traced command's end
 * @status: of the traced command's end and of the finish: an exit status, 128+N for signal N
 * @totals: of the finish
 *
 * Members of other kinds are 0, but for those in the union, which are undefined.
 */
struct timeline_event {
	enum timeline_kind kind;
	unsigned int depth;
	unsigned int outer;
	int64_t time_ns;
	struct timeline_track *track;
	struct timeline_name *name;
	int tid;
	int cpu;
	const char *comm;
	const struct field *fields;
	union {
		struct {
			unsigned int nr_fields;
			unsigned int nr_flows;
		};
		uint64_t nr_any;
	};
	int64_t begin_ns;
	int64_t outer_ns;
	union {
		struct {
			bool is_continued;
			bool is_suspect;
			bool is_unfinished;
			bool is_foreign;
			bool is_restarted;
			bool is_cut;
			bool is_crossing;
		};
		uint64_t flags;
	};
	union {
		struct value value;
		uint64_t unmatched_ends;
		struct {
			int loss_cpu;
			int64_t loss_end_ns;
			int64_t loss_count;
			const char *loss_buffer;
			const struct timeline_machine *loss_machine;
		};
		struct {
			const char *problem;
			const char *tracepoint;
			enum timeline_recorded recorded;
		};
		struct {
			char *const *argv;
			int pid;
			int status;
			const struct timeline_totals *totals;
		};
	};
};

_Static_assert(offsetof(struct timeline_event, is_crossing) -
			       offsetof(struct timeline_event, is_continued) <
		       sizeof(uint64_t),
	       "all of them are in flags");

/** timeline_event_field - the value of an extra field; NULL if the event does not have it */
const struct value *timeline_event_field(const struct timeline_event *event, struct text name);

/** timeline_event_flow - the flow with an index below @event->nr_flows */
static inline const struct field *timeline_event_flow(const struct timeline_event *event,
						      unsigned int index)
{
	return &event->fields[event->nr_fields + index];
}

/** slice_is_doubtful - whether the duration of a slice that ends may be wrong */
static inline bool slice_is_doubtful(const struct timeline_event *event)
{
	return event->is_suspect || event->is_unfinished || event->is_foreign ||
	       event->is_continued;
}

struct sink;

/**
 * struct sink_ops - operations of an output
 * @open: start the stream; @sink_index is this sink's index into all sink data; may be NULL
 * @event: handle an event
 * @flush: make everything so far visible to readers; may be NULL
 * @free: release all resources, also after a failure or before the stream ends; NULL if free(3)
 * does
 *
 * All but @free return 0, or -1 with @error; after a failure only @free is called.
 */
struct sink_ops {
	int (*open)(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		    struct error *error);
	int (*event)(struct sink *sink, const struct timeline_event *event, struct error *error);
	int (*flush)(struct sink *sink, struct error *error);
	void (*free)(struct sink *sink);
};

/** struct sink - first member of every sink's own struct */
struct sink {
	const struct sink_ops *ops;
	unsigned int index; /* its index into all sink data, of an open sink */
	bool is_output;	    /* it writes events; others find what these show, or judge it */
};

/** sink_new - a sink whose own struct has @size zeros; NULL with @error */
struct sink *sink_new(const struct sink_ops *ops, size_t size, struct error *error);

/**
 * struct timeline - distributes events to sinks
 *
 * A zeroed struct has no sinks. It owns the sinks that were added. One on standard output whose
 * reader has gone is moved behind the others, which become complete.
 */
struct timeline {
	struct sink *sinks[TIMELINE_SINKS_MAX];
	unsigned int nr_sinks;	/* those that get events */
	unsigned int nr_unread; /* those behind them */
	int64_t last_ns;	/* time of the last event; INT64_MAX after TIMELINE_FINISH */
};

/** timeline_add - add @sink, and take it, also on failure: -1 with @error if there are too many */
int timeline_add(struct timeline *timeline, struct sink *sink, struct error *error);
/** timeline_open - open every sink, once before the first event; returns 0, or -1 with @error */
int timeline_open(struct timeline *timeline, const struct recording *recording,
		  struct error *error);
/** timeline_push_all - implementation of timeline_push() for any number of sinks */
int timeline_push_all(struct timeline *timeline, const struct timeline_event *event,
		      struct error *error);

/** timeline_push - deliver @event, which is not older than the one before; -1 with @error */
static inline int timeline_push(struct timeline *timeline, const struct timeline_event *event,
				struct error *error)
{
	struct sink *sink = timeline->sinks[0];

	assert(event->time_ns >= timeline->last_ns);
	timeline->last_ns = event->kind == TIMELINE_FINISH ? INT64_MAX : event->time_ns;
	return timeline->nr_sinks == 1 ? sink->ops->event(sink, event, error)
				       : timeline_push_all(timeline, event, error);
}

/** timeline_flush - flush every sink; returns 0, or -1 with @error */
int timeline_flush(struct timeline *timeline, struct error *error);
/** timeline_release - free the sinks and zero @timeline, which may be zeroed already */
void timeline_release(struct timeline *timeline);

#endif
