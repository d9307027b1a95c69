// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what a process' stream keeps in memory, under the sanitizers' eyes. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace2/process.h>

#include "fixtures/leaks.h"
#include "fixtures/tap.h"

static const struct trace2_program program = { .version = "1", .prefix = "X_TRACE2" };

static struct trace2_timer timer = { .category = "c", .name = "timer" };
static struct trace2_counter counter = { .category = "c", .name = "counter" };

/* Uses all that is kept from call to call. */
static void much_report(const char *name)
{
	trace2_initialize(&program);
	trace2_cmd_name(name);
	trace2_timer_start(&timer);
	trace2_timer_stop(&timer);
	trace2_counter_add(&counter, 1);
	trace2_region_enter("c", name, NULL);
	trace2_finish();
}

/* Runs a check in a process that has not used the library yet; returns whether it succeeded. */
static bool process_run(bool (*check)(void))
{
	int status = 1;
	pid_t child = fork();

	if (child == 0)
		_exit(!check());
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool environment_has(const char *sid)
{
	const char *parent = getenv("GIT_TRACE2_PARENT_SID");

	return parent && strcmp(parent, sid) == 0;
}

/* The id of a process that is not traced is below its parent's, lasts, and is passed on. */
static bool untraced_check(void)
{
	const char *sid, *own;

	setenv("GIT_TRACE2_PARENT_SID", "above", 1);
	unsetenv("X_TRACE2_EVENT");
	trace2_initialize(&program);
	if (!environment_has("above"))
		return false;
	sid = trace2_session_id();
	own = sid ? strchr(sid, '/') : NULL;
	return own && strncmp(sid, "above/", 6) == 0 && strlen(own) > 30 && !strchr(own + 1, '/') &&
	       trace2_session_id() == sid && environment_has(sid);
}

TEST(a_process_that_is_not_traced_has_a_session_id)
{
	CHECK(process_run(untraced_check));
}

/* An id that was asked for before the stream begins is the stream's. */
static bool early_check(void)
{
	char *early;
	bool is_same;

	setenv("X_TRACE2_EVENT", "/dev/null", 1);
	early = strdup(trace2_session_id());
	trace2_initialize(&program);
	is_same = trace2_is_enabled() && strcmp(trace2_session_id(), early) == 0 &&
		  environment_has(early);
	trace2_finish();
	is_same = is_same && strcmp(trace2_session_id(), early) == 0;
	free(early);
	return is_same;
}

TEST(a_session_id_that_was_asked_for_early_is_kept)
{
	CHECK(process_run(early_check));
}

/* Forks until no generation is left; the last one reports whether anything was lost on the way. */
static int generation_run(int nr_more)
{
	int status = 1;
	pid_t child;

	much_report("generation");
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
