// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what a process' stream keeps in memory, under the sanitizers' eyes. */
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace2/process.h>

#include "tap.h"

static const struct trace2_program program = { .version = "1", .prefix = "X_TRACE2" };

static struct trace2_timer timer = { .category = "c", .name = "timer" };
static struct trace2_counter counter = { .category = "c", .name = "counter" };

/* Uses all that is kept from call to call. */
static void much_tell(const char *name)
{
	trace2_initialize(&program);
	trace2_cmd_name(name);
	trace2_timer_start(&timer);
	trace2_timer_stop(&timer);
	trace2_counter_add(&counter, 1);
	trace2_region_enter("c", name, NULL);
	trace2_finish();
}

/* Forks until no generation is left; the last one tells whether anything was lost on the way. */
static int generation_run(int nr_more)
{
	int status = 1;
	pid_t child;

	much_tell("generation");
	if (nr_more == 0)
		return __lsan_do_recoverable_leak_check();
	child = fork();
	if (child == 0)
		_exit(generation_run(nr_more - 1));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST(a_child_that_begins_anew_lets_go_of_what_its_parent_had)
{
	setenv("X_TRACE2_EVENT", "/dev/null", 1);
	CHECK_NUMBER(generation_run(3), 0);
}
