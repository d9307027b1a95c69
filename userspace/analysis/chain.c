// SPDX-License-Identifier: GPL-2.0-only
/* Splits the time of an asynchronous slice along the wake-ups that led to its end. */
#include "analysis/walk.h"

/** CHAIN_JUMPS_MAX - limit of wake-ups that are followed without any time between them */
#define CHAIN_JUMPS_MAX 8

/** CHAIN_RAISE_NS - limit of the time between a hard interrupt and the soft one that it raised */
#define CHAIN_RAISE_NS 100000

/** CHAIN_OPERATIONS_MAX - limit of operations that are followed, such as timers that arm themselves
 */
#define CHAIN_OPERATIONS_MAX 8

/**
 * struct chain - a chain of wake-ups that is followed backwards
 * @names: of interrupts
 * @span: the time that is not attributed yet
 * @nr_jumps: wake-ups since the last time that was attributed
 * @nr_operations: number of operations that were followed
 */
struct chain {
	struct walk walk;
	const struct name_table *names;
	struct span span;
	unsigned int nr_jumps;
	unsigned int nr_operations;
};

/**
 * struct chain_cause - an interrupt that led to what follows it
 * @on_cpu: its segment; NULL if it was not recorded
 * @operation: number of the operation that ended in it, 0 for none
 */
struct chain_cause {
	const struct segment *on_cpu;
	uint32_t operation;
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

/* The wait for an operation, from its begin or until it is due; before that, the one that began it.
 */
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

		walk_late(&chain->walk, cpu, (struct span){ due_ns, span->to_ns });
		span->to_ns = due_ns;
	}
	if (operation->begin_ns < span->to_ns) {
		int64_t begin_ns = time_within(*span, operation->begin_ns);

		split_add(chain->walk.out, &key, (struct span){ begin_ns, span->to_ns });
		span->to_ns = begin_ns;
	}
	chain_start(chain, issuer);
}

/* The time before an interrupt: the operation that ended in it, or the wait for it. */
static void chain_before(struct chain *chain, const struct chain_cause *cause, int cpu)
{
	const struct operation *operation = history_operation(chain->walk.splitter->history,
							      cause->operation);

	if (operation && chain->nr_operations++ < CHAIN_OPERATIONS_MAX)
		chain_operation(chain, operation, cpu, cause->on_cpu->interrupt);
	else
		chain_wait(chain, cause->on_cpu);
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

/* The interrupt of a device is a better reason than what it leads to. */
static bool interrupt_is_device(struct chain *chain, const struct segment *segment)
{
	return text_begins(name_table_text(chain->names, segment->interrupt), text_of("IRQ "));
}

/* An interrupt of a CPU, those that it interrupted, and the hard one that raised a soft one. */
static void chain_interrupt(struct chain *chain, int cpu)
{
	struct chain_cause cause = { 0 };

	while (chain->span.from_ns < chain->span.to_ns) {
		const struct segment *at = walk_seek_cpu(chain->walk.splitter, cpu,
							 chain->span.to_ns);
		const struct segment *hard;
		int64_t from_ns;

		if (!at || at->context == CONTEXT_THREAD)
			break;
		if (!cause.on_cpu || interrupt_is_device(chain, at)) {
			cause.on_cpu = at;
			cause.operation = at->operation ? at->operation : cause.operation;
		}
		hard = chain_hard_before(chain, at);
		from_ns = hard ? hard->to_ns : at->from_ns;
		chain_add(chain, at->context == CONTEXT_HARD ? PART_HARD : PART_SOFT, at,
			  from_ns > chain->span.from_ns ? from_ns : chain->span.from_ns);
	}
	chain_before(chain, &cause, cpu);
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

int split_operation(struct splitter *splitter, uint32_t number, int cpu, struct span span,
		    struct split *out)
{
	struct chain chain = chain_new(splitter, span, out);

	chain_operation(&chain, history_operation(splitter->history, number), cpu, NAMES_NONE);
	return chain_finish(&chain);
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
