// SPDX-License-Identifier: GPL-2.0-only
/* Tests of an instance from mkdir to rmdir, in a folder that stands for tracefs. */
#include "tracefs/tracefs.h"

#include "fixtures/fake_tracefs.h"
#include "fixtures/leaks.h"

static void check_close(struct instance *recorder)
{
	struct error error = { 0 };

	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK_TEXT(error.text, "");
}

TEST_IN(fake_tracefs, a_new_instance_has_a_name_of_its_own_and_records_nothing_yet)
{
	struct instance *recorder;
	char want[256];

	recorder = recorder_of(64);
	CHECK_TEXT(instance_name(recorder), name_of(0));
	snprintf(want, sizeof(want), "%s/instances/%s", fake_tracefs.top.path, name_of(0));
	CHECK_TEXT(instance_directory(recorder), want);
	check_file(recorder, "tracing_on", "0");
	check_file(recorder, "trace_clock", "boot");
	check_file(recorder, "options/record-tgid", "1");
	check_file(recorder, "events/demo/io/enable", "as it was");
	check_close(recorder);
	CHECK(!instance_exists(name_of(0)));
}

static void check_mode(const char *name, bool is_read_at_end, const char *want)
{
	struct instance_settings settings = settings_of(64);
	struct instance *recorder;

	settings.mode = buffer_mode_find(name);
	settings.clock = "mono";
	CHECK(settings.mode != NULL);
	CHECK(settings.mode->is_read_at_end == is_read_at_end);
	fake_tracefs_begin();
	recorder = recorder_as(&settings);
	check_file(recorder, "options/overwrite", want);
	check_file(recorder, "trace_clock", "mono");
	check_close(recorder);
	fake_tracefs_end();
}

TEST(a_mode_says_what_becomes_of_records_in_a_full_buffer)
{
	check_mode("streaming", false, "1");
	check_mode("circular", true, "1");
	check_mode("oneshot", true, "0");
	CHECK(buffer_mode_find("sometimes") == NULL);
	CHECK_TEXT(buffer_modes[0].name, "streaming");
}

TEST_IN(fake_tracefs, a_filter_is_there_before_its_tracepoint_is_enabled)
{
	struct instance *recorder;
	struct error error = { 0 };

	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", "bytes > 5", &error), 0);
	check_file(recorder, "events/demo/job/filter", "bytes > 5");
	check_file(recorder, "events/demo/job/enable", "1");
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", "bytes > 5", &error), -1);
	check_file(recorder, "events/demo/io/enable", "as it was");
	check_close(recorder);
}

TEST_IN(fake_tracefs, starting_and_stopping_switch_the_recording)
{
	struct instance *recorder;
	struct error error = { 0 };
	char file[256];

	recorder = recorder_of(1408);
	CHECK_NUMBER(instance_resize(recorder, &error), 0);
	check_file(recorder, "tracing_on", "0");
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	check_file(recorder, "tracing_on", "1");
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	check_file(recorder, "tracing_on", "0");
	check_file(recorder, "buffer_size_kb", "1408");
	CHECK_NUMBER(instance_buffer_kib(recorder), 1408);
	snprintf(file, sizeof(file), "instances/%s/buffer_size_kb", name_of(0));
	folder_set_text(&fake_tracefs.top, file, "X\n");
	CHECK_NUMBER(instance_buffer_kib(recorder), 0);
	check_close(recorder);
}

/* Linux 6.1 would leave the top level's buffer at its boot size for good. */
TEST_IN(fake_tracefs, the_buffer_gets_its_size_after_tracepoints_were_enabled)
{
	struct instance *recorder;
	struct error error = { 0 };

	recorder = recorder_of(1408);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", NULL, &error), 0);
	check_file(recorder, "buffer_size_kb", "as it was");
	check_close(recorder);
	fake_tracefs.missing = "buffer_size_kb";
	recorder = recorder_of(1408);
	CHECK_NUMBER(instance_resize(recorder, &error), -1);
	check_file(recorder, "tracing_on", "0");
	check_close(recorder);
}

TEST_IN(fake_tracefs, what_was_enabled_is_off_before_the_instance_goes)
{
	static const char want[] = "tracing_on=0\ntrace_clock=boot\nbuffer_size_kb=64\n"
				   "buffer_percent=20\noptions/overwrite=1\noptions/record-tgid=1\n"
				   "events/demo/io/enable=as it was\n"
				   "events/demo/job/enable=0\n";
	struct instance *recorder;
	struct error error = { 0 };

	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", NULL, &error), 0);
	check_file(recorder, "events/demo/job/enable", "1");
	CHECK_NUMBER(instance_resize(recorder, &error), 0);
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	check_close(recorder);
	CHECK(strncmp(buffer_string(&fake_tracefs.last), want, strlen(want)) == 0);
}

