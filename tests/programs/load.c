// SPDX-License-Identifier: GPL-2.0-only
/*
 * Emits slices: load THREADS PAIRS PAUSE_US OPTION..., and prints how many records it emitted.
 *
 * Each thread emits PAIRS begins and ends, and pauses after each 100. Options: "threads": a thread
 * ends after each 100 pairs and another one goes on; "fork": a child does the same; "exec": and
 * then executes this program again; "wait": emits until it is killed, and counts in the file
 * COUNT; "marks": writes "begin" and "end" to standard error around the work; "halves": does it
 * again when it has read a byte.
 */
#include "events.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int pairs, pause_us;
static int has_short_threads;
static uint64_t nr_fired;

/* Records of this process that were emitted, counted after each one. */
static uint64_t *count = &nr_fired;

static void emit_pair(uint32_t i)
{
	ktrack_begin(prog_one, "pair", i);
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	ktrack_end(prog_one, i);
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void *thread_work(void *context)
{
	int *left = (int *)context;

	for (int i = 0; *left > 0 && !(has_short_threads && i == 100); i++) {
		emit_pair((uint32_t)i);
		--*left;
		if (i % 100 == 99 && pause_us > 0)
			usleep((unsigned int)pause_us);
	}
	return NULL;
}

static void *thread_run(void *context)
{
	int left = pairs;
	pthread_t thread;

	(void)context;
	while (left > 0) {
		if (!has_short_threads)
			thread_work(&left);
		else if (pthread_create(&thread, NULL, thread_work, &left) == 0)
			pthread_join(thread, NULL);
	}
	return NULL;
}

static void work(int nr_threads)
{
	pthread_t threads[200];

	if (nr_threads == 1 && !has_short_threads) {
		thread_run(NULL);
		return;
	}
	for (int i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, thread_run, NULL) != 0)
			abort();
	}
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

static void work_forever(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) < 0)
		abort();
	count = (uint64_t *)mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (uint32_t i = 0;; i++) {
		emit_pair(i);
		if (i % 100 == 99)
			usleep((unsigned int)pause_us);
	}
}

static int has_option(char **options, const char *name)
{
	while (*options && strcmp(*options, name) != 0)
		options++;
	return *options != NULL;
}

static void mark(char **options, const char *line)
{
	if (has_option(options, "marks") && write(2, line, strlen(line)) < 0)
		abort();
}

int main(int argc, char **argv)
{
	char byte;

	if (argc < 4)
		return 2;
	pairs = atoi(argv[2]);
	pause_us = atoi(argv[3]);
	has_short_threads = has_option(argv + 4, "threads");
	if (has_option(argv + 4, "wait"))
		work_forever(getenv("COUNT"));
	mark(argv + 4, "begin\n");
	work(atoi(argv[1]));
	if (has_option(argv + 4, "halves") && read(0, &byte, 1) == 1)
		work(atoi(argv[1]));
	if (has_option(argv + 4, "fork") && fork() == 0) {
		nr_fired = 0;
		work(atoi(argv[1]));
		dprintf(1, "fired %llu\n", (unsigned long long)nr_fired);
		_exit(0);
	}
	mark(argv + 4, "end\n");
	while (wait(NULL) > 0)
		;
	dprintf(1, "fired %llu\n", (unsigned long long)nr_fired);
	if (has_option(argv + 4, "exec"))
		execl("/proc/self/exe", argv[0], argv[1], argv[2], argv[3], NULL);
	return 0;
}
