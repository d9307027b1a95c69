// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the frequency of this machine's timestamp counter in kHz, for scripts/vm. It is right on a
 * busy machine, too: of several readings of the counter between two of the clock, the fastest counts.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES 64

struct reading {
	uint64_t ticks;
	int64_t ns;
};

static struct reading read_both(void)
{
	struct reading best = { 0 };
	uint64_t fastest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= fastest)
			continue;
		fastest = after - before;
		best.ticks = before + fastest / 2;
		best.ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct reading first = read_both(), last;

	nanosleep(&pause, NULL);
	last = read_both();
	printf("%" PRIu64 "\n",
	       (uint64_t)((double)(last.ticks - first.ticks) * 1e6 / (double)(last.ns - first.ns)));
	return 0;
}
