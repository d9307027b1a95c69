// SPDX-License-Identifier: GPL-2.0-only
/* Takes events into the history: states of threads, interrupts, slices of threads, losses. */
#include <stdlib.h>
#include <string.h>

#include "analysis/why.h"
#include "event/event.h"

static const char *const role_categories[] = {
	[WHY_ROLE_CPU] = WHY_CPUS,	   [WHY_ROLE_THREAD] = WHY_STATES,
	[WHY_ROLE_INTERRUPT] = "irq:cpu",  [WHY_ROLE_WAKEUP] = WHY_WAKEUPS,
	[WHY_ROLE_ARMED] = "timers:armed", [WHY_ROLE_EXPIRED] = "timers:expired",
	[WHY_ROLE_STACK] = STACK_CATEGORY,
};
_Static_assert(sizeof(role_categories) / sizeof(role_categories[0]) == WHY_ROLE_COUNT,
	       "a category for each");

/* Names of soft interrupts, as the kernel prints them. Timers inherit the kind of their interrupt.
 */
static const char *const soft_interrupts[] = {
	"HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU",
};

/* A recording and a user's rules may have other tracks under these names. */
static bool role_has_scope(enum why_role role, const struct timeline_track *track)
{
	switch (role) {
	case WHY_ROLE_THREAD:
	case WHY_ROLE_STACK:
		return track->scope == SCOPE_THREAD;
	case WHY_ROLE_CPU:
	case WHY_ROLE_INTERRUPT:
		return track->scope == SCOPE_CPU;
	default:
		return true;
	}
}

static enum why_role track_role(const struct timeline_track *track)
{
	for (int i = WHY_ROLE_NONE + 1; i < WHY_ROLE_COUNT; i++) {
		if (strcmp(track->category->text, role_categories[i]) == 0)
			return role_has_scope(i, track) ? i : WHY_ROLE_NONE;
	}
	return WHY_ROLE_NONE;
}

uint32_t why_name(struct why_sink *why, struct timeline_name *name)
{
	uintptr_t number;

	if (!name->is_counted)
		return name_table_add(&why->names, name->text);
	number = (uintptr_t)name->sink_data[why->sink_index];
	if (number == 0) {
		number = name_table_add(&why->names, name->text);
		/* The number of an empty name is 0, which is looked up each time. */
		name->sink_data[why->sink_index] = (void *)number;
	}
	return number;
}

bool why_category_explains(const char *category)
{
	static const char packs[] = "," WHY_PACKS "," WHY_FILE_PACKS ",";
	size_t size = strcspn(category, ":");

	for (const char *pack = packs; (pack = strchr(pack, ',')) && pack[1]; pack++) {
		if (strncmp(pack + 1, category, size) == 0 && pack[1 + size] == ',')
			return true;
	}
	return false;
}

static int thread_join(struct why_sink *why, struct why_track *one,
		       const struct timeline_track *track, struct error *error)
{
	struct thread_history *thread = history_thread_add(&why->history, track->id.signed_number,
							   track->cpu);

	if (!thread)
		return error_set(error, "out of memory");
	one->thread = thread;
	thread->nr_tracks++;
	if (*track->comm)
		thread->comm = name_table_add(&why->names, text_of(track->comm));
	if (!thread->is_seen && track->born_ns > why->start_ns) {
		thread->is_seen = true;
		thread->line.open.state = THREAD_ABSENT;
	}
	return 0;
}

/* A name alone is not meant for what explains slices. For other outputs all slices but states are.
 */
static bool why_may_select(const struct why_sink *why, const struct why_track *one,
			   const struct timeline_track *track)
{
	if (why->settings->explanations)
		return one->role == WHY_ROLE_NONE;
	return why->selector.category || !why_category_explains(track->category->text);
}

static int learn_track(struct why_sink *why, const struct timeline_event *event,
		       struct error *error)
{
	const struct timeline_track *track = event->track;
	struct why_track *one = calloc(1, sizeof(*one));

