// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the state of tracepoints: released by another program, or unloaded. */
#include "tracefs/tracefs.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/check.h"
#include "source/source.h"
#include "fixtures/fake_tracefs.h"

/* For the other process. */

static int change_log(void *context, const struct instance_change *change, struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s %d to %d\n", change->system, change->event, change->before,
		      change->now);
	return 0;
}

static void check_look(struct instance *recorder, const char *want)
{
	SCOPED_BUFFER(log);
	const struct instance_observer observer = { .context = &log, .change = change_log };
	struct error error = { 0 };

	CHECK_NUMBER(instance_look(recorder, &observer, &error), 0);
	CHECK_TEXT(buffer_string(&log), want);
}

/* Changes an enable file as the kernel or a user does. */
static void enable_file_set(const struct instance *recorder, const char *event, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/events/demo/%s/enable", instance_directory(recorder),
		 event);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct instance *recorder_begin(void)
{
	struct error error = { 0 };
	struct instance *recorder;

	fake_tracefs_begin();
	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", NULL, &error), 0);
	return recorder;
}

static void recorder_finish(struct instance *recorder)
{
	struct error error = { 0 };

	CHECK_NUMBER(instance_remove(recorder, &error), 0);
	fake_tracefs_end();
}

TEST(what_is_released_is_reported_once_and_given_up_when_it_was_read)
{
	struct instance *recorder = recorder_begin();

	check_look(recorder, "");
	enable_file_set(recorder, "io", "0");
	check_look(recorder, "demo:io 0 to 1\n");
	check_look(recorder, "");
	CHECK_NUMBER(instance_count_events(recorder, INSTANCE_MAIN), 2);
	instance_release_events(recorder);
	CHECK_NUMBER(instance_count_events(recorder, INSTANCE_MAIN), 1);
	enable_file_set(recorder, "io", "1");
	check_look(recorder, "");
	CHECK(instance_has_event(recorder, "demo", "io"));
	recorder_finish(recorder);
}

TEST(what_is_enabled_again_in_time_is_recorded)
{
	struct instance *recorder = recorder_begin();

	enable_file_set(recorder, "job", "0");
	check_look(recorder, "demo:job 0 to 1\n");
	enable_file_set(recorder, "job", "1");
	check_look(recorder, "demo:job 1 to 0\n");
	recorder_finish(recorder);
}

TEST(what_has_gone_can_come_again)
{
	struct error error = { 0 };
	struct instance *recorder = recorder_begin();

	enable_file_set(recorder, "io", "");
	check_look(recorder, "demo:io 0 to 3\n");
	CHECK(!instance_has_event(recorder, "demo", "io"));
	check_look(recorder, "");
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	CHECK(instance_has_event(recorder, "demo", "io"));
	CHECK(event_is_enabled(instance_events_fd(recorder), "demo", "io"));
	recorder_finish(recorder);
}

static void release_show(void *context, const char *line)
{
	const int *fd = context;

	if (*line)
		dprintf(*fd, "%s\n", line);
}

static void release_log(void *context, const char *line)
{
	(void)context;
	(void)line;
}

/*
 * Runs 'ktrack release' in another process, which ends when the tracepoints are released. Its
 * progress is written to @fd.
 */
static pid_t release_start(const char *pattern, int fd)
{
	const struct report report = { .context = &fd,
				       .message = release_log,
				       .progress = release_show };
	struct error error = { 0 };
	size_t nr_released;
	pid_t process = fork();

	if (process == 0)
		_exit(release_run(&pattern, 1, &nr_released, &report, NULL, &error) == STATUS_DONE
			      ? (int)nr_released
			      : 99);
	return process;
}

/* A recorder watches its instance, of which some tracepoints are listed as enabled. */
static void watched_begin_of(struct instance *recorder, const char *enabled, struct folder *folder,
			     struct pollfd *changes)
{
	struct error error = { 0 };

	snprintf(folder->path, sizeof(folder->path), "%s", instance_directory(recorder));
	folder_add_text(folder, "set_event", enabled);
	instance_mark(folder->path);
	CHECK_NUMBER(instance_watch(recorder, &error), 0);
	*changes = (struct pollfd){ .fd = instance_watch_fd(recorder), .events = POLLIN };
}

/* The same of one that has both tracepoints enabled. */
static struct instance *watched_begin(struct pollfd *changes)
{
	struct instance *recorder = recorder_begin();
	struct folder folder;

	watched_begin_of(recorder, "demo:io\ndemo:job\n", &folder, changes);
	return recorder;
}

static void check_released(pid_t process, int want)
{
	int status = 0;

	CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status));
	CHECK_NUMBER(WEXITSTATUS(status), want);
}

TEST(a_release_wakes_whoever_records)
{
	struct pollfd changes;
	struct instance *recorder = watched_begin(&changes);
	pid_t process = release_start("demo:job", -1);

	CHECK_NUMBER(poll(&changes, 1, -1), 1);
	check_look(recorder, "demo:job 0 to 1\n");
	instance_release_events(recorder);
	check_released(process, 1);
	recorder_finish(recorder);
}

TEST(a_release_takes_in_what_its_owner_enables_meanwhile)
{
	struct pollfd changes;
	struct error error = { 0 };
	struct instance *recorder;
	siginfo_t ended = { 0 };
	struct folder folder;
	pid_t process;

	fake_tracefs_begin();
	recorder = recorder_of(64);
	CHECK_NUMBER(instance_enable(recorder, "demo", "io", NULL, &error), 0);
	watched_begin_of(recorder, "\ndemo:io\n", &folder, &changes);
	process = release_start("demo", -1);
	CHECK_NUMBER(poll(&changes, 1, -1), 1);
	check_look(recorder, "demo:io 0 to 1\n");
	CHECK_NUMBER(instance_enable(recorder, "demo", "job", NULL, &error), 0);
	folder_add_text(&folder, "set_event", "\ndemo:io\ndemo:job\n");
	instance_release_events(recorder);
	while (waitid(P_PID, process, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid &&
	       event_is_enabled(instance_events_fd(recorder), "demo", "job"))
		CHECK(poll(&changes, 1, 10) >= 0);
	check_look(recorder, "demo:job 0 to 1\n");
	instance_release_events(recorder);
	check_released(process, 2);
	recorder_finish(recorder);
}

TEST(a_release_of_more_than_a_second_shows_what_it_waits_for)
{
	static const char want[] =
		"demo: waiting until the records of 2 of 2 tracepoints are read\n";
	struct pollfd changes, shown = { .events = POLLIN };
	struct instance *recorder = watched_begin(&changes);
	char line[256] = "";
	int pair[2];
	pid_t process;

	CHECK_NUMBER(pipe(pair), 0);
	process = release_start("demo", pair[1]);
	close(pair[1]);
	shown.fd = pair[0];
	CHECK_NUMBER(poll(&shown, 1, -1), 1);
	CHECK(read(pair[0], line, strlen(want)) == (ssize_t)strlen(want));
	CHECK_TEXT(line, want);
	check_look(recorder, "demo:io 0 to 1\ndemo:job 0 to 1\n");
	instance_release_events(recorder);
	check_released(process, 2);
	close(pair[0]);
	recorder_finish(recorder);
}
