// SPDX-License-Identifier: GPL-2.0-only
/* Prints the answer of ktrack why as text, and its words, which JSON has, too. */
#include "analysis/internal.h"

#include <stdio.h>
#include <stdlib.h>

static void append_known_name(struct buffer *out, const struct name_table *names, uint32_t number)
{
	const struct text name = name_table_text(names, number);

	buffer_append(out, name.data, name.size);
}

static void append_thread(struct buffer *out, const struct name_table *names, uint32_t name,
			  int tid)
{
	append_known_name(out, names, name);
	if (tid >= 0)
		buffer_printf(out, name == NAMES_NONE ? "tid %d" : " (%d)", tid);
	else if (name == NAMES_NONE)
		buffer_append_string(out, "a thread");
}

/* Parts of splits as text. */

static const char *const kind_words[] = {
	[PART_RUNNING] = "running", [PART_RUNNABLE] = "runnable",   [PART_BLOCKED] = "blocked",
	[PART_STOPPED] = "stopped", [PART_HARD] = "hard interrupt", [PART_SOFT] = "soft interrupt",
	[PART_WAITING] = "waiting", [PART_LATE] = "late",	    [PART_UNDECIDED] = "undecided",
	[PART_STAGE] = "stage",
};

static void append_cpu(struct buffer *out, const struct part_key *key)
{
	if (key->cpu >= 0)
		buffer_printf(out, " on CPU %d", key->cpu);
}

static void part_append_label(struct buffer *out, const struct name_table *names,
			      const struct part_key *key)
{
	if (key->label == NAMES_NONE || (key->kind == PART_BLOCKED && key->reason == BLOCKED_HERE))
		return;
	buffer_append_string(out, " in ");
	append_known_name(out, names, key->label);
}

static void append_interrupt(struct buffer *out, const struct name_table *names,
			     const struct part_key *key)
{
	if (key->interrupt == NAMES_NONE) {
		buffer_append_string(out, "an interrupt that was not recorded");
		return;
	}
	if (key->kind != PART_HARD && key->kind != PART_SOFT)
		buffer_append_string(out, key->context == CONTEXT_SOFT ? "soft interrupt "
								       : "hard interrupt ");
	append_known_name(out, names, key->interrupt);
}

static void append_priority(struct buffer *out, int prio)
{
	if (prio < 0)
		buffer_append_string(out, "deadline scheduling");
	else if (prio <= PRIO_REALTIME_MAX)
		buffer_printf(out, "real-time priority %d", PRIO_REALTIME_MAX - prio);
	else
		buffer_printf(out, "nice %d", prio - PRIO_NORMAL);
}

/* Why the scheduler preferred the other thread. */
static void append_priorities(struct buffer *out, const struct part_key *key)
{
	if (!part_has_priorities(key))
		return;
	buffer_append_string(out, ", ");
	if (key->prio == key->own_prio) {
		buffer_append_string(out, "same priority");
		return;
	}
	append_priority(out, key->prio);
	buffer_append_string(out, " against ");
	append_priority(out, key->own_prio);
}

/* Why a runnable thread did not run, or an operation was late. */
static const char *const runnable_words[] = {
	[RUNNABLE_THROTTLED] = "its cgroup's CPU limit (cpu.max) throttled the thread",
	[RUNNABLE_TAKEN] =
		"the thread was taken off the CPU: its cgroup was throttled, the CPU was "
		"forbidden, or the deadline server displaced it",
	[RUNNABLE_MOVED] = "the thread was moved to another CPU",
	[RUNNABLE_RT_THROTTLED] = "real-time throttling (kernel.sched_rt_runtime_us)",
	[RUNNABLE_DEADLINE] = "the thread had used, or yielded, its deadline runtime",
	[RUNNABLE_SERVED] =
		"real-time throttling, or since Linux 6.12 the fair server, took the CPU",
	[RUNNABLE_RT_SERVED] = "real-time throttling (kernel.sched_rt_runtime_us) gave "
			       "that thread the CPU",
	[RUNNABLE_FAIR_SERVED] = "the fair server gave that thread the CPU",
	[RUNNABLE_LIGHT] = "the thread has less weight (SCHED_IDLE, or cpu.weight of a cgroup)",
	[RUNNABLE_KERNEL] = "in the kernel, or the CPU's interrupt came late",
	[RUNNABLE_INVERSION] = "priority inversion",
};

/* Timers of the wheel have no slack, but its steps. */
static const char *slack_words(const struct name_table *names, const struct part_key *key)
{
	return text_begins(name_table_text(names, key->object), text_of("timer "))
		       ? "steps of the timer wheel"
		       : "timer slack";
}

static void append_runnable_reason(struct buffer *out, const struct part_key *key)
{
	if (key->kind == PART_RUNNABLE && runnable_words[key->reason])
		buffer_printf(out, ": %s", runnable_words[key->reason]);
}

static void append_other(struct buffer *out, const struct name_table *names,
			 const struct part_key *key)
{
	if (key->kind == PART_LATE && key->object != NAMES_NONE) {
		buffer_append_char(out, ' ');
		append_known_name(out, names, key->object);
	}
	if (key->kind == PART_LATE && key->reason == LATE_SLACK) {
		buffer_printf(out, ": %s", slack_words(names, key));
		return;
	}
	append_cpu(out, key);
	part_append_label(out, names, key);
	if (key->context != CONTEXT_THREAD) {
		buffer_append_string(out, " behind ");
		append_interrupt(out, names, key);
	} else if (key->tid == 0) {
		buffer_append_string(out, ", the CPU is idle");
	} else if (key->tid > 0 || key->name != NAMES_NONE) {
		buffer_append_string(out, " behind ");
		append_thread(out, names, key->name, key->tid);
		append_priorities(out, key);
	}
	append_runnable_reason(out, key);
}