	if (!one)
		return error_set(error, "out of memory");
	one->next = why->tracks;
	one->before = &why->tracks;
	if (one->next)
		one->next->before = &one->next;
	why->tracks = one;
	event->track->sink_data[why->sink_index] = one;
	one->role = track_role(track);
	why->has_block |= strncmp(track->category->text, "block:", 6) == 0;
	/* With PREEMPT_RT, soft interrupts are slices of threads. */
	why->history.has_interrupts |= strcmp(track->category->text, "irq:thread") == 0;
	why->has_timers |= one->role == WHY_ROLE_ARMED;
	one->is_selected = track->kind == TRACK_SLICES && why_may_select(why, one, track) &&
			   slice_selector_matches_track(&why->selector, track);
	return track->scope == SCOPE_THREAD ? thread_join(why, one, track, error) : 0;
}

static int learn_track_end(struct why_sink *why, const struct timeline_event *event,
			   struct error *error)
{
	struct why_track *one = why_track_of(why, event);

	(void)error;
	if (one->thread)
		one->thread->nr_tracks--;
	*one->before = one->next;
	if (one->next)
		one->next->before = one->before;
	free(one->begins);
	free(one);
	event->track->sink_data[why->sink_index] = NULL;
	return 0;
}

static enum thread_state state_of(struct text name)
{
	if (text_equals(name, text_of("Running")))
		return THREAD_RUNNING;
	if (name.size > 0 && *name.data == 'R')
		return THREAD_RUNNABLE;
	if (name.size == 0 || strchr("XZ", *name.data))
		return THREAD_ABSENT;
	return strchr("Tt", *name.data) ? THREAD_STOPPED : THREAD_BLOCKED;
}

static int learn_running(struct why_sink *why, int number, int tid, int64_t time_ns,
			 struct error *error)
{
	struct cpu_history *cpu = history_cpu(&why->history, number);

	if (!cpu)
		return error_set(error, "out of memory");
	history_run_thread(&why->history, cpu, time_ns, tid);
	return 0;
}

/* The innermost open slice of a thread. */
static uint32_t thread_label(const struct why_sink *why, int tid)
{
	const struct thread_history *thread = history_thread(&why->history, tid, -1);

	return thread ? thread->line.open.label : NAMES_NONE;
}

static int learn_state(struct why_sink *why, const struct why_track *one,
		       const struct timeline_event *event, struct error *error)
{
	uint32_t number = why_name(why, event->name);
	struct known_name *name = name_table_get(&why->names, number);
	struct thread_change change = { .time_ns = event->time_ns,
					.cpu = event->cpu,
					.waker = { .tid = -1, .cpu = event->cpu } };

	if (name->state == THREAD_UNKNOWN || number == NAMES_OTHER)
		name->state = state_of(event->name->text);
	why->history.has_states = true;
	change.state = name->state;
	if (change.state == THREAD_BLOCKED || change.state == THREAD_STOPPED)
		change.state_name = number;
	/* A thread that is woken runs on a CPU that its next record shows. */
	if (number == NAMES_RUNNABLE)
		change.cpu = -1;
	if (change.state != THREAD_RUNNING)
		change.waker = history_waker(&why->history, event->tid, event->cpu);
	/* sched_wakeup is written where the wake-up ends: its writer may be any thread there. */
	if (number == NAMES_RUNNABLE && event->nr_fields > 0)
		change.waker = (struct waker){ .tid = -1, .cpu = -1 };
	if (number == NAMES_RUNNABLE && change.waker.tid > 0)
		change.waker.interrupt = thread_label(why, change.waker.tid);
	history_change_thread(&why->history, one->thread, &change);
	/* A track that continues under another number has no record, and no CPU. */
	return change.state == THREAD_RUNNING && event->cpu >= 0
		       ? learn_running(why, event->cpu, event->track->id.signed_number,
				       event->time_ns, error)
		       : 0;
}

/* The thread that a CPU runs, its name and its priority: the record has all three. */
static int learn_run(struct why_sink *why, const struct timeline_event *event, struct error *error)
{
	struct thread_history *thread;
	int tid = -1, prio = PRIO_UNKNOWN;

	for (unsigned int i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, text_of("next_pid")))
			tid = event->fields[i].value.signed_number;
		else if (text_equals(event->fields[i].name, text_of("next_prio")))
			prio = event->fields[i].value.signed_number;
	}
	thread = tid > 0 ? history_thread_add(&why->history, tid, -1) : NULL;
	if (thread) {
		thread->comm = why_name(why, event->name);
		thread->prio = prio;
	}
	return learn_running(why, event->track->id.signed_number, tid, event->time_ns, error);
}

