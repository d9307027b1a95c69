// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the instance for tracepoints of the convention, in a folder that stands for tracefs. */
#include "tracefs/tracefs.h"

#include "fixtures/fake_tracefs.h"

#define SUFFIX ".convention"

static struct instance *convention_of(const struct instance *recorder)
{
	return instance_companion(recorder, INSTANCE_CONVENTION);
}

/* A kernel with a tracepoint of the sideband, and a run with all instances. */
static struct instance *recorder_begin(const char *mode)
{
	struct instance_settings settings = settings_of(64);

	settings.mode = buffer_mode_find(mode);
	settings.convention_kib = 256;
	settings.clock = "mono";
	fake_tracefs_begin();
	folder_add_text(&fake_tracefs.top, "events/task/task_rename/enable", "0");
	return recorder_as(&settings);
}

static void recorder_end(struct instance *recorder)
{
	struct error error = { 0 };

	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK(!instance_exists(name_of(0)));
	fake_tracefs_end();
}

static const char *convention_name(void)
{
	static char name[80];

	snprintf(name, sizeof(name), "%s" SUFFIX, name_of(0));
	return name;
}

TEST(it_has_the_mode_and_the_clock_and_a_size_of_its_own)
{
	struct instance *recorder = recorder_begin("oneshot"), *own = convention_of(recorder);
	struct error error = { 0 };

	CHECK(own != NULL);
	CHECK_TEXT(instance_name(own), convention_name());
	check_file(own, "trace_clock", "mono");
	check_file(own, "options/overwrite", "0");
	CHECK_NUMBER(instance_resize(recorder, &error), 0);
	check_file(recorder, "buffer_size_kb", "64");
	check_file(own, "buffer_size_kb", "256");
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND), "buffer_size_kb", "56");
	recorder_end(recorder);
	CHECK(!instance_exists(convention_name()));
}

TEST(there_is_none_without_a_size)
{
	struct instance *recorder;

	fake_tracefs_begin();
	recorder = recorder_of(64);
	CHECK(convention_of(recorder) == NULL);
	CHECK(!instance_exists(convention_name()));
	recorder_end(recorder);
}

TEST(all_instances_start_and_stop_together)
{
	struct instance *recorder = recorder_begin("streaming"), *own = convention_of(recorder);
	struct error error = { 0 };

	CHECK_NUMBER(instance_start(recorder, &error), 0);
	check_file(own, "tracing_on", "1");
	check_file(instance_companion(recorder, INSTANCE_SIDEBAND), "tracing_on", "1");
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	check_file(own, "tracing_on", "0");
	recorder_end(recorder);
}

TEST(a_tracepoint_of_either_is_recorded)
{
	struct instance *recorder = recorder_begin("streaming"), *own = convention_of(recorder);
	struct error error = { 0 };

	CHECK_NUMBER(instance_enable(own, "demo", "job", NULL, &error), 0);
	CHECK(instance_has_event(recorder, "demo", "job"));
	CHECK(!instance_has_event(recorder, "demo", "io"));
	CHECK(!instance_has_event(recorder, "task", "task_rename"));
	CHECK_NUMBER(instance_count_events(recorder, INSTANCE_CONVENTION), 1);
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK(instance_has_event(recorder, "demo", "io"));
	CHECK_NUMBER(instance_count_events(recorder, INSTANCE_MAIN), 1);
	check_file(own, "events/demo/job/enable", "1");
	check_file(recorder, "events/demo/job/enable", "as it was");
	recorder_end(recorder);
}

static int state_log(void *context, const struct instance_change *change, struct error *error)
{
	(void)error;
	if (change->kind == INSTANCE_EVENT_STATE)
		buffer_printf(context, "%d %s:%s is %d ", change->instance, change->system,
			      change->event, change->now);
	return 0;
}

/* Another program writes this file. */
static void file_write(const struct instance *instance, const char *name, const char *text)
{
	struct folder folder;
	FILE *file;

	snprintf(folder.path, sizeof(folder.path), "%s", instance_directory(instance));
	file = fopen(folder_path(&folder, name), "w");
	CHECK(file && fputs(text, file) >= 0);
	if (file)
		fclose(file);
}

