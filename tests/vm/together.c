// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest program: each call of outer() is a slice of ktrack/user.h, a function for a uprobe, and a
 * pair of static tracepoints, inside each other. Two threads call it as often as the first argument
 * says; then the program prints how often each of the three was reached.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>

#define KTRACK_SYSTEM together
#include <ktrack/user.h>

KTRACK_SLICE(together_call, KTRACK_FIELD(uint32_t, number));

#define NR_THREADS 2
#define PAUSE_EVERY 50

#define STEP_US 10000

/* How often each mechanism was reached, counted behind it. */
struct counts {
	long slices;
	long functions;
	long tracepoints;
};

static struct counts counts;
static int nr_calls, pause_us;
static volatile long sum, last;

static void count(long *number)
{
	__atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline, noclone)) long outer(int number)
{
	/* The tracepoint is not the first instruction, nor is one with a lock, which cannot be probed. */
	last = number;
	count(&counts.functions);
	DTRACE_PROBE1(together, begin, number);
	DTRACE_PROBE1(together, end, -number);
	count(&counts.tracepoints);
	return -number;
}

static void *thread_run(void *unused)
{
	for (int i = 0; i < nr_calls; i++) {
		ktrack_begin(together_call, "call", (uint32_t)i);
		sum += outer(i);
		ktrack_end(together_call, (uint32_t)i);
		count(&counts.slices);
		if (i % PAUSE_EVERY == 0)
			usleep((unsigned int)pause_us);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_THREADS];

	nr_calls = argc > 1 ? atoi(argv[1]) : 1;
	pause_us = argc > 2 ? atoi(argv[2]) : 0;
	while (!ktrack_enabled(together_call))
		usleep(STEP_US);
	for (int i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&threads[i], NULL, thread_run, NULL) != 0)
			abort();
	}
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d %ld %ld %ld\n", getpid(), counts.slices, counts.functions, counts.tracepoints);
	return 0;
}
