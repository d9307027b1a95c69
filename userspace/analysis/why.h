/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of ktrack why: the history, and what was found about the selected slices. */
#ifndef ANALYSIS_WHY_H
#define ANALYSIS_WHY_H

#include "analysis/aggregate.h"
#include "analysis/analysis.h"
#include "analysis/hops.h"
#include "analysis/kept.h"
#include "analysis/timers.h"

/** enum why_role - the meaning of a track of the rules in WHY_PACKS */
enum why_role {
	WHY_ROLE_NONE,
	WHY_ROLE_CPU,
	WHY_ROLE_THREAD,
	WHY_ROLE_INTERRUPT,
	WHY_ROLE_WAKEUP,
	WHY_ROLE_ARMED,
	WHY_ROLE_EXPIRED,
	WHY_ROLE_STACK,
	WHY_ROLE_COUNT
};

/**
 * struct why_begin - the begin of a slice
 * @flow: key of its flow, 0 for none
 */
struct why_begin {
	struct waker writer;
	uint64_t flow;
};

/**
 * struct why_track - a track that has not ended
 * @thread: of threads' tracks, NULL for others
 * @is_selected: slices are selected, if their names are
 * @begins: the begins of open slices, by depth, if it is selected and no thread's, or asynchronous
 * @object, @object_name: the name of the last operation on it, and of its slice
 */
struct why_track {
	struct why_track *next;
	struct why_track **before;
	enum why_role role;
	struct thread_history *thread;
	bool is_selected;
	struct why_begin *begins;
	size_t nr_begins;
	uint32_t object;
	uint32_t object_name;
};

/**
 * struct why_slice - a slice that is explained
 * @category: its tracepoint
 * @name: a number of a name
 * @track: label of its track
 * @tid, @comm: the thread that did the work, or that ended an asynchronous slice; -1 if unknown
 * @is_async: it is explained backwards from its end
 * @is_suspect, @is_unfinished: as in struct timeline_event
 */
struct why_slice {
	const char *category;
	uint32_t name;
	struct buffer track;
	int tid;
	uint32_t comm;
	int64_t begin_ns;
	int64_t end_ns;
	bool is_async;
	bool is_suspect;
	bool is_unfinished;
	struct split split;
};

/**
 * struct why_end - the end of a selected slice
 * @track: of the slice, NULL for none
 * @thread: that did the work, NULL if it is explained backwards from @writer along @flow
 * @depth: of the slice, 1 for the outermost
 * @flow: key of its flow, 0 for none
 * @kept: if the answer is kept for other outputs: its name
 */
struct why_end {
	const struct timeline_track *track;
	unsigned int depth;
	struct kept_name *kept;
	struct thread_history *thread;
	struct waker writer;
	uint64_t flow;
	struct why_slice slice;
};

/**
 * struct why_sink - the answer so far
 * @selector: of slices
 * @roles: categories of the tracks that explain
 * @slices: the best ones so far, the best first
 * @others: the names of slices until one matches
 * @nr_matched: selected slices
 * @named_from_ns, @named_to_ns: begin and end of slices that match, but are not open at the time
 * that is asked for; @named_to_ns is 0 if there are none
 * @nr_left_out: suspect or incomplete slices that the aggregate excludes
 * @nr_unexplained: slices that the aggregate excludes because there were no steps left
 * @is_resting: there are not enough steps
 * @has_block, @has_timers: there are tracks of these packs; the begins of timers are only in the
 * pack, their ends also among interrupts
 * @lost_records, @nr_gaps, @nr_gaps_unknown: losses
 * @scratch: the split of a slice that is added to the aggregate
 * @flows: of the convention's tracepoints
 * @timers: that were armed
 * @kept: the answer for other outputs
 * @deferred: a slice that is explained after the next event, if it has a @track
 */
struct why_sink {
	struct sink sink;
	const struct why_settings *settings;
	const char *source;
	int fd;
	int folded_fd;
	unsigned int sink_index;
	int64_t start_ns;
	bool counts_ticks;
	struct slice_selector selector;
	struct name_table names;
	struct history history;
	struct hop_flows flows;
	struct timers timers;
	struct splitter splitter;
	struct why_track *tracks;
	struct why_slice *slices;
	size_t nr_slices;
	struct aggregate aggregate;
	struct kept kept;
	struct kept others;
	uint64_t nr_matched;
	int64_t named_from_ns;
	int64_t named_to_ns;
	uint64_t nr_left_out;
	uint64_t nr_unexplained;
	bool is_resting;
	bool has_block;
	bool has_timers;
	uint64_t lost_records;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
	struct why_end deferred;
	struct split scratch;
	struct buffer out;
	struct buffer folded;
};

void why_slice_release(struct why_slice *slice);

/** why_learn - take an event into the history; returns -1 with @error */
int why_learn(struct why_sink *why, const struct timeline_event *event, struct error *error);

