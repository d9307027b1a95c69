// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the report of what is written to an instance. */
#include "tracefs/tracefs.h"

#include <string.h>

#include "fixtures/fake_tracefs.h"

static void write_keep(void *context, const char *line)
{
	buffer_printf(context, "%s\n", line);
}

/* A line for the file @name of the instance. */
static void check_written(struct buffer *lines, const struct instance *recorder, const char *value,
			  const char *name)
{
	SCOPED_BUFFER(want);

	buffer_printf(&want, "write '%s' to %s/%s\n", value, instance_directory(recorder), name);
	CHECK(strstr(buffer_string(lines), buffer_string(&want)));
}

TEST_IN(fake_tracefs, each_write_is_reported)
{
	SCOPED_BUFFER(lines);
	const struct report writes = { .context = &lines, .message = write_keep };
	struct instance_settings settings = settings_of(64);
	struct instance *recorder;
	struct error error = { 0 };
	char removal[256];

	settings.writes = &writes;
	recorder = recorder_as(&settings);
	snprintf(removal, sizeof(removal), "remove %s\n", instance_directory(recorder));
	CHECK(strncmp(buffer_string(&lines), "create ", strlen("create ")) == 0);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", "common_pid == 7", &error), 0);
	CHECK_NUMBER(instance_resize(recorder, &error), 0);
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	check_written(&lines, recorder, "boot", "trace_clock");
	check_written(&lines, recorder, "1", "options/overwrite");
	check_written(&lines, recorder, "common_pid == 7", "events/demo/job/filter");
	check_written(&lines, recorder, "1", "events/demo/job/enable");
	check_written(&lines, recorder, "64", "buffer_size_kb");
	check_written(&lines, recorder, "1", "tracing_on");
	buffer_clear(&lines);
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	CHECK(strstr(buffer_string(&lines), "/tracing_on\n"));
	CHECK(strstr(buffer_string(&lines), "/events/demo/job/enable\n"));
	CHECK(strstr(buffer_string(&lines), removal));
}

/* Whether both texts are in @lines, in this order. */
static bool comes_before(const struct buffer *lines, const char *line, const char *before)
{
	const char *first = strstr(lines->data, line), *second = strstr(lines->data, before);

	return first && second && first < second;
}

/* While tracing is off, or the buffer is full, other programs could not write to trace_marker. */
static void check_copies(const char *mode, bool limits_cpus, enum marker_copies want)
{
	SCOPED_BUFFER(lines);
	const struct report writes = { .context = &lines, .message = write_keep };
	struct instance_settings settings = settings_of(64);
	const bool copies = want == MARKERS_COPIED;
	cpu_set_t cpus = { 0 };
	struct instance *recorder;
	struct error error = { 0 };

	fake_tracefs_begin();
	settings.mode = buffer_mode_find(mode);
	settings.writes = &writes;
	settings.has_markers = true;
	recorder = recorder_as(&settings);
	CPU_SET(0, &cpus);
	if (limits_cpus)
		CHECK_NUMBER(instance_limit_cpus(recorder, &cpus, &error), 0);
	CHECK_NUMBER(instance_resize(recorder, &error), 0);
	CHECK_NUMBER(instance_marker_copies(recorder), want);
	CHECK(!strstr(buffer_string(&lines), "copy_trace_marker"));
	CHECK_NUMBER(instance_start(recorder, &error), 0);
	buffer_string(&lines);
	CHECK(comes_before(&lines, "/tracing_on", "/options/copy_trace_marker") == copies);
	buffer_clear(&lines);
	CHECK_NUMBER(instance_stop(recorder, &error), 0);
	buffer_string(&lines);
	CHECK(comes_before(&lines, "/options/copy_trace_marker", "/tracing_on") == copies);
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

TEST(texts_of_programs_are_copied_only_while_the_instance_records)
{
	check_copies("streaming", false, MARKERS_COPIED);
	check_copies("circular", false, MARKERS_COPIED);
}

TEST(texts_of_programs_are_not_copied_where_programs_could_not_write)
{
	check_copies("oneshot", false, MARKERS_NOT_WHEN_FULL);
	check_copies("streaming", true, MARKERS_NOT_ON_ALL_CPUS);
}
