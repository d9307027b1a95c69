/* SPDX-License-Identifier: GPL-2.0-only */
/* Slices that a loss may have falsified. */
#ifndef TRACK_SUSPICION_H
#define TRACK_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/**
 * struct suspicion - how far the losses of a buffer reach
 * @until_ns: latest end of a loss on any CPU
 * @until_cpu: CPU of that loss, -1 if several end then
 * @cpu_until_ns: the same for each CPU
 * @nr_cpus: size of that array
 *
 * A loss is delivered before any event later than its begin. So a slice that ends now overlaps a
 * loss exactly if it began before the end of one: one time is sufficient. Lost records of a CPU
 * precede the record that ends the loss, and so the slice that begins with it; records of other
 * CPUs with the same time may precede them.
 */
struct suspicion {
	int64_t until_ns;
	int until_cpu;
	int64_t *cpu_until_ns;
	size_t nr_cpus;
};

/** suspicion_release - free the array, and zero @suspicion */
void suspicion_release(struct suspicion *suspicion);

/** suspicion_add - add a loss on @cpu that ends at @to_ns; returns -1 if memory ran out */
int suspicion_add(struct suspicion *suspicion, int cpu, int64_t to_ns);

/**
 * suspicion_covers - whether an open slice overlaps a loss
 * @cpu: the only CPU that may have written its records, or -1 for any: threads migrate, and a
 * record's scope may be another CPU than the writer's
 * @begin_ns: begin of the slice
 * @begin_cpu: CPU that wrote the begin
 */
hot_inline bool suspicion_covers(const struct suspicion *suspicion, int cpu, int64_t begin_ns,
				 int begin_cpu)
{
	/* Most slices began after the latest loss. */
	if (begin_ns > suspicion->until_ns || suspicion->nr_cpus == 0)
		return false;
	if (cpu < 0)
		return begin_ns < suspicion->until_ns ||
		       (begin_ns == suspicion->until_ns && begin_cpu != suspicion->until_cpu);
	return (size_t)cpu < suspicion->nr_cpus && begin_ns < suspicion->cpu_until_ns[cpu];
}

#endif
