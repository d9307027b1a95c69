// SPDX-License-Identifier: GPL-2.0-only
/* user_burst THREADS BURST PAUSE_NS TOTAL: each thread emits TOTAL instants, and pauses after BURST. */
#define KTRACK_SYSTEM burst
#include <ktrack/user.h>

KTRACK_SLICE(burst_one, KTRACK_FIELD(uint32_t, number));

static long burst, pause_ns, total;

static void *thread_run(void *context)
{
	const struct timespec pause = { .tv_nsec = pause_ns };

	for (long i = 0; i < total; i++) {
		ktrack_instant(burst_one, "one", (uint32_t)i);
		if (i % burst == burst - 1)
			nanosleep(&pause, NULL);
	}
	return context;
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	int nr_threads = argc == 5 ? atoi(argv[1]) : 0;

	if (nr_threads < 1 || nr_threads > 8)
		return 1;
	burst = atol(argv[2]);
	pause_ns = atol(argv[3]);
	total = atol(argv[4]);
	for (int i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, thread_run, NULL) != 0)
			return 1;
	}
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
