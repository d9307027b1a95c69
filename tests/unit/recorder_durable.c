// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the small instance beside another one, in a folder that stands for tracefs. */
#include "recorder/recorder.h"

#include "tracefs.h"

#define SUFFIX ".durable"

/* Begins with a kernel that has these tracepoints. */
static void kernel_begin(const char *const *events)
{
	tracefs_begin();
	for (; *events; events++) {
		char path[128];

		snprintf(path, sizeof(path), "events/%s/enable", *events);
		folder_add_text(&tracefs.top, path, "0");
	}
}

#define KERNEL_BEGIN(...) kernel_begin((const char *const[]){ __VA_ARGS__, NULL })

static const char *beside(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s" SUFFIX, name);
	return path;
}

TEST(it_records_who_threads_are_on_the_same_clock_whatever_the_mode)
{
	struct recorder_settings settings = settings_of(64);
	const struct recorder *durable;
	struct recorder *recorder;
	struct error error = { 0 };

	settings.mode = recorder_mode_find("oneshot");
	settings.clock = "mono";
	KERNEL_BEGIN("task/task_newtask", "task/task_rename", "sched/sched_process_fork");
	recorder = recorder_as(&settings);
	durable = recorder_durable(recorder);
	CHECK(durable != NULL);
	CHECK_TEXT(recorder_name(durable), beside(recorder_name(recorder)));
	check_file(durable, "trace_clock", "mono");
	check_file(durable, "options/overwrite", "1");
	check_file(durable, "buffer_size_kb", "56");
	check_file(durable, "events/task/task_newtask/enable", "1");
	check_file(durable, "events/task/task_rename/enable", "1");
	check_file(durable, "events/sched/sched_process_fork/enable", "as it was");
	check_file(recorder, "events/task/task_rename/enable", "as it was");
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	CHECK(!instance_exists(name_of(0)) && !instance_exists(beside(name_of(0))));
	tracefs_end();
}

TEST(a_fork_tells_of_births_where_nothing_else_does)
{
	struct recorder *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("sched/sched_process_fork");
	recorder = recorder_of(64);
	check_file(recorder_durable(recorder), "events/sched/sched_process_fork/enable", "1");
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	tracefs_end();
}

TEST(a_kernel_without_such_tracepoints_gets_none)
{
	struct recorder *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("sched/sched_switch");
	recorder = recorder_of(64);
	CHECK(recorder_durable(recorder) == NULL);
	CHECK(!instance_exists(beside(name_of(0))));
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	tracefs_end();
}

TEST(both_start_and_stop_together)
{
	struct recorder *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	recorder = recorder_of(64);
	check_file(recorder_durable(recorder), "tracing_on", "0");
	CHECK_NUMBER(recorder_start(recorder, &error), 0);
	check_file(recorder_durable(recorder), "tracing_on", "1");
	CHECK_NUMBER(recorder_stop(recorder, &error), 0);
	check_file(recorder_durable(recorder), "tracing_on", "0");
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	tracefs_end();
}

static void memory_set(const struct recorder *recorder, const char *text)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", recorder_directory(recorder));
	folder_add_text(&instance, "buffer_total_size_kb", text);
}

TEST(what_both_take_is_the_memory)
{
	struct recorder *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	recorder = recorder_of(64);
	CHECK_NUMBER(recorder_memory_kib(recorder), 0);
	memory_set(recorder, "2054\n");
	memory_set(recorder_durable(recorder), "118 (expanded: 1408)\n");
	CHECK_NUMBER(recorder_memory_kib(recorder), 2172);
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	tracefs_end();
}

/* Somebody removed one of the two that a killed run left. */
TEST(a_name_with_another_beside_it_is_taken)
{
	struct recorder *recorder;
	struct error error = { 0 };
	char path[128];

	KERNEL_BEGIN("task/task_rename");
	snprintf(path, sizeof(path), "instances/%s", beside(name_of(0)));
	folder_make(&tracefs.top, path);
	recorder = recorder_of(64);
	CHECK_TEXT(recorder_name(recorder), name_of(1));
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	CHECK(instance_exists(beside(name_of(0))));
	tracefs_end();
}

TEST(both_are_adopted_and_go_together)
{
	struct recorder *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	recorder_leave(recorder_of(64));
	CHECK_NUMBER(recorder_adopt(&recorder, name_of(0), &error), 0);
	CHECK(recorder && recorder_durable(recorder));
	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	CHECK(!instance_exists(name_of(0)) && !instance_exists(beside(name_of(0))));
	tracefs_end();
}