static void append_blocked(struct buffer *out, const struct name_table *names,
			   const struct part_key *key)
{
	const char *wait = part_find_wait(names, key);
	const struct text by = name_table_text(names, key->interrupt);
	const struct text label = name_table_text(names, key->label);
	const char *meaning =
		key->context == CONTEXT_SOFT ? interrupt_find_meaning(by, label) : NULL;
	bool is_room = part_waits_for_room(names, key);

	if (key->state != NAMES_NONE)
		buffer_printf(out, " (%s)", name_table_get(names, key->state)->text);
	part_append_label(out, names, key);
	if (wait)
		buffer_printf(out, " waiting for %s", wait);
	if (key->instant != NAMES_NONE) {
		buffer_append_string(out, " after ");
		append_known_name(out, names, key->instant);
	}
	/* The name of a timer is that of its interrupt. */
	if (key->object != NAMES_NONE && key->object != key->interrupt) {
		const struct text object = name_table_text(names, key->object);

		buffer_printf(out, " until %s",
			      text_begins(object, text_of("signal ")) ? "" : "the end of ");
		append_known_name(out, names, key->object);
	}
	if (!key->is_woken) {
		buffer_append_string(out,
				     key->name == NAMES_OTHER ? "" : ", its end is not recorded");
		return;
	}
	if (is_room && key->context == CONTEXT_THREAD) {
		buffer_append_string(out, key->is_probable ? ", probably until " : ", until ");
		append_thread(out, names, key->name, key->tid);
		buffer_append_string(out, " reads");
		return;
	}
	buffer_append_string(out, key->kind == PART_STOPPED ? ", continued " : ", woken ");
	if (key->context == CONTEXT_THREAD && key->tid < 0 && key->name == NAMES_NONE) {
		buffer_append_string(out, "(not recorded by whom)");
	} else if (key->context != CONTEXT_THREAD) {
		buffer_append_string(out, "by ");
		append_interrupt(out, names, key);
	} else {
		buffer_append_string(out, key->is_probable ? "probably by " : "by ");
		append_thread(out, names, key->name, key->tid);
	}
	if (key->context == CONTEXT_THREAD && key->interrupt != NAMES_NONE) {
		buffer_append_string(out, " in ");
		append_known_name(out, names, key->interrupt);
	}
	if (key->via != NAMES_NONE) {
		buffer_append_string(out, ", in soft interrupt ");
		append_known_name(out, names, key->via);
	}
	/* Who armed the timer. */
	if (key->context != CONTEXT_THREAD && key->tid > 0) {
		buffer_append_string(out,
				     key->is_probable ? ", armed probably by " : ", armed by ");
		append_thread(out, names, key->name, key->tid);
	}
	if (is_room)
		buffer_append_string(out, ": an ACK of its peer, which has not read yet");
	else if (meaning)
		buffer_printf(out, ": %s", meaning);
	if (part_is_timeout(names, key))
		buffer_append_string(out, ": its timeout expired");
}

static void append_waiting(struct buffer *out, const struct name_table *names,
			   const struct part_key *key)
{
	const struct text object = name_table_text(names, key->object);
	bool is_timer = memmem(object.data, object.size, "timer ", 6);
	const char *meaning = interrupt_find_meaning(object, (struct text){ 0 });

	buffer_append_string(out, " for ");
	if (key->object == NAMES_NONE) {
		append_interrupt(out, names, key);
		append_cpu(out, key);
		return;
	}
	append_known_name(out, names, key->object);
	/* Who began the operation, if that is known. */
	if (key->tid <= 0 && key->name == NAMES_NONE && key->label == NAMES_NONE)
		return;
	buffer_append_string(out, is_timer ? ", armed" : ", issued");
	buffer_append_string(out, key->is_probable ? " probably by " : " by ");
	if (key->label == NAMES_NONE)
		append_thread(out, names, key->name, key->tid);
	else
		buffer_printf(out, "interrupt %s", name_table_get(names, key->label)->text);
	if (key->via != NAMES_NONE)
		buffer_printf(out, ", beside requests of %s",
			      name_table_get(names, key->via)->text);
	if (meaning)
		buffer_printf(out, ": %s", meaning);
}

static void append_stage(struct buffer *out, const struct name_table *names,
			 const struct part_key *key)
{
	if (key->context == STAGE_SLICE) {
		buffer_append_char(out, ' ');
		append_known_name(out, names, key->label);
		return;
	}
	if (key->label != NAMES_NONE) {
		buffer_append_char(out, ' ');
		append_known_name(out, names, key->label);
	}
	buffer_append_string(out, key->object != NAMES_NONE ? " -> " : " -> end");
	append_known_name(out, names, key->object);
	if (key->context == STAGE_QUEUED)
		buffer_append_string(out, ", queued");
}

static const char *const reason_words[] = {
	[UNDECIDED_NO_SCHED] = "the scheduler recorded nothing before",
	[UNDECIDED_NO_STATES] = "the scheduler recorded nothing",
	[UNDECIDED_LOSS] = "records were lost",
	[UNDECIDED_UNSEEN] = "before the thread's first record",
	[UNDECIDED_HISTORY] = "older than the records that are kept in memory",
	[UNDECIDED_ABSENT] = "the thread did not exist",
	[UNDECIDED_NO_END] = "no end was recorded",
	[UNDECIDED_LIMIT] = "too many slices overlap",
	[UNDECIDED_BEFORE] = "before the cut",
	[UNDECIDED_BEHIND] = "behind the cut",
	[UNDECIDED_NOT_FOLLOWED] = "not followed",
};

const char *part_kind_word(const struct part_key *key)
{
	return kind_words[key->kind];
}

const char *part_find_reason(const struct name_table *names, const struct part *part)
{
	const struct part_key *key = &part->key;

	if (key->kind == PART_UNDECIDED && !part->is_rest)
		return reason_words[key->reason];
	if (key->kind == PART_RUNNABLE)
		return runnable_words[key->reason];
	return key->kind == PART_LATE && key->reason == LATE_SLACK ? slack_words(names, key) : NULL;
}

