// SPDX-License-Identifier: GPL-2.0-only
/* Takes into the history what instants tell: timers, raises, signals, stacks, what threads write.
 */
#include "analysis/internal.h"

#include <string.h>

/* A field's value, 0 if the event does not have it. */
static int64_t field_number(const struct timeline_event *event, const char *name)
{
	const struct value *value = timeline_event_field(event, text_of(name));

	return value ? value->signed_number : 0;
}

/*
 * How late a timer expires, and for how long it might have: jiffies count from the time for which
 * it was queued. Numbers of records may be any; with impossible ones it is not late.
 */
static void timer_times(struct why_sink *why, const struct timeline_event *event,
			const struct armed_timer *timer, int64_t *late_ns, int64_t *asked_ns)
{
	int64_t now = field_number(event, "now"), queued = field_number(event, "baseclk");
	int64_t unit = 1;

	if (queued != 0)
		unit = why->timers.jiffy_ns;
	if (__builtin_sub_overflow(now, queued != 0 ? queued : timer->expires, late_ns) ||
	    __builtin_mul_overflow(*late_ns, unit, late_ns))
		*late_ns = 0;
	if (__builtin_sub_overflow(now, timer->asked, asked_ns) ||
	    __builtin_mul_overflow(*asked_ns, unit, asked_ns))
		*asked_ns = 0;
	/* A number of jiffies is rounded up by one, so that it is no shorter than was asked for. */
	if (queued != 0 && *asked_ns > 0)
		*asked_ns -= unit;
}

/* Without the innermost functions, which record the switch, or are the scheduler's. */
static struct text stack_without_switch(struct text frames)
{
	static const char *const functions[] = {
		"__schedule",	      "schedule",	 "preempt_schedule", "trace_event_",
		"__traceiter_",	      "event_triggers_", "__trace_stack",    "__ftrace_trace_stack",
		"stacktrace_trigger", "__event_trigger",
	};
	bool is_of_switch = true;

	while (frames.size > 0 && is_of_switch) {
		const char *end = memchr(frames.data, ';', frames.size);
		size_t size = end ? (size_t)(end - frames.data) : frames.size;

		is_of_switch = false;
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
			size_t length = strlen(functions[i]);

			if ((size == length ||
			     (size > length && functions[i][length - 1] == '_')) &&
			    memcmp(frames.data, functions[i], length) == 0)
				is_of_switch = true;
		}
		size += end != NULL;
		if (is_of_switch)
			frames = (struct text){ frames.data + size, frames.size - size };
	}
	return frames;
}

/* The stack of a switch follows its record: the thread has just left its CPU. */
static void why_learn_stack(struct why_sink *why, struct why_track *track,
			    const struct timeline_event *event)
{
	struct segment *open = &track->thread->open;

	if ((open->state != THREAD_BLOCKED && open->state != THREAD_STOPPED) ||
	    open->stack != NAMES_NONE || event->nr_fields == 0 ||
	    event->fields[0].value.kind != VALUE_TEXT)
		return;
	open->stack = name_table_add(&why->names,
				     stack_without_switch(event->fields[0].value.text));
}

static uint64_t timer_address(const struct timeline_event *event)
{
	return field_number(event, "timer") | field_number(event, "hrtimer");
}

static int learn_armed(struct why_sink *why, const struct timeline_event *event)
{
	const struct value *soft = timeline_event_field(event, text_of("softexpires"));
	const struct armed_timer timer = {
		.address = timer_address(event),
		.expires = field_number(event, "expires"),
		.asked = soft ? soft->signed_number : field_number(event, "expires"),
		.armed_ns = event->time_ns,
		.writer = history_waker(&why->history, event->tid, event->cpu),
	};

	return timers_arm(&why->timers, &timer);
}

static void learn_expired(struct why_sink *why, const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	const struct armed_timer *armed = timers_find(&why->timers, timer_address(event));
	struct operation timer = { .name = why_name(why, event->name), .kind = OPERATION_TIMER };
	int64_t late_ns, asked_ns;

	if (field_number(event, "baseclk") != 0)
		timers_count_jiffies(&why->timers, field_number(event, "now"), event->time_ns);
	if (!cpu || !armed)
		return;
	timer.begin_ns = armed->armed_ns;
	timer.writer = armed->writer;
	timer_times(why, event, armed, &late_ns, &asked_ns);
	timer.due_ns = late_ns > 0 ? event->time_ns - late_ns : INT64_MAX;
	timer.asked_ns = asked_ns > 0 ? event->time_ns - asked_ns : INT64_MAX;
	history_expire(&why->history, cpu, &timer);
}

