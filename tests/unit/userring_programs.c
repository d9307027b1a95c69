// SPDX-License-Identifier: GPL-2.0-only
/* Tests of several programs at once. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/own_socket.h"
#include "fixtures/tap.h"
#include "userring/programs.h"

KTRACK_SLICE(unit_many);

/** struct stage - the list of programs, of which the first is this one */
struct stage {
	struct programs programs;
	struct program *list[2];
	pid_t child;
};

static struct stage stage;

static int memory_find(void *context, int fd, int pid, struct error *error)
{
	struct program **found = context;

	(void)error;
	/* It also has the file of this process. */
	if (pid == stage.child && !*found)
		*found = program_open(fd, pid);
	return 0;
}

/* A process that emits nothing, and has a memory of its own as soon as it runs. */
static void idle_program_begin(void)
{
	const struct memory_visitor visitor = { .context = &stage.list[1], .visit = memory_find };
	struct error error = { 0 };

	stage.child = fork();
	while (stage.child == 0)
		raise(SIGSTOP);
	waitpid(stage.child, NULL, WUNTRACED);
	CHECK_NUMBER(memfds_visit(&visitor, &error), 0);
	if (!stage.list[1])
		abort();
}

static void stage_begin(enum programs_mode mode, size_t size_max)
{
	stage = (struct stage){
		.programs = { .settings = { .size_max = size_max, .mode = mode },
			      .socket = { .fd = -1 },
			      .helper = { .fd = -1 },
			      .list = stage.list,
			      .size = 2,
			      .is_on = true,
			      .searched_ns = time_now_ns(CLOCK_BOOTTIME) },
		.list = { program_open(ktrack_user1_process.fd, getpid()) },
	};
	idle_program_begin();
	for (size_t i = 0; i < 2; i++) {
		if (!program_lock(stage.list[i]))
			abort();
		program_switch(stage.list[i], true);
	}
}

static void stage_end(void)
{
	for (size_t i = 0; i < 2; i++)
		program_close(stage.list[i]);
	queue_release(&stage.programs.queue);
	event_table_release(&stage.programs.events);
	task_table_release(&stage.programs.tasks);
	kill(stage.child, SIGKILL);
	waitpid(stage.child, NULL, 0);
	ktrack_user1_after_fork();
}

static uint64_t records_take(void)
{
	uint64_t before = stage.programs.queue.counts.read;
	unsigned char page[PROGRAM_PAGE_SIZE];

	while (programs_fill(&stage.programs, programs_ready_ns(&stage.programs), page) > 0)
		;
	return stage.programs.queue.counts.read - before;
}

/* What the first writes fills the memory: the others are read in the same pass all the same. */
TEST(records_that_fill_the_memory_are_delivered)
{
	struct error error = { 0 };

	stage_begin(PROGRAMS_WAIT, 64);
	for (int i = 0; i < 10; i++)
		ktrack_instant(unit_many, "first");
	CHECK_NUMBER(programs_read(&stage.programs, &error), 0);
	ktrack_instant(unit_many, "second");
	CHECK_NUMBER(programs_read(&stage.programs, &error), 0);
	CHECK_NUMBER(records_take(), 10);
	CHECK_NUMBER(programs_read(&stage.programs, &error), 0);
	CHECK_NUMBER(records_take(), 1);
	CHECK_NUMBER(stage.programs.queue.counts.lost, 0);
	stage_end();
}

/* Describes more events than ktrack lists. */
static void child_describe(void)
{
	static const struct ktrack_user_about field = { "value", NULL, 0, 16, 4, 0, 0 };
	char name[16];

	for (int i = 0; i < 2 * PROGRAM_LISTED_MAX; i++) {
		struct ktrack_user_site site = { "unit", name, &field, 1, KTRACK_USER_COUNTER, 20, 0 };

		snprintf(name, sizeof(name), "many%d", i);
		ktrack_user1_describe(&site);
	}
	for (;;)
		raise(SIGSTOP);
}

static int program_count_events(void *context, const struct program_found *program,
				struct error *error)
{
	(void)error;
	if (program->pid == stage.child)
		*(size_t *)context = program->nr_events;
	return 0;
}

/* Comparing each name with all others would take hours. */
TEST(a_limited_number_of_events_is_listed)
{
	size_t nr_events = 0;
	const struct program_visitor visitor = { .context = &nr_events,
						 .visit = program_count_events };
	struct error error = { 0 };

	stage.child = fork();
	if (stage.child == 0)
		child_describe();
	waitpid(stage.child, NULL, WUNTRACED);
	CHECK_NUMBER(programs_visit(&visitor, &error), 0);
	CHECK_NUMBER(nr_events, PROGRAM_LISTED_MAX);
	kill(stage.child, SIGKILL);
	waitpid(stage.child, NULL, 0);
}
