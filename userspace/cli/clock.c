// SPDX-License-Identifier: GPL-2.0-only
/* Reads clocks. */
#include "cli/clock.h"

#include "base/base.h"

#define SAMPLES 5

int64_t clock_boot_ns(void)
{
	return time_now_ns(CLOCK_BOOTTIME);
}

/*
 * Of several tries the one counts in which the two boot readings around the wall clock's lie
 * closest together.
 */
int64_t clock_wall_offset_ns(void)
{
	int64_t best_width_ns = INT64_MAX, offset_ns = 0;

	for (int i = 0; i < SAMPLES; i++) {
		int64_t before_ns = time_now_ns(CLOCK_BOOTTIME);
		int64_t wall_ns = time_now_ns(CLOCK_REALTIME);
		int64_t width_ns = time_now_ns(CLOCK_BOOTTIME) - before_ns;

		if (width_ns >= best_width_ns)
			continue;
		best_width_ns = width_ns;
		offset_ns = wall_ns - (before_ns + width_ns / 2);
	}
	return offset_ns;
}