/* The kind of an interrupt; CONTEXT_INHERITED of timers, which have that of the one they run in. */
static enum context_kind interrupt_kind(struct text name)
{
	if (name.size > 6 &&
	    (memcmp(name.data, "timer ", 6) == 0 || memcmp(name.data, "hrtime", 6) == 0))
		return CONTEXT_INHERITED;
	for (size_t i = 0; i < sizeof(soft_interrupts) / sizeof(soft_interrupts[0]); i++) {
		if (text_equals(name, text_of(soft_interrupts[i])))
			return CONTEXT_SOFT;
	}
	return CONTEXT_HARD;
}

static enum context_kind interrupt_context(struct why_sink *why, const struct cpu_history *cpu,
					   const struct timeline_event *event, uint32_t number)
{
	struct known_name *name = name_table_get(&why->names, number);

	if (name->context == CONTEXT_THREAD || number == NAMES_OTHER)
		name->context = interrupt_kind(event->name->text);
	if (name->context != CONTEXT_INHERITED)
		return name->context;
	return cpu->nr_interrupts > 0 ? history_interrupt(cpu).context : CONTEXT_HARD;
}

static int learn_interrupt(struct why_sink *why, const struct timeline_event *event,
			   struct error *error)
{
	struct cpu_history *cpu = history_cpu(&why->history, event->track->id.signed_number);
	struct interrupt interrupt = { .name = why_name(why, event->name) };

	if (!cpu)
		return error_set(error, "out of memory");
	why->history.has_interrupts = true;
	interrupt.context = interrupt_context(why, cpu, event, interrupt.name);
	history_begin_interrupt(&why->history, cpu, event->time_ns, interrupt);
	return 0;
}

void why_see_writer(struct why_sink *why, const struct why_track *track,
		    const struct timeline_event *event)
{
	const struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	struct thread_history *thread = track->thread;

	if (event->tid <= 0 || event->cpu < 0)
		return;
	if (!thread || thread->tid != event->tid) {
		/* The usual case: the CPU's last switch was to this thread. */
		if (cpu && cpu->line.open.tid == event->tid)
			return;
		thread = history_thread_add(&why->history, event->tid, event->cpu);
	}
	if (thread)
		history_see_thread(&why->history, thread, event->time_ns, event->cpu);
}

static int learn_begin(struct why_sink *why, const struct timeline_event *event,
		       struct error *error)
{
	struct why_track *one = why_track_of(why, event);

	if (one->role == WHY_ROLE_THREAD)
		return learn_state(why, one, event, error);
	if (one->role == WHY_ROLE_CPU)
		return learn_run(why, event, error);
	if (one->role == WHY_ROLE_INTERRUPT)
		return learn_interrupt(why, event, error);
	if (one->role != WHY_ROLE_NONE)
		return 0;
	why_see_writer(why, one, event);
	if (why_is_of_thread(one, event))
		history_begin_label(&why->history, one->thread, event->time_ns,
				    why_name(why, event->name));
	return 0;
}

void why_learn_end(struct why_sink *why, struct why_track *track,
		   const struct timeline_event *event)
{
	struct cpu_history *cpu;

	/* Of some recordings, only some threads have tracks: the next one may be another. */
	if (track->role == WHY_ROLE_THREAD) {
		cpu = history_cpu_find(&why->history, track->thread->line.open.cpu);
		if (cpu && cpu->line.open.tid == event->track->id.signed_number)
			history_run_thread(&why->history, cpu, event->time_ns, -1);
	} else if (track->role == WHY_ROLE_INTERRUPT) {
		cpu = history_cpu(&why->history, event->track->id.signed_number);
		if (cpu)
			history_end_interrupt(&why->history, cpu, event->time_ns);
	} else if (track->role == WHY_ROLE_NONE && why_is_of_thread(track, event)) {
		history_end_label(&why->history, track->thread, event->time_ns,
				  why_name(why, event->name));
	}
}

