// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what is noticed of other programs that write to the files of an instance of ours. */
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixtures/fake_tracefs.h"

/** struct watched - an instance, its sideband, and the observer of changes by others */
struct watched {
	struct instance *recorder;
	struct instance_change change;
};

static void watched_init(struct watched *watched)
{
	struct error error = { 0 };

	fake_tracefs_begin();
	folder_add_text(&fake_tracefs.top, "events/task/task_rename/enable", "0");
	watched->recorder = recorder_of(64);
	CHECK(instance_companion(watched->recorder, INSTANCE_SIDEBAND) != NULL);
	CHECK_NUMBER(instance_watch(watched->recorder, &error), 0);
}

static void watched_release(struct watched *watched)
{
	struct error error = { 0 };

	CHECK_NUMBER(instance_remove(watched->recorder, &error), 0);
	fake_tracefs_end();
}

/* The kernel's queue of changes has overflowed: the next read returns only that. */
static bool has_overflowed;

/* Instead of the C library's. */
ssize_t read(int fd, void *bytes, size_t size)
{
	static const struct inotify_event overflow = { .wd = -1, .mask = IN_Q_OVERFLOW };

	if (!has_overflowed || size < sizeof(overflow))
		return syscall(SYS_read, fd, bytes, size);
	has_overflowed = false;
	memcpy(bytes, &overflow, sizeof(overflow));
	return sizeof(overflow);
}

static void file_write(const struct instance *recorder, const char *name, const char *text)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", instance_directory(recorder));
	folder_add_text(&instance, name, text);
}

static int change_note(void *context, const struct instance_change *change, struct error *error)
{
	(void)error;
	memcpy(context, change, sizeof(*change));
	return 1;
}

static bool changes_come(struct watched *watched)
{
	const struct instance_observer observer = { &watched->change, change_note };

	return instance_look_writes(watched->recorder, &observer, &(struct error){ 0 });
}

TEST(what_we_do_ourselves_is_no_change)
{
	struct error error = { 0 };
	FIXTURE(watched, watched);

	CHECK_NUMBER(instance_enable(watched.recorder, "demo", "io", NULL, &error), 0);
	CHECK_NUMBER(instance_start(watched.recorder, &error), 0);
	instance_memory_kib(watched.recorder);
	CHECK_NUMBER(instance_stop(watched.recorder, &error), 0);
	CHECK(!changes_come(&watched));
}

TEST(buffers_that_others_empty_are_noticed_once)
{
	static const char *const files[] = { "trace",
					     "per_cpu/cpu1/trace",
					     "per_cpu/cpu0/snapshot",
					     "buffer_size_kb",
					     "per_cpu/cpu1/buffer_size_kb",
					     "buffer_subbuf_size_kb",
					     "free_buffer",
					     "current_tracer" };
	FIXTURE(watched, watched);

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		file_write(watched.recorder, files[i], "\n");
		CHECK(changes_come(&watched));
		CHECK(watched.change.is_emptied);
		CHECK(!watched.change.is_sideband_emptied && !watched.change.is_reclocked);
		CHECK(strstr(files[i], watched.change.file) != NULL);
		CHECK(!changes_come(&watched));
	}
}

TEST(what_others_do_to_the_sideband_is_distinguished)
{
	FIXTURE(watched, watched);

	file_write(instance_companion(watched.recorder, INSTANCE_SIDEBAND), "per_cpu/cpu0/trace",
		   "\n");
	CHECK(changes_come(&watched));
	CHECK(watched.change.is_sideband_emptied);
	CHECK(!watched.change.is_emptied && !watched.change.is_reclocked);
	file_write(instance_companion(watched.recorder, INSTANCE_SIDEBAND), "trace_clock", "mono");
	CHECK(changes_come(&watched));
	CHECK(watched.change.is_reclocked);
}

TEST(changes_that_were_not_reported_may_have_been_any)
{
	FIXTURE(watched, watched);

	has_overflowed = true;
	CHECK(changes_come(&watched));
	CHECK(watched.change.is_emptied && watched.change.is_sideband_emptied &&
	      watched.change.is_reclocked);
	CHECK(!changes_come(&watched));
}

TEST(a_clock_that_others_change_is_noticed_and_can_be_restored)
{
	FIXTURE(watched, watched);

	file_write(watched.recorder, "trace_clock", "mono");
	CHECK(changes_come(&watched));
	CHECK(watched.change.is_reclocked && watched.change.is_emptied);
	CHECK_TEXT(watched.change.file, "trace_clock");
	file_write(instance_companion(watched.recorder, INSTANCE_SIDEBAND), "trace_clock", "mono");
	instance_restore_clock(watched.recorder);
	check_file(watched.recorder, "trace_clock", "bootboot");
	check_file(instance_companion(watched.recorder, INSTANCE_SIDEBAND), "trace_clock",
		   "bootboot");
}

TEST(what_empties_nothing_is_no_change)
{
	FIXTURE(watched, watched);

	file_write(watched.recorder, "options/overwrite", "0");
	file_write(watched.recorder, "tracing_cpumask", "3");
	file_write(watched.recorder, "trace_marker", "hello");
	file_write(watched.recorder, "events/demo/io/enable", "0");
	CHECK(!changes_come(&watched));
}

TEST(an_instance_that_has_gone_cannot_be_watched)
{
	struct watched watched;
	struct error error = { 0 };

	fake_tracefs_begin();
	watched.recorder = recorder_of(64);
	fake_instance_remove(instance_directory(watched.recorder));
	CHECK_NUMBER(instance_watch(watched.recorder, &error), -1);
	CHECK(!changes_come(&watched));
	CHECK(strstr(error.text, ": cannot notice what others write to it: ") != NULL);
	instance_close(watched.recorder);
	fake_tracefs_end();
}