TEST_IN(fake_tracefs, one_thread_and_those_that_it_starts_can_be_followed)
{
	struct folder instance;
	struct instance *recorder;
	struct error error = { 0 };

	recorder = recorder_of(64);
	snprintf(instance.path, sizeof(instance.path), "%s", instance_directory(recorder));
	/* The kernel adds what is written to a new instance's empty list. */
	CHECK_NUMBER(truncate(folder_path(&instance, "set_event_pid"), 0), 0);
	CHECK_NUMBER(instance_follow(recorder, 4711, &error), 0);
	check_file(recorder, "set_event_pid", "4711");
	check_file(recorder, "options/event-fork", "1");
	check_close(recorder);
}

static void check_cpus(struct instance *recorder, int first, int second, const char *want)
{
	struct error error = { 0 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(first, &cpus);
	CPU_SET(second, &cpus);
	CHECK_NUMBER(instance_limit_cpus(recorder, &cpus, &error), 0);
	check_file(recorder, "tracing_cpumask", want);
}

TEST_IN(fake_tracefs, cpus_are_written_as_groups_of_32_bits)
{
	struct instance *recorder;
	struct error error = { 0 };
	cpu_set_t cpus;

	recorder = recorder_of(64);
	check_cpus(recorder, 0, 0, "1");
	check_cpus(recorder, 0, 1, "3");
	check_cpus(recorder, 1, 33, "2,00000002");
	CPU_ZERO(&cpus);
	CPU_SET(7, &cpus);
	CHECK_NUMBER(instance_limit_cpus(recorder, &cpus, &error), -1);
	CHECK_TEXT(error.text, "this machine has no CPU 7");
	check_close(recorder);
}

TEST_IN(fake_tracefs, an_instance_that_is_there_is_never_taken)
{
	struct instance *first, *second;
	struct error error = { 0 };

	first = recorder_of(64);
	second = recorder_of(64);
	CHECK_TEXT(instance_name(second), name_of(1));
	CHECK_NUMBER(instance_enable(second, "demo", "io", NULL, &error), 0);
	check_file(first, "events/demo/io/enable", "as it was");
	check_close(first);
	CHECK(instance_exists(name_of(1)));
	check_close(second);
}

static void check_open_fails(const char *want)
{
	struct instance_settings settings = settings_of(64);
	struct instance *recorder = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(instance_create(&recorder, &settings, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(!recorder);
}

TEST_IN(fake_tracefs, where_all_names_are_taken_it_says_so)
{
	for (int i = 0; i < 16; i++) {
		char path[128];

		snprintf(path, sizeof(path), "instances/%s", name_of(i));
		folder_make(&fake_tracefs.top, path);
	}
	check_open_fails("all names for a tracing instance are taken");
	CHECK(instance_exists(name_of(0)));
	CHECK(instance_exists(name_of(15)));
}

/*
 * Another run makes it between libtracefs' look and its mkdir. (libtracefs loses a path where mkdir
 * fails.)
 */
TEST_IN(fake_tracefs, an_instance_that_another_run_makes_at_that_moment_is_not_taken)
{
	fake_tracefs.make_errno = EEXIST;
	__lsan_disable();
	check_open_fails("all names for a tracing instance are taken");
	__lsan_enable();
}

TEST_IN(fake_tracefs, an_instance_that_cannot_be_made_is_named)
{
	char want[256];

	fake_tracefs.make_errno = EPERM;
	snprintf(want, sizeof(want), "cannot make the tracing instance %s: Operation not permitted",
		 name_of(0));
	__lsan_disable();
	check_open_fails(want);
	__lsan_enable();
}

TEST(an_instance_that_cannot_be_set_up_does_not_stay)
{
	static const struct {
		const char *file;
		const char *what;
	} needed[] = { { "tracing_on", "open" }, { "trace_clock", "write 'boot' to" } };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		char want[512];

		fake_tracefs_begin();
		fake_tracefs.missing = needed[i].file;
		snprintf(want, sizeof(want),
			 "cannot %s %s/instances/%s/%s: No such file or directory", needed[i].what,
			 fake_tracefs.top.path, name_of(0), needed[i].file);
		check_open_fails(want);
		CHECK(!instance_exists(name_of(0)));
		fake_tracefs_end();
	}
}

TEST(an_old_kernel_without_record_tgid_or_buffer_percent_will_do)
{
	static const char *const files[] = { "options/record-tgid", "buffer_percent" };

	for (int i = 0; i < 2; i++) {
		struct error error = { 0 };
		struct instance *recorder;

		fake_tracefs_begin();
		fake_tracefs.missing = files[i];
		recorder = recorder_of(64);
		CHECK_NUMBER(instance_resize(recorder, &error), 0);
		check_close(recorder);
		fake_tracefs_end();
	}
}

TEST_IN(fake_tracefs, a_tracepoint_that_cannot_be_enabled_is_named)
{
	struct instance *recorder;
	struct error error = { 0 };
	char want[512];

	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK_NUMBER(instance_enable(recorder, "demo", "gone", NULL, &error), -1);
	snprintf(want, sizeof(want),
		 "cannot write '1' to %s/events/demo/gone/enable: No such file or directory",
		 instance_directory(recorder));
	CHECK_TEXT(error.text, want);
	check_close(recorder);
	CHECK(strstr(buffer_string(&fake_tracefs.last), "events/demo/io/enable=0\n") != NULL);
}

/* Closes a recorder whose instance cannot be removed; @format has a place for its directory. */
static void check_close_fails(int number, const char *format)
{
	struct instance *recorder;
	struct error error = { 0 };
	char want[512];

	fake_tracefs_begin();
	recorder = recorder_of(64);
	fake_tracefs.remove_errno = number;
	snprintf(want, sizeof(want), format, instance_directory(recorder));
	CHECK_NUMBER(instance_remove(recorder, &error), -1);
	CHECK_TEXT(error.text, want);
	fake_tracefs_end();
}

TEST(an_instance_that_cannot_be_removed_is_named)
{
	check_close_fails(EPERM, "cannot remove %s: Operation not permitted");
	check_close_fails(
		EBUSY, "cannot remove %s: somebody has its files open; 'ktrack clean' removes it "
		       "after that");
}

TEST_IN(fake_tracefs, an_instance_that_is_busy_for_a_moment_is_removed)
{
	struct instance *recorder;

	recorder = recorder_of(64);
	fake_tracefs.remove_errno = EBUSY;
	fake_tracefs.busy_times = 3;
	check_close(recorder);
	CHECK(!instance_exists(name_of(0)));
}

/* Whoever reads has given up the right to go there by then. */
TEST_IN(fake_tracefs, once_it_is_set_up_nothing_is_found_by_its_path)
{
	struct folder away;
	struct instance *recorder;
	struct error error = { 0 };

	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", NULL, &error), 0);
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	strcpy(away.path, folder_path(&fake_tracefs.top, "away"));
	CHECK_NUMBER(rename(instance_directory(recorder), away.path), 0);
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	check_file_in(&away, "tracing_on", "0");
	check_file_in(&away, "events/demo/io/enable", "1");
	check_close(recorder);
	check_file_in(&away, "events/demo/io/enable", "0");
	check_file_in(&away, "events/demo/job/enable", "0");
}

static struct instance *recorder_attached(const char *name)
{
	struct instance *recorder = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(instance_attach(&recorder, name, &error), 0);
	CHECK_TEXT(error.text, "");
	return recorder;
}

TEST_IN(fake_tracefs, somebodys_instance_stays_as_it_is)
{
	struct instance *recorder;
	struct error error = { 0 };

	folder_make(&fake_tracefs.top, "instances/mine");
	recorder = recorder_attached("mine");
	CHECK(instance_is_attached(recorder));
	CHECK_TEXT(instance_name(recorder), "mine");
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	for (size_t i = 0; i < NR_CONTROL_FILES; i++)
		check_file(recorder, control_files[i], "as it was");
	check_close(recorder);
	CHECK(instance_exists("mine"));
}

TEST_IN(fake_tracefs, what_a_killed_run_left_is_attached_together)
{
	struct instance *recorder;
	struct instance_paths paths;

	folder_make(&fake_tracefs.top, "instances/ktrack-5");
	folder_make(&fake_tracefs.top, "instances/ktrack-5.convention");
	recorder = recorder_attached("ktrack-5");
	paths = instance_directories(recorder);
	CHECK_TEXT(paths.list[INSTANCE_MAIN], folder_path(&fake_tracefs.top, "instances/ktrack-5"));
	CHECK_TEXT(paths.list[INSTANCE_CONVENTION],
		   folder_path(&fake_tracefs.top, "instances/ktrack-5.convention"));
	CHECK(!paths.list[INSTANCE_SIDEBAND]);
	check_close(recorder);
	CHECK(instance_exists("ktrack-5.convention"));
}

static void check_attach_fails(const char *name, const char *want)
{
	struct instance *recorder = NULL;
	struct error error = { 0 };

	CHECK_NUMBER(instance_attach(&recorder, name, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(!recorder);
}

TEST_IN(fake_tracefs, an_instance_has_one_user)
{
	struct instance *own, *attached;
	char want[256];

	folder_make(&fake_tracefs.top, "instances/mine");
	attached = recorder_attached("mine");
	snprintf(want, sizeof(want),
		 "the tracing instance mine is in use by another ktrack, process %d",
		 (int)getpid());
	check_attach_fails("mine", want);
	check_close(attached);
	check_close(recorder_attached("mine"));
	own = recorder_of(64);
	snprintf(want, sizeof(want),
		 "the tracing instance %s is in use by another ktrack, process %d", name_of(0),
		 (int)getpid());
	check_attach_fails(name_of(0), want);
	check_close(own);
	snprintf(want, sizeof(want), "there is no tracing instance 'none'; %s/instances has all",
		 fake_tracefs.top.path);
	check_attach_fails("none", want);
}

TEST(no_recorder_is_fine)
{
	check_close(NULL);
}

TEST_IN(fake_tracefs, only_dynamic_tracepoints_change_without_a_report)
{
	CHECK(!events_may_change());
	folder_add_text(&fake_tracefs.top, "dynamic_events", "");
	CHECK(!events_may_change());
	folder_add_text(&fake_tracefs.top, "dynamic_events", "p:probes/one do_sys_openat2\n");
	CHECK(events_may_change());
}
