// SPDX-License-Identifier: GPL-2.0-only
/* What another thread did meanwhile that explains a slice. */
#include "analysis/internal.h"

/** TOGETHER_NS - limit of the time between the ends of waits for the same thing */
#define TOGETHER_NS 1000000

/** struct companion_search - what another thread than @own has to do in a time */
struct companion_search {
	const struct thread_history *own;
	const struct split *split; /* of the slice */
	struct span span;
	int cpu;	    /* it waits for this CPU; or -1 */
	bool is_of_process; /* it is of the same process, and waits for any CPU */
	/* It waits in a futex until this thread, before own does, and ends another wait of own; or
	 * -1: it is in a call that flushes. */
	int waker;
};

/* The CPU for which a runnable thread waits. */
static int segment_wanted_cpu(const struct segment *at)
{
	return at->cpu >= 0 ? at->cpu : at->next_cpu;
}

static bool companion_is(const struct splitter *splitter, const struct companion_search *search,
			 const struct segment *at)
{
	const struct text label = name_table_text(splitter->names, at->label);

	if (search->cpu >= 0 || search->is_of_process)
		return at->state == THREAD_RUNNABLE &&
		       (search->is_of_process || segment_wanted_cpu(at) == search->cpu);
	if (!name_table_get(splitter->names, at->label)->is_call)
		return false;
	if (search->waker < 0)
		return call_flushes(label);
	return call_is_futex(label) && at->state == THREAD_BLOCKED &&
	       at->context == CONTEXT_THREAD && at->tid == search->waker &&
	       at->from_ns < search->span.from_ns && at->to_ns <= search->span.to_ns &&
	       at->to_ns >= search->span.to_ns - TOGETHER_NS;
}

/* Whether a thread may be the one: one that waited for the same thread wakes the own one later. */
static bool companion_may_be(const struct splitter *splitter, const struct companion_search *search,
			     const struct thread_history *other)
{
	bool may_be = search->waker < 0;

	for (size_t i = 0; !may_be && i < search->split->nr_parts; i++) {
		const struct part *part = &search->split->parts[i];

		may_be = part->key.kind == PART_BLOCKED && part->key.is_woken &&
			 part->key.context == CONTEXT_THREAD && part->key.tid == other->tid &&
			 part->longest_at_ns >= search->span.to_ns &&
			 call_is_futex(name_table_text(splitter->names, part->key.label));
	}
	if (search->is_of_process && (search->own->tgid <= 0 || other->tgid != search->own->tgid))
		return false;
	return may_be && other != search->own && other->tid > 0;
}

/* For how long that is true of a thread; returns the middle of the longest such time. */
static int64_t companion_measure(struct splitter *splitter, const struct companion_search *search,
				 struct thread_history *other, struct companion *one)
{
	bool is_of_cpu = search->cpu >= 0 || search->is_of_process;
	int64_t time_ns = search->span.to_ns, longest_ns = 0, middle_ns = time_ns;

	while (time_ns > search->span.from_ns) {
		const struct segment *at = line_seek(splitter->history, &other->open,
						     &other->cursor, splitter->walk, time_ns);
		int64_t from_ns = at ? time_within(search->span, at->from_ns)
				     : search->span.from_ns;
		int64_t ns = time_ns - from_ns;

		splitter->nr_steps -= SPLITTER_VISIT;
		time_ns = from_ns;
		if (!at || !companion_is(splitter, search, at))
			continue;
		one->ns += ns;
		one->label = is_of_cpu ? NAMES_NONE : at->label;
		one->prio = prio_kept(at->prio);
		if (ns <= longest_ns)
			continue;
		longest_ns = ns;
		middle_ns = from_ns + ns / 2;
		one->cpu = is_of_cpu ? segment_wanted_cpu(at) : -1;
	}
	return middle_ns;
}

/* The thread for which that is true longest in a time, if this is most of it. */
static void companion_find(struct splitter *splitter, const struct companion_search *search,
			   struct companion *out)
{
	const struct span span = search->span;
	const struct segment *on_cpu;
	struct thread_history *other;
	int64_t at_ns = span.to_ns;

