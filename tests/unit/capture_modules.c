// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what is lost with a module that is unloaded while others are recorded. */
#include "capture/run.h"

#include "fixtures/event_builder.h"
#include "fixtures/fake_tracefs.h"

static struct capture_settings settings;
static struct capture capture;
static struct convention *convention;
static struct modules modules;

static void modules_begin(void)
{
	struct error error = { 0 };

	fake_tracefs_begin();
	capture_settings_init(&settings, NULL);
	capture = (struct capture){ .settings = &settings, .recorder = recorder_of(64) };
	convention = convention_new(false);
	modules = (struct modules){ .capture = &capture, .convention = convention, .fd = -1 };
	CHECK_NUMBER(instance_enable(capture.recorder, "demo", "io", NULL, &error), 0);
}

static void modules_finish(void)
{
	struct error error = { 0 };

	CHECK_NUMBER(instance_remove(capture.recorder, &error), 0);
	convention_free(convention);
	capture_settings_release(&settings);
	fake_tracefs_end();
}

/* Changes an enable file as the kernel or a user does, and looks. */
static void look_after(const char *event, const char *text)
{
	struct error error = { 0 };
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/demo/%s/enable",
		 instance_directory(capture.recorder), event);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
	CHECK_NUMBER(modules_look(&modules, &error), 0);
}

TEST(a_released_tracepoint_takes_nothing_along_of_one_that_comes_later)
{
	struct error error = { 0 };

	modules_begin();
	look_after("io", "0");
	instance_release_events(capture.recorder);
	look_after("io", "");
	CHECK(modules.has_gone[INSTANCE_MAIN] && !modules.had_unread[INSTANCE_MAIN]);
	CHECK_NUMBER(instance_enable(capture.recorder, "demo", "job", NULL, &error), 0);
	CHECK_NUMBER(modules_look(&modules, &error), 0);
	CHECK(!modules.had_unread[INSTANCE_MAIN]);
	modules_finish();
}

TEST(a_released_tracepoint_takes_along_what_others_had_written)
{
	struct error error = { 0 };

	modules_begin();
	CHECK_NUMBER(instance_enable(capture.recorder, "demo", "job", NULL, &error), 0);
	look_after("io", "0");
	instance_release_events(capture.recorder);
	look_after("io", "");
	CHECK(modules.has_gone[INSTANCE_MAIN] && modules.had_unread[INSTANCE_MAIN]);
	modules_finish();
}

/* There may be thousands, and each search visits all tracepoints. */
TEST(an_event_of_a_program_is_not_searched_among_those_of_the_kernel)
{
	struct error error = { 0 };
	bool is_known = true;

	modules_begin();
	/* Only whether there are any is asked. */
	capture.programs = (struct programs *)&capture;
	CHECK_NUMBER(modules_find(&modules, PROGRAM_EVENT_ID, &is_known, &error), 1);
	CHECK(!is_known);
	CHECK_NUMBER(modules.searched[PROGRAM_EVENT_ID / 8], 0);
	/* Without programs, one of the kernel may have this number. */
	capture.programs = NULL;
	modules_find(&modules, PROGRAM_EVENT_ID, &is_known, &error);
	CHECK_NUMBER(modules.searched[PROGRAM_EVENT_ID / 8], 1 << PROGRAM_EVENT_ID % 8);
	modules_finish();
}

static int came_ignore(void *context, const char *category, const struct descriptor *descriptor,
		       bool is_early, struct error *error)
{
	(void)context, (void)category, (void)descriptor, (void)is_early, (void)error;
	return 0;
}

static void far_add(struct folder *events)
{
	folder_add_text(events, "events/demo/enable", "0\n");
	folder_add_text(events, "events/demo/far/enable", "0\n");
	folder_add_text(events, "events/demo/far/format",
			FORMAT("far", 40000, FIELD("s64 counter_value", 8, 8, 1)));
}

/* Kernels up to 6.1 number all that is ever registered. */
TEST(beside_programs_no_tracepoint_is_recorded_that_has_the_number_of_an_event_of_theirs)
{
	struct error error = { 0 };
	struct folder instance;
	bool is_known;

	modules_begin();
	modules.handler.came = came_ignore;
	snprintf(instance.path, sizeof(instance.path), "%s", instance_directory(capture.recorder));
	far_add(&fake_tracefs.top);
	far_add(&instance);
	settings.records_programs = true;
	CHECK_NUMBER(selection_add(&settings.selection, "demo", &error), 0);
	CHECK_NUMBER(capture_choose(&capture, convention, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(modules_find(&modules, 1000, &is_known, &error), 1);
	CHECK(!convention_has_id(convention, 40000));
	settings.selection.is_with_programs = false;
	CHECK_NUMBER(modules_find(&modules, 1001, &is_known, &error), 1);
	CHECK(convention_has_id(convention, 40000));
	modules_finish();
}
