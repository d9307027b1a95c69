/* SPDX-License-Identifier: GPL-2.0-only */
/* Walks backwards over the segments of a thread and of the CPUs that it used. */
#ifndef ANALYSIS_WALK_H
#define ANALYSIS_WALK_H

#include "analysis/split.h"

/**
 * struct wake - a time in which a thread was blocked, until another thread or the end of an
 * operation woke it
 * @operation: number of the operation, 0 for none; it ended on @cpu
 */
struct wake {
	struct part_key key;
	struct span span;
	uint32_t operation;
	int cpu;
};

/**
 * struct walk - the walk over one thread
 * @out: receives the parts
 * @owner, @owner_name: as in struct part_key
 * @nr_instants: in the segment, if they were not attributed yet
 * @wakes: times in which the thread waited for another one, the latest first, if @follows
 */
struct walk {
	struct splitter *splitter;
	struct thread_history *thread;
	struct split *out;
	int owner;
	uint32_t owner_name;
	bool follows;
	uint64_t nr_instants;
	struct wake *wakes;
	size_t nr_wakes;
	size_t wakes_capacity;
};

/** walk_segment - attribute a time in a segment of the thread; later calls are about earlier times
 */
void walk_segment(struct walk *walk, const struct segment *segment, struct span span);

/** walk_undecided - a time that cannot be attributed */
void walk_undecided(struct walk *walk, enum undecided_reason reason, struct span span);

/** walk_step - whether a segment may be visited; if not, @span is attributed as undecided */
bool walk_step(struct walk *walk, struct span span);

/** walk_seek - the thread's segment just before @time_ns; NULL if it is unknown */
const struct segment *walk_seek(struct walk *walk, int64_t time_ns);

/** walk_seek_cpu - a CPU's segment just before @time_ns; NULL if it is unknown */
const struct segment *walk_seek_cpu(struct splitter *splitter, int cpu, int64_t time_ns);

/** walk_late - attribute a time in which a CPU did something else than to end an operation */
void walk_late(struct walk *walk, int cpu, struct span span);

/** walk_unknown - attribute a time for which walk_seek() found nothing */
void walk_unknown(struct walk *walk, struct span span);

/** walk_thread_name - the number of a thread's name */
uint32_t walk_thread_name(const struct history *history, int tid, int cpu);

#endif
