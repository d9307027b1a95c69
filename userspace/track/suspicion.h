/* SPDX-License-Identifier: GPL-2.0-only */
/* Which slices a loss may have falsified. */
#ifndef TRACK_SUSPICION_H
#define TRACK_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct suspicion - how far into time the losses known so far reach
 * @until_ns: the latest end of a loss on any CPU
 * @until_cpu: the CPU of that loss, -1 where several end then
 * @cpu_until_ns: the same for each CPU
 *
 * Losses are told before any event that is later than their beginning. So a slice that ends now
 * overlaps a loss exactly where it began before a loss's end: one number is all the state there
 * need be. What was lost on a CPU was written before the record that ends the loss, and so before
 * the slice that begins with it; records of other CPUs with the same time may have been before.
 */
struct suspicion {
	int64_t until_ns;
	int until_cpu;
	int64_t *cpu_until_ns;
	size_t nr_cpus;
};

void suspicion_release(struct suspicion *suspicion);

/**
 * suspicion_add - records of @cpu were lost, the last of them before @to_ns; returns -1 where
 * memory ran out
 */
int suspicion_add(struct suspicion *suspicion, int cpu, int64_t to_ns);

/**
 * suspicion_covers - whether a slice that began at @begin_ns, by a record of @begin_cpu, and is
 * open now overlaps a loss
 * @cpu: the only CPU that can have written its records, or -1 for any: threads migrate, and a
 * record's scope may name another CPU than its writer's
 */
bool suspicion_covers(const struct suspicion *suspicion, int cpu, int64_t begin_ns, int begin_cpu);

#endif