/** why_learn_instant - take an instant into the history; returns -1 with @error */
int why_learn_instant(struct why_sink *why, const struct timeline_event *event,
		      struct error *error);

/** why_learn_stack - an instant has the kernel stack of its thread */
void why_learn_stack(struct why_sink *why, struct why_track *track,
		     const struct timeline_event *event);

/** why_learn_operation - a slice ended that may be what a thread waits for */
void why_learn_operation(struct why_sink *why, struct why_track *track,
			 const struct timeline_event *event);

/** why_learn_flows - take an event that has flows into them; returns -1 with @error */
int why_learn_flows(struct why_sink *why, const struct timeline_event *event, struct error *error);

/** why_learn_end - take the end of a slice on @track into the history, after it was explained */
void why_learn_end(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event);

/** why_see_writer - the writer of a record runs on its CPU */
void why_see_writer(struct why_sink *why, const struct why_track *track,
		    const struct timeline_event *event);

/** why_track_of - the struct of an event's track */
static inline struct why_track *why_track_of(const struct why_sink *why,
					     const struct timeline_event *event)
{
	return event->track->sink_data[why->sink_index];
}

/** why_is_of_thread - whether a slice is on its thread's own track: all of it is that thread's */
static inline bool why_is_of_thread(const struct why_track *track,
				    const struct timeline_event *event)
{
	return track->thread && event->track->lane == 0;
}

/** why_keep_begin - keep who began a slice; returns -1 with @error */
int why_keep_begin(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event, struct error *error);

/** why_open_begin - the begin of the slice that ends, NULL if it is unknown */
const struct why_begin *why_open_begin(const struct why_track *track,
				       const struct timeline_event *event);

/** why_select_end - a slice ends on a track that is selected */
int why_select_end(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event, struct error *error);

/** why_keep_unmatched - keep the name of a slice for why_refuse_unmatched() */
void why_keep_unmatched(struct why_sink *why, const struct timeline_event *event);

/** why_refuse_unmatched - set @error to what may be meant instead of the selector; returns -1 */
int why_refuse_unmatched(struct why_sink *why, struct error *error);

/** why_explain_deferred - explain the slice that waits for the next event */
int why_explain_deferred(struct why_sink *why, struct error *error);

/** part_append_text - append a part for people: "running on CPU 1 in mydrv_io" */
void part_append_text(struct buffer *out, const struct name_table *names,
		      const struct part_key *key);

/** part_is_timeout - whether nobody woke the thread until the timeout of its wait */
bool part_is_timeout(const struct name_table *names, const struct part_key *key);
/** part_has_priorities - whether a runnable part has the priorities of both threads */
bool part_has_priorities(const struct part_key *key);

/** part_append_text_of - the same of a part of @slice, in which it is without mention; or NULL */
void part_append_text_of(struct buffer *out, const struct name_table *names,
			 const struct part_key *key, const struct why_slice *slice);

/** part_kind_name - the name of a kind of parts in JSON */
const char *part_kind_name(enum part_kind kind);

/** undecided_reason_name - why a time is undecided, for people and JSON */
const char *undecided_reason_name(enum undecided_reason reason);

/** struct aggregate_groups - the slowest 1 % and the slices around the median */
struct aggregate_groups {
	struct aggregate_cell slowest;
	struct aggregate_cell median;
};

/** aggregate_groups_find - both groups; returns -1 if memory ran out */
int aggregate_groups_find(const struct aggregate *aggregate, struct aggregate_groups *out);

void aggregate_groups_release(struct aggregate_groups *groups);

/**
 * struct group_row - a part in both groups
 * @slowest_ns, @median_ns: its time in all slices of the group
 * @excess_ns: how much longer it is in a slice of the slowest, on average
 */
struct group_row {
	struct part_key key;
	int64_t slowest_ns;
	int64_t median_ns;
	int64_t excess_ns;
};

/**
 * aggregate_rows - the parts of both groups, the largest excess first
 *
 * Returns an array for free(), or NULL if memory ran out.
 */
struct group_row *aggregate_rows(const struct aggregate_groups *groups, size_t *nr_rows);

/** aggregate_mean_ns - a time in all slices of a group, for one of them */
int64_t aggregate_mean_ns(const struct aggregate_cell *group, int64_t total_ns);

/** why_print_text, why_print_json - append the answer to @why->out; return -1 if memory ran out */
int why_print_text(struct why_sink *why);
int why_print_json(struct why_sink *why);

/** why_put_slice - append an explained slice as JSON to @why->out */
void why_put_slice(struct why_sink *why, const struct why_slice *slice);

/** why_print_hints - append what a recording lacks that would explain more to @why->out */
void why_print_hints(struct why_sink *why);

/** why_print_folded - append folded stacks to @why->folded; returns -1 if memory ran out */
int why_print_folded(struct why_sink *why);

#endif
