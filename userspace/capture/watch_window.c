// SPDX-License-Identifier: GPL-2.0-only
/* Decides which time is recorded: merges triggers that are close, and limits the rate. */
#include "capture/watch_window.h"

#include <stdlib.h>
#include <string.h>

#define HOUR_NS (3600 * NS_PER_S)

int watch_windows_init(struct watch_windows *windows, int64_t before_ns, int64_t after_ns,
		       size_t rate)
{
	*windows = (struct watch_windows){ .before_ns = before_ns,
					   .after_ns = after_ns,
					   .rate = rate };
	windows->hour = calloc(rate + 1, sizeof(*windows->hour));
	return windows->hour ? 0 : -1;
}

static int64_t time_add(int64_t time_ns, int64_t more_ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, more_ns, &sum) ? INT64_MAX : sum;
}

/* Whether another recording is allowed; counts it then. Times are above 0. */
static bool rate_take(struct watch_windows *windows, int64_t now_ns)
{
	int64_t *oldest = &windows->hour[windows->next];

	if (*oldest > 0 && now_ns - *oldest < HOUR_NS)
		return false;
	*oldest = now_ns;
	windows->next = (windows->next + 1) % windows->rate;
	return true;
}

static int window_add_line(struct watch_window *window, const struct trigger_firing *firing)
{
	if (window->nr_triggers++ < WATCH_LINES_MAX)
		buffer_printf(&window->lines, "%lld %s: %s\n", (long long)firing->time_ns,
			      firing->trigger, firing->detail);
	return window->lines.failed ? -1 : 0;
}

/* The window that the trigger belongs to, NULL if it is outside of all. */
static struct watch_window *window_find(struct watch_windows *windows, int64_t time_ns)
{
	struct watch_window *last = windows->size > 0 ? &windows->list[windows->size - 1] : NULL;
	int64_t from_ns = windows->before_ns > 0 ? time_ns - windows->before_ns : 0;
	int64_t end_ns;

	if (!last || last->is_taken || from_ns > last->until_ns)
		return NULL;
	end_ns = time_add(last->first_ns, WATCH_MERGED_TIMES * windows->after_ns);
	return time_ns <= end_ns || time_ns <= last->until_ns ? last : NULL;
}

/* A recording of a loss has the record behind it, which says how much was lost. */
static void window_extend(const struct watch_windows *windows, struct watch_window *window,
			  const struct trigger_firing *firing)
{
	int64_t end_ns = time_add(window->first_ns, WATCH_MERGED_TIMES * windows->after_ns);
	int64_t until_ns = time_add(firing->time_ns, windows->after_ns);

	if (until_ns > end_ns)
		until_ns = end_ns;
	if (until_ns < firing->end_ns)
		until_ns = firing->end_ns;
	if (until_ns > window->until_ns)
		window->until_ns = until_ns;
}

static int window_begin(struct watch_windows *windows, const struct trigger_firing *firing,
			const struct recent_span *span, int64_t wall_offset_ns)
{
	struct watch_window *window = &windows->list[windows->size];
	/* Records may have been lost before the first one. */
	int64_t time_ns = firing->time_ns > span->begin_ns ? firing->time_ns : span->begin_ns;
	int64_t held_ns = time_ns - span->begin_ns;

	*window = (struct watch_window){ .wall_ns = time_ns + wall_offset_ns,
					 .first_ns = time_ns,
					 .from_ns = span->begin_ns,
					 .until_ns = time_add(time_ns, windows->after_ns),
					 .margin_ns = held_ns > 0 ? held_ns / 2 : 0 };
	if (windows->before_ns > 0 && windows->before_ns < held_ns)
		window->from_ns = time_ns - windows->before_ns;
	if (windows->before_ns > 0 && windows->before_ns < window->margin_ns)
		window->margin_ns = windows->before_ns;
	buffer_append_string(&window->trigger, firing->trigger);
	buffer_append_string(&window->detail, firing->detail);
	if (window->until_ns < firing->end_ns)
		window->until_ns = firing->end_ns;
	windows->size++;
	return window->trigger.failed || window->detail.failed ? -1
							       : window_add_line(window, firing);
}

int watch_windows_add(struct watch_windows *windows, const struct trigger_firing *firing,
		      const struct recent_span *span, int64_t wall_offset_ns)
{
	struct watch_window *window = window_find(windows, firing->time_ns);

	if (window) {
		window_extend(windows, window, firing);
		return window_add_line(window, firing);
	}
	if (windows->size == WATCH_WINDOWS_MAX || !rate_take(windows, firing->time_ns)) {
		windows->nr_refused++;
		return 0;
	}
	return window_begin(windows, firing, span, wall_offset_ns);
}

int watch_windows_request(struct watch_windows *windows, const char *reason, int64_t now_ns,
			  const struct recent_span *span, int64_t wall_offset_ns)
{
	const struct trigger_firing firing = {
		.trigger = reason, .detail = "requested", .time_ns = now_ns, .end_ns = now_ns
	};

	if (windows->size == WATCH_WINDOWS_MAX) {
		windows->nr_refused++;
		return 0;
	}
	if (window_begin(windows, &firing, span, wall_offset_ns) < 0)
		return -1;
	windows->list[windows->size - 1].until_ns = windows->list[windows->size - 1].first_ns;
	return 0;
}

/* Old records are dropped from memory while the recording waits for its end. */
struct watch_window *watch_windows_due(struct watch_windows *windows, int64_t drained_ns,
				       const struct recent_span *span, bool is_over)
{
	struct watch_window *first = &windows->list[0];
	bool is_vanishing;

	if (windows->size == 0)
		return NULL;
	is_vanishing = span->begin_ns > first->first_ns - first->margin_ns;
	if (drained_ns < first->until_ns && !is_vanishing && !is_over)
		return NULL;
	if (drained_ns < first->until_ns)
		first->until_ns = drained_ns;
	first->is_taken = true;
	return first;
}

int64_t watch_windows_next_ns(const struct watch_windows *windows)
{
	return windows->size > 0 ? windows->list[0].until_ns : INT64_MAX;
}

static void window_free(struct watch_window *window)
{
	buffer_release(&window->trigger);
	buffer_release(&window->detail);
	buffer_release(&window->lines);
}

void watch_windows_drop(struct watch_windows *windows)
{
	window_free(&windows->list[0]);
	windows->size--;
	memmove(windows->list, windows->list + 1, windows->size * sizeof(*windows->list));
}

void watch_windows_release(struct watch_windows *windows)
{
	while (windows->size > 0)
		watch_windows_drop(windows);
	free(windows->hour);
	windows->hour = NULL;
}
