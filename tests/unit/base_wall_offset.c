// SPDX-License-Identifier: GPL-2.0-only
/* Test: the offset of the wall clock is that of the shortest time around its reading. */
#include <time.h>

#include "base/base.h"
#include "fixtures/tap.h"

/** struct reading - what the clocks show: before, the wall clock, and behind */
struct reading {
	int64_t before_ns;
	int64_t wall_ns;
	int64_t behind_ns;
};

/* This process was preempted during the first two. */
static const struct reading readings[] = {
	{ 1000, 500900, 9000 },		{ 10000, 519000, 20000 }, { 30000, 530090, 30100 },
	{ 40000, 540700, 40900 },	{ 50000, 550100, 50200 },
};

static unsigned int nr_calls;

/* Instead of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	const struct reading *reading = &readings[nr_calls / 3 % 5];
	int64_t time_ns = nr_calls % 3 == 0   ? reading->before_ns
			  : nr_calls % 3 == 1 ? reading->wall_ns
					      : reading->behind_ns;

	CHECK_NUMBER(clock, nr_calls % 3 == 1 ? CLOCK_REALTIME : CLOCK_BOOTTIME);
	nr_calls++;
	*now = (struct timespec){ .tv_sec = time_ns / NS_PER_S, .tv_nsec = time_ns % NS_PER_S };
	return 0;
}

TEST(the_middle_of_the_shortest_time_counts)
{
	CHECK_NUMBER(time_wall_offset_ns(CLOCK_BOOTTIME), 530090 - 30050);
	CHECK_NUMBER(nr_calls, 15);
}