void part_append_text(struct buffer *out, const struct name_table *names,
		      const struct part_key *key)
{
	if (key->owner > 0 || key->owner_name != NAMES_NONE) {
		append_thread(out, names, key->owner_name, key->owner);
		buffer_append_string(out, ": ");
	}
	if (key->kind == PART_UNDECIDED && key->reason == UNDECIDED_NO_STATES) {
		buffer_append_string(out, "running or waiting");
		part_append_label(out, names, key);
		return;
	}
	buffer_append_string(out, kind_words[key->kind]);
	switch (key->kind) {
	case PART_RUNNING:
		append_cpu(out, key);
		part_append_label(out, names, key);
		if (name_table_get(names, key->label)->is_spin)
			buffer_append_string(out, ", spinning until it is unlocked");
		if (key->instant != NAMES_NONE) {
			buffer_append_string(out, " with ");
			append_known_name(out, names, key->instant);
		}
		break;
	case PART_RUNNABLE:
	case PART_LATE:
		append_other(out, names, key);
		break;
	case PART_BLOCKED:
	case PART_STOPPED:
		append_blocked(out, names, key);
		break;
	case PART_WAITING:
		append_waiting(out, names, key);
		break;
	case PART_UNDECIDED:
		buffer_printf(out, ": %s", reason_words[key->reason]);
		break;
	case PART_STAGE:
		append_stage(out, names, key);
		break;
	default:
		buffer_append_char(out, ' ');
		append_interrupt(out, names, key);
		append_cpu(out, key);
		break;
	}
}

/* The same of a part of @slice, in which it is without mention; or NULL. */
static void part_append_text_of(struct buffer *out, const struct name_table *names,
				const struct part_key *key, const struct why_slice *slice)
{
	struct part_key own = *key;

	if (slice && key->kind != PART_WAITING && key->kind != PART_STAGE &&
	    key->label == slice->name) {
		/* What blocked parts wait for depends on it. */
		if (key->kind == PART_BLOCKED)
			own.reason = BLOCKED_HERE;
		else
			own.label = NAMES_NONE;
	}
	part_append_text(out, names, &own);
}

/* What the threads have in common that a part sums up. */
static void append_family(struct buffer *out, const struct name_table *names,
			  const struct part *part)
{
	if (part->family_kind == FAMILY_NONE)
		return;
	buffer_append_string(out, part->family_kind == FAMILY_PROCESS  ? " of "
				  : part->family_kind == FAMILY_PARENT ? ", children of "
								       : " of cgroup ");
	if (part->family_kind == FAMILY_CGROUP)
		append_known_name(out, names, part->family);
	else
		append_thread(out, names, part->family, part->family_id);
}

/* A part as text, also one that sums up others. */
void append_sum_text(struct buffer *out, const struct name_table *names, const struct part *part,
		     const struct why_slice *slice)
{
	if (part->is_rest) {
		buffer_append_count(out, part->nr_members, "smaller part");
		buffer_printf(out, ": %s", kind_words[part->key.kind]);
		return;
	}
	part_append_text_of(out, names, &part->key, slice);
	if (part->nr_members < 2)
		return;
	buffer_append_string(out, part->is_at_least ? " (at least " : " (");
	if (part->key.tid < 0 && part->nr_threads > 1) {
		buffer_append_count(out, part->nr_threads, "thread");
		append_family(out, names, part);
	} else {
		buffer_append_count(out, part->nr_members, "part");
	}
	buffer_append_char(out, ')');
}

/* A thread or an operation that is waited for. */
static void append_waited(struct buffer *out, const struct name_table *names,
			  const struct part *wait)
{
	if (wait->key.kind == PART_STAGE)
		part_append_text(out, names, &wait->key);
	else if (wait->key.object != NAMES_NONE)
		append_known_name(out, names, wait->key.object);
	else
		append_thread(out, names, wait->key.name, wait->key.tid);
}

/* The same, and what for. */
void append_path(struct buffer *out, const struct name_table *names, const struct part *wait)
{
	const char *what = part_find_wait(names, &wait->key);

	if (wait->key.kind == PART_STOPPED) {
		buffer_append_string(out, "a stop until ");
	} else if (what) {
		buffer_printf(out, "%s until ", what);
	} else if (name_table_get(names, wait->key.label)->is_call) {
		append_known_name(out, names, wait->key.label);
		buffer_append_string(out, " until ");
	}
	append_waited(out, names, wait);
	if (part_waits_for_room(names, &wait->key))
		buffer_append_string(out, " reads");
}

/** RARE_NS - of instants that are no reason for the time between them: page faults take less */
#define RARE_NS 100000

/* Whether a part of a cause is in a system call of its slice, and has no reason of its own. */
static bool cause_is_plain(const struct why_sink *why, const struct why_slice *slice,
			   const struct part *part, bool *is_call)
{
	*is_call = strcmp(slice->category, "syscalls:call") == 0 ||
		   (part->key.label != slice->name &&
		    name_table_get(&why->names, part->key.label)->is_call);
	return (uint64_t)part->total_ns >= part->nr_instants * RARE_NS &&
	       !name_table_get(&why->names, part->key.label)->is_spin;
}

/*
 * Whether a slice's thread did nothing but run, and where: NULL if it did not, or if what it ran
 * is not known.
 */
