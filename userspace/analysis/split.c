// SPDX-License-Identifier: GPL-2.0-only
/* Splits spans of time of threads into parts. */
#include "analysis/internal.h"

#include <stdlib.h>

/** SPLIT_INDEXED - number of parts from which they are found by their hash */
#define SPLIT_INDEXED 32

/** struct split_place - a key in a split */
struct split_place {
	const struct split *split;
	const struct part_key *key;
};

static bool place_has_key(const void *value, const void *key)
{
	const struct split_place *place = key;

	return memcmp(&place->split->parts[(uintptr_t)value - 1].key, place->key,
		      sizeof(*place->key)) == 0;
}

static uint64_t part_key_hash(const struct part_key *key)
{
	return hash_text((struct text){ (const char *)key, sizeof(*key) });
}

/* Most keys differ in their first words. */
static struct part *split_find(struct split *split, const struct part_key *key)
{
	const struct split_place place = { split, key };
	uintptr_t number;

	for (size_t i = 0; i < split->nr_parts && split->index.size == 0; i++) {
		const struct part_key *other = &split->parts[i].key;

		if (other->kind == key->kind && other->label == key->label &&
		    other->interrupt == key->interrupt && memcmp(other, key, sizeof(*key)) == 0)
			return &split->parts[i];
	}
	number = (uintptr_t)map_find(&split->index, part_key_hash(key), place_has_key, &place);
	return number ? &split->parts[number - 1] : NULL;
}

/* A new part, which is in the index if there are many. */
static struct part *split_append(struct split *split, const struct part_key *key)
{
	if (!array_double(split->parts, split->nr_parts, split->capacity)) {
		split->failed = true;
		return NULL;
	}
	split->parts[split->nr_parts++] = (struct part){ .key = *key };
	for (size_t i = split->index.size; split->nr_parts >= SPLIT_INDEXED && i < split->nr_parts;
	     i++)
		split->failed |= map_insert(&split->index, part_key_hash(&split->parts[i].key),
					    (void *)(uintptr_t)(i + 1)) < 0;
	return &split->parts[split->nr_parts - 1];
}

/* Whether a part is about another thread than its own. */
static bool part_key_has_other(const struct part_key *key)
{
	return key->tid > 0 && (key->kind == PART_RUNNABLE || key->kind == PART_LATE ||
				key->kind == PART_BLOCKED || key->kind == PART_STOPPED);
}

void part_key_generalize(struct part_key *key, enum sum_level level)
{
	if (key->kind == PART_STAGE && level < SUM_KINDS)
		return;
	if (level == SUM_KINDS) {
		*key = (struct part_key){
			.kind = key->kind, .cpu = -1, .tid = -1, .owner = -1, .name = NAMES_OTHER
		};
		return;
	}
	if (part_key_has_other(key)) {
		key->cpu = -1;
		if (level >= SUM_THREADS) {
			key->tid = -1;
			key->prio = key->own_prio = 0;
		}
	}
	if (level >= SUM_CPUS) {
		/* The idle thread of each CPU has a name of its own. */
		if (key->tid == 0)
			key->name = NAMES_NONE;
		key->cpu = -1;
	}
	if (level >= SUM_PLACES) {
		key->label = key->instant = key->stack = NAMES_NONE;
		if ((key->kind == PART_BLOCKED || key->kind == PART_STOPPED) &&
		    key->context == CONTEXT_THREAD)
			key->interrupt = NAMES_NONE;
	}
}

static int part_compare(const void *a, const void *b)
{
	const struct part *first = a, *second = b;

	if (first->is_rest != second->is_rest)
		return first->is_rest - second->is_rest;
	if (first->total_ns != second->total_ns)
		return first->total_ns > second->total_ns ? -1 : 1;
	return memcmp(&first->key, &second->key, sizeof(first->key));
}

/** struct part_place - a part of a thread */
struct part_place {
	int32_t tid;
	uint32_t at;
};

/* The threads of each sum follow one another. */
static int place_compare(const void *a, const void *b)
{
	const struct part_place *first = a, *second = b;

	return (first->tid > second->tid) - (first->tid < second->tid);
}

/** struct sum_threads - the threads of a sum that were counted */
struct sum_threads {
	int32_t last_tid;
	uint32_t nr;
	uint32_t nr_before; /* in earlier sums */
};

/*
 * Makes room: sums up what is least, threads by their names, or all by kind if they are too many.
 * A thread may be in earlier sums, too. Parts have no wakers yet.
 */
static void split_compact(struct split *split)
{
	struct split sums = { .limit = split->limit, .names = split->names };
	struct sum_threads *counts = calloc(split->limit, sizeof(*counts)), *count;
	struct part_place *places = calloc(split->limit, sizeof(*places));
	struct part *old = split->parts, *part;
	size_t nr = counts && places ? split->nr_parts : 0;

	for (size_t i = 0; i < nr; i++)
		places[i] = (struct part_place){ old[i].key.tid, i };
	qsort(places, nr, sizeof(*places), place_compare);
	for (size_t i = 0; i < nr; i++) {
		const struct part *one = &old[places[i].at];
		struct part_key key = one->key;
		bool is_by_kind = sums.nr_parts >= split->limit / 2;

		if (one->total_ns < split->total_ns / (int64_t)(split->limit / 4)) {
			part_key_generalize(&key, is_by_kind ? SUM_KINDS : SUM_THREADS);
			key.name = name_table_general(split->names, key.name);
		}
		part = split_find(&sums, &key);
		part = part ? part : split_append(&sums, &key);
		if (!part)
			break;
		count = &counts[part - sums.parts];
		if (part_key_has_other(&one->key) && count->last_tid != one->key.tid) {
			count->last_tid = one->key.tid;
			count->nr++;
		}
		if (one->nr_threads > count->nr_before)
			count->nr_before = one->nr_threads;
		part_merge(part, &old[places[i].at]);
	}
	for (size_t i = 0; i < sums.nr_parts && nr > 0; i++) {
		part = &sums.parts[i];
		count = &counts[i];
		/* What part_merge() added up has threads more than once. */
		part->nr_threads = count->nr > count->nr_before ? count->nr : count->nr_before;
		part->is_at_least = part->nr_members > 1;
		if (part->nr_members < 2)
			part->nr_threads = 0;
	}
	sums.total_ns = split->total_ns;
	sums.failed |= split->failed || nr == 0;
	free(places);
	free(counts);
	split_release(split);
	*split = sums;
}

