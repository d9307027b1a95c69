// SPDX-License-Identifier: GPL-2.0-only
/* Tests of shifting a guest's times, by options that are right, cut short, or lie. */
#include "tracedat/file.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/random.h"
#include "fixtures/tap.h"
#include "source/source.h"

/* One CPU with two samples, whose offset moves evenly from -500 to 500. */
struct shift_option {
	uint32_t flags;
	uint32_t nr_cpus;
	uint32_t nr_samples;
	int64_t times[2];
	int64_t offsets[2];
	uint64_t scales[2];
	uint64_t fractions[2];
} __attribute__((packed));

static const struct shift_option option = {
	1, 1, 2, { 1000, 2000 }, { -500, 500 }, { 1, 1 }, { 0, 0 },
};

static struct cursor cursor_of(const void *bytes, size_t size)
{
	return (struct cursor){ .data = bytes, .size = size };
}

TEST(offsets_move_evenly_before_between_and_behind_the_samples)
{
	SCOPED(shifts) shifts = { 0 };

	CHECK_NUMBER(shifts_read(&shifts, cursor_of(&option, sizeof(option))), 0);
	if (CHECK_NUMBER(shifts.nr_cpus, 1)) {
		CHECK_NUMBER(shift_apply(&shifts.list[0], 1000), 500);
		CHECK_NUMBER(shift_apply(&shifts.list[0], 1500), 1500);
		CHECK_NUMBER(shift_apply(&shifts.list[0], 2000), 2500);
		CHECK_NUMBER(shift_apply(&shifts.list[0], 3000), 4500);
		CHECK_NUMBER(shift_apply(&shifts.list[0], 0), 0);
		CHECK_NUMBER(shift_apply(&shifts.list[0], RECORD_TIME_LIMIT - 1),
			     RECORD_TIME_LIMIT - 1);
	}
}

/* Offsets in units of time: 10 in 4, 1 in 3. */
TEST(offsets_are_rounded_to_the_nearest)
{
	struct shift_sample samples[] = { { .time = 100, .offset = 0, .scale = 1 },
					  { .time = 104, .offset = 10, .scale = 1 },
					  { .time = 107, .offset = 11, .scale = 1 } };
	struct shift shift = { .samples = samples, .nr_samples = 3, .is_steady = true };

	CHECK_NUMBER(shift_apply(&shift, 101), 101 + 3);
	CHECK_NUMBER(shift_apply(&shift, 102), 102 + 5);
	CHECK_NUMBER(shift_apply(&shift, 103), 103 + 8);
	CHECK_NUMBER(shift_apply(&shift, 105), 105 + 10);
	CHECK_NUMBER(shift_apply(&shift, 106), 106 + 11);
}

/* Reads the option after a change of it; returns a shifted time, -1 if the option is refused. */
static int64_t shift_by(int64_t second_time, int64_t first_offset, uint64_t scale,
			uint64_t fraction, int64_t ticks)
{
	struct shift_option changed = option;
	struct shifts shifts = { 0 };
	int64_t time_ns = -1;

	changed.times[1] = second_time;
	changed.offsets[0] = first_offset;
	changed.scales[0] = scale;
	changed.fractions[0] = fraction;
	CHECK_NUMBER(shifts_read(&shifts, cursor_of(&changed, sizeof(changed))), 0);
	if (shifts.nr_cpus > 0)
		time_ns = shift_apply(&shifts.list[0], ticks);
	shifts_release(&shifts);
	return time_ns;
}

TEST(options_are_checked)
{
	CHECK_NUMBER(shift_by(2000, -500, 1, 0, 1000), 500);
	/* Of two samples at one time, the first counts. */
	CHECK_NUMBER(shift_by(1000, -500, 1, 0, 1000), 500);
	CHECK_NUMBER(shift_by(2000, -500, 1 << 4, 3, 1000), 1500);
	CHECK_NUMBER(shift_by(2000, -500, UINT64_C(1) << 63, 63, 1000), 500);
	/* No fraction can have more bits. */
	CHECK_NUMBER(shift_by(2000, -500, 1, 64, 1000), 500);
	CHECK_NUMBER(shift_by(2000, 1 - RECORD_TIME_LIMIT, 1, 0, 1000), 0);
	CHECK_NUMBER(shift_by(2000, -RECORD_TIME_LIMIT, 1, 0, 1000), -1);
	CHECK_NUMBER(shift_by(2000, RECORD_TIME_LIMIT, 1, 0, 1000), -1);
	CHECK_NUMBER(shift_by(-1, 0, 1, 0, 1000), -1);
}

TEST(an_option_cut_anywhere_but_before_the_fractions_shifts_nothing)
{
	const size_t whole = sizeof(option), older = whole - sizeof(option.fractions);

	for (size_t size = 0; size <= whole; size++) {
		struct shifts shifts = { 0 };
		unsigned char *bytes = malloc(size ? size : 1);

		memcpy(bytes, &option, size);
		CHECK_NUMBER(shifts_read(&shifts, cursor_of(bytes, size)), 0);
		CHECK_NUMBER(shifts.nr_cpus, size == whole || size == older);
		shifts_release(&shifts);
		free(bytes);
	}
}

TEST(options_that_lie_do_no_harm)
{
	struct random random = { .state = 7 };
	unsigned int nr_taken = 0;

	for (int i = 0; i < 20000; i++) {
		struct shifts shifts = { 0 };
		unsigned char *bytes = malloc(sizeof(option));
		size_t at = random_below(&random, sizeof(option));

		memcpy(bytes, &option, sizeof(option));
		bytes[at] = random_next(&random);
		bytes[random_below(&random, sizeof(option))] ^= 1 << random_below(&random, 8);
		CHECK_NUMBER(shifts_read(&shifts, cursor_of(bytes, sizeof(option))), 0);
		for (size_t cpu = 0; cpu < shifts.nr_cpus; cpu++) {
			int64_t timestamp = random_below(&random, RECORD_TIME_LIMIT);
			int64_t time_ns = shift_apply(&shifts.list[cpu], timestamp);

			nr_taken++;
			CHECK(time_ns >= 0 && time_ns < RECORD_TIME_LIMIT);
		}
		shifts_release(&shifts);
		free(bytes);
	}
	CHECK(nr_taken > 5000);
}

TEST(ticks_become_nanoseconds_below_the_limit)
{
	static const struct trace_rate nanoseconds;

	CHECK_NUMBER(trace_rate_apply(nanoseconds, 25), 25);
	CHECK_NUMBER(trace_rate_apply((struct trace_rate){ .multiplier = 3, .shift = 1 }, 21), 31);
	CHECK_NUMBER(trace_rate_apply((struct trace_rate){ .multiplier = UINT32_MAX, .shift = 32 },
				      INT64_C(1) << 58),
		     INT64_C(288230376084602880));
	CHECK_NUMBER(
		trace_rate_apply((struct trace_rate){ .multiplier = UINT32_MAX }, INT64_C(1) << 40),
		INT64_C(4611686018427387903));
}
