/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* CPUs as scopes: the one that writes the record can be left to the tracepoint. */
#ifndef KTRACK_CPU_H
#define KTRACK_CPU_H

#include <linux/compiler.h>
#include <linux/smp.h>

/**
 * KTRACK_THIS_CPU - in place of a CPU number: the CPU that writes the record
 *
 * It is looked up where preemption is already off, so that value and CPU agree. Meant for
 * counters and instants. A begin and an end may run on different CPUs: take the number once
 * and give it to both, as ktrack_guard() does.
 */
#define KTRACK_THIS_CPU		(-2147483647 - 1)

static __always_inline int ktrack_cpu_resolve(int cpu)
{
	return cpu == KTRACK_THIS_CPU ? raw_smp_processor_id() : cpu;
}

#endif