/* The bits of common_flags: the writer was in a hard interrupt, an NMI; in a soft interrupt. */
#define FLAGS_HARD (8 | 64)
#define FLAGS_SOFT 16

/*
 * Whose a soft interrupt is: the flags of the record know it, also where interrupts have none. They
 * are never 0, unless a text does not have them: it is raised while interrupts are disabled.
 */
static void learn_raised(struct why_sink *why, const struct timeline_event *event)
{
	struct waker writer = history_waker(&why->history, event->tid, event->cpu);
	int64_t flags = field_number(event, "common_flags");
	enum context_kind context = flags & FLAGS_HARD	 ? CONTEXT_HARD
				    : flags & FLAGS_SOFT ? CONTEXT_SOFT
				    : flags		 ? CONTEXT_THREAD
							 : writer.context;
	const struct thread_history *thread = history_thread(&why->history, event->tid, event->cpu);

	if (context == CONTEXT_THREAD && event->tid > 0)
		writer = (struct waker){ .tid = event->tid,
					 .cpu = event->cpu,
					 .interrupt = thread ? thread->open.label : NAMES_NONE };
	else if (writer.context == CONTEXT_THREAD)
		writer = (struct waker){ .tid = -1, .cpu = event->cpu, .context = context };
	history_raise(&why->history, why_name(why, event->name), event->time_ns, &writer);
}

/* A cgroup is frozen, or its threads go on: these wait for the end of the freezing. */
static void learn_freeze(struct why_sink *why, const struct timeline_event *event)
{
	static const char thaw[] = "un";
	struct text text = event->name->text;
	bool is_thaw = text_begins(text, text_of(thaw));
	struct operation frozen = { .begin_ns = event->time_ns, .due_ns = INT64_MAX };
	struct operation *place = NULL;

	if (is_thaw)
		text = (struct text){ text.data + sizeof(thaw) - 1, text.size - sizeof(thaw) + 1 };
	frozen.name = name_table_add(&why->names, text);
	frozen.writer = history_waker(&why->history, event->tid, event->cpu);
	/* Its own place, or else the first free one. */
	for (size_t i = 0; i < FROZEN_MAX && (!place || place->name != frozen.name); i++) {
		if (why->frozen[i].name == frozen.name ||
		    (!place && why->frozen[i].name == NAMES_NONE))
			place = &why->frozen[i];
	}
	if (!is_thaw) {
		*(place ? place : &why->frozen[FROZEN_MAX - 1]) = frozen;
		return;
	}
	if (!place || place->name != frozen.name)
		return;
	why->thawed = *place;
	why->thawed_ns = event->time_ns;
	place->name = NAMES_NONE;
}

/* SIGNAL_IGNORED - result of a signal that continues stopped threads at most, as that of a child */
#define SIGNAL_IGNORED 1

/* Whether the last sleep of a thread was one that this signal, if it is not SIGKILL, does not end. */
static bool thread_was_deaf(const struct why_sink *why, const struct thread_history *thread,
			    const struct timeline_event *signal)
{
	const struct segment *slept = segment_before(&why->history, &thread->open);

	if (slept && field_number(signal, "result") == SIGNAL_IGNORED &&
	    slept->state != THREAD_STOPPED)
		return true;
	return slept &&
	       text_begins(name_table_text(&why->names, slept->state_name), text_of("D"));
}

/*
 * A signal is sent; its record follows the wake-up of the thread to which it is sent. Or a thread
 * takes one, and runs its handler if it has one.
 */
