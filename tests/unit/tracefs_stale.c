// SPDX-License-Identifier: GPL-2.0-only
/* Tests of instances that were left behind, in a folder that stands for tracefs. */
#include "tracefs/tracefs.h"

#include <signal.h>
#include <sys/wait.h>

#include "fixtures/fake_tracefs.h"

static int name_log(void *context, const char *name, const char *directory, struct error *error)
{
	char path[128];

	(void)error;
	snprintf(path, sizeof(path), "instances/%s", name);
	CHECK_TEXT(directory, folder_path(&fake_tracefs.top, path));
	buffer_printf(context, "%s ", name);
	return 0;
}

static void unmarked_log(void *context, const char *name, const char *directory)
{
	CHECK(strstr(directory, name) != NULL);
	buffer_printf(context, "(%s) ", name);
}

/* Makes an instance as a ktrack does. */
static void marked_make(const char *name)
{
	folder_make(&fake_tracefs.top, name);
	instance_mark(folder_path(&fake_tracefs.top, name));
}

static void check_stale(const char *want)
{
	SCOPED_BUFFER(names);
	struct stale_visitor visitor = { .context = &names,
					 .visit = name_log,
					 .unmarked = unmarked_log };
	struct error error = { 0 };

	CHECK_NUMBER(stale_visit(&visitor, &error), 0);
	CHECK_TEXT(buffer_string(&names), want);
}

TEST_IN(fake_tracefs, an_instance_without_an_owner_is_stale)
{
	struct instance *recorder;
	struct error error = { 0 };

	check_stale("");
	recorder = recorder_of(64);
	marked_make("instances/ktrack-77");
	marked_make("instances/ktrack-9.12");
	marked_make("instances/ktrack-77.sideband");
	marked_make("instances/ktrack-9.2.sideband");
	check_stale("ktrack-9.2.sideband ktrack-9.12 ktrack-77 ktrack-77.sideband ");
	CHECK_NUMBER(instance_remove(recorder, &error), 0);
}

TEST_IN(fake_tracefs, an_instance_that_a_user_made_is_never_stale)
{
	struct stale_visitor visitor = { .visit = name_log };
	struct instance *recorder = NULL;
	struct error error = { 0 };

	folder_make(&fake_tracefs.top, "instances/ktrack-5");
	marked_make("instances/ktrack-6");
	folder_make(&fake_tracefs.top, "instances/ktrack-6.sideband");
	check_stale("(ktrack-5) ktrack-6 (ktrack-6.sideband) ");
	CHECK_NUMBER(instance_adopt(&recorder, "ktrack-5", NULL, &error), 0);
	CHECK(!recorder);
	CHECK_NUMBER(rmdir(folder_path(&fake_tracefs.top, "instances/ktrack-6")), 0);
	CHECK_NUMBER(stale_visit(&visitor, &error), 0);
}

TEST_IN(fake_tracefs, instances_of_others_are_never_stale)
{
	static const char *const names[] = { "ktrack",		 "ktrack-",
					     "ktrack-7a",	 "ktrack-7.",
					     "ktrack-7.1a",	 "ktrack-.1",
					     "ktrack--7",	 "ktrack-+7",
					     "xktrack-7",	 "mine",
					     "ktrack-7.1.1",	 "ktrack-.sideband",
					     "ktrack-7.durably", "ktrack-7.1.sideband.1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "instances/%s", names[i]);
		folder_make(&fake_tracefs.top, path);
	}
	check_stale("");
}

/* A run is killed: the kernel closes its files, and its instance stays. */
TEST_IN(fake_tracefs, an_instance_is_stale_once_its_owner_was_killed)
{
	struct error error = { 0 };
	char want[64], path[256];
	pid_t child;

	child = fork();
	if (child == 0) {
		recorder_of(64);
		raise(SIGKILL);
	}
	CHECK(waitpid(child, NULL, 0) == child);
	snprintf(want, sizeof(want), "ktrack-%d ", (int)child);
	check_stale(want);
	snprintf(path, sizeof(path), "%s/instances/ktrack-%d", fake_tracefs.top.path, (int)child);
	CHECK_NUMBER(stale_remove(path, &error), 0);
	check_stale("");
}

TEST_IN(fake_tracefs, a_stale_instance_that_cannot_be_removed_is_named)
{
	struct error error = { 0 };

	fake_tracefs.remove_errno = EBUSY;
	CHECK_NUMBER(stale_remove("/nowhere/instances/ktrack-7", &error), -1);
	CHECK_TEXT(error.text,
		   "cannot remove /nowhere/instances/ktrack-7: somebody has its files open");
}
