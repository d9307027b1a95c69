// SPDX-License-Identifier: GPL-2.0-only
/* Properties of trace clocks. */
#include <string.h>

#include "tracefs/tracefs.h"

/** struct wall_clock - a trace clock and its system clock */
struct wall_clock {
	const char *name;
	clockid_t id;
};

static const struct wall_clock wall_clocks[] = {
	{ "boot", CLOCK_BOOTTIME },
	{ "mono", CLOCK_MONOTONIC },
	{ "mono_raw", CLOCK_MONOTONIC_RAW },
	{ "tai", CLOCK_TAI },
};

bool trace_clock_find(const char *name, clockid_t *out)
{
	for (size_t i = 0; i < sizeof(wall_clocks) / sizeof(wall_clocks[0]); i++) {
		if (strcmp(wall_clocks[i].name, name) != 0)
			continue;
		*out = wall_clocks[i].id;
		return true;
	}
	return false;
}

bool trace_clock_counts_ticks(const char *name)
{
	static const char *const clocks[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };

	for (size_t i = 0; name && i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcmp(name, clocks[i]) == 0)
			return true;
	}
	return false;
}