static const char *cause_is_cpu(const struct why_sink *why, const struct why_slice *slice,
				const struct cause *cause)
{
	const struct part *part = &cause->parts[0];
	const struct part_key *key = &part->key;
	int64_t same_ns = 0;
	bool is_call, is_other;

	if (slice->is_async || slice->split.companion.tid > 0 || key->kind != PART_RUNNING ||
	    key->owner >= 0 || key->owner_name != NAMES_NONE ||
	    !cause_is_plain(why, slice, part, &is_call))
		return NULL;
	for (size_t i = 0; i < cause->nr_parts; i++) {
		if (cause_is_plain(why, slice, &cause->parts[i], &is_other) && is_other == is_call)
			same_ns += cause->parts[i].total_ns;
	}
	if (same_ns < slice->split.total_ns / 10 * 9)
		return NULL;
	if (split_spins(&slice->split, &why->names))
		return "nothing waited: it spins with sched_yield until another thread goes on";
	if (is_call)
		return "nothing waited: CPU-bound in the kernel";
	if (!why->names.has_calls)
		return "nothing waited: CPU-bound";
	return why->has_memory ? "nothing wrong here: CPU-bound in user space"
			       : "nothing waited: CPU-bound, in user space or page faults";
}

/** TICK_MAX_NS - a tick takes less, unless a host or the firmware stops the CPU meanwhile */
#define TICK_MAX_NS 200000

/*
 * The number of waits that are shown: the last one is left out if it is for what the cause names
 * itself, and says no more.
 */
size_t path_size(const struct why_sink *why, const struct cause *cause)
{
	const struct part_key *key = &cause->parts[0].key;
	const struct part_key *last = cause->nr_path > 0 ? &cause->path[cause->nr_path - 1]->key
							 : NULL;

	if (!last || last->kind == PART_STAGE || part_find_wait(&why->names, last))
		return cause->nr_path;
	if (last->object != NAMES_NONE ? last->object == key->object
				       : last->tid == key->owner && last->name == key->owner_name)
		return cause->nr_path - 1;
	return cause->nr_path;
}

/* What another thread did meanwhile that explains the slice. */
static void append_companion(struct buffer *out, const struct why_sink *why,
			     const struct why_slice *slice)
{
	const struct companion *other = &slice->split.companion;

	if (other->tid == 0)
		return;
	buffer_append_string(out, "; meanwhile ");
	append_thread(out, &why->names, other->name, other->tid);
	if (other->waker > 0) {
		buffer_append_string(out, " waited for ");
		append_thread(out, &why->names, other->waker_name, other->waker);
		buffer_append_string(out, ", too, and longer");
	} else if (name_table_get(&why->names, other->label)->sets_clock) {
		buffer_append_string(out, " set the clock in ");
		append_known_name(out, &why->names, other->label);
		return;
	} else if (other->label != NAMES_NONE) {
		buffer_append_string(out, " was in ");
		append_known_name(out, &why->names, other->label);
		buffer_append_string(out, ", too");
	} else {
		const struct part_key rival = { .kind = PART_RUNNABLE,
						.tid = other->behind,
						.prio = other->behind_prio,
						.own_prio = other->prio };

		buffer_printf(out, " waited for CPU %d behind ", other->cpu);
		append_thread(out, &why->names, other->behind_name, other->behind);
		append_priorities(out, &rival);
	}
	buffer_printf(out, ": %.1f%%", 100.0 * (double)other->ns / (double)slice->split.total_ns);
}

/* The parts of a cause, with their shares if there are several, and the waits for it. */
void append_cause(struct buffer *out, const struct why_sink *why, const struct why_slice *slice,
		  const struct cause *cause)
{
	const char *cpu = cause_is_cpu(why, slice, cause);
	const struct part_key *first = &cause->parts[0].key;
	bool has_one = cause->parts[0].total_ns >= cause->total_ns / 10 * 9;

	if (cpu)
		buffer_printf(out, "%s (perf record -g -t %d); ", cpu, slice->tid);
	if (first->owner > 0 || first->owner_name != NAMES_NONE) {
		append_thread(out, &why->names, first->owner_name, first->owner);
		buffer_append_string(out, ": ");
	}
	for (size_t i = 0; i < (has_one ? 1 : cause->nr_parts); i++) {
		struct part part = cause->parts[i];
		const char *wait;

		if (i > 0 && part.total_ns < cause->total_ns / 20)
			break;
		buffer_append_string(out, i > 0 ? ", " : "");
		part.key.owner = -1;
		part.key.owner_name = NAMES_NONE;
		if (part.nr_threads < 2 && !part.is_rest)
			part.nr_members = 0;
		append_sum_text(out, &why->names, &part, slice);
		if (part.nr_instants > 0) {
			buffer_append_string(out, ", ");
			buffer_append_count(out, part.nr_instants, "time");
		}
		wait = part_find_wait(&why->names, &part.key);
		/* When it wanted to be woken, only the timer knows. */
		if (part_is_timeout(&why->names, &part.key) && part.key.object == NAMES_NONE &&
		    !why->has_timers && (!wait || text_begins(text_of(wait), text_of("a time"))))
			buffer_append_string(out, ", on time or late: not recorded (-r timers)");
		if (!has_one)
			buffer_printf(out, " %.1f%%",
				      100.0 * (double)part.total_ns /
					      (double)slice->split.total_ns);
		if (part.key.kind == PART_HARD && part.count > 0 &&
		    text_equals(name_table_text(&why->names, part.key.interrupt),
				text_of("local timer")) &&
		    part.total_ns / (int64_t)part.count > TICK_MAX_NS)
			buffer_append_string(out, " (too long for a tick: a host or firmware may "
						  "have stopped the CPU)");
	}
	for (size_t i = 0; i < path_size(why, cause); i++) {
		bool is_wait = part_find_wait(&why->names, &cause->path[0]->key);

		buffer_append_string(out, i > 0 ? " -> " : is_wait ? "; waits for " : "; through ");
		append_path(out, &why->names, cause->path[i]);
	}
	if (cause->is_first)
		append_companion(out, why, slice);
}

int slice_find_causes(struct why_sink *why, const struct why_slice *slice, struct cause *causes)
{
	/* Of single parts none stands for what they have in common. */
	int nr = why->settings->shows_all ? 0
					  : split_find_causes(&slice->split, &why->names, causes);

	why->out.failed |= nr < 0;
	return nr;
}

