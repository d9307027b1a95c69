// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what is told of tracepoints that somebody lets go of, or that go. */
#include "recorder/recorder.h"

#include <unistd.h>

#include "source/source.h"
#include "tracefs.h"

static int change_log(void *context, const char *system, const char *event,
		      enum recorder_standing before, enum recorder_standing now,
		      struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s %d to %d\n", system, event, before, now);
	return 0;
}

static void check_look(struct recorder *recorder, const char *want)
{
	struct buffer log = { 0 };
	const struct recorder_observer observer = { .context = &log, .changed = change_log };
	struct error error = { 0 };

	CHECK_NUMBER(recorder_look(recorder, &observer, &error), 0);
	CHECK_TEXT(buffer_string(&log), want);
	buffer_release(&log);
}

/* What the kernel, or a user, makes of an enable file. */
static void enable_file_set(const struct recorder *recorder, const char *event, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/demo/%s/enable", recorder_directory(recorder),
		 event);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct recorder *recorder_begin(void)
{
	struct error error = { 0 };
	struct recorder *recorder;

	tracefs_begin();
	recorder = recorder_of(64);
	CHECK_NUMBER(recorder_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK_NUMBER(recorder_enable(recorder, "demo", "work", NULL, &error), 0);
	return recorder;
}

static void recorder_finish(struct recorder *recorder)
{
	struct error error = { 0 };

	CHECK_NUMBER(recorder_close(recorder, &error), 0);
	tracefs_end();
}

TEST(what_is_let_go_of_is_told_once_and_given_up_when_it_was_read)
{
	struct recorder *recorder = recorder_begin();

	check_look(recorder, "");
	enable_file_set(recorder, "io", "0");
	check_look(recorder, "demo:io 0 to 1\n");
	check_look(recorder, "");
	CHECK_NUMBER(recorder_size(recorder), 2);
	recorder_give_up(recorder);
	CHECK_NUMBER(recorder_size(recorder), 1);
	enable_file_set(recorder, "io", "1");
	check_look(recorder, "");
	CHECK(recorder_has(recorder, "demo", "io"));
	recorder_finish(recorder);
}

TEST(what_is_enabled_again_in_time_is_recorded)
{
	struct recorder *recorder = recorder_begin();

	enable_file_set(recorder, "work", "0");
	check_look(recorder, "demo:work 0 to 1\n");
	enable_file_set(recorder, "work", "1");
	check_look(recorder, "demo:work 1 to 0\n");
	recorder_finish(recorder);
}

TEST(what_has_gone_can_come_again)
{
	struct error error = { 0 };
	struct recorder *recorder = recorder_begin();

	enable_file_set(recorder, "io", "");
	check_look(recorder, "demo:io 0 to 3\n");
	CHECK(!recorder_has(recorder, "demo", "io"));
	check_look(recorder, "");
	CHECK_NUMBER(recorder_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK(recorder_has(recorder, "demo", "io"));
	CHECK(source_event_is_enabled(recorder_events_fd(recorder), "demo", "io"));
	recorder_finish(recorder);
}
