// SPDX-License-Identifier: GPL-2.0-only
/* Attributes segments of a thread: to its CPU's interrupts, to threads that run instead, to wakers.
 */
#include "analysis/walk.h"

#include <stdlib.h>

uint32_t walk_thread_name(const struct history *history, int tid, int cpu)
{
	const struct thread_history *thread = history_thread(history, tid, cpu);

	return thread ? thread->comm : NAMES_NONE;
}

static struct part_key walk_key(const struct walk *walk, const struct segment *segment,
				enum part_kind kind)
{
	return (struct part_key){ .kind = kind,
				  .label = segment->label,
				  .cpu = -1,
				  .tid = -1,
				  .owner = walk->owner,
				  .owner_name = walk->owner_name };
}

void walk_undecided(struct walk *walk, enum undecided_reason reason, struct span span)
{
	const struct part_key key = { .kind = PART_UNDECIDED,
				      .reason = reason,
				      .cpu = -1,
				      .tid = -1,
				      .owner = walk->owner,
				      .owner_name = walk->owner_name };

	split_add(walk->out, &key, span);
}

void walk_unknown(struct walk *walk, struct span span)
{
	walk_undecided(walk,
		       walk->thread->cursor.was_overwritten ? UNDECIDED_HISTORY : UNDECIDED_UNSEEN,
		       span);
}

bool walk_step(struct walk *walk, struct span span)
{
	struct splitter *splitter = walk->splitter;

	if (!splitter->is_limited)
		return true;
	if (splitter->nr_steps == 0) {
		walk_undecided(walk, UNDECIDED_LIMIT, span);
		return false;
	}
	splitter->nr_steps--;
	return true;
}

const struct segment *walk_seek(struct walk *walk, int64_t time_ns)
{
	struct thread_history *thread = walk->thread;

	return line_seek(walk->splitter->history, &thread->line, &thread->cursor,
			 walk->splitter->walk, time_ns);
}

const struct segment *walk_seek_cpu(struct splitter *splitter, int cpu, int64_t time_ns)
{
	struct cpu_history *one = history_cpu_find(splitter->history, cpu);

	return one ? line_seek(splitter->history, &one->line, &one->cursor, splitter->walk, time_ns)
		   : NULL;
}

/* Calls @add for each segment of a CPU in a time, the latest first; with NULL if there is none. */
static void walk_cpu(struct walk *walk, const struct segment *segment, int cpu, struct span span,
		     void (*add)(struct walk *walk, const struct segment *segment, int cpu,
				 const struct segment *on_cpu, struct span span))
{
	const struct segment *at;

	while (span.from_ns < span.to_ns) {
		int64_t from_ns;

		if (!walk_step(walk, span))
			return;
		at = walk_seek_cpu(walk->splitter, cpu, span.to_ns);
		from_ns = at && at->from_ns > span.from_ns ? at->from_ns : span.from_ns;
		add(walk, segment, cpu, at, (struct span){ from_ns, span.to_ns });
		span.to_ns = from_ns;
	}
}

static void running_add(struct walk *walk, const struct segment *segment, int cpu,
			const struct segment *on_cpu, struct span span)
{
	struct part_key key = walk_key(walk, segment, PART_RUNNING);

	key.cpu = cpu;
	if (on_cpu && on_cpu->context != CONTEXT_THREAD) {
		key = walk_key(walk, &(struct segment){ 0 },
			       on_cpu->context == CONTEXT_HARD ? PART_HARD : PART_SOFT);
		key.interrupt = on_cpu->interrupt;
		key.cpu = cpu;
		split_add(walk->out, &key, span);
		return;
	}
	key.instant = segment->instant;
	split_add_instants(walk->out, &key, span, walk->nr_instants);
	walk->nr_instants = 0;
}

/* The thread that used the CPU instead. */
static void key_set_other(const struct walk *walk, struct part_key *key, int tid, int cpu)
{
	const struct thread_history *other = history_thread(walk->splitter->history, tid, cpu);

	key->tid = tid;
	key->prio = PRIO_UNKNOWN;
	if (!other)
		return;
	key->name = other->comm;
	if (key->kind == PART_RUNNABLE && tid > 0) {
		key->prio = other->prio;
		key->own_prio = walk->thread->prio;
	}
}

/* What used the CPU instead. */
static void other_add(struct walk *walk, const struct segment *segment, enum part_kind kind,
		      int cpu, const struct segment *on_cpu, struct span span)
{
	struct part_key key = walk_key(walk, segment, kind);

	key.cpu = cpu;
	if (on_cpu) {
		key.context = on_cpu->context;
		key.interrupt = on_cpu->interrupt;
	}
	if (on_cpu && on_cpu->context == CONTEXT_THREAD && on_cpu->tid >= 0)
		key_set_other(walk, &key, on_cpu->tid, cpu);
	split_add(walk->out, &key, span);
}

