// SPDX-License-Identifier: GPL-2.0-only
/* Keeps how far the losses of a buffer reach. */
#include "track/suspicion.h"

#include <stdlib.h>

void suspicion_release(struct suspicion *suspicion)
{
	free(suspicion->cpu_until_ns);
	*suspicion = (struct suspicion){ 0 };
}

static int suspicion_grow(struct suspicion *suspicion, size_t nr_cpus)
{
	int64_t *until_ns = reallocarray(suspicion->cpu_until_ns, nr_cpus, sizeof(*until_ns));

	if (!until_ns)
		return -1;
	for (size_t cpu = suspicion->nr_cpus; cpu < nr_cpus; cpu++)
		until_ns[cpu] = INT64_MIN;
	suspicion->cpu_until_ns = until_ns;
	suspicion->nr_cpus = nr_cpus;
	return 0;
}

int suspicion_add(struct suspicion *suspicion, int cpu, int64_t to_ns)
{
	size_t index = cpu;

	if (index >= suspicion->nr_cpus && suspicion_grow(suspicion, index + 1) < 0)
		return -1;
	/* A slice may have begun between two losses that end at one time. */
	if (to_ns == suspicion->cpu_until_ns[index] && to_ns < INT64_MAX)
		to_ns++;
	if (to_ns > suspicion->cpu_until_ns[index])
		suspicion->cpu_until_ns[index] = to_ns;
	if (to_ns >= suspicion->until_ns) {
		suspicion->until_cpu = to_ns > suspicion->until_ns ? cpu : -1;
		suspicion->until_ns = to_ns;
	}
	return 0;
}
