// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_burst THREADS BURST PAUSE_NS TOTAL QUIET_S: emits one instant and is quiet; then each thread
 * emits TOTAL instants, and pauses after BURST. With BURST_LTTNG, they are LTTng-UST's.
 */
#ifdef BURST_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "user_burst_lttng.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define burst_emit(number) lttng_ust_tracepoint(burst, one, number)
#else
#define KTRACK_SYSTEM burst
#include <ktrack/user.h>

KTRACK_SLICE(burst_one, KTRACK_FIELD(uint32_t, number));

#define burst_emit(number) ktrack_instant(burst_one, "one", number)
#endif

static long burst, pause_ns, total;

static void *thread_run(void *context)
{
	const struct timespec pause = { .tv_nsec = pause_ns };

	for (long i = 0; i < total; i++) {
		burst_emit((uint32_t)i);
		if (i % burst == burst - 1)
			nanosleep(&pause, NULL);
	}
	return context;
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	int nr_threads = argc == 6 ? atoi(argv[1]) : 0;

	if (nr_threads < 1 || nr_threads > 8)
		return 1;
	burst = atol(argv[2]);
	pause_ns = atol(argv[3]);
	total = atol(argv[4]);
	burst_emit(0);
	sleep(atoi(argv[5]));
	for (int i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, thread_run, NULL) != 0)
			return 1;
	}
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
