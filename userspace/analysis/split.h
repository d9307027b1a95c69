/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits spans of time of a thread into parts, whose sum is the spans' to the nanosecond. */
#ifndef ANALYSIS_SPLIT_H
#define ANALYSIS_SPLIT_H

#include "analysis/history.h"

enum part_kind {
	PART_RUNNING,
	PART_RUNNABLE,
	PART_BLOCKED,
	PART_STOPPED,
	PART_HARD,
	PART_SOFT,
	PART_WAITING,
	PART_LATE,
	PART_UNDECIDED,
	PART_KIND_COUNT
};

/** enum undecided_reason - why a time cannot be attributed */
enum undecided_reason {
	UNDECIDED_NO_SCHED,
	UNDECIDED_LOSS,
	UNDECIDED_UNSEEN,
	UNDECIDED_HISTORY,
	UNDECIDED_ABSENT,
	UNDECIDED_NO_END,
	UNDECIDED_LIMIT,
	UNDECIDED_COUNT
};

/**
 * struct part_key - what distinguishes parts; names are numbers of a struct name_table
 * @kind: an enum part_kind
 * @context: of blocked parts: where the waker was; of runnable ones: where the CPU was
 * @reason: of undecided parts: an enum undecided_reason
 * @is_woken: of blocked and stopped parts: their end was recorded
 * @cpu: of running, runnable and late parts and interrupts; -1 for none
 * @tid: of runnable and late parts: the thread that ran instead; of blocked ones: the waker; of
 * waiting ones: the thread that began the operation; -1 for none
 * @name: the name of that thread
 * @label: the innermost open slice of the thread; of waiting parts: the interrupt that began the
 * operation
 * @state: of blocked and stopped parts: "D", ...
 * @stack: of blocked and stopped parts: frames with semicolons between them, the innermost first
 * @interrupt: the interrupt; of blocked parts the one that woke the thread, or the innermost slice
 * of the thread that did; of waiting ones the one that ended the wait
 * @object: of blocked parts: the operation whose end woke the thread; of waiting ones: that is
 * waited for
 * @instant: as in struct segment
 * @prio, @own_prio: of runnable parts: as in struct thread_history, of the thread that ran instead
 * and of the thread; otherwise PRIO_UNKNOWN or 0
 * @owner, @owner_name: the thread, if the split is of several threads; otherwise -1 and none
 */
struct part_key {
	uint8_t kind;
	uint8_t context;
	uint8_t reason;
	uint8_t is_woken;
	int32_t cpu;
	int32_t tid;
	int32_t owner;
	uint16_t owner_name;
	uint16_t name;
	uint16_t label;
	uint16_t state;
	uint16_t stack;
	uint16_t interrupt;
	uint16_t object;
	uint16_t instant;
	int16_t prio;
	int16_t own_prio;
};
_Static_assert(sizeof(struct part_key) == 36, "keys have no padding: they are compared as bytes");

struct split;

/** struct span - a time */
struct span {
	int64_t from_ns;
	int64_t to_ns;
};

/**
 * struct part - one part of a split
 * @count: number of segments
 * @longest_ns: the longest of them
 * @longest_at_ns: when that one begins
 * @nr_instants: of the instant of its key
 * @waker: what the waker or the operation did meanwhile, NULL if it was not followed
 */
struct part {
	struct part_key key;
	int64_t total_ns;
	int64_t longest_ns;
	int64_t longest_at_ns;
	uint64_t count;
	uint64_t nr_instants;
	struct split *waker;
};

/** SPLIT_PARTS_MAX - limit of parts; further ones are merged by kind */
#define SPLIT_PARTS_MAX 128

/** struct split - the parts of a time */
struct split {
	struct part *parts;
	size_t nr_parts;
	size_t capacity;
	int64_t total_ns;
	bool failed;
};

/** split_add_undecided - add a time that cannot be attributed to a part without an owner */
void split_add_undecided(struct split *split, enum undecided_reason reason, struct span span);

/** split_add - add a segment to its part */
void split_add(struct split *split, const struct part_key *key, struct span span);

/** split_add_instants - add a segment in which an instant occurred to its part */
void split_add_instants(struct split *split, const struct part_key *key, struct span span,
			uint64_t nr_instants);

/** split_add_sum - add all segments of another split's part to the part of @key */
void split_add_sum(struct split *split, const struct part_key *key, const struct part *sum);

/** split_sort - the longest parts first */
void split_sort(struct split *split);

/** split_free - free a split and those of wakers; NULL is allowed */
void split_free(struct split *split);

/** split_clear - remove the parts, whose wakers were not followed; keep the memory */
void split_clear(struct split *split);

/** split_release - free what a split refers to */
void split_release(struct split *split);

/**
 * struct splitter - what splits share
 * @walk: number of the last walk
 * @is_limited: only @nr_steps more segments are visited: many slices that overlap for long would
 * need time that is not linear
 */
struct splitter {
	struct history *history;
	const struct name_table *names;
	unsigned int walk;
	bool is_limited;
	uint64_t nr_steps;
};

/** SPLITTER_STEPS, SPLITTER_STEPS_MAX - steps that an event adds, and their limit */
#define SPLITTER_STEPS 64
#define SPLITTER_STEPS_MAX (UINT64_C(2) << 20)

/** splitter_allow - add the steps of an event */
static inline void splitter_allow(struct splitter *splitter)
{
	if (splitter->nr_steps < SPLITTER_STEPS_MAX)
		splitter->nr_steps += SPLITTER_STEPS;
}

/**
 * split_slice - split the time of a synchronous slice, and follow those that woke its thread
 * @depth: number of wakers that are followed one after the other
 *
 * Returns -1 if memory ran out.
 */
int split_slice(struct splitter *splitter, struct thread_history *thread, struct span span,
		unsigned int depth, struct split *out);

/**
 * split_chain - split the time of an asynchronous slice backwards from the record that ended it
 * @end: who wrote that record, and where
 *
 * The time belongs to the thread that wrote it; before that thread was woken to its waker, and so
 * on. The time before an interrupt is the wait for it. Returns -1 if memory ran out.
 */
int split_chain(struct splitter *splitter, const struct waker *end, struct span span,
		struct split *out);

/**
 * split_operation - split the time in which a thread waited for an operation
 * @number: of the operation, which was not overwritten
 * @cpu: on which it ended
 *
 * The time before its begin is that of the chain that led to it, the time after its due time is
 * that of those that used the CPU. Returns -1 if memory ran out.
 */
int split_operation(struct splitter *splitter, uint32_t number, int cpu, struct span span,
		    struct split *out);

#endif