TEST(a_released_tracepoint_of_it_is_noticed_and_unlocked)
{
	struct instance *recorder = recorder_begin("streaming"), *own = convention_of(recorder);
	SCOPED_BUFFER(log);
	const struct instance_observer observer = { .context = &log, .change = state_log };
	struct error error = { 0 };

	CHECK_NUMBER(instance_enable(own, "demo", "job", NULL, &error), 0);
	file_write(own, "events/demo/job/enable", "0");
	CHECK_NUMBER(instance_look(recorder, &observer, &error), 0);
	CHECK_TEXT(buffer_string(&log), "1 demo:job is 1 ");
	instance_release_events(recorder);
	CHECK_NUMBER(instance_count_events(recorder, INSTANCE_CONVENTION), 0);
	recorder_end(recorder);
}

static int writes_log(void *context, const struct instance_change *change, struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s%s%s ", change->file, change->is_emptied ? " emptied" : "",
		      change->is_sideband_emptied ? " sideband" : "",
		      change->is_reclocked ? " reclocked" : "");
	return 0;
}

TEST(what_others_write_to_it_is_noticed_as_of_the_main_instance)
{
	struct instance *recorder = recorder_begin("streaming"), *own = convention_of(recorder);
	SCOPED_BUFFER(log);
	const struct instance_observer observer = { .context = &log, .change = writes_log };
	struct error error = { 0 };

	CHECK_NUMBER(instance_watch(recorder, &error), 0);
	file_write(own, "per_cpu/cpu1/trace", "\n");
	CHECK_NUMBER(instance_look_writes(recorder, &observer, &error), 0);
	file_write(own, "trace_clock", "boot");
	CHECK_NUMBER(instance_look_writes(recorder, &observer, &error), 0);
	CHECK_TEXT(buffer_string(&log), "trace: emptied trace_clock: emptied reclocked ");
	instance_restore_clock(recorder);
	check_file(own, "trace_clock", "bootmono");
	recorder_end(recorder);
}

TEST(threads_and_cpus_are_limited_in_both)
{
	struct instance *recorder = recorder_begin("streaming"), *own = convention_of(recorder);
	const struct instance *sideband = instance_companion(recorder, INSTANCE_SIDEBAND);
	struct error error = { 0 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	CHECK_NUMBER(instance_limit_cpus(recorder, &cpus, &error), 0);
	CHECK_NUMBER(instance_follow(recorder, 77, &error), 0);
	check_file(recorder, "tracing_cpumask", "2");
	check_file(own, "tracing_cpumask", "2");
	check_file(sideband, "tracing_cpumask", "as it was");
	check_file(own, "options/event-fork", "1");
	check_file(own, "set_event_pid", "77 it was");
	check_file(sideband, "set_event_pid", "as it was");
	recorder_end(recorder);
}

TEST(a_killed_run_is_adopted_with_it)
{
	struct instance *recorder = recorder_begin("streaming");
	struct instance_paths paths;
	struct error error = { 0 };
	char *directory = strdup(instance_directory(recorder));

	instance_close(recorder);
	CHECK_NUMBER(instance_paths_find(&paths, directory, &error), 0);
	CHECK(paths.list[INSTANCE_CONVENTION] && strstr(paths.list[INSTANCE_CONVENTION], SUFFIX));
	CHECK(paths.list[INSTANCE_SIDEBAND] != NULL);
	instance_paths_release(&paths);
	free(directory);
	CHECK_NUMBER(instance_adopt(&recorder, name_of(0), NULL, &error), 0);
	CHECK(convention_of(recorder) && instance_companion(recorder, INSTANCE_SIDEBAND));
	recorder_end(recorder);
	CHECK(!instance_exists(convention_name()));
}

TEST(its_name_belongs_to_the_run)
{
	CHECK(instance_is_companion("ktrack-7.convention", "ktrack-7"));
	CHECK(instance_is_companion("ktrack-7.sideband", "ktrack-7"));
	CHECK(!instance_is_companion("ktrack-7.1", "ktrack-7"));
	CHECK(!instance_is_companion("ktrack-7", "ktrack-7"));
}
