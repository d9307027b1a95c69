// SPDX-License-Identifier: GPL-2.0-only
/* Reads clocks. */
#include "cli/clock.h"

#include "base/base.h"

int64_t clock_boot_ns(void)
{
	return time_now_ns(CLOCK_BOOTTIME);
}

int64_t clock_wall_offset_ns(void)
{
	return time_wall_offset_ns(CLOCK_BOOTTIME);
}
