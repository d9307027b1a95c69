// SPDX-License-Identifier: GPL-2.0-only
/* Converts timestamps: from a guest's clock to its host's, and from ticks to nanoseconds. */
#include "tracedat/file.h"

#include <stdlib.h>

#include "event/event.h"

/* Three numbers. */
#define SAMPLE_SIZE 24
#define FLAG_STEADY 1

static int sample_compare(const void *a, const void *b)
{
	const struct shift_sample *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/* Of samples with equal times, the first is kept. */
static void shift_sort(struct shift *shift)
{
	size_t nr_kept = 0;

	if (shift->nr_samples > 1)
		qsort(shift->samples, shift->nr_samples, sizeof(*shift->samples), sample_compare);
	for (size_t i = 0; i < shift->nr_samples; i++) {
		if (nr_kept == 0 || shift->samples[i].time != shift->samples[nr_kept - 1].time)
			shift->samples[nr_kept++] = shift->samples[i];
	}
	shift->nr_samples = nr_kept;
}

static int shift_read(struct shift *shift, struct cursor *data)
{
	uint32_t nr_samples = cursor_u32(data);

	if (nr_samples == 0 || nr_samples > cursor_left(data) / SAMPLE_SIZE) {
		data->is_over = true;
		return 0;
	}
	shift->samples = calloc(nr_samples, sizeof(*shift->samples));
	if (!shift->samples)
		return -1;
	shift->nr_samples = nr_samples;
	for (uint32_t i = 0; i < nr_samples; i++)
		shift->samples[i].time = cursor_u64(data);
	for (uint32_t i = 0; i < nr_samples; i++)
		shift->samples[i].offset = cursor_u64(data);
	for (uint32_t i = 0; i < nr_samples; i++)
		shift->samples[i].scale = cursor_u64(data);
	return 0;
}

static bool shift_is_valid(const struct shift *shift)
{
	for (size_t i = 0; i < shift->nr_samples; i++) {
		const struct shift_sample *sample = &shift->samples[i];

		if (sample->time < 0 || sample->time >= RECORD_TIME_LIMIT ||
		    sample->offset <= -RECORD_TIME_LIMIT || sample->offset >= RECORD_TIME_LIMIT)
			return false;
	}
	return true;
}

static int shifts_read_all(struct shifts *shifts, bool is_steady, struct cursor *data)
{
	bool has_fractions;
	for (size_t cpu = 0; cpu < shifts->nr_cpus && !data->is_over; cpu++) {
		shifts->list[cpu].is_steady = is_steady;
		if (shift_read(&shifts->list[cpu], data) < 0)
			return -1;
	}
	/* Older files lack them. */
	has_fractions = cursor_left(data) > 0;
	for (size_t cpu = 0; has_fractions && cpu < shifts->nr_cpus; cpu++) {
		struct shift *shift = &shifts->list[cpu];

		for (size_t i = 0; i < shift->nr_samples; i++) {
			uint64_t fraction = cursor_u64(data);

			shift->samples[i].fraction = fraction < 64 ? fraction : 0;
		}
	}
	for (size_t cpu = 0; cpu < shifts->nr_cpus; cpu++) {
		shift_sort(&shifts->list[cpu]);
		data->is_over |= !shift_is_valid(&shifts->list[cpu]);
	}
	return 0;
}

int shifts_read(struct shifts *shifts, struct cursor data)
{
	bool is_steady = cursor_u32(&data) & FLAG_STEADY;
	uint32_t nr_cpus = cursor_u32(&data);

	shifts_release(shifts);
	if (nr_cpus > cursor_left(&data) / SAMPLE_SIZE)
		return 0;
	shifts->list = calloc(nr_cpus + 1, sizeof(*shifts->list));
	if (!shifts->list)
		return -1;
	shifts->nr_cpus = nr_cpus;
	if (shifts_read_all(shifts, is_steady, &data) < 0)
		return -1;
	if (data.is_over)
		shifts_release(shifts);
	return 0;
}

void shifts_release(struct shifts *shifts)
{
	for (size_t cpu = 0; cpu < shifts->nr_cpus; cpu++)
		free(shifts->list[cpu].samples);
	free(shifts->list);
	*shifts = (struct shifts){ 0 };
}

/* Returns the first of the two samples around a time, or nearest to it. */
static const struct shift_sample *sample_find(const struct shift *shift, int64_t ticks)
{
	size_t low = 0, high = shift->nr_samples - 1;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (shift->samples[middle].time <= ticks)
			low = middle;
		else
			high = middle;
	}
	return &shift->samples[low];
}

/* Rounds to the nearest, as trace-cmd does. */
static __int128 offset_between(const struct shift_sample *sample, int64_t ticks)
{
	const struct shift_sample *next = sample + 1;
	__int128 span = (__int128)next->time - sample->time;
	__int128 passed = (__int128)ticks - sample->time;
	__int128 moved = (__int128)next->offset - sample->offset;

	return sample->offset + (passed * moved + span / 2) / span;
}

int64_t shift_apply(const struct shift *shift, int64_t ticks)
{
	const struct shift_sample *sample;
	__int128 time_ns;

	if (shift->nr_samples == 1) {
		time_ns = (__int128)ticks + shift->samples[0].offset;
	} else {
		sample = sample_find(shift, ticks);
		time_ns = ((unsigned __int128)ticks * sample->scale >> sample->fraction);
		time_ns += shift->is_steady ? offset_between(sample, ticks) : sample->offset;
	}
	if (time_ns < 0)
		return 0;
	return time_ns < RECORD_TIME_LIMIT ? (int64_t)time_ns : RECORD_TIME_LIMIT - 1;
}

/* A product that is no time becomes the last possible one. */
int64_t trace_rate_apply(struct trace_rate rate, int64_t ticks)
{
	unsigned __int128 time_ns = (unsigned __int128)ticks * rate.multiplier >> rate.shift;

	if (rate.multiplier == 0)
		return ticks;
	return time_ns < RECORD_TIME_LIMIT ? (int64_t)time_ns : RECORD_TIME_LIMIT - 1;
}