/* The innermost functions record the switch, or are the scheduler's. */
static const char *const switch_functions[] = {
	"__schedule",	      "schedule",	 "preempt_schedule", "trace_event_",
	"__traceiter_",	      "event_triggers_", "__trace_stack",    "__ftrace_trace_stack",
	"stacktrace_trigger", "__event_trigger",
};

static bool frame_is_of_switch(struct text frame)
{
	for (size_t i = 0; i < sizeof(switch_functions) / sizeof(switch_functions[0]); i++) {
		const char *name = switch_functions[i];
		size_t size = strlen(name);
		bool is_prefix = name[size - 1] == '_';

		if (frame.size >= size && (is_prefix || frame.size == size) &&
		    memcmp(frame.data, name, size) == 0)
			return true;
	}
	return false;
}

static struct text stack_without_switch(struct text frames)
{
	while (frames.size > 0) {
		const char *end = memchr(frames.data, ';', frames.size);
		size_t size = end ? (size_t)(end - frames.data) : frames.size;

		if (!frame_is_of_switch((struct text){ frames.data, size }))
			break;
		size += end != NULL;
		frames = (struct text){ frames.data + size, frames.size - size };
	}
	return frames;
}

/* The stack of a switch follows its record: the thread has just left its CPU. */
void why_learn_stack(struct why_sink *why, struct why_track *track,
		     const struct timeline_event *event)
{
	struct segment *open = &track->thread->line.open;

	if ((open->state != THREAD_BLOCKED && open->state != THREAD_STOPPED) ||
	    open->stack != NAMES_NONE || event->nr_fields == 0 ||
	    event->fields[0].value.kind != VALUE_TEXT)
		return;
	open->stack = name_table_add(&why->names,
				     stack_without_switch(event->fields[0].value.text));
}

static int learn_loss(struct why_sink *why, const struct timeline_event *event, struct error *error)
{
	bool is_sum = event->kind == TIMELINE_LOSS_SUM;

	why->nr_gaps += !is_sum;
	why->nr_gaps_unknown += event->loss_count == TIMELINE_COUNT_UNKNOWN;
	if (event->loss_count > 0)
		why->lost_records = count_sum(why->lost_records, event->loss_count);
	if (is_sum)
		return 0;
	return history_lose(&why->history, event->loss_cpu, event->begin_ns, event->loss_end_ns) < 0
		       ? error_set(error, "out of memory")
		       : 0;
}

int why_learn_flows(struct why_sink *why, const struct timeline_event *event, struct error *error)
{
	const struct hop hop = { .time_ns = event->time_ns,
				 .writer = history_waker(&why->history, event->tid, event->cpu) };

	/* Flows of wake-ups are in the history. */
	if (why_track_of(why, event)->role != WHY_ROLE_NONE)
		return 0;
	for (unsigned int i = 0; i < event->nr_flows; i++) {
		if (hop_flows_add(&why->flows, hop_key(timeline_event_flow(event, i)), &hop) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

static int (*const learners[TIMELINE_KIND_COUNT])(struct why_sink *why,
						  const struct timeline_event *event,
						  struct error *error) = {
	[TIMELINE_TRACK_BEGIN] = learn_track, [TIMELINE_TRACK_END] = learn_track_end,
	[TIMELINE_SLICE_BEGIN] = learn_begin, [TIMELINE_LOSS] = learn_loss,
	[TIMELINE_LOSS_SUM] = learn_loss,     [TIMELINE_INSTANT] = why_learn_instant,
};

int why_learn(struct why_sink *why, const struct timeline_event *event, struct error *error)
{
	return learners[event->kind] ? learners[event->kind](why, event, error) : 0;
}

/* Takes into the history what a thread may wait for: requests and timers; and instants of threads.
 */

/* A field's value, 0 if the event does not have it. */
static int64_t field_number(const struct timeline_event *event, const char *name)
{
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, text_of(name)))
			return event->fields[i].value.signed_number;
	}
	return 0;
}