static void learn_signal(struct why_sink *why, const struct timeline_event *event)
{
	const struct value *pid = timeline_event_field(event, text_of("pid"));
	struct text text = event->name->text;
	const char *number = memchr(text.data, ' ', text.size);
	struct thread_history *own = why_track_of(why, event)->thread;
	struct thread_history *woken;
	struct buffer name = { 0 };
	uint32_t known;
	bool is_kill;

	/* Numbers above 1 are functions: 0 and 1 are SIG_DFL and SIG_IGN. */
	if (!number || (!pid && ((uint64_t)field_number(event, "sa_handler") <= 1 || !own)))
		return;
	woken = pid ? history_thread(&why->history, pid->signed_number, -1) : NULL;
	buffer_append_string(&name, pid ? "signal " : "handler of signal ");
	for (number++; number < text.data + text.size && *number >= '0' && *number <= '9'; number++)
		buffer_append_char(&name, *number);
	known = name_table_add(&why->names, buffer_text(&name));
	is_kill = text_equals(name_table_text(&why->names, known), text_of("signal 9"));
	if (woken && is_kill) {
		const struct thread_history *by = history_thread(&why->history, event->tid,
								 event->cpu);

		woken->killer = event->tid;
		woken->killed_ns = event->time_ns;
		woken->killer_name = by ? by->comm : NAMES_NONE;
	}
	if (!pid)
		history_begin_handler(&why->history, own, event->time_ns, known);
	else if (woken && event->time_ns - woken->open.from_ns <= ACT_NS &&
		 (is_kill || !thread_was_deaf(why, woken, event)))
		history_explain_wake(
			&why->history, woken, event->tid,
			&(struct operation){
				.name = known,
				.begin_ns = event->time_ns,
				.due_ns = INT64_MAX,
				.writer = history_waker(&why->history, event->tid, event->cpu) });
	why->names.failed |= name.failed;
	buffer_release(&name);
}

/* A thread begins another one: their process is its parent. */
static void learn_fork(struct why_sink *why, const struct why_track *track,
		       const struct timeline_event *event)
{
	int tid = (int)field_number(event, "child_pid");
	struct thread_history *child = tid > 0 ? history_thread_add(&why->history, tid, -1) : NULL;

	if (child)
		child->parent = track->thread->tgid > 0 ? track->thread->tgid : track->thread->tid;
}

void why_count_instant(struct why_sink *why, const struct timeline_event *event)
{
	struct overview *overview = &why->overview;
	struct why_track *track = why_track_of(why, event);
	struct slice_kind key = { .category = event->track->category->text, .rank = KIND_NONE };
	struct known_name *name;

	if (!why->settings->is_overview || why->nr_matched > 0 || overview->running_ns > 0)
		return;
	key.name = why_name(why, event->name);
	name = name_table_get(&why->names, key.name);
	if (!name->instants || name->instants->category != key.category)
		name->instants = overview_kind(overview, &overview->instants, &key);
	if (!name->instants)
		return;
	name->instants->count++;
	if (track->process)
		track->process->nr_instants++;
	overview->nr_instants++;
}

int why_learn_instant(struct why_sink *why, const struct timeline_event *event)
{
	struct why_track *track = why_track_of(why, event);
	const struct cpu_history *cpu;

	why_count_instant(why, event);
	switch (track->role) {
	case WHY_ROLE_ARMED:
		return learn_armed(why, event);
	case WHY_ROLE_EXPIRED:
		learn_expired(why, event);
		return 0;
	case WHY_ROLE_STACK:
		why_learn_stack(why, track, event);
		return 0;
	case WHY_ROLE_RAISED:
		learn_raised(why, event);
		return 0;
	case WHY_ROLE_BOOST:
		if (track->thread)
			history_set_prio(&why->history, track->thread, event->time_ns,
					 field_number(event, "newprio"));
		return 0;
	case WHY_ROLE_FREEZE:
		learn_freeze(why, event);
		return 0;
	case WHY_ROLE_FORK:
		learn_fork(why, track, event);
		return 0;
	case WHY_ROLE_SIGNAL:
		learn_signal(why, event);
		return 0;
	default:
		break;
	}
	cpu = history_cpu_find(&why->history, event->cpu);
	/* Those of an interrupt are not the thread's below. */
	if (track->role != WHY_ROLE_NONE || !track->thread || (cpu && cpu->nr_interrupts > 0))
		return 0;
	why_see_writer(why, track, event);
	history_add_instant(track->thread, why_name(why, event->name));
	return 0;
}
