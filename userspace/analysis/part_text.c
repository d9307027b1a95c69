// SPDX-License-Identifier: GPL-2.0-only
/* Parts of splits as text. */
#include "analysis/why.h"

static const char *const kind_words[] = {
	[PART_RUNNING] = "running", [PART_RUNNABLE] = "runnable",   [PART_BLOCKED] = "blocked",
	[PART_STOPPED] = "stopped", [PART_HARD] = "hard interrupt", [PART_SOFT] = "soft interrupt",
	[PART_WAITING] = "waiting", [PART_LATE] = "late",	    [PART_UNDECIDED] = "undecided",
};
_Static_assert(sizeof(kind_words) / sizeof(kind_words[0]) == PART_KIND_COUNT, "words for each");

static const char *const reason_words[] = {
	[UNDECIDED_NO_SCHED] = "the scheduler recorded nothing before",
	[UNDECIDED_LOSS] = "records were lost",
	[UNDECIDED_UNSEEN] = "before the thread's first record",
	[UNDECIDED_HISTORY] = "older than the records that are kept in memory",
	[UNDECIDED_ABSENT] = "the thread did not exist",
	[UNDECIDED_NO_END] = "no end was recorded",
	[UNDECIDED_LIMIT] = "too many slices overlap",
};
_Static_assert(sizeof(reason_words) / sizeof(reason_words[0]) == UNDECIDED_COUNT, "words for each");

const char *part_kind_name(enum part_kind kind)
{
	return kind_words[kind];
}

const char *undecided_reason_name(enum undecided_reason reason)
{
	return reason_words[reason];
}

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

static void append_cpu(struct buffer *out, const struct part_key *key)
{
	if (key->cpu >= 0)
		buffer_printf(out, " on CPU %d", key->cpu);
}

static void part_append_label(struct buffer *out, const struct name_table *names,
			      const struct part_key *key)
{
	if (key->label == NAMES_NONE)
		return;
	buffer_append_string(out, " in ");
	append_known_name(out, names, key->label);
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

bool part_has_priorities(const struct part_key *key)
{
	return key->kind == PART_RUNNABLE && key->tid > 0 && key->prio != PRIO_UNKNOWN &&
	       key->own_prio != PRIO_UNKNOWN;
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

static void append_other(struct buffer *out, const struct name_table *names,
			 const struct part_key *key)
{
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
}

bool part_is_timeout(const struct name_table *names, const struct part_key *key)
{
	const struct text name = name_table_text(names, key->interrupt);

	return key->kind == PART_BLOCKED && key->is_woken && key->context != CONTEXT_THREAD &&
	       (text_equals(name, text_of("timer process_timeout")) ||
		text_equals(name, text_of("hrtimer hrtimer_wakeup")));
}

/* What the thread waited for; the name of a timer is that of its interrupt. */
static void append_object(struct buffer *out, const struct name_table *names,
			  const struct part_key *key)
{
	if (key->instant != NAMES_NONE) {
		buffer_append_string(out, " after ");
		append_known_name(out, names, key->instant);
	}
	if (key->object != NAMES_NONE && key->object != key->interrupt) {
		buffer_append_string(out, " until the end of ");
		append_known_name(out, names, key->object);
	}
}

static void append_blocked(struct buffer *out, const struct name_table *names,
			   const struct part_key *key)
{
	if (key->state != NAMES_NONE) {
		buffer_append_string(out, " (");
		append_known_name(out, names, key->state);
		buffer_append_char(out, ')');
	}
	part_append_label(out, names, key);
	append_object(out, names, key);
	if (!key->is_woken) {
		buffer_append_string(out,
				     key->name == NAMES_OTHER ? "" : ", its end is not recorded");
		return;
	}
	buffer_append_string(out, key->kind == PART_STOPPED ? ", continued by " : ", woken by ");
	if (key->context != CONTEXT_THREAD)
		append_interrupt(out, names, key);
	else
		append_thread(out, names, key->name, key->tid);
	if (key->context == CONTEXT_THREAD && key->interrupt != NAMES_NONE) {
		buffer_append_string(out, " in ");
		append_known_name(out, names, key->interrupt);
	}
	if (part_is_timeout(names, key))
		buffer_append_string(out, ": its timeout expired");
}

/* Who began the operation, if that is known. */
static void append_issuer(struct buffer *out, const struct name_table *names,
			  const struct part_key *key)
{
	const struct text object = name_table_text(names, key->object);
	bool is_timer = memmem(object.data, object.size, "timer ", 6);

	if (key->tid <= 0 && key->name == NAMES_NONE && key->label == NAMES_NONE)
		return;
	buffer_append_string(out, is_timer ? ", armed by " : ", issued by ");
	if (key->label == NAMES_NONE) {
		append_thread(out, names, key->name, key->tid);
		return;
	}
	buffer_append_string(out, "interrupt ");
	append_known_name(out, names, key->label);
}

static void append_waiting(struct buffer *out, const struct name_table *names,
			   const struct part_key *key)
{
	buffer_append_string(out, " for ");
	if (key->object == NAMES_NONE) {
		append_interrupt(out, names, key);
		append_cpu(out, key);
		return;
	}
	append_known_name(out, names, key->object);
	append_issuer(out, names, key);
}

void part_append_text_of(struct buffer *out, const struct name_table *names,
			 const struct part_key *key, const struct why_slice *slice)
{
	struct part_key own = *key;

	if (slice && key->kind != PART_WAITING && key->label == slice->name)
		own.label = NAMES_NONE;
	part_append_text(out, names, &own);
}

void part_append_text(struct buffer *out, const struct name_table *names,
		      const struct part_key *key)
{
	if (key->owner > 0 || key->owner_name != NAMES_NONE) {
		append_thread(out, names, key->owner_name, key->owner);
		buffer_append_string(out, ": ");
	}
	buffer_append_string(out, kind_words[key->kind]);
	switch (key->kind) {
	case PART_RUNNING:
		append_cpu(out, key);
		part_append_label(out, names, key);
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
	default:
		buffer_append_char(out, ' ');
		append_interrupt(out, names, key);
		append_cpu(out, key);
		break;
	}
}
