// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the small sideband instance, in a folder that stands for tracefs. */
#include "tracefs/tracefs.h"

#include "fixtures/fake_tracefs.h"

#define SUFFIX ".sideband"

/* Begins with a kernel with these tracepoints. */
static void kernel_begin(const char *const *events)
{
	fake_tracefs_begin();
	for (; *events; events++) {
		char path[128];

		snprintf(path, sizeof(path), "events/%s/enable", *events);
		folder_add_text(&fake_tracefs.top, path, "0");
	}
}

#define KERNEL_BEGIN(...) kernel_begin((const char *const[]){ __VA_ARGS__, NULL })

static const char *sideband_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s" SUFFIX, name);
	return path;
}

TEST(it_records_who_threads_are_on_the_same_clock_whatever_the_mode)
{
	struct instance_settings settings = settings_of(64);
	const struct instance *sideband;
	struct instance *recorder;
	struct error error = { 0 };

	settings.mode = buffer_mode_find("oneshot");
	settings.clock = "mono";
	KERNEL_BEGIN("task/task_newtask", "task/task_rename", "sched/sched_process_fork");
	recorder = recorder_as(&settings);
	sideband = instance_companion(recorder, INSTANCE_SIDEBAND);
	CHECK(sideband != NULL);
	CHECK_TEXT(instance_name(sideband), sideband_of(instance_name(recorder)));
	check_file(sideband, "trace_clock", "mono");
	check_file(sideband, "options/overwrite", "1");
	check_file(sideband, "buffer_size_kb", "56");
	check_file(sideband, "events/task/task_newtask/enable", "1");
	check_file(sideband, "events/task/task_rename/enable", "1");
	check_file(sideband, "events/sched/sched_process_fork/enable", "as it was");
	check_file(recorder, "events/task/task_rename/enable", "as it was");
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK(!instance_exists(name_of(0)) && !instance_exists(sideband_of(name_of(0))));
	fake_tracefs_end();
}

TEST(a_fork_reports_of_births_where_nothing_else_does)
{
	struct instance *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("sched/sched_process_fork");
	fake_tracefs.missing = "events/task/task_newtask/enable";
	recorder = recorder_of(64);
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND),
		   "events/sched/sched_process_fork/enable", "1");
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

TEST(a_kernel_without_such_tracepoints_gets_none)
{
	struct instance *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("sched/sched_switch");
	recorder = recorder_of(64);
	CHECK(instance_companion(recorder, INSTANCE_SIDEBAND) == NULL);
	CHECK(!instance_exists(sideband_of(name_of(0))));
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

TEST(both_start_and_stop_together)
{
	struct instance *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	recorder = recorder_of(64);
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND), "tracing_on", "0");
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND), "tracing_on", "1");
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND), "tracing_on", "0");
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

static void memory_set(const struct instance *recorder, const char *text)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", instance_directory(recorder));
	folder_add_text(&instance, "buffer_total_size_kb", text);
}

TEST(what_both_take_is_the_memory)
{
	struct instance *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	recorder = recorder_of(64);
	CHECK_NUMBER(instance_memory_kib(recorder), 0);
	memory_set(recorder, "2054\n");
	memory_set(instance_companion(recorder, INSTANCE_SIDEBAND), "118 (expanded: 1408)\n");
	CHECK_NUMBER(instance_memory_kib(recorder), 2172);
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

/* One of both instances of a killed run was removed. */
TEST(a_name_with_another_the_sideband_it_is_taken)
{
	struct instance *recorder;
	struct error error = { 0 };
	char path[128];

	KERNEL_BEGIN("task/task_rename");
	snprintf(path, sizeof(path), "instances/%s", sideband_of(name_of(0)));
	folder_make(&fake_tracefs.top, path);
	recorder = recorder_of(64);
	CHECK_TEXT(instance_name(recorder), name_of(1));
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK(instance_exists(sideband_of(name_of(0))));
	fake_tracefs_end();
}

TEST(both_are_adopted_and_go_together)
{
	struct instance *recorder;
	struct error error = { 0 };

	KERNEL_BEGIN("task/task_rename");
	instance_close(recorder_of(64));
	CHECK_NUMBER(instance_adopt(&recorder, name_of(0), NULL, &error), 0);
	CHECK(recorder && instance_companion(recorder, INSTANCE_SIDEBAND));
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK(!instance_exists(name_of(0)) && !instance_exists(sideband_of(name_of(0))));
	fake_tracefs_end();
}
