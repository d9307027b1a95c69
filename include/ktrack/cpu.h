/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* CPUs as scopes: the tracepoint can insert the CPU that writes the record. */
#ifndef KTRACK_CPU_H
#define KTRACK_CPU_H

#include <linux/compiler.h>
#include <linux/smp.h>

/**
 * KTRACK_THIS_CPU - instead of a CPU number: the CPU that writes the record
 *
 * It is read when preemption is already off, so that value and CPU agree. For counters and
 * instants. A begin and its end may run on different CPUs: read the number once and pass it to
 * both, as ktrack_guard() does.
 */
#define KTRACK_THIS_CPU		(-2147483647 - 1)

static __always_inline int ktrack_cpu_resolve(int cpu)
{
	return cpu == KTRACK_THIS_CPU ? raw_smp_processor_id() : cpu;
}

#endif
