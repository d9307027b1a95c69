// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest program: functions and static tracepoints for probes. Calls outer() as often as the first
 * argument says, and prints how often each was called.
 */
#include <stdio.h>
#include <stdlib.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The kernel counts the tracers of a static tracepoint here. */
__extension__ unsigned short shop_begin_semaphore __attribute__((section(".probes")));
__extension__ unsigned short shop_end_semaphore __attribute__((section(".probes")));

static volatile int sum;
static long nr_outer, nr_inner;

/* Static, so that only the file's own symbols have it. */
static __attribute__((noinline, noclone)) int inner(int number)
{
	nr_inner++;
	sum += number;
	return -number;
}

__attribute__((noinline)) long outer(const char *name, int number)
{
	long result;

	nr_outer++;
	if (shop_begin_semaphore)
		DTRACE_PROBE2(shop, begin, name, number);
	result = inner(number) + inner(number + 1);
	DTRACE_PROBE1(shop, end, result);
	return result;
}

int main(int argc, char **argv)
{
	int nr_calls = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < nr_calls; i++)
		outer("apple", i);
	printf("outer %ld inner %ld tracers %d %d\n", nr_outer, nr_inner, shop_begin_semaphore,
	       shop_end_semaphore);
	return 0;
}