static void runnable_add(struct walk *walk, const struct segment *segment, int cpu,
			 const struct segment *on_cpu, struct span span)
{
	other_add(walk, segment, PART_RUNNABLE, cpu, on_cpu, span);
}

static void late_add(struct walk *walk, const struct segment *segment, int cpu,
		     const struct segment *on_cpu, struct span span)
{
	other_add(walk, segment, PART_LATE, cpu, on_cpu, span);
}

void walk_late(struct walk *walk, int cpu, struct span span)
{
	walk_cpu(walk, &(struct segment){ 0 }, cpu, span, late_add);
}

static void wake_add(struct walk *walk, const struct wake *wake)
{
	size_t nr = walk->nr_wakes;

	if (!walk->follows ||
	    (wake->operation == 0 && (wake->key.context != CONTEXT_THREAD || wake->key.tid <= 0)))
		return;
	if (nr == walk->wakes_capacity) {
		size_t capacity = nr > 0 ? nr * 2 : 16;
		struct wake *wakes = reallocarray(walk->wakes, capacity, sizeof(*wakes));

		if (!wakes) {
			walk->out->failed = true;
			return;
		}
		walk->wakes = wakes;
		walk->wakes_capacity = capacity;
	}
	walk->wakes[walk->nr_wakes++] = *wake;
}

static void blocked_add(struct walk *walk, const struct segment *segment, struct span span)
{
	bool is_stopped = segment->state == THREAD_STOPPED;
	struct part_key key = walk_key(walk, segment, is_stopped ? PART_STOPPED : PART_BLOCKED);
	const struct history *history = walk->splitter->history;
	const struct operation *operation = NULL;

	key.instant = segment->instant;
	key.state = segment->state_name;
	key.stack = segment->stack;
	key.is_woken = segment->to_ns != INT64_MAX && segment->next_state == THREAD_RUNNABLE;
	if (key.is_woken) {
		key.context = segment->context;
		key.interrupt = segment->interrupt;
		key.tid = segment->tid;
		operation = history_operation(history, segment->operation);
	}
	if (operation)
		key.object = operation->name;
	if (key.tid >= 0)
		key.name = walk_thread_name(history, key.tid, segment->next_cpu);
	split_add(walk->out, &key, span);
	wake_add(walk, &(struct wake){ .key = key,
				       .span = span,
				       .operation = operation ? segment->operation : 0,
				       .cpu = segment->next_cpu });
}

static void state_add(struct walk *walk, const struct segment *segment, struct span span)
{
	if (span.from_ns >= span.to_ns)
		return;
	switch (segment->state) {
	case THREAD_RUNNING:
		walk->nr_instants = segment->nr_instants;
		walk_cpu(walk, segment, segment->cpu, span, running_add);
		break;
	case THREAD_RUNNABLE:
		walk_cpu(walk, segment, segment->cpu >= 0 ? segment->cpu : segment->next_cpu, span,
			 runnable_add);
		break;
	case THREAD_BLOCKED:
	case THREAD_STOPPED:
		blocked_add(walk, segment, span);
		break;
	case THREAD_ABSENT:
		walk_undecided(walk, UNDECIDED_ABSENT, span);
		break;
	default:
		walk_undecided(walk, UNDECIDED_UNSEEN, span);
		break;
	}
}

/*
 * Whether the record that ended a segment proves its state since the last loss: a thread that runs
 * leaves the same CPU, a blocked one is woken, a runnable one runs.
 */
static bool segment_is_confirmed(const struct walk *walk, const struct segment *segment)
{
	bool is_open = segment->to_ns == INT64_MAX;

	switch (segment->state) {
	case THREAD_RUNNING:
		return is_open ? walk->thread->seen_ns > segment->from_ns
			       : segment->next_cpu == segment->cpu;
	case THREAD_RUNNABLE:
		return !is_open && segment->next_state == THREAD_RUNNING;
	default:
		return !is_open && segment->next_state == THREAD_RUNNABLE;
	}
}

void walk_segment(struct walk *walk, const struct segment *segment, struct span span)
{
	const struct history *history = walk->splitter->history;
	struct span gap = span;
	int cpu = segment->state == THREAD_RUNNING ? segment->cpu : -1;

	if (history->nr_gaps == 0 || !history_find_gap(history, cpu, &gap.from_ns, &gap.to_ns)) {
		state_add(walk, segment, span);
		return;
	}
	if (!segment_is_confirmed(walk, segment))
		gap.to_ns = span.to_ns;
	state_add(walk, segment, (struct span){ gap.to_ns, span.to_ns });
	walk_undecided(walk, UNDECIDED_LOSS, gap);
	state_add(walk, segment, (struct span){ span.from_ns, gap.from_ns });
}
