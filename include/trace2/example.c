// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that uses libtrace2: it adds up the lengths of its arguments on two
 * threads. Try it with EXAMPLE_TRACE2_PERF=1 in the environment.
 *
 *	cc -o example example.c $(pkg-config --cflags --libs libtrace2) -lpthread
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <trace2/process.h>

static struct trace2_timer measuring = { .category = "example",
					 .name = "measure",
					 .has_thread_events = true };
static struct trace2_counter bytes = { .category = "example", .name = "bytes" };

static void *words_measure(void *words)
{
	trace2_thread_start("measure");
	for (char **word = words; *word; word++) {
		trace2_timer_start(&measuring);
		trace2_counter_add(&bytes, strlen(*word));
		trace2_timer_stop(&measuring);
	}
	trace2_thread_exit();
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct trace2_program program = {
		.version = "1.0",
		.prefix = "EXAMPLE_TRACE2",
		.has_atexit = true,
	};
	pthread_t thread;

	trace2_initialize(&program);
	trace2_cmd_start(argv);
	trace2_cmd_name("measure");
	trace2_region_enter("example", "words", NULL);
	trace2_data_intmax("example", NULL, "words", argc - 1);
	if (pthread_create(&thread, NULL, words_measure, argv + 1) != 0) {
		trace2_cmd_error("no thread for %d words", argc - 1);
		trace2_cmd_exit(1);
		return 1;
	}
	pthread_join(thread, NULL);
	trace2_region_leave("example", "words", NULL);
	trace2_cmd_exit(0);
	return 0;
}