/* Prints splits as text, and what is not recorded. */

static void append_time_cell(struct buffer *out, int64_t ns, int width)
{
	struct buffer cell = { 0 };

	if (ns < 0)
		buffer_append_char(&cell, '-');
	buffer_append_duration(&cell, ns < 0 ? -ns : ns);
	buffer_printf(out, "%*s", width, buffer_string(&cell));
	buffer_release(&cell);
}

static void append_share(struct buffer *out, int64_t part, int64_t whole)
{
	buffer_printf(out, "  %5.1f%%", 100.0 * (double)part / (double)whole);
}

static void append_count_cell(struct buffer *out, uint64_t count, uint64_t whole)
{
	struct buffer cell = { 0 };

	buffer_append_grouped(&cell, count);
	buffer_printf(out, "%8s", buffer_string(&cell));
	append_share(out, (int64_t)count, (int64_t)whole);
	buffer_release(&cell);
}

static void append_what(struct why_sink *why, const struct part *part,
			const struct why_slice *slice)
{
	struct buffer text = { 0 };

	append_sum_text(&text, &why->names, part, slice);
	buffer_append_printable(&why->out, buffer_text(&text));
	buffer_release(&text);
}

/* The least share of the slice of parts that are shown one by one; others are summed up. */
#define SHOWN_PERMILLE 5

/** struct listing_level - a table of parts within another one */
struct listing_level {
	const struct why_slice *slice; /* the slice that is explained, NULL for parts of wakers */
	int64_t slice_ns;	       /* time of the whole slice */
	unsigned int level;	       /* 0 for the slice's own parts */
	unsigned int rows_max;	       /* the longest parts that are shown; 0 for no limit */
};

/* The longest parts of a slice, and of a waker, in an overview. */
#define OVERVIEW_PARTS 3
#define OVERVIEW_WAKER_PARTS 2

static void print_cells(struct buffer *out, const struct listing_level *level, int64_t part_ns,
			uint64_t count)
{
	append_time_cell(out, part_ns, 8);
	if (level->slice)
		append_share(out, part_ns, level->slice_ns);
	else
		buffer_append_string(out, "        ");
	buffer_printf(out, "  %5llu  %*s", (unsigned long long)count, (int)level->level * 2, "");
}

/* The outer half of a long stack is left out. */
#define SHOWN_FRAMES 8

static void print_stack(struct why_sink *why, const struct listing_level *level, uint32_t number)
{
	struct text frames = name_table_text(&why->names, number);
	struct buffer *out = &why->out;

	buffer_printf(out, "%*sat ", 25 + (int)level->level * 2, "");
	for (int i = 0; i < SHOWN_FRAMES && frames.size > 0; i++) {
		buffer_append_string(out, i > 0 ? " < " : "");
		buffer_append_printable(out, frame_take(&frames));
	}
	buffer_append_string(out, frames.size > 0 ? " < ...\n" : "\n");
}

static int64_t level_least_ns(const struct listing_level *level)
{
	return level->slice_ns * SHOWN_PERMILLE / 1000;
}

/* That a wait for an operation was nothing else needs no table; small parts alone need none. */
static bool waker_is_shown(const struct part *part, const struct listing_level *level)
{
	const struct split *split = part->waker;
	const struct part *first = split && split->nr_parts > 0 ? &split->parts[0] : NULL;

	if (!first || first->total_ns < level_least_ns(level))
		return false;
	return first->key.kind != PART_WAITING || first->key.object != part->key.object ||
	       part->total_ns - first->total_ns >= level_least_ns(level);
}

/* The records at the begin and the end of the longest time of a part. */
static void print_evidence(struct why_sink *why, const struct listing_level *level,
			   const struct part *part)
{
	struct buffer *out = &why->out;
	size_t nr;

	for (int i = 0; i < 2; i++) {
		int64_t time_ns = part->longest_at_ns + (i ? part->longest_ns : 0);
		const struct evidence_record *record = evidence_at(&why->evidence, time_ns, &nr);

		for (; nr > 0; nr--, record++) {
			buffer_printf(out, "%*s%s ", 25 + (int)level->level * 2, "",
				      i ? "until" : "from");
			buffer_append_seconds(out, time_ns, 9);
			buffer_printf(out, " CPU %d ", record->cpu);
			if (*record->buffer) {
				buffer_append_printable(out, text_of(record->buffer));
				buffer_append_char(out, ' ');
			}
			buffer_append_printable(out, text_of(record->event));
			buffer_append_char(out, '\n');
		}
	}
}

/** struct rest - parts that are not shown one by one */
struct rest {
	int64_t total_ns;
	uint64_t nr_parts;
	uint64_t nr_segments;
	int64_t kinds[PART_KIND_COUNT]; /* their times */
};

static void listing_rest_add(struct rest *rest, const struct part *part)
{
	rest->total_ns += part->total_ns;
	rest->nr_segments += part->count;
	rest->nr_parts += part->is_rest ? part->nr_members : 1;
	rest->kinds[part->key.kind] += part->total_ns;
}

static void print_rest(struct buffer *out, const struct listing_level *level,
		       const struct rest *rest)
{
	const char *separator = ": ";

	if (rest->nr_parts == 0)
		return;
	print_cells(out, level, rest->total_ns, rest->nr_segments);
	buffer_append_count(out, rest->nr_parts, "smaller part");
	for (int kind = 0; kind < PART_KIND_COUNT; kind++) {
		if (rest->kinds[kind] == 0)
			continue;
		buffer_printf(out, "%s%s", separator, kind_words[kind]);
		separator = ", ";
		if (rest->kinds[kind] == rest->total_ns)
			break;
		buffer_append_char(out, ' ');
		buffer_append_duration(out, rest->kinds[kind]);
	}
	buffer_append_char(out, '\n');
}

