// SPDX-License-Identifier: GPL-2.0-only
/* Tests of a second recording that cannot begin: its instance is left as it was found. */
#include "capture/run.h"

#include "fixtures/fake_tracefs.h"

#define BOOT "instances/boot/"

static void boot_file(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), BOOT "%s", name);
	folder_set_text(&fake_tracefs.top, path, text);
}

static void check_boot_file(const char *name, const char *want)
{
	char path[64];

	snprintf(path, sizeof(path), BOOT "%s", name);
	check_file_in(&fake_tracefs.top, path, want);
}

static void boot_make(void)
{
	CHECK_NUMBER(mkdir(folder_path(&fake_tracefs.top, "instances/boot"), 0700), 0);
	boot_file("last_boot_info", "# Current\n");
	boot_file("trace", "");
	boot_file("set_event", "");
	boot_file("tracing_on", "1");
	boot_file("events/enable", "X");
}

static void events_set(const struct instance *recorder)
{
	struct folder instance;

	snprintf(instance.path, sizeof(instance.path), "%s", instance_directory(recorder));
	folder_set_text(&instance, "set_event", "demo:job\n");
}

/* Starts a recording whose directory does not exist. */
static void check_start(const struct instance *recorder, struct persistent *persistent,
			const char *problem)
{
	struct capture_settings settings = { .clock = "boot" };
	const struct capture capture = { .settings = &settings,
					 .recorder = (struct instance *)recorder };
	struct error error = { 0 };

	CHECK_NUMBER(persistent_start(persistent, "boot", "/nosuch", &capture, &error), -1);
	CHECK(strstr(error.text, problem) != NULL);
}

TEST_IN(fake_tracefs, tracepoints_are_disabled_if_the_folder_cannot_be_made)
{
	struct persistent persistent = { .boot = BOOT_INSTANCE_NONE };
	const struct report report = { 0 };
	struct instance *recorder;

	boot_make();
	recorder = recorder_of(64);
	events_set(recorder);
	if (instance_companion(recorder, INSTANCE_SIDEBAND))
		events_set(instance_companion(recorder, INSTANCE_SIDEBAND));
	check_start(recorder, &persistent, "/nosuch");
	check_boot_file("events/demo/job/enable", "1");
	boot_file("events/enable", "X");
	persistent_stop(&persistent, &report);
	check_boot_file("events/enable", "0");
	check_boot_file("tracing_on", "0");
	instance_remove(recorder, &(struct error){ 0 });
}

TEST_IN(fake_tracefs, records_of_others_stay)
{
	struct persistent persistent = { .boot = BOOT_INSTANCE_NONE };
	const struct report report = { 0 };
	struct instance *recorder;

	boot_make();
	boot_file("per_cpu/cpu0/stats", "entries: 3\noverrun: 0\ncommit overrun: 0\nbytes: 90\n"
					"oldest event ts: 1.0\nnow ts: 2.0\ndropped events: 0\n"
					"read events: 0\n");
	recorder = recorder_of(64);
	check_start(recorder, &persistent, "has 3 records that ktrack did not write");
	persistent_stop(&persistent, &report);
	check_boot_file("events/enable", "X");
	check_boot_file("tracing_on", "1");
	instance_remove(recorder, &(struct error){ 0 });
}
