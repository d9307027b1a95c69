// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest program: counts what a call of ktrack/user.h costs, and what a write to trace_marker does.
 * Prints lines "NAME TICKS"; a machine that counts instructions has a tick for each.
 *
 * Rows are measured in short batches, of which the cheapest counts: no batch of those is
 * interrupted, or is the first to use a page. The row "loop" is part of all others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define KTRACK_SYSTEM cost
#include <ktrack/user.h>

KTRACK_SLICE(cost_call, KTRACK_FIELD(uint32_t, bytes));

#define CALLS	20
#define BATCHES 200
#define TEXT	"B|1234|twenty bytes\n"

/* File descriptor of the file that a row writes to. */
static int file;

static void loop_run(uint32_t i)
{
	(void)i;
}

static void begin_run(uint32_t i)
{
	ktrack_begin(cost_call, "handle", i);
}

static void end_run(uint32_t i)
{
	ktrack_end(cost_call, i);
}

static void clock_run(uint32_t i)
{
	struct timespec now;

	(void)i;
	clock_gettime(__KTRACK_CLOCK, &now);
}

static void write_run(uint32_t i)
{
	(void)i;
	if (write(file, TEXT, sizeof(TEXT) - 1) != sizeof(TEXT) - 1)
		abort();
}

static double measure(void (*run)(uint32_t i))
{
	uint64_t least = UINT64_MAX;

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t begin = __rdtsc(), ticks;

		for (uint32_t i = 0; i < CALLS; i++) {
			run(i);
			__asm__ volatile("" ::: "memory");
		}
		ticks = __rdtsc() - begin;
		least = ticks < least ? ticks : least;
	}
	return (double)least / CALLS;
}

static void row(const char *name, void (*run)(uint32_t i))
{
	printf("%s %.1f\n", name, measure(run));
}

static void row_write(const char *name, const char *path)
{
	file = open(path, O_WRONLY);
	if (file < 0)
		abort();
	row(name, write_run);
	close(file);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	row("loop", loop_run);
	row("off", begin_run);
	row("clock", clock_run);
	ktrack_user3_control.on = 1;
	row("begin", begin_run);
	row("end", end_run);
	row_write("null", "/dev/null");
	row_write("marker", argv[1]);
	return 0;
}