/* The part of a key; NULL if memory ran out. */
static struct part *split_get(struct split *split, const struct part_key *key)
{
	size_t limit = split->limit ? split->limit : SPLIT_PARTS_MAX;
	struct part_key sum = *key;
	struct part *part = split_find(split, key);

	if (part || split->nr_parts < limit)
		return part ? part : split_append(split, key);
	if (split->limit) {
		split_compact(split);
		part = split_find(split, key);
		return part ? part : split_append(split, key);
	}
	/* Beyond the limit parts are merged by kind. */
	part_key_generalize(&sum, SUM_KINDS);
	sum.reason = key->reason;
	part = split_find(split, &sum);
	return part ? part : split_append(split, &sum);
}

/* Adds segments, of which the longest is @longest. */
static void part_extend(struct part *part, int64_t total_ns, uint64_t count, struct span longest)
{
	int64_t longest_ns = longest.to_ns - longest.from_ns;

	part->total_ns += total_ns;
	part->count += count;
	if (longest_ns > part->longest_ns) {
		part->longest_ns = longest_ns;
		part->longest_at_ns = longest.from_ns;
	}
}

void part_merge(struct part *part, struct part *other)
{
	const struct span longest = { other->longest_at_ns,
				      other->longest_at_ns + other->longest_ns };

	part_extend(part, other->total_ns, other->count, longest);
	part->nr_instants += other->nr_instants;
	part->nr_members += other->nr_members ? other->nr_members : 1;
	part->nr_threads += other->nr_threads ? other->nr_threads : part_key_has_other(&other->key);
	if (other->waker)
		split_release(other->waker);
	free(other->waker);
	other->waker = NULL;
}

void split_add_sum(struct split *split, const struct part_key *key, const struct part *sum)
{
	struct part *part = split_get(split, key);

	if (!part)
		return;
	part_extend(part, sum->total_ns, sum->count,
		    (struct span){ sum->longest_at_ns, sum->longest_at_ns + sum->longest_ns });
	part->nr_instants += sum->nr_instants;
	split->total_ns += sum->total_ns;
}

/* Add a segment in which an instant occurred to its part. */
static void split_add_instants(struct split *split, const struct part_key *key, struct span span,
			       uint64_t nr_instants)
{
	struct part *part = span.from_ns < span.to_ns ? split_get(split, key) : NULL;

	if (!part)
		return;
	part_extend(part, span.to_ns - span.from_ns, 1, span);
	part->nr_instants += nr_instants;
	split->total_ns += span.to_ns - span.from_ns;
}

/* Add a segment to its part. */
static void split_add(struct split *split, const struct part_key *key, struct span span)
{
	split_add_instants(split, key, span, 0);
}

void split_add_undecided(struct split *split, enum undecided_reason reason, struct span span)
{
	const struct part_key key = {
		.kind = PART_UNDECIDED, .reason = reason, .cpu = -1, .tid = -1, .owner = -1
	};

	split_add(split, &key, span);
}

void split_sort(struct split *split)
{
	map_release(&split->index);
	if (split->nr_parts > 1)
		qsort(split->parts, split->nr_parts, sizeof(*split->parts), part_compare);
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			split_sort(split->parts[i].waker);
	}
}

bool part_has_priorities(const struct part_key *key)
{
	return key->kind == PART_RUNNABLE && key->tid > 0 && key->prio != PRIO_UNKNOWN &&
	       key->own_prio != PRIO_UNKNOWN;
}

void split_clear(struct split *split)
{
	map_release(&split->index);
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			split_release(split->parts[i].waker);
		free(split->parts[i].waker);
	}
	split->nr_parts = 0;
	split->total_ns = 0;
	split->failed = false;
}

void split_release(struct split *split)
{
	split_clear(split);
	free(split->parts);
	*split = (struct split){ 0 };
}

/* Attributes segments of a thread: to interrupts, to threads that run instead, to wakers. */

uint32_t history_thread_name(const struct history *history, int tid, int cpu)
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

/* A time that cannot be attributed. */
static void walk_undecided(struct walk *walk, enum undecided_reason reason, struct span span)
{
	struct part_key key = walk_key(walk, &(struct segment){ 0 }, PART_UNDECIDED);

	key.reason = reason;
	split_add(walk->out, &key, span);
}

/* Attribute a time for which walk_seek() found nothing. */
static void walk_unknown(struct walk *walk, struct span span)
{
	walk_undecided(walk,
		       walk->thread->cursor.was_overwritten ? UNDECIDED_HISTORY : UNDECIDED_UNSEEN,
		       span);
}

/* Whether a segment may be visited; if not, @span is attributed as undecided. */
static bool walk_step(struct walk *walk, struct span span)
{
	struct splitter *splitter = walk->splitter;

	if (splitter->is_limited && splitter->nr_steps <= 0) {
		walk_undecided(walk, UNDECIDED_LIMIT, span);
		return false;
	}
	splitter->nr_steps -= splitter->is_limited ? 1 : SPLITTER_VISIT;
	return true;
}

/* The thread's segment just before @time_ns; NULL if it is unknown. */
static const struct segment *walk_seek(struct walk *walk, int64_t time_ns)
{
	struct thread_history *thread = walk->thread;

	return line_seek(walk->splitter->history, &thread->open, &thread->cursor,
			 walk->splitter->walk, time_ns);
}