/* The longest parts come first. */
static void print_parts(struct why_sink *why, const struct split *split,
			const struct listing_level *level)
{
	int64_t least_ns = why->settings->shows_all ? 0 : level_least_ns(level);
	struct rest rest = { 0 };
	struct listing_level next = { .slice_ns = level->slice_ns,
				      .level = level->level + 1,
				      .rows_max = level->rows_max ? OVERVIEW_WAKER_PARTS : 0 };
	bool follows = level->rows_max == 0 || level->level == 0;

	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];

		/* A driver declares its stages to see them. */
		if (part->is_rest || (part->total_ns < least_ns && part->key.kind != PART_STAGE) ||
		    (level->rows_max > 0 && i >= level->rows_max)) {
			listing_rest_add(&rest, part);
			continue;
		}
		print_cells(&why->out, level, part->total_ns, part->count);
		append_what(why, part, level->slice);
		if (part->nr_instants > 0) {
			buffer_append_string(&why->out, ", ");
			buffer_append_count(&why->out, part->nr_instants, "time");
		}
		buffer_append_char(&why->out, '\n');
		if (part->key.stack != NAMES_NONE)
			print_stack(why, level, part->key.stack);
		print_evidence(why, level, part);
		if (part->key.kind == PART_STAGE && follows && waker_is_shown(part, level)) {
			print_parts(why, part->waker, &next);
		} else if (follows && waker_is_shown(part, level)) {
			struct buffer who = { 0 };

			append_waited(&who, &why->names, part);
			buffer_printf(&why->out, "%*s%s ", 25 + (int)level->level * 2, "",
				      part->key.object != NAMES_NONE ? "up to the end of"
								     : "meanwhile");
			buffer_append_printable(&why->out, buffer_text(&who));
			buffer_append_string(&why->out, ":\n");
			buffer_release(&who);
			print_parts(why, part->waker, &next);
		}
	}
	print_rest(&why->out, level, &rest);
}

/* The command that explains what the thread did which a chain of waits ends with. */
static void print_rest_of_chain(struct why_sink *why, const struct cause *cause)
{
	const struct part *part = &cause->parts[0];
	const struct part_key *key = &part->key;

	if (key->kind != PART_BLOCKED || !key->is_woken || key->context != CONTEXT_THREAD ||
	    key->tid <= 0)
		return;
	buffer_printf(&why->out, "the chain goes on: %s --at=",
		      why->settings->command ? why->settings->command : "ktrack why");
	buffer_append_seconds(&why->out, part->longest_at_ns + part->longest_ns / 2 - why->start_ns,
			      9);
	buffer_printf(&why->out, " 'sched:thread/*@%d'\n", key->tid);
}

/* What it comes down to, first. */
static void print_causes(struct why_sink *why, const struct why_slice *slice)
{
	struct cause causes[CAUSES_MAX];
	int nr = slice_find_causes(why, slice, causes);
	struct buffer *out = &why->out, text = { 0 };

	for (int i = 0; i < nr; i++) {
		const struct cause *cause = &causes[i];

		buffer_printf(out, "%s %.1f%%: ", i == 0 ? "mainly" : "and",
			      100.0 * (double)cause->total_ns / (double)slice->split.total_ns);
		buffer_clear(&text);
		append_cause(&text, why, slice, cause);
		buffer_append_printable(out, buffer_text(&text));
		buffer_append_char(out, '\n');
		out->failed |= text.failed;
		print_rest_of_chain(why, cause);
	}
	buffer_release(&text);
}

static void print_slice(struct why_sink *why, const struct why_slice *slice)
{
	struct buffer *out = &why->out, killer = { 0 };

	buffer_append_printable(out, text_of(slice->category));
	buffer_append_char(out, '/');
	buffer_append_printable(out, name_table_text(&why->names, slice->name));
	buffer_append_string(out, " @ ");
	buffer_append_printable(out, buffer_text(&slice->track));
	buffer_append_string(out, ": ");
	buffer_append_duration(out, slice->end_ns - slice->begin_ns);
	buffer_append_string(out, " from ");
	buffer_append_seconds(out, slice->begin_ns - why->start_ns, 9);
	buffer_append_string(out, slice->is_async ? ", asynchronous" : "");
	buffer_append_string(out, slice->is_suspect ? ", suspect: records were lost" : "");
	if (slice->is_unfinished && slice->killer > 0) {
		buffer_append_string(out, ", incomplete: killed by signal 9 of ");
		append_thread(&killer, &why->names, slice->killer_name, slice->killer);
		buffer_append_printable(out, buffer_text(&killer));
		buffer_release(&killer);
	} else if (slice->is_unfinished) {
		buffer_append_string(out, ", incomplete: no end was recorded");
	}
	if (slice->kind && slice->kind->count > 1) {
		buffer_printf(out, ", the slowest of %llu%s (",
			      (unsigned long long)slice->kind->count,
			      slice->end_ns - slice->begin_ns < slice->kind->max_ns
				      ? " but for ktrack's own"
				      : "");
		buffer_append_duration(out, slice->kind->total_ns);
		buffer_append_string(out, " in all)");
	}
	buffer_append_char(out, '\n');
	/* Without the scheduler's records and inner slices, one line would say so. */
	if (slice->kind && !why->history.has_states && slice->split.nr_parts < 2)
		return;
	if (why->history.has_states)
		print_causes(why, slice);
	buffer_append_string(out, "    TIME   SHARE  COUNT  WHAT\n");
	print_parts(why, &slice->split,
		    &(struct listing_level){ .slice = slice,
					     .slice_ns = slice->end_ns - slice->begin_ns,
					     .rows_max = slice->kind ? OVERVIEW_PARTS : 0 });
}