	splitter->walk++;
	map_for_each(&splitter->history->threads, other) {
		struct companion one = { .tid = other->tid,
					 .name = other->comm,
					 .cpu = search->cpu,
					 .behind = search->own->tid,
					 .behind_name = search->own->comm,
					 .behind_prio = search->own->prio,
					 .waker = search->waker };
		int64_t middle_ns;

		splitter->nr_steps -= SPLITTER_VISIT;
		if (!companion_may_be(splitter, search, other))
			continue;
		middle_ns = companion_measure(splitter, search, other, &one);
		if (one.ns <= (span.to_ns - span.from_ns) / 2 || one.ns < out->ns ||
		    (one.ns == out->ns && one.tid >= out->tid))
			continue;
		*out = one;
		at_ns = middle_ns;
	}
	if (search->waker > 0)
		out->waker_name = history_thread_name(splitter->history, search->waker, -1);
	on_cpu = search->is_of_process && out->tid > 0
			 ? splitter_seek_cpu(splitter, out->cpu, at_ns)
			 : NULL;
	if (on_cpu && on_cpu->tid > 0) {
		out->behind = on_cpu->tid;
		out->behind_name = history_thread_name(splitter->history, on_cpu->tid, -1);
		out->behind_prio = prio_kept(on_cpu->prio);
	}
}

/** YIELDS_MIN - a thread that yields as often in a slice waits for another one */
#define YIELDS_MIN 8

bool split_spins(const struct split *split, const struct name_table *names)
{
	uint64_t nr_yields = 0;

	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];

		if (part->key.kind == PART_RUNNING &&
		    name_table_get(names, part->key.label)->is_call &&
		    text_equals(name_table_text(names, part->key.label), text_of("sched_yield")))
			nr_yields += part->count;
	}
	return nr_yields >= YIELDS_MIN;
}

/*
 * A real-time thread that yields may wait for one which it keeps from its CPU; any that yields
 * often, for one of its process. One that waits for a disk waits for what others write, too; a
 * reader may wait for a writer that waits for readers. A time at which a sleep ends may be
 * that of a clock which is set meanwhile.
 */
void split_find_companion(struct splitter *splitter, const struct thread_history *thread,
			  struct span span, struct split *split)
{
	struct companion_search search = {
		.own = thread, .split = split, .span = span, .cpu = -1, .waker = -1
	};
	const struct part *running = NULL, *blocked = NULL;
	int64_t running_ns = 0;
	struct text label;
	bool yields;

	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];

		if (part->key.kind == PART_RUNNING) {
			running_ns += part->total_ns;
			running = !running || part->total_ns > running->total_ns ? part : running;
		} else if (part->key.kind == PART_BLOCKED && part->total_ns > split->total_ns / 2) {
			blocked = part;
		}
	}
	yields = running && name_table_get(splitter->names, running->key.label)->is_call &&
		 text_equals(name_table_text(splitter->names, running->key.label),
			     text_of("sched_yield"));
	if (yields && running_ns > split->total_ns / 2 && thread->prio >= 0 &&
	    thread->prio <= PRIO_REALTIME_MAX) {
		search.cpu = running->key.cpu;
		companion_find(splitter, &search, &split->companion);
	} else if (!blocked && split_spins(split, splitter->names)) {
		search.is_of_process = true;
		companion_find(splitter, &search, &split->companion);
	}
	if (!blocked || !name_table_get(splitter->names, blocked->key.label)->is_call)
		return;
	label = name_table_text(splitter->names, blocked->key.label);
	if (part_is_timeout(splitter->names, &blocked->key) &&
	    (call_is_futex(label) || text_equals(label, text_of("clock_nanosleep"))) &&
	    splitter->clock_ns > blocked->longest_at_ns &&
	    splitter->clock_ns - blocked->longest_at_ns < blocked->longest_ns) {
		split->companion = (struct companion){
			.tid = splitter->clock_tid,
			.name = history_thread_name(splitter->history, splitter->clock_tid, -1),
			.label = splitter->clock_call,
			.cpu = -1,
		};
		return;
	}
	if (call_is_futex(label) && blocked->key.is_woken &&
	    blocked->key.context == CONTEXT_THREAD && blocked->key.tid > 0) {
		search.waker = blocked->key.tid;
		search.span = (struct span){ blocked->longest_at_ns,
					     blocked->longest_at_ns + blocked->longest_ns };
		companion_find(splitter, &search, &split->companion);
	} else if (call_flushes(label)) {
		companion_find(splitter, &search, &split->companion);
	}
}