const struct segment *splitter_seek_cpu(struct splitter *splitter, int cpu, int64_t time_ns)
{
	struct cpu_history *one = history_cpu_find(splitter->history, cpu);

	return one ? line_seek(splitter->history, &one->open, &one->cursor, splitter->walk, time_ns)
		   : NULL;
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

/* Why a thread did not run, although its CPU was idle, or ran a less urgent one. */
static enum runnable_reason runnable_reason_of(const struct segment *segment, int cpu, int tid,
					       int prio, enum runnable_reason served)
{
	bool was_woken = segment->cpu < 0, was_taken = segment->state_name != NAMES_NONE;
	int own_prio = prio_kept(segment->prio);

	if (tid == 0) {
		if (was_woken)
			return RUNNABLE_WAKING;
		if (cpu != segment->cpu)
			return RUNNABLE_MOVED;
		if (was_taken && own_prio != PRIO_UNKNOWN && own_prio <= PRIO_REALTIME_MAX)
			return own_prio < 0 ? RUNNABLE_DEADLINE : RUNNABLE_RT_THROTTLED;
		return segment->interrupt != NAMES_NONE ? RUNNABLE_THROTTLED : RUNNABLE_TAKEN;
	}
	if (own_prio == PRIO_UNKNOWN || own_prio > PRIO_REALTIME_MAX || prio <= PRIO_REALTIME_MAX)
		return RUNNABLE_OTHER;
	return was_woken ? RUNNABLE_KERNEL : was_taken ? served : RUNNABLE_OTHER;
}

/* The thread that used the CPU instead. */
static void key_set_other(const struct walk *walk, struct part_key *key,
			  const struct segment *segment, const struct segment *on_cpu)
{
	const struct thread_history *other = history_thread(walk->splitter->history, on_cpu->tid,
							    key->cpu);

	key->tid = on_cpu->tid;
	key->prio = PRIO_UNKNOWN;
	if (other)
		key->name = other->comm;
	if (key->kind != PART_RUNNABLE)
		return;
	key->reason = runnable_reason_of(segment, key->cpu, key->tid, prio_kept(on_cpu->prio),
					 walk->splitter->served);
	if (key->tid > 0) {
		key->prio = prio_kept(on_cpu->prio);
		key->own_prio = prio_kept(segment->prio);
	}
}

/*
 * Threads of one priority take turns of a few milliseconds. One that waits for longer behind another
 * one, while ticks end turns, has less weight. Others that run meanwhile count against the rival.
 */
#define TURN_MAX_NS 50000000
#define TURN_TICKS 4

static void rival_add(struct walk *walk, int tid, int64_t ns)
{
	struct rival *rival = &walk->rival;

	if (tid == rival->tid) {
		rival->ns += ns;
		rival->count++;
	} else if (ns > rival->ns) {
		*rival = (struct rival){ .tid = tid, .ns = ns - rival->ns, .count = 1 };
	} else {
		rival->ns -= ns;
	}
	if (rival->ns > TURN_MAX_NS && rival->count > TURN_TICKS)
		walk->heavy_tid = rival->tid;
}

/* What used the CPU instead, while the thread was runnable or an operation was late. */
static void other_add(struct walk *walk, const struct segment *segment, enum part_kind kind,
		      int cpu, const struct segment *on_cpu, struct span span)
{
	struct part_key key = walk_key(walk, segment, kind);

	key.cpu = cpu;
	if (kind == PART_LATE)
		key.object = walk->late_object;
	if (on_cpu) {
		key.context = on_cpu->context;
		key.interrupt = on_cpu->interrupt;
	}
	if (on_cpu && on_cpu->context == CONTEXT_THREAD && on_cpu->tid >= 0)
		key_set_other(walk, &key, segment, on_cpu);
	if (part_has_priorities(&key) && key.prio == key.own_prio && key.prio > PRIO_REALTIME_MAX)
		rival_add(walk, key.tid, span.to_ns - span.from_ns);
	split_add(walk->out, &key, span);
}

/* Attributes a time by the segments of a CPU in it, the latest first, if there are any. */
static void walk_cpu(struct walk *walk, enum part_kind kind, const struct segment *segment, int cpu,
		     struct span span)
{
	while (span.from_ns < span.to_ns && walk_step(walk, span)) {
		const struct segment *on_cpu = splitter_seek_cpu(walk->splitter, cpu, span.to_ns);
		struct span part = span;

		if (on_cpu && on_cpu->from_ns > part.from_ns)
			part.from_ns = on_cpu->from_ns;
		if (kind == PART_RUNNING)
			running_add(walk, segment, cpu, on_cpu, part);
		else
			other_add(walk, segment, kind, cpu, on_cpu, part);
		span.to_ns = part.from_ns;
	}
}

static void wake_add(struct walk *walk, const struct wake *wake)
{
	if (!walk->follows ||
	    (wake->operation == 0 && (wake->key.context != CONTEXT_THREAD || wake->key.tid <= 0)))
		return;
	if (array_double(walk->wakes, walk->nr_wakes, walk->wakes_capacity))
		walk->wakes[walk->nr_wakes++] = *wake;
	else
		walk->out->failed = true;
}

/* Who wrote the record that ended a segment. */
static struct waker segment_waker(const struct segment *segment)
{
	return (struct waker){ .tid = segment->tid,
			       .cpu = segment->next_cpu,
			       .context = segment->context,
			       .interrupt = segment->interrupt,
			       .operation = segment->operation };
}

/* Limit of soft interrupts that raised each other. */
#define RAISES_MAX 8

/*
 * What led to what a soft interrupt did: what raised it, or what raised the one that did. The name
 * of the last one is stored in @via, NAMES_NONE if there is none.
 */
static struct waker waker_cause(const struct history *history, struct waker waker, uint16_t *via,
				uint16_t *is_probable)
{
	for (int i = 0; i < RAISES_MAX; i++) {
		const struct operation *raise = history_operation(history, waker.operation);

		if (!raise || raise->kind != OPERATION_RAISE ||
		    (raise->writer.context != CONTEXT_THREAD &&
		     raise->writer.interrupt == NAMES_NONE))
			break;
		if (i == 0)
			*via = waker.interrupt;
		*is_probable |= raise->is_probable;
		waker = raise->writer;
	}
	return waker;
}

/*
 * The thread that began an operation, -1 for none. What a soft interrupt begins is probably that of
 * the thread which it woke, if that is one.
 */
static int operation_owner(const struct history *history, const struct operation *operation,
			   uint16_t *is_probable)
{
	const struct waker *writer = &operation->writer;
	const struct operation *raise = history_operation(history, writer->operation);

	if (writer->context == CONTEXT_THREAD)
		return writer->tid;
	if (writer->context != CONTEXT_SOFT || !raise || raise->kind != OPERATION_RAISE ||
	    raise->woken <= 0)
		return -1;
	*is_probable = true;
	return raise->woken;
}

/*
 * The time since a timer should have expired, and the time by which it was allowed to expire later.
 * Returns the end of the time before.
 */
static int64_t late_add(struct walk *walk, const struct segment *segment,
			const struct operation *timer, struct span span)
{
	struct part_key slack = walk_key(walk, segment, PART_LATE);

	walk->late_object = slack.object = timer->name;
	slack.reason = LATE_SLACK;
	if (timer->due_ns < span.to_ns) {
		int64_t due_ns = timer->due_ns > span.from_ns ? timer->due_ns : span.from_ns;

		walk_cpu(walk, PART_LATE, segment, segment->next_cpu,
			 (struct span){ due_ns, span.to_ns });
		span.to_ns = due_ns;
	}
	if (timer->asked_ns < span.to_ns) {
		int64_t asked_ns = timer->asked_ns > span.from_ns ? timer->asked_ns : span.from_ns;

		split_add(walk->out, &slack, (struct span){ asked_ns, span.to_ns });
		span.to_ns = asked_ns;
	}
	return span.to_ns;
}

/* Whether two threads are workers of one CPU's pool: kworker/CPU:NUMBER, of urgent ones with H. */
static bool threads_share_pool(const struct walk *walk, int tid, int other)
{
	const struct history *history = walk->splitter->history;
	struct text name = name_table_text(walk->splitter->names,
					   history_thread_name(history, tid, -1));
	struct text of_other = name_table_text(walk->splitter->names,
					       history_thread_name(history, other, -1));
	const char *colon = name.size > 0 ? memchr(name.data, ':', name.size) : NULL;

	if (!colon || !text_begins(name, text_of("kworker/")) ||
	    text_begins(name, text_of("kworker/u")))
		return false;
	return text_begins(of_other, (struct text){ name.data, colon + 1 - name.data }) &&
	       (name.data[name.size - 1] == 'H') == (of_other.data[of_other.size - 1] == 'H');
}

/*
 * The tick starts an idle worker behind one that computes for long: that one's thread, or -1 if
 * the part is another wait.
 */
static int worker_find_busy(struct walk *walk, const struct segment *segment,
			    const struct part_key *key)
{
	const struct text state = name_table_text(walk->splitter->names, key->state);
	const struct text by = name_table_text(walk->splitter->names, key->interrupt);
	const struct segment *on_cpu;

	if (!key->is_woken || key->context != CONTEXT_HARD || key->label != NAMES_NONE ||
	    (state.size > 0 && !text_equals(state, text_of("I"))) ||
	    !(text_equals(by, text_of("local timer")) || text_begins(by, text_of("hrtimer tick_"))))
		return -1;
	on_cpu = splitter_seek_cpu(walk->splitter, segment->next_cpu, segment->to_ns);
	return on_cpu && on_cpu->tid > 0 && threads_share_pool(walk, walk->thread->tid, on_cpu->tid)
		       ? on_cpu->tid
		       : -1;
}

/* The kernel's thread that ends grace periods of RCU; NULL if it is unknown. */
static struct thread_history *splitter_find_rcu(struct splitter *splitter)
{
	struct thread_history *thread;

	if (splitter->is_rcu_known)
		return history_thread(splitter->history, splitter->rcu_tid, -1);
	splitter->is_rcu_known = true;
	map_for_each(&splitter->history->threads, thread) {
		const struct text name = name_table_text(splitter->names, thread->comm);

		if (text_equals(name, text_of("rcu_preempt")) ||
		    text_equals(name, text_of("rcu_sched")))
			splitter->rcu_tid = thread->tid;
	}
	return history_thread(splitter->history, splitter->rcu_tid, -1);
}

/*
 * A grace period lasts until a thread of the kernel has run: that one, if it was kept from its CPU
 * for most of a wait for the period; otherwise -1.
 */
static int rcu_find_starved(struct walk *walk, const struct part_key *key, struct span span)
{
	struct splitter *splitter = walk->splitter;
	struct thread_history *rcu;
	int64_t runnable_ns = 0, time_ns = span.to_ns;

	if (!key->is_woken || key->context == CONTEXT_THREAD || splitter->is_limited ||
	    !text_equals(name_table_text(splitter->names, key->via ? key->via : key->interrupt),
			 text_of("RCU")))
		return -1;
	rcu = splitter_find_rcu(splitter);
	while (rcu && rcu != walk->thread && time_ns > span.from_ns) {
		const struct segment *at = line_seek(splitter->history, &rcu->open, &rcu->cursor,
						     splitter->walk, time_ns);
		int64_t from_ns = at ? time_within(span, at->from_ns) : span.from_ns;

		splitter->nr_steps -= SPLITTER_VISIT;
		runnable_ns += at && at->state == THREAD_RUNNABLE ? time_ns - from_ns : 0;
		time_ns = from_ns;
	}
	return runnable_ns > (span.to_ns - span.from_ns) / 2 ? rcu->tid : -1;
}

static void blocked_add(struct walk *walk, const struct segment *segment, struct span span)
{
	bool is_stopped = segment->state == THREAD_STOPPED;
	struct part_key key = walk_key(walk, segment, is_stopped ? PART_STOPPED : PART_BLOCKED);
	const struct history *history = walk->splitter->history;
	const struct operation *operation = NULL;
	struct waker cause = segment_waker(segment);
	int busy_tid;

	key.instant = segment->instant;
	key.state = segment->state_name;
	key.stack = segment->stack;
	key.is_woken = segment->to_ns != INT64_MAX && segment->next_state == THREAD_RUNNABLE;
	if (key.is_woken) {
		cause = waker_cause(history, cause, &key.via, &key.is_probable);
		key.context = cause.context;
		key.interrupt = cause.interrupt;
		key.tid = cause.tid;
		operation = history_operation(history, cause.operation);
		if (operation && operation->kind == OPERATION_RAISE)
			operation = NULL;
	}
	busy_tid = worker_find_busy(walk, segment, &key);
	if (busy_tid < 0)
		busy_tid = rcu_find_starved(walk, &key, span);
	if (busy_tid > 0) {
		key.context = CONTEXT_THREAD;
		key.tid = busy_tid;
		key.interrupt = NAMES_NONE;
		key.is_probable = true;
		operation = NULL;
	}
	if (operation) {
		key.object = operation->name;
		if (key.context != CONTEXT_THREAD && operation->kind == OPERATION_TIMER)
			key.tid = operation_owner(history, operation, &key.is_probable);
		/* A timeout of its own needs no mention. */
		if (key.context != CONTEXT_THREAD && key.via == NAMES_NONE &&
		    key.tid == walk->thread->tid)
			key.tid = -1;
	}
	/* A delayed acknowledgment makes little room: the thread goes on when its peer reads. */
	if (part_waits_for_room(walk->splitter->names, &key)) {
		if (key.context == CONTEXT_THREAD) {
			walk->reader = cause;
		} else if (walk->reader.tid > 0) {
			key.context = CONTEXT_THREAD;
			key.tid = walk->reader.tid;
			key.interrupt = walk->reader.interrupt;
			key.object = NAMES_NONE;
			key.is_probable = true;
			operation = NULL;
		}
	}
	if (key.tid >= 0)
		key.name = history_thread_name(history, key.tid, segment->next_cpu);
	if (operation && operation->kind == OPERATION_TIMER)
		span.to_ns = late_add(walk, segment, operation, span);
	split_add(walk->out, &key, span);
	if (span.from_ns < span.to_ns)
		wake_add(walk, &(struct wake){ .key = key,
					       .span = span,
					       .operation = operation ? cause.operation : 0,
					       .cpu = segment->next_cpu });
}

/*
 * When a preempted thread came to the CPU on which it ran next: when the thread that moves others
 * had run on the CPU that it left, or another one had left that idle, unless its cgroup may have
 * been throttled. INT64_MAX if it was not, or is not known to have been moved.
 */
static int64_t runnable_moved_ns(const struct walk *walk, const struct segment *segment,
				 int64_t until_ns)
{
	const struct history *history = walk->splitter->history;
	const struct cpu_history *left = history_cpu_find(history, segment->cpu);
	int64_t idle_ns = INT64_MAX;
	struct line_cursor cursor;
	const struct segment *at;
	uint32_t name;

	if (!left || segment->to_ns == INT64_MAX || segment->next_cpu == segment->cpu)
		return INT64_MAX;
	cursor = left->cursor;
	do {
		at = line_seek(history, &left->open, &cursor, walk->splitter->walk, until_ns);
		until_ns = at ? at->from_ns : INT64_MIN;
		if (at && at->tid == 0)
			idle_ns = at->from_ns;
		walk->splitter->nr_steps -= walk->splitter->is_limited ? 1 : SPLITTER_VISIT;
	} while (until_ns > segment->from_ns);
	name = at && at->from_ns == segment->from_ns && at->context == CONTEXT_THREAD
		       ? history_thread_name(history, at->tid, -1)
		       : NAMES_NONE;
	if (text_begins(name_table_text(walk->splitter->names, name), text_of("migration/")))
		return at->to_ns;
	/* One that leaves an idle CPU was taken off; a timer would show that a cgroup has new time.
	 */
	return history->has_hrtimers && segment->interrupt == NAMES_NONE &&
			       segment->state_name == NAMES_NONE && idle_ns > segment->from_ns
		       ? idle_ns
		       : INT64_MAX;
}

static void runnable_add(struct walk *walk, const struct segment *segment, struct span span)
{
	int cpu = segment->cpu >= 0 ? segment->cpu : segment->next_cpu;
	int64_t moved_ns = segment->cpu >= 0 ? runnable_moved_ns(walk, segment, span.to_ns)
					     : INT64_MAX;

	if (moved_ns < span.to_ns) {
		moved_ns = moved_ns > span.from_ns ? moved_ns : span.from_ns;
		walk_cpu(walk, PART_RUNNABLE, segment, segment->next_cpu,
			 (struct span){ moved_ns, span.to_ns });
		span.to_ns = moved_ns;
	}
	walk->rival = (struct rival){ 0 };
	walk_cpu(walk, PART_RUNNABLE, segment, cpu, span);
}

static void state_add(struct walk *walk, const struct segment *segment, struct span span)
{
	struct part_key key;

	if (span.from_ns >= span.to_ns)
		return;
	if (unlikely(!walk->splitter->history->has_states)) {
		key = walk_key(walk, segment, PART_UNDECIDED);
		key.reason = UNDECIDED_NO_STATES;
		split_add(walk->out, &key, span);
		return;
	}
	switch (segment->state) {
	case THREAD_RUNNING:
		walk->nr_instants = segment->nr_instants;
		walk_cpu(walk, PART_RUNNING, segment, segment->cpu, span);
		break;
	case THREAD_RUNNABLE:
		runnable_add(walk, segment, span);
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

/* Attribute a time in a segment of the thread; later calls are about earlier times. */
static void walk_segment(struct walk *walk, const struct segment *segment, struct span span)
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

/* Splits the time of an asynchronous slice along the wake-ups that led to its end. */

/** CHAIN_JUMPS_MAX - limit of wake-ups that are followed without any time between them */
#define CHAIN_JUMPS_MAX 8

/** CHAIN_OPERATIONS_MAX - limit of operations that are followed: a timer may arm itself */
#define CHAIN_OPERATIONS_MAX 8

/** struct chain - a chain of wake-ups that is followed backwards */
struct chain {
	struct walk walk;
	const struct name_table *names; /* of interrupts */
	struct span span;		/* the time that is not attributed yet */
	unsigned int nr_jumps;		/* wake-ups since the last time that was attributed */
	unsigned int nr_operations;	/* number of operations that were followed */
};

static void chain_add(struct chain *chain, enum part_kind kind, const struct segment *on_cpu,
		      int64_t from_ns)
{
	const struct part_key key = { .kind = kind,
				      .cpu = on_cpu ? on_cpu->cpu : -1,
				      .tid = -1,
				      .owner = -1,
				      .context = on_cpu ? on_cpu->context : CONTEXT_HARD,
				      .interrupt = on_cpu ? on_cpu->interrupt : NAMES_NONE };

	split_add(chain->walk.out, &key, (struct span){ from_ns, chain->span.to_ns });
	chain->span.to_ns = from_ns;
}

/* The rest of the time is the wait for an interrupt; what happened while records were lost is
 * unknown. */
static void chain_wait(struct chain *chain, const struct segment *on_cpu)
{
	struct span gap = chain->span;

	chain->walk.owner = -1;
	chain->walk.owner_name = NAMES_NONE;
	if (history_find_gap(chain->walk.splitter->history, -1, &gap.from_ns, &gap.to_ns)) {
		chain_add(chain, PART_WAITING, on_cpu, gap.to_ns);
		walk_undecided(&chain->walk, UNDECIDED_LOSS, gap);
		chain->span.to_ns = gap.from_ns;
	}
	chain_add(chain, PART_WAITING, on_cpu, chain->span.from_ns);
}

static void chain_start(struct chain *chain, const struct waker *writer);
static void chain_step(struct chain *chain);

/*
 * The time of an operation since its begin, if another thread did its work: one that raised the
 * soft interrupt in which it ended, such as a worker that reads the file of a loop device.
 */
static bool chain_work(struct chain *chain, const struct operation *operation, int64_t begin_ns)
{
	const struct operation *raise = history_operation(chain->walk.splitter->history,
							  operation->raise);
	struct chain work = *chain;

	if (!raise || raise->is_probable || raise->writer.context != CONTEXT_THREAD ||
	    raise->writer.tid <= 0 || raise->writer.tid == operation->writer.tid ||
	    chain->nr_operations++ >= CHAIN_OPERATIONS_MAX)
		return false;
	work.span.from_ns = begin_ns;
	work.nr_operations = chain->nr_operations;
	chain_start(&work, &raise->writer);
	while (work.span.from_ns < work.span.to_ns)
		chain_step(&work);
	chain->nr_operations = work.nr_operations;
	return true;
}

/* The wait for an operation, from its begin or until it is due; before that, who began it. */
static void chain_operation(struct chain *chain, const struct operation *operation, int cpu,
			    uint32_t interrupt)
{
	const struct history *history = chain->walk.splitter->history;
	const struct operation *beside = history_find_beside(history, chain->names, operation);
	const struct waker *issuer = &operation->writer;
	struct part_key key = { .kind = PART_WAITING,
				.cpu = -1,
				.owner = -1,
				.interrupt = interrupt,
				.label = issuer->context == CONTEXT_HARD ? issuer->interrupt
									 : NAMES_NONE,
				.object = operation->name };
	struct span *span = &chain->span;

	key.tid = operation_owner(history, operation, &key.is_probable);
	chain->walk.owner = -1;
	chain->walk.owner_name = NAMES_NONE;
	chain->walk.late_object = operation->name;
	if (key.tid > 0)
		key.name = history_thread_name(history, key.tid, issuer->cpu);
	if (beside)
		key.via = history_thread_name(history, beside->writer.tid, beside->writer.cpu);
	if (operation->due_ns < span->to_ns) {
		int64_t due_ns = time_within(*span, operation->due_ns);

		/* Attribute a time in which a CPU did something else than to end an operation. */
		walk_cpu(&chain->walk, PART_LATE, &(struct segment){ 0 }, cpu,
			 (struct span){ due_ns, span->to_ns });
		span->to_ns = due_ns;
	}
	if (operation->begin_ns < span->to_ns) {
		int64_t begin_ns = time_within(*span, operation->begin_ns);

		if (!chain_work(chain, operation, begin_ns))
			split_add(chain->walk.out, &key, (struct span){ begin_ns, span->to_ns });
		span->to_ns = begin_ns;
	}
	chain_start(chain, issuer);
}

static void chain_interrupt(struct chain *chain, const struct waker *writer);

/*
 * From the begin of a soft interrupt to its raise, and on with what raised it. If it was not
 * handled at once, this time is late.
 */
static void chain_raise(struct chain *chain, const struct operation *raise,
			const struct segment *soft, int cpu)
{
	struct span *span = &chain->span;
	int64_t raise_ns = time_within(*span, raise->begin_ns);

	if (span->to_ns - raise_ns > RAISE_NS) {
		chain->walk.owner = -1;
		chain->walk.owner_name = NAMES_NONE;
		chain->walk.late_object = raise->name;
		walk_cpu(&chain->walk, PART_LATE, &(struct segment){ 0 }, cpu,
			 (struct span){ raise_ns, span->to_ns });
		span->to_ns = raise_ns;
	}
	if (raise->writer.context == CONTEXT_THREAD) {
		chain_start(chain, &raise->writer);
		return;
	}
	/* The time between a hard interrupt and the soft one belongs to the latter. */
	while (span->to_ns > raise_ns) {
		const struct segment *at = splitter_seek_cpu(chain->walk.splitter, cpu,
							     span->to_ns);
		bool is_between = !at || at->context == CONTEXT_THREAD;

		chain_add(chain, !is_between && at->context == CONTEXT_HARD ? PART_HARD : PART_SOFT,
			  is_between ? soft : at,
			  at && at->from_ns > raise_ns ? at->from_ns : raise_ns);
	}
	chain_interrupt(chain, &raise->writer);
}

/* Whether the name of an interrupt is that of a function which another one calls. */
static bool interrupt_is_call(const struct name_table *names, uint32_t interrupt)
{
	struct text name = name_table_text(names, interrupt);

	return text_begins(name, text_of("timer ")) || text_begins(name, text_of("hrtimer ")) ||
	       text_begins(name, text_of("call "));
}

/*
 * An interrupt in which something was written, with those that interrupted it; before it, what led
 * to it: the operation that ended in it, what raised it, or the wait for it.
 */
static void chain_interrupt(struct chain *chain, const struct waker *writer)
{
	const struct operation *operation = history_operation(chain->walk.splitter->history,
							      writer->operation);
	const struct segment *first = NULL;
	unsigned int depth = 0;

	while (chain->span.from_ns < chain->span.to_ns) {
		const struct segment *at = splitter_seek_cpu(chain->walk.splitter, writer->cpu,
							     chain->span.to_ns);

		if (!at || at->context == CONTEXT_THREAD || (first && at->label < depth))
			break;
		/* Another one of the same depth, or one that it interrupted. */
		if (first && at->interrupt != first->interrupt && at->label <= first->label &&
		    !(at->label == depth && depth < first->label))
			break;
		if (!first) {
			first = at;
			depth = at->label;
			/* Its function was called by the interrupt around it. */
			if (depth > 1 && interrupt_is_call(chain->names, at->interrupt))
				depth--;
		}
		chain_add(chain, at->context == CONTEXT_HARD ? PART_HARD : PART_SOFT, at,
			  time_within(chain->span, at->from_ns));
	}
	if (!operation || chain->nr_operations++ >= CHAIN_OPERATIONS_MAX)
		chain_wait(chain, first);
	else if (operation->kind == OPERATION_RAISE)
		chain_raise(chain, operation, first, writer->cpu);
	else
		chain_operation(chain, operation, writer->cpu,
				first ? first->interrupt : writer->interrupt);
}

static bool chain_enter(struct chain *chain, int tid, int cpu)
{
	struct thread_history *thread = history_thread(chain->walk.splitter->history, tid, cpu);

	if (!thread)
		return false;
	chain->walk.thread = thread;
	chain->walk.owner = tid;
	chain->walk.owner_name = thread->comm;
	return true;
}

/* Goes on with the one that woke the thread; returns false if that is unknown. */
static bool chain_jump(struct chain *chain, const struct segment *segment)
{
	const struct waker waker = segment_waker(segment);

	if (chain->nr_jumps++ >= CHAIN_JUMPS_MAX)
		return false;
	if (waker.context != CONTEXT_THREAD) {
		chain_interrupt(chain, &waker);
		return true;
	}
	return waker.tid > 0 && chain_enter(chain, waker.tid, waker.cpu);
}

static void chain_step(struct chain *chain)
{
	const struct segment *segment;
	struct span part = chain->span;
	bool is_woken;

	if (!walk_step(&chain->walk, part)) {
		chain->span.to_ns = part.from_ns;
		return;
	}
	segment = walk_seek(&chain->walk, chain->span.to_ns);
	if (!segment) {
		walk_unknown(&chain->walk, part);
		chain->span.to_ns = part.from_ns;
		return;
	}
	is_woken = (segment->state == THREAD_BLOCKED || segment->state == THREAD_STOPPED) &&
		   segment->to_ns == part.to_ns && segment->next_state == THREAD_RUNNABLE;
	if (is_woken && chain_jump(chain, segment))
		return;
	if (segment->from_ns > part.from_ns)
		part.from_ns = segment->from_ns;
	walk_segment(&chain->walk, segment, part);
	chain->span.to_ns = part.from_ns;
	chain->nr_jumps = 0;
}

/* Goes on with the one that wrote a record; the time is attributed if that is no thread. */
static void chain_start(struct chain *chain, const struct waker *writer)
{
	if (chain->span.from_ns >= chain->span.to_ns)
		return;
	if (writer->context != CONTEXT_THREAD) {
		chain_interrupt(chain, writer);
	} else if (!chain_enter(chain, writer->tid, writer->cpu)) {
		walk_undecided(&chain->walk, UNDECIDED_UNSEEN, chain->span);
		chain->span.to_ns = chain->span.from_ns;
	}
}

static int chain_finish(struct chain *chain)
{
	while (chain->span.from_ns < chain->span.to_ns)
		chain_step(chain);
	return chain->walk.out->failed ? -1 : 0;
}

static struct chain chain_new(struct splitter *splitter, struct span span, struct split *out)
{
	splitter->walk++;
	return (struct chain){ .walk = { .splitter = splitter, .out = out, .owner = -1 },
			       .names = splitter->names,
			       .span = span };
}

int split_chain(struct splitter *splitter, const struct waker *end, struct span span,
		struct split *out)
{
	struct chain chain = chain_new(splitter, span, out);

	if (splitter->history->has_states)
		chain_start(&chain, end);
	else
		split_add_undecided(out, UNDECIDED_NO_SCHED, span);
	return splitter->history->has_states ? chain_finish(&chain) : out->failed ? -1 : 0;
}

int split_stage(struct splitter *splitter, const struct part_key *stage, const struct waker *end,
		struct span span, struct split *out)
{
	struct part *part;

	if (span.from_ns >= span.to_ns)
		return 0;
	split_add(out, stage, span);
	part = split_find(out, stage);
	if (part && !part->waker)
		part->waker = calloc(1, sizeof(*part->waker));
	return part && part->waker ? split_chain(splitter, end, span, part->waker) : -1;
}

/* Splits the time of a thread, and that of the threads which woke it. */

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

/** struct follow - how many wakers are still followed */
struct follow {
	unsigned int depth; /* of any wait */
	unsigned int limit; /* of waits for more than half of the slice's time */
};

static int split_spans(struct splitter *splitter, struct thread_history *thread,
		       const struct span *spans, size_t nr_spans, struct follow follow,
		       struct split *out);

/* Splits the time of what one part waited for: of its operations, or of its waker. */
static int part_follow(const struct walk *walk, struct part *part, struct follow follow)
{
	struct splitter *splitter = walk->splitter;
	struct span *spans = malloc(part->count * sizeof(*spans));
	size_t nr_spans = 0;
	int status = 0;

	part->waker = calloc(1, sizeof(*part->waker));
	if (!part->waker || !spans)
		status = -1;
	else
		*part->waker = (struct split){ .limit = walk->out->limit,
					       .names = walk->out->names };
	/* The latest spans come first. */
	for (size_t i = 0; status == 0 && i < walk->nr_wakes; i++) {
		const struct wake *wake = &walk->wakes[i];

		if (memcmp(&wake->key, &part->key, sizeof(part->key)) != 0)
			continue;
		if (part->key.object != NAMES_NONE) {
			struct chain chain = chain_new(splitter, wake->span, part->waker);

			chain_operation(&chain,
					history_operation(splitter->history, wake->operation),
					wake->cpu, NAMES_NONE);
			status = chain_finish(&chain);
		} else if (nr_spans < part->count) {
			spans[nr_spans++] = wake->span;
		}
	}
	if (status == 0 && part->key.object != NAMES_NONE)
		split_sort(part->waker);
	else if (status == 0)
		status = split_spans(splitter, history_thread(splitter->history, part->key.tid, -1),
				     spans, nr_spans, follow, part->waker);
	free(spans);
	/* Whom it waits for is kept from the CPU by a thread that is less urgent than this one. */
	for (size_t i = 0; status == 0 && i < part->waker->nr_parts; i++) {
		struct part_key *key = &part->waker->parts[i].key;

		if (key->kind == PART_RUNNABLE && key->tid > 0 && walk->thread->prio >= -1 &&
		    key->prio > walk->thread->prio && key->prio < key->own_prio &&
		    walk->thread->prio <= PRIO_REALTIME_MAX)
			key->reason = RUNNABLE_INVERSION;
	}
	return status;
}

static int split_follow(struct walk *walk, struct follow follow)
{
	const struct follow next = { follow.depth ? follow.depth - 1 : 0, follow.limit - 1 };
	struct split *split = walk->out;
	unsigned int nr_followed = 0;

	split_sort(split);
	for (size_t i = 0; i < split->nr_parts && nr_followed < FOLLOWED_MAX; i++) {
		const struct part_key *key = &split->parts[i].key;

		/* An operation leads to no other thread that would be followed. */
		if (follow.depth == 0 &&
		    split->parts[i].total_ns <=
			    walk->splitter->slice_ns / (key->object == NAMES_NONE ? 2 : 8))
			continue;
		/* Sums are of several waits. */
		if ((key->kind != PART_BLOCKED && key->kind != PART_STOPPED) || !key->is_woken ||
		    split->parts[i].nr_members > 1)
			continue;
		if (key->object == NAMES_NONE &&
		    (key->context != CONTEXT_THREAD || key->tid <= 0 ||
		     key->tid == walk->thread->tid ||
		     !history_thread(walk->splitter->history, key->tid, -1)))
			continue;
		nr_followed++;
		if (part_follow(walk, &split->parts[i], next) < 0)
			return -1;
	}
	return 0;
}

/* The latest span comes first. */
static int split_spans(struct splitter *splitter, struct thread_history *thread,
		       const struct span *spans, size_t nr_spans, struct follow follow,
		       struct split *out)
{
	struct walk walk = { .splitter = splitter,
			     .thread = thread,
			     .out = out,
			     .owner = -1,
			     .follows = follow.limit > 0 };
	int status = 0;

	splitter->walk++;
	if (!splitter->is_limited)
		splitter->nr_steps -= SPLITTER_WALK;
	history_count_instants(thread);
	for (size_t i = 0; i < nr_spans; i++)
		walk_span(&walk, spans[i]);
	for (size_t i = 0; walk.heavy_tid > 0 && i < out->nr_parts; i++) {
		struct part_key *key = &out->parts[i].key;

		if (key->kind == PART_RUNNABLE && key->tid == walk.heavy_tid &&
		    key->prio == key->own_prio)
			key->reason = RUNNABLE_LIGHT;
	}
	if (walk.follows)
		status = split_follow(&walk, follow);
	free(walk.wakes);
	return out->failed ? -1 : status;
}

/* While a thread waited for its CPU, others may have been idle. */
static void part_find_idle(struct splitter *splitter, struct part *part)
{
	const int64_t from_ns = part->longest_at_ns, to_ns = from_ns + part->longest_ns;

	splitter->walk++;
	for (unsigned int cpu = 0; cpu < splitter->history->nr_cpus; cpu++) {
		int64_t idle_ns = 0, time_ns = to_ns;

		while ((int)cpu != part->key.cpu && time_ns > from_ns) {
			const struct segment *at = splitter_seek_cpu(splitter, cpu, time_ns);
			int64_t begin_ns = at && at->from_ns > from_ns ? at->from_ns : from_ns;

			splitter->nr_steps -= SPLITTER_VISIT;
			if (at && at->tid == 0 && at->context == CONTEXT_THREAD)
				idle_ns += time_ns - begin_ns;
			time_ns = begin_ns;
		}
		if (idle_ns > part->idle_ns) {
			part->idle_ns = idle_ns;
			part->idle_cpu = cpu;
		}
	}
}

int split_slice(struct splitter *splitter, struct thread_history *thread, struct span span,
		unsigned int depth, struct split *out)
{
	const struct follow follow = { depth, depth > 0 ? WHY_DEPTH_MAX : 0 };
	struct part *longest = NULL;
	int status;

	splitter->slice_ns = span.to_ns - span.from_ns;
	splitter->is_rcu_known = false;
	status = split_spans(splitter, thread, &span, 1, follow, out);
	if (splitter->is_limited || !splitter->history->has_states || status < 0)
		return status;
	for (size_t i = 0; i < out->nr_parts; i++) {
		struct part *part = &out->parts[i];

		if (part->key.kind == PART_RUNNABLE && part->key.tid > 0 &&
		    (!longest || part->total_ns > longest->total_ns))
			longest = part;
	}
	if (longest)
		part_find_idle(splitter, longest);
	split_find_companion(splitter, thread, span, out);
	return 0;
}