static int learn_armed(struct why_sink *why, const struct timeline_event *event,
		       struct error *error)
{
	const struct armed_timer timer = {
		.address = field_number(event, "timer") | field_number(event, "hrtimer"),
		.expires = field_number(event, "expires"),
		.armed_ns = event->time_ns,
		.writer = history_waker(&why->history, event->tid, event->cpu),
	};

	return timers_arm(&why->timers, &timer) < 0 ? error_set(error, "out of memory") : 0;
}

/*
 * How late a timer expires: jiffies count from the time for which it was queued. Numbers of records
 * may be any; with impossible ones it is not late.
 */
static int64_t timer_late_ns(struct why_sink *why, const struct timeline_event *event,
			     const struct armed_timer *timer)
{
	int64_t now = field_number(event, "now"), queued = field_number(event, "baseclk");
	int64_t late;

	if (queued == 0)
		return __builtin_sub_overflow(now, timer->expires, &late) ? 0 : late;
	timers_count_jiffies(&why->timers, now, event->time_ns);
	if (__builtin_sub_overflow(now, queued, &late) ||
	    __builtin_mul_overflow(late, why->timers.jiffy_ns, &late))
		return 0;
	return late;
}

static void learn_expired(struct why_sink *why, const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	const struct armed_timer *timer = timers_find(
		&why->timers, field_number(event, "timer") | field_number(event, "hrtimer"));
	struct operation operation;
	int64_t late_ns;

	if (!cpu || !timer)
		return;
	operation = (struct operation){ .name = why_name(why, event->name),
					.begin_ns = timer->armed_ns,
					.due_ns = INT64_MAX,
					.writer = timer->writer };
	late_ns = timer_late_ns(why, event, timer);
	if (late_ns > 0)
		operation.due_ns = event->time_ns - late_ns;
	history_end_operation(&why->history, cpu, &operation);
}

int why_learn_instant(struct why_sink *why, const struct timeline_event *event, struct error *error)
{
	struct why_track *track = why_track_of(why, event);

	if (track->role == WHY_ROLE_ARMED)
		return learn_armed(why, event, error);
	if (track->role == WHY_ROLE_EXPIRED)
		learn_expired(why, event);
	else if (track->role == WHY_ROLE_STACK)
		why_learn_stack(why, track, event);
	if (track->role != WHY_ROLE_NONE || !track->thread)
		return 0;
	why_see_writer(why, track, event);
	history_add_instant(track->thread, why_name(why, event->name));
	return 0;
}

/* Tracks that have the name of their tracepoint are distinguished by their scope. */
static bool track_has_default_name(const struct timeline_track *track)
{
	const char *event = strchr(track->category->text, ':');

	return track->scope == SCOPE_CUSTOM && event &&
	       text_equals(track->name, text_of(event + 1));
}

/* The selector that finds the slice: "block:request/R 4096@253,0". */
static uint32_t operation_name(struct why_sink *why, struct why_track *track,
			       const struct timeline_event *event)
{
	const struct timeline_track *shown = event->track;
	uint32_t name = why_name(why, event->name);
	struct buffer text = { 0 };

	if (track->object != NAMES_NONE && track->object_name == name)
		return track->object;
	buffer_append_string(&text, shown->category->text);
	buffer_append_char(&text, '/');
	buffer_append(&text, event->name->text.data, event->name->text.size);
	buffer_append_char(&text, '@');
	if (track_has_default_name(shown))
		buffer_append_signed(&text, shown->id.signed_number);
	else
		buffer_append(&text, shown->name.data, shown->name.size);
	track->object_name = name;
	track->object = text.failed ? NAMES_OTHER : name_table_add(&why->names, buffer_text(&text));
	buffer_release(&text);
	return track->object;
}

void why_learn_operation(struct why_sink *why, struct why_track *track,
			 const struct timeline_event *event)
{
	struct cpu_history *cpu = history_cpu_find(&why->history, event->cpu);
	const struct why_begin *begin = why_open_begin(track, event);

	if (!cpu || cpu->nr_interrupts == 0 || !begin || event->is_unfinished)
		return;
	history_end_operation(&why->history, cpu,
			      &(struct operation){ .name = operation_name(why, track, event),
						   .begin_ns = event->begin_ns,
						   .due_ns = INT64_MAX,
						   .writer = begin->writer });
}
