// SPDX-License-Identifier: GPL-2.0-only
/* Tests of timers of a process' stream: sums of intervals, on a clock of our own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trace2/process.h>

#include "base/base.h"
#include "fixtures/tap.h"

static const struct trace2_program program = { .version = "1", .prefix = "X_TRACE2" };
static struct trace2_timer timer = { .category = "c", .name = "timer" };
static int64_t now_ns = NS_PER_S;

/* Instead of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){ .tv_sec = now_ns / NS_PER_S, .tv_nsec = now_ns % NS_PER_S };
	return 0;
}

static void interval(int64_t duration_ns)
{
	trace2_timer_start(&timer);
	now_ns += duration_ns;
	trace2_timer_stop(&timer);
}

/* Starts within an interval count nothing. */
static void nested_interval(int64_t duration_ns)
{
	trace2_timer_start(&timer);
	interval(duration_ns);
	interval(duration_ns);
	now_ns += duration_ns;
	trace2_timer_stop(&timer);
}

/* The line of the timer; the library traces a process only once. */
static void lines_write(const char *path)
{
	setenv("X_TRACE2_EVENT", path, 1);
	trace2_initialize(&program);
	interval(20 * NS_PER_MS);
	interval(5 * NS_PER_MS);
	nested_interval(30 * NS_PER_MS);
	interval(10 * NS_PER_MS);
	trace2_timer_stop(&timer);
	trace2_finish();
}

static const char *member_of(const char *line, const char *name)
{
	static char text[32];
	const char *at = line ? strstr(line, name) : NULL;

	snprintf(text, sizeof(text), "%.*s", at ? (int)strcspn(at, ",}") : 0, at ? at : "");
	return text;
}

TEST(a_timer_has_the_sum_and_the_extremes_of_outer_intervals)
{
	char path[] = "/tmp/trace2-timer-XXXXXX";
	struct buffer lines = { 0 };
	const char *line;
	int status = 1;
	pid_t child;

	close(mkstemp(path));
	child = fork();
	if (child == 0) {
		lines_write(path);
		_exit(0);
	}
	waitpid(child, &status, 0);
	CHECK_NUMBER(status, 0);
	CHECK_NUMBER(file_read(path, &lines), 0);
	line = strstr(buffer_string(&lines), "\"event\":\"timer\"");
	CHECK_TEXT(member_of(line, "\"intervals\":"), "\"intervals\":4");
	CHECK_TEXT(member_of(line, "\"t_total\":"), "\"t_total\":0.125000");
	CHECK_TEXT(member_of(line, "\"t_min\":"), "\"t_min\":0.005000");
	CHECK_TEXT(member_of(line, "\"t_max\":"), "\"t_max\":0.090000");
	buffer_release(&lines);
	unlink(path);
}