/* Which processes used the CPUs. */
static void print_processes(struct why_sink *why)
{
	const struct process_times *busiest[PROCESSES_SHOWN];
	size_t nr = overview_busiest(&why->overview, busiest, PROCESSES_SHOWN);
	bool has_times = why->overview.running_ns > 0;
	struct buffer *out = &why->out;

	if (nr == 0 || (!has_times && !why_has_only_instants(why)))
		return;
	buffer_append_string(out, has_times ? " RUNNING   SHARE  RUNNABLE   STATE D  BUSIEST PROCESSES\n"
					    : "INSTANTS   SHARE  BUSIEST PROCESSES\n");
	for (size_t i = 0; i < nr; i++) {
		const struct process_times *process = busiest[i];
		struct buffer name = { 0 };

		if (has_times) {
			append_time_cell(out, process->running_ns, 8);
			append_share(out, process->running_ns, why->overview.running_ns);
			append_time_cell(out, process->runnable_ns, 10);
			append_time_cell(out, process->uninterruptible_ns, 10);
		} else {
			append_count_cell(out, process->nr_instants, why->overview.nr_instants);
		}
		append_thread(&name, &why->names, process->name, process->id);
		buffer_append_string(out, "  ");
		buffer_append_printable(out, buffer_text(&name));
		buffer_append_char(out, '\n');
		buffer_release(&name);
	}
	buffer_append_char(out, '\n');
}

/* Without slices: what there is instead, and how to see all of it. */
static void print_instants(struct why_sink *why)
{
	const struct slice_kind *instants[INSTANTS_SHOWN];
	size_t nr = overview_frequent(&why->overview, instants, INSTANTS_SHOWN);
	struct buffer *out = &why->out, source = { 0 };

	buffer_append_string(out, "INSTANTS   SHARE  MOST FREQUENT INSTANTS");
	if (why->overview.instants.size > nr)
		buffer_printf(out, ", OF %zu NAMES", why->overview.instants.size);
	buffer_append_char(out, '\n');
	for (size_t i = 0; i < nr; i++) {
		append_count_cell(out, instants[i]->count, why->overview.nr_instants);
		buffer_append_string(out, "  ");
		buffer_append_printable(out, text_of(instants[i]->category));
		buffer_append_char(out, '/');
		buffer_append_printable(out, name_table_text(&why->names, instants[i]->name));
		buffer_append_char(out, '\n');
	}
	buffer_append_word(&source, why->source);
	buffer_append_string(out, "\nno slices, so no durations; record with -r default");
	buffer_append_string(out, why->has_programs ? " --programs" : "");
	buffer_append_string(out, "\nall instants: ktrack stat ");
	buffer_append_printable(out, buffer_text(&source));
	buffer_append_char(out, '\n');
	out->failed |= source.failed;
	buffer_release(&source);
}

/* The command that explains slices of a kind in full. */
static void print_command(struct why_sink *why, const struct why_slice *slice)
{
	struct buffer selector = { 0 }, word = { 0 };

	slice_selector_append(&selector, slice->category,
			      slice->name == NAMES_OTHER
				      ? text_of("*")
				      : name_table_text(&why->names, slice->name));
	buffer_printf(&why->out, "all parts: %s ",
		      why->settings->command ? why->settings->command : "ktrack why");
	/* Slices of another kind that have the name may be slower. */
	if (slice->tid > 0 && !overview_kind_has_name(&why->overview, slice->kind)) {
		buffer_printf(&selector, "@%d", slice->tid);
		buffer_append_string(&why->out, "--at=");
		buffer_append_seconds(&why->out, slice->begin_ns - why->start_ns, 9);
		buffer_append_char(&why->out, ' ');
	}
	/* Control bytes become "?", which matches them. */
	buffer_append_word(&word, buffer_string(&selector));
	buffer_append_printable(&why->out, buffer_text(&word));
	buffer_append_char(&why->out, '\n');
	why->out.failed |= selector.failed || word.failed;
	buffer_release(&selector);
	buffer_release(&word);
}

static void print_kinds_title(struct why_sink *why)
{
	if (why->nr_slices == 0)
		return;
	buffer_append_string(&why->out, "the slowest slice of ");
	if (why->nr_slices == 1)
		buffer_append_string(&why->out, "the slowest kind");
	else
		buffer_printf(&why->out, "each of the %zu slowest kinds", why->nr_slices);
	if (why->overview.kinds.size > why->nr_slices)
		buffer_printf(&why->out, ", of %zu", why->overview.kinds.size);
	buffer_append_string(&why->out, ":\n\n");
}

static int print_rows(struct why_sink *why, const struct aggregate_groups *groups)
{
	struct buffer *out = &why->out;
	size_t nr_rows, nr_rest = 0;
	struct group_row *rows = aggregate_rows(groups, &nr_rows), rest = { 0 };

	if (!rows)
		return -1;
	buffer_append_string(out, why->settings->base ? "   SOURCE      BASE  DIFFERENCE  WHAT\n"
						      : "  SLOWEST    MEDIAN  DIFFERENCE  WHAT\n");
	for (size_t i = 0; i <= nr_rows; i++) {
		const struct group_row *row = i < nr_rows ? &rows[i] : &rest;

		if (i < nr_rows &&
		    row->slowest_ns * 1000 < groups->slowest.split.total_ns * SHOWN_PERMILLE &&
		    row->median_ns * 1000 < groups->median.split.total_ns * SHOWN_PERMILLE) {
			nr_rest++;
			rest.slowest_ns += row->slowest_ns;
			rest.median_ns += row->median_ns;
			rest.excess_ns += row->excess_ns;
			continue;
		}
		if (row == &rest && nr_rest == 0)
			break;
		append_time_cell(out, aggregate_mean_ns(&groups->slowest, row->slowest_ns), 9);
		append_time_cell(out, aggregate_mean_ns(&groups->median, row->median_ns), 10);
		append_time_cell(out, row->excess_ns, 12);
		buffer_append_string(out, "  ");
		if (row == &rest)
			buffer_append_count(out, nr_rest, "smaller part");
		else
			append_what(why, &(struct part){ .key = row->key }, NULL);
		buffer_append_char(out, '\n');
	}
	free(rows);
	return 0;
}

