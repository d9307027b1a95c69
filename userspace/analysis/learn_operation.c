// SPDX-License-Identifier: GPL-2.0-only
/* Takes into the history what a thread may wait for: requests and timers; and instants of threads.
 */
#include "analysis/why.h"

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
