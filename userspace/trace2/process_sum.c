// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Timers and counters: each thread has its own sums, which join the totals when it ends. */
#include <stdlib.h>
#include <string.h>

#include "trace2/process_state.h"

/* Lower bits: the number of a timer or counter, from 1; higher bits: the generation. */
#define NUMBER_BITS 20
#define NUMBER_MASK ((1 << NUMBER_BITS) - 1)

/* The number within this generation; 0 if it has none. */
static int sum_number_decode(const int *number)
{
	int whole = __atomic_load_n(number, __ATOMIC_ACQUIRE);

	return whole >> NUMBER_BITS == process.generation ? whole & NUMBER_MASK : 0;
}

/* Numbers a timer or counter at its first use and lists it; returns 0 if memory ran out. */
static int sum_number(struct buffer *list, int *number, const void *owner)
{
	int found = sum_number_decode(number);

	if (found)
		return found;
	pthread_mutex_lock(&process.lock);
	found = sum_number_decode(number);
	if (!found && list->size / sizeof(owner) < NUMBER_MASK) {
		buffer_append(list, &owner, sizeof(owner));
		found = list->failed ? 0 : (int)(list->size / sizeof(owner));
		__atomic_store_n(number, process.generation << NUMBER_BITS | found,
				 __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&process.lock);
	return found;
}

/* Grows an array of *@size elements until it has @number; returns -1 if memory ran out. */
static int array_grow(void *array, size_t *size, size_t number, size_t element_size)
{
	void *grown;

	if (number <= *size)
		return 0;
	grown = reallocarray(*(void **)array, number, element_size);
	if (!grown)
		return -1;
	memset((char *)grown + *size * element_size, 0, (number - *size) * element_size);
	*(void **)array = grown;
	*size = number;
	return 0;
}

static struct interval_sum *sums_timer(struct sums *sums, size_t number)
{
	if (array_grow(&sums->timers, &sums->nr_timers, number, sizeof(*sums->timers)) < 0)
		return NULL;
	return &sums->timers[number - 1];
}

static uint64_t *sums_counter(struct sums *sums, size_t number)
{
	if (array_grow(&sums->counters, &sums->nr_counters, number, sizeof(*sums->counters)) < 0)
		return NULL;
	return &sums->counters[number - 1];
}

void sums_release(struct sums *sums)
{
	free(sums->timers);
	free(sums->counters);
}

/* The timer of the calling thread; NULL if tracing is off or memory ran out. */
static struct interval_sum *own_timer(struct trace2_timer *timer)
{
	struct self *self = timer && trace2_is_enabled() ? self_get() : NULL;
	int number = self ? sum_number(&process.timers, &timer->number, timer) : 0;

	return number ? sums_timer(&self->sums, number) : NULL;
}

void trace2_timer_start(struct trace2_timer *timer)
{
	struct interval_sum *sum = own_timer(timer);

	/* Sums of short times need nanoseconds, so these are not cut to microseconds. */
	if (sum && sum->nr_starts++ == 0)
		sum->start_ns = time_now_ns(CLOCK_MONOTONIC);
}

static void interval_add(struct interval_sum *sum, const struct interval_sum *more)
{
	if (more->nr_intervals == 0)
		return;
	if (sum->nr_intervals == 0 || more->min_ns < sum->min_ns)
		sum->min_ns = more->min_ns;
	if (sum->nr_intervals == 0 || more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->total_ns += more->total_ns;
	sum->nr_intervals += more->nr_intervals;
}

void trace2_timer_stop(struct trace2_timer *timer)
{
	struct interval_sum *sum = own_timer(timer);
	int64_t elapsed_ns;

	if (!sum || sum->nr_starts == 0 || --sum->nr_starts > 0)
		return;
	elapsed_ns = time_now_ns(CLOCK_MONOTONIC) - sum->start_ns;
	interval_add(sum, &(struct interval_sum){ .nr_intervals = 1,
						  .total_ns = elapsed_ns,
						  .min_ns = elapsed_ns,
						  .max_ns = elapsed_ns });
}

void trace2_counter_add(struct trace2_counter *counter, uint64_t value)
{
	struct self *self = counter && trace2_is_enabled() ? self_get() : NULL;
	int number = self ? sum_number(&process.counters, &counter->number, counter) : 0;
	uint64_t *sum = number ? sums_counter(&self->sums, number) : NULL;

	if (sum)
		*sum += value;
}

void sums_collect(const struct sums *sums)
{
	pthread_mutex_lock(&process.lock);
	for (size_t i = 0; i < sums->nr_timers; i++) {
		struct interval_sum *total = sums_timer(&process.totals, i + 1);

		if (total)
			interval_add(total, &sums->timers[i]);
	}
	for (size_t i = 0; i < sums->nr_counters; i++) {
		uint64_t *total = sums_counter(&process.totals, i + 1);

		if (total)
			*total += sums->counters[i];
	}
	pthread_mutex_unlock(&process.lock);
}

static int sum_names_set(struct self *self, const char *category, const char *name)
{
	if (trace2_text_set(&self->first, string_of(category)) < 0)
		return -1;
	return trace2_text_set(&self->second, string_of(name));
}

static void timer_sum_write(struct self *self, const struct trace2_timer *timer,
			    const struct interval_sum *sum, bool is_total, int64_t now_ns)
{
	struct trace2_event event = { .kind = is_total ? TRACE2_TIMER : TRACE2_TH_TIMER,
				      .file = __FILE__,
				      .line = __LINE__ };

	if (sum->nr_intervals == 0 || (!is_total && !timer->has_thread_events))
		return;
	if (sum_names_set(self, timer->category, timer->name) < 0)
		return;
	event.timer.category = &self->first;
	event.timer.name = &self->second;
	event.timer.intervals = sum->nr_intervals;
	event.timer.total_ns = sum->total_ns;
	event.timer.min_ns = sum->min_ns;
	event.timer.max_ns = sum->max_ns;
	process_write(self, &event, now_ns);
}

static void counter_sum_write(struct self *self, const struct trace2_counter *counter, uint64_t sum,
			      bool is_total, int64_t now_ns)
{
	struct trace2_event event = { .kind = is_total ? TRACE2_COUNTER : TRACE2_TH_COUNTER,
				      .file = __FILE__,
				      .line = __LINE__ };

	if (sum == 0 || (!is_total && !counter->has_thread_events))
		return;
	if (sum_names_set(self, counter->category, counter->name) < 0)
		return;
	event.counter.category = &self->first;
	event.counter.name = &self->second;
	event.counter.count = sum;
	process_write(self, &event, now_ns);
}

/*
 * The owner of a number; other threads may be appending to the list. Nothing is written under the
 * lock, because a slow reader or a cancelled thread would block all threads.
 */
static const void *owner_of(const struct buffer *list, size_t index)
{
	const void *owner;

	pthread_mutex_lock(&process.lock);
	owner = ((const void **)list->data)[index];
	pthread_mutex_unlock(&process.lock);
	return owner;
}

void sums_write(struct self *self, const struct sums *sums, bool is_total, int64_t now_ns)
{
	for (size_t i = 0; i < sums->nr_timers; i++)
		timer_sum_write(self, owner_of(&process.timers, i), &sums->timers[i], is_total,
				now_ns);
	for (size_t i = 0; i < sums->nr_counters; i++)
		counter_sum_write(self, owner_of(&process.counters, i), sums->counters[i], is_total,
				  now_ns);
}