/* How much longer slices are than those of the base, and the part that grew most. */
static int print_growth(struct why_sink *why, const struct aggregate_groups *groups)
{
	int64_t source_ns = aggregate_mean_ns(&groups->slowest, groups->slowest.split.total_ns);
	int64_t base_ns = aggregate_mean_ns(&groups->median, groups->median.split.total_ns);
	struct buffer *out = &why->out;
	size_t nr_rows;
	struct group_row *rows = aggregate_rows(groups, &nr_rows);

	if (!rows)
		return -1;
	buffer_append_string(out, source_ns < base_ns ? "shorter by " : "longer by ");
	buffer_append_duration(out,
			       source_ns < base_ns ? base_ns - source_ns : source_ns - base_ns);
	buffer_printf(out, " (%+.1f%%)",
		      100.0 * (double)(source_ns - base_ns) / (double)(base_ns + !base_ns));
	if (nr_rows > 0 && rows[0].excess_ns > 0) {
		buffer_append_string(out, "; what grew most: ");
		buffer_append_duration(out, rows[0].excess_ns);
		buffer_append_char(out, ' ');
		append_what(why, &(struct part){ .key = rows[0].key }, NULL);
	}
	buffer_append_char(out, '\n');
	free(rows);
	return 0;
}

static int print_aggregate(struct why_sink *why)
{
	const struct why_base *base = why->settings->base;
	const char *const titles[] = { base ? why->source : "slowest 1%",
				       base ? base->source : "median" };
	struct aggregate_groups groups;
	int status = aggregate_groups_find(&why->aggregate, base ? &base->aggregate : NULL,
					   &groups);

	if (status == 0 && why->aggregate.count > 0) {
		if (base)
			status = print_growth(why, &groups);
		else
			buffer_append_count(&why->out, why->aggregate.count, "slice");
		buffer_append_string(&why->out, base ? "the time of a part is the mean of a slice\n"
						     : "; the time of a part is the mean of a "
						       "slice\n");
		for (int i = 0; i < 2; i++) {
			const struct aggregate_cell *group = i ? &groups.median : &groups.slowest;

			buffer_append_printable(&why->out, text_of(titles[i]));
			buffer_append_string(&why->out, ": ");
			buffer_append_count(&why->out, group->count, "slice");
			buffer_append_string(&why->out, " of ");
			buffer_append_duration(&why->out, group->min_ns);
			buffer_append_string(&why->out, " to ");
			buffer_append_duration(&why->out, group->max_ns);
			buffer_append_char(&why->out, '\n');
		}
		if (status == 0)
			status = print_rows(why, &groups);
	}
	split_release(&groups.slowest.split);
	split_release(&groups.median.split);
	return status;
}

static void print_remarks(struct why_sink *why)
{
	struct buffer *out = &why->out;
	bool is_aggregate = why->settings->is_aggregate;

	if (!is_aggregate && !why->settings->is_overview && why->nr_matched > why->nr_slices)
		buffer_printf(out, "%s of %llu slices that match\n",
			      why->settings->has_at ? "the shortest" : "the slowest",
			      (unsigned long long)why->nr_matched);
	if (is_aggregate && why->nr_left_out > 0) {
		buffer_append_count(out, why->nr_left_out, "slice");
		buffer_append_string(out, " not counted: incomplete, suspect or foreign\n");
	}
	if (why->nr_unexplained > 0) {
		buffer_append_count(out, why->nr_unexplained, "slice");
		buffer_append_string(out, " not explained: too many overlap\n");
	}
	if (why->nr_matched == 0 && why->settings->is_overview) {
		if (why_has_only_instants(why))
			print_instants(why);
		else if (why->settings->is_live || why->overview.running_ns > 0)
			buffer_append_string(out, "no slices\n");
	} else if (why->nr_matched == 0 && why->settings->is_live) {
		buffer_append_string(out, "no slice matches '");
		buffer_append_printable(out, why->settings->slice);
		buffer_append_string(out, "'\n");
	}
	if (why->nr_matched > 0 && !(why->history.has_states && why->history.has_interrupts)) {
		buffer_append_string(out, why->history.has_states
						  ? "interrupts were not recorded: their time is "
						    "part of 'running'"
						  : "running and waiting are not told apart "
						    "without the scheduler's records");
		buffer_append_string(out, "; record with -r sched,irq");
		/* Packs alone would leave out the slices. */
		buffer_append_string(out, why->has_programs ? " --programs\n" : "\n");
	}
	if (why->nr_gaps > 0 || why->lost_records > 0) {
		timeline_append_loss(out, why->lost_records, why->nr_gaps, why->nr_gaps_unknown);
		buffer_append_char(out, '\n');
	}
	if (why->counts_ticks)
		buffer_append_string(out, "the clock does not count nanoseconds: all times are in "
					  "its ticks\n");
}

int why_print_text(struct why_sink *why)
{
	if (why->settings->is_aggregate && print_aggregate(why) < 0)
		return -1;
	if (why->settings->is_overview) {
		print_processes(why);
		print_kinds_title(why);
	}
	for (size_t i = 0; i < why->nr_slices; i++) {
		print_slice(why, &why->slices[i]);
		if (why->settings->is_overview)
			print_command(why, &why->slices[i]);
		buffer_append_char(&why->out, '\n');
	}
	print_remarks(why);
	if (why->history.has_states)
		why_print_hints(why);
	return 0;
}

_Static_assert(sizeof(kind_words) / sizeof(kind_words[0]) == PART_KIND_COUNT, "words for each");
_Static_assert(sizeof(reason_words) / sizeof(reason_words[0]) == UNDECIDED_COUNT, "words for each");
