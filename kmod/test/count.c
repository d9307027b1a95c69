// SPDX-License-Identifier: GPL-2.0-only
/* Counts records per CPU: since the module was loaded, and in the last run. */
#include <linux/percpu.h>

#include "test.h"

struct test_counts {
	u32 sequence;
	u32 fired;
};

static DEFINE_PER_CPU(struct test_counts, test_counts);

void test_counts_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(test_counts, cpu).fired = 0;
}

/* The next record's sequence number, from 1. Preemption must stay off until it is written. */
u32 test_count_record(void)
{
	this_cpu_inc(test_counts.fired);
	return this_cpu_inc_return(test_counts.sequence);
}

u32 test_count_fired(unsigned int cpu)
{
	return per_cpu(test_counts, cpu).fired;
}

u32 test_count_sequence(unsigned int cpu)
{
	return per_cpu(test_counts, cpu).sequence;
}
