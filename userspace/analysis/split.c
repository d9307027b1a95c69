// SPDX-License-Identifier: GPL-2.0-only
/* Splits spans of time of threads into parts. */
#include "analysis/internal.h"

#include <stdlib.h>

/* Most keys differ in their first words. */
static struct part *split_find(struct split *split, const struct part_key *key)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part_key *other = &split->parts[i].key;

		if (other->kind == key->kind && other->label == key->label &&
		    other->interrupt == key->interrupt && memcmp(other, key, sizeof(*key)) == 0)
			return &split->parts[i];
	}
	return NULL;
}

/* The part of a key; NULL if memory ran out. */
static struct part *split_get(struct split *split, const struct part_key *key)
{
	const struct part_key merged = { .kind = key->kind,
					 .reason = key->reason,
					 .cpu = -1,
					 .tid = -1,
					 .owner = -1,
					 .name = NAMES_OTHER };
	struct part *part = split_find(split, key);

	/* Beyond the limit parts are merged by kind. */
	if (!part && split->nr_parts >= SPLIT_PARTS_MAX) {
		key = &merged;
		part = split_find(split, key);
	}
	if (part)
		return part;
	if (!array_double(split->parts, split->nr_parts, split->capacity)) {
		split->failed = true;
		return NULL;
	}
	part = &split->parts[split->nr_parts++];
	*part = (struct part){ .key = *key };
	return part;
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

static int part_compare(const void *a, const void *b)
{
	const struct part *first = a, *second = b;

	if (first->total_ns != second->total_ns)
		return first->total_ns > second->total_ns ? -1 : 1;
	return memcmp(&first->key, &second->key, sizeof(first->key));
}

void split_sort(struct split *split)
{
	if (split->nr_parts > 1)
		qsort(split->parts, split->nr_parts, sizeof(*split->parts), part_compare);
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			split_sort(split->parts[i].waker);
	}
}

void split_clear(struct split *split)
{
	split->nr_parts = 0;
	split->total_ns = 0;
	split->failed = false;
}

void split_release(struct split *split)
{
	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			split_release(split->parts[i].waker);
		free(split->parts[i].waker);
	}
	free(split->parts);
	*split = (struct split){ 0 };
}

/* Attributes segments of a thread: to interrupts, to threads that run instead, to wakers. */

static uint32_t walk_thread_name(const struct history *history, int tid, int cpu)
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

	if (!splitter->is_limited)
		return true;
	if (splitter->nr_steps == 0) {
		walk_undecided(walk, UNDECIDED_LIMIT, span);
		return false;
	}
	splitter->nr_steps--;
	return true;
}

/* The thread's segment just before @time_ns; NULL if it is unknown. */
static const struct segment *walk_seek(struct walk *walk, int64_t time_ns)
{
	struct thread_history *thread = walk->thread;

	return line_seek(walk->splitter->history, &thread->open, &thread->cursor,
			 walk->splitter->walk, time_ns);
}

/* A CPU's segment just before @time_ns; NULL if it is unknown. */
static const struct segment *walk_seek_cpu(struct splitter *splitter, int cpu, int64_t time_ns)
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

/* What used the CPU instead, while the thread was runnable or an operation was late. */
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

