// SPDX-License-Identifier: GPL-2.0-only
/* Splits the time of a thread, and that of the threads which woke it. */
#include <stdlib.h>

#include "analysis/walk.h"

/** FOLLOWED_MAX - limit of wakers that are followed for one split: those of the longest parts */
#define FOLLOWED_MAX 8

static void walk_span(struct walk *walk, struct span span)
{
	while (span.from_ns < span.to_ns) {
		const struct segment *segment;
		struct span part = span;

		if (!walk_step(walk, span))
			return;
		segment = walk_seek(walk, span.to_ns);
		if (!segment) {
			walk_unknown(walk, span);
			return;
		}
		if (segment->from_ns > part.from_ns)
			part.from_ns = segment->from_ns;
		walk_segment(walk, segment, part);
		span.to_ns = part.from_ns;
	}
}

static int split_spans(struct splitter *splitter, struct thread_history *thread,
		       const struct span *spans, size_t nr_spans, unsigned int depth,
		       struct split *out);

static bool wake_is_of(const struct wake *wake, const struct part *part)
{
	return memcmp(&wake->key, &part->key, sizeof(part->key)) == 0;
}

/* Splits the time of the operations of one part; the latest comes first. */
static int part_follow_operations(const struct walk *walk, struct part *part)
{
	for (size_t i = 0; i < walk->nr_wakes; i++) {
		const struct wake *wake = &walk->wakes[i];

		if (wake_is_of(wake, part) &&
		    split_operation(walk->splitter, wake->operation, wake->cpu, wake->span,
				    part->waker) < 0)
			return -1;
	}
	split_sort(part->waker);
	return 0;
}

/* Splits the time of the waker of one part; the latest spans come first. */
static int part_follow_waker(const struct walk *walk, struct part *part, unsigned int depth)
{
	struct splitter *splitter = walk->splitter;
	struct thread_history *waker = history_thread(splitter->history, part->key.tid, -1);
	struct span *spans = malloc(part->count * sizeof(*spans));
	size_t nr_spans = 0;
	int status;

	if (!spans)
		return -1;
	for (size_t i = 0; i < walk->nr_wakes && nr_spans < part->count; i++) {
		if (wake_is_of(&walk->wakes[i], part))
			spans[nr_spans++] = walk->wakes[i].span;
	}
	status = split_spans(splitter, waker, spans, nr_spans, depth, part->waker);
	free(spans);
	return status;
}

static int part_follow(const struct walk *walk, struct part *part, unsigned int depth)
{
	part->waker = calloc(1, sizeof(*part->waker));
	if (!part->waker)
		return -1;
	return part->key.object != NAMES_NONE ? part_follow_operations(walk, part)
					      : part_follow_waker(walk, part, depth);
}

static bool part_can_follow(const struct walk *walk, const struct part *part)
{
	const struct part_key *key = &part->key;

	if ((key->kind != PART_BLOCKED && key->kind != PART_STOPPED) || !key->is_woken)
		return false;
	return key->object != NAMES_NONE || (key->context == CONTEXT_THREAD && key->tid > 0 &&
					     history_thread(walk->splitter->history, key->tid, -1));
}

static int split_follow(struct walk *walk, unsigned int depth)
{
	struct split *split = walk->out;
	unsigned int nr_followed = 0;

	split_sort(split);
	for (size_t i = 0; i < split->nr_parts && nr_followed < FOLLOWED_MAX; i++) {
		struct part *part = &split->parts[i];

		if (!part_can_follow(walk, part))
			continue;
		nr_followed++;
		if (part_follow(walk, part, depth - 1) < 0)
			return -1;
	}
	return 0;
}

/* The latest span comes first. */
static int split_spans(struct splitter *splitter, struct thread_history *thread,
		       const struct span *spans, size_t nr_spans, unsigned int depth,
		       struct split *out)
{
	struct walk walk = { .splitter = splitter,
			     .thread = thread,
			     .out = out,
			     .owner = -1,
			     .follows = depth > 0 };
	int status = 0;

	splitter->walk++;
	history_count_instants(thread);
	for (size_t i = 0; i < nr_spans; i++)
		walk_span(&walk, spans[i]);
	if (walk.follows)
		status = split_follow(&walk, depth);
	free(walk.wakes);
	return out->failed ? -1 : status;
}

int split_slice(struct splitter *splitter, struct thread_history *thread, struct span span,
		unsigned int depth, struct split *out)
{
	if (splitter->history->has_states)
		return split_spans(splitter, thread, &span, 1, depth, out);
	split_add_undecided(out, UNDECIDED_NO_SCHED, span);
	return out->failed ? -1 : 0;
}