/* Attributes a time by the segments of a CPU in it, the latest first, if there are any. */
static void walk_cpu(struct walk *walk, enum part_kind kind, const struct segment *segment, int cpu,
		     struct span span)
{
	while (span.from_ns < span.to_ns && walk_step(walk, span)) {
		const struct segment *on_cpu = walk_seek_cpu(walk->splitter, cpu, span.to_ns);
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
		walk_cpu(walk, PART_RUNNING, segment, segment->cpu, span);
		break;
	case THREAD_RUNNABLE:
		walk_cpu(walk, PART_RUNNABLE, segment,
			 segment->cpu >= 0 ? segment->cpu : segment->next_cpu, span);
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

/** CHAIN_RAISE_NS - limit of the time between a hard interrupt and the soft one that it raised */
#define CHAIN_RAISE_NS 100000

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

/** struct chain_cause - an interrupt that led to what follows it */
struct chain_cause {
	const struct segment *on_cpu; /* its segment; NULL if it was not recorded */
	uint32_t operation;	      /* number of the operation that ended in it, 0 for none */
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

static int64_t time_within(struct span span, int64_t time_ns)
{
	return time_ns > span.from_ns ? time_ns : span.from_ns;
}

static void chain_start(struct chain *chain, const struct waker *writer);

/* The wait for an operation, from its begin or until it is due; before that, who began it. */
static void chain_operation(struct chain *chain, const struct operation *operation, int cpu,
			    uint32_t interrupt)
{
	const struct waker *issuer = &operation->writer;
	bool is_thread = issuer->context == CONTEXT_THREAD;
	struct part_key key = { .kind = PART_WAITING,
				.cpu = -1,
				.tid = is_thread ? issuer->tid : -1,
				.owner = -1,
				.interrupt = interrupt,
				.label = is_thread ? NAMES_NONE : issuer->interrupt,
				.object = operation->name };
	struct span *span = &chain->span;

	chain->walk.owner = -1;
	chain->walk.owner_name = NAMES_NONE;
	if (key.tid > 0)
		key.name = walk_thread_name(chain->walk.splitter->history, key.tid, issuer->cpu);
	if (operation->due_ns < span->to_ns) {
		int64_t due_ns = time_within(*span, operation->due_ns);

		/* Attribute a time in which a CPU did something else than to end an operation. */
		walk_cpu(&chain->walk, PART_LATE, &(struct segment){ 0 }, cpu,
			 (struct span){ due_ns, span->to_ns });
		span->to_ns = due_ns;
	}
	if (operation->begin_ns < span->to_ns) {
		int64_t begin_ns = time_within(*span, operation->begin_ns);

		split_add(chain->walk.out, &key, (struct span){ begin_ns, span->to_ns });
		span->to_ns = begin_ns;
	}
	chain_start(chain, issuer);
}

/* The time between a hard interrupt and the soft one that it raised belongs to the latter. */
static const struct segment *chain_hard_before(struct chain *chain, const struct segment *soft)
{
	const struct history *history = chain->walk.splitter->history;
	const struct segment *between = segment_before(history, soft);
	const struct segment *hard = between ? segment_before(history, between) : NULL;

	if (!hard || soft->context != CONTEXT_SOFT || between->context != CONTEXT_THREAD ||
	    hard->context != CONTEXT_HARD || hard->tid != soft->tid ||
	    between->to_ns - between->from_ns > CHAIN_RAISE_NS)
		return NULL;
	return hard;
}

/* An interrupt of a CPU, those that it interrupted, and the hard one that raised a soft one. */
static void chain_interrupt(struct chain *chain, int cpu)
{
	struct chain_cause cause = { 0 };
	const struct operation *operation;

	while (chain->span.from_ns < chain->span.to_ns) {
		const struct segment *at = walk_seek_cpu(chain->walk.splitter, cpu,
							 chain->span.to_ns);
		const struct segment *hard;
		int64_t from_ns;

		if (!at || at->context == CONTEXT_THREAD)
			break;
		/* The interrupt of a device is a better reason than what it leads to. */
		if (!cause.on_cpu ||
		    text_begins(name_table_text(chain->names, at->interrupt), text_of("IRQ "))) {
			cause.on_cpu = at;
			cause.operation = at->operation ? at->operation : cause.operation;
		}
		hard = chain_hard_before(chain, at);
		from_ns = hard ? hard->to_ns : at->from_ns;
		chain_add(chain, at->context == CONTEXT_HARD ? PART_HARD : PART_SOFT, at,
			  from_ns > chain->span.from_ns ? from_ns : chain->span.from_ns);
	}
	operation = history_operation(chain->walk.splitter->history, cause.operation);
	/* The time before an interrupt: the operation that ended in it, or the wait for it. */
	if (operation && chain->nr_operations++ < CHAIN_OPERATIONS_MAX)
		chain_operation(chain, operation, cpu, cause.on_cpu->interrupt);
	else
		chain_wait(chain, cause.on_cpu);
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
	if (segment->context != CONTEXT_THREAD) {
		chain_interrupt(chain, segment->next_cpu);
		return true;
	}
	return chain->nr_jumps++ < CHAIN_JUMPS_MAX && segment->tid > 0 &&
	       chain_enter(chain, segment->tid, segment->next_cpu);
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
		chain_interrupt(chain, writer->cpu);
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

static int split_spans(struct splitter *splitter, struct thread_history *thread,
		       const struct span *spans, size_t nr_spans, unsigned int depth,
		       struct split *out);

/* Splits the time of what one part waited for: of its operations, or of its waker. */
static int part_follow(const struct walk *walk, struct part *part, unsigned int depth)
{
	struct splitter *splitter = walk->splitter;
	struct span *spans = malloc(part->count * sizeof(*spans));
	size_t nr_spans = 0;
	int status = 0;

	part->waker = calloc(1, sizeof(*part->waker));
	if (!part->waker || !spans)
		status = -1;
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
				     spans, nr_spans, depth, part->waker);
	free(spans);
	return status;
}

static int split_follow(struct walk *walk, unsigned int depth)
{
	struct split *split = walk->out;
	unsigned int nr_followed = 0;

	split_sort(split);
	for (size_t i = 0; i < split->nr_parts && nr_followed < FOLLOWED_MAX; i++) {
		const struct part_key *key = &split->parts[i].key;

		if ((key->kind != PART_BLOCKED && key->kind != PART_STOPPED) || !key->is_woken)
			continue;
		if (key->object == NAMES_NONE &&
		    (key->context != CONTEXT_THREAD || key->tid <= 0 ||
		     !history_thread(walk->splitter->history, key->tid, -1)))
			continue;
		nr_followed++;
		if (part_follow(walk, &split->parts[i], depth - 1) < 0)
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
