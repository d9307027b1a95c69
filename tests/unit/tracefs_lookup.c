// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what is looked up in the top of tracefs, for which a folder stands: tracepoints, tasks.
 */
#include "tracefs/tracefs.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tracefs.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

static void fake_tracefs_begin(struct folder *top)
{
	folder_new(top);
	tracefs_set_tracing_dir(top->path);
}

static void fake_tracefs_end(struct folder *top)
{
	tracefs_set_tracing_dir(NULL);
	folder_remove(top);
}

static void event_add(const struct folder *top, const char *system, const char *event,
		      const char *format)
{
	char name[256];

	snprintf(name, sizeof(name), "events/%s/enable", system);
	folder_add_text(top, name, "0\n");
	snprintf(name, sizeof(name), "events/%s/%s/enable", system, event);
	folder_add_text(top, name, "0\n");
	snprintf(name, sizeof(name), "events/%s/%s/format", system, event);
	if (format)
		folder_add_text(top, name, format);
}

/** struct visits - what a visitor saw, and at which tracepoint it stops, with what */
struct visits {
	struct buffer log;
	const char *stop_at;
	int stop_with;
};

static int visit_log(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	struct visits *visits = context;

	(void)error;
	buffer_printf(&visits->log, "%s:%s %.*s\n", tracepoint->system, tracepoint->name,
		      (int)tracepoint->format.size, tracepoint->format.data);
	return visits->stop_at && strcmp(tracepoint->name, visits->stop_at) == 0 ? visits->stop_with
										 : 0;
}

/* The caller closes it. */
static int events_fd_open(const struct folder *top)
{
	struct error error = { 0 };

	return file_open_in(top->path, "events", O_PATH | O_DIRECTORY, &error);
}

static void check_visits(const struct folder *top, const char *stop_at, int stop_with,
			 const char *want)
{
	struct visits visits = { .stop_at = stop_at, .stop_with = stop_with };
	const struct tracepoint_visitor visitor = { .context = &visits, .visit = visit_log };
	struct error error = { 0 };
	int events_fd = events_fd_open(top);

	CHECK_NUMBER(tracepoints_visit(events_fd, &visitor, &error), stop_with);
	CHECK_TEXT(buffer_string(&visits.log), want);
	CHECK_TEXT(error.text, "");
	close(events_fd);
	buffer_release(&visits.log);
}

TEST(tracepoints_are_visited_by_system_and_name)
{
	struct folder top;

	fake_tracefs_begin(&top);
	event_add(&top, "zeta", "b", "format zb");
	event_add(&top, "alpha", "z", "format az");
	event_add(&top, "alpha", "a", "format aa");
	event_add(&top, "middle", "m", "format mm");
	check_visits(
		&top, NULL, 0,
		"alpha:a format aa\nalpha:z format az\nmiddle:m format mm\nzeta:b format zb\n");
	check_visits(&top, "m", -1, "alpha:a format aa\nalpha:z format az\nmiddle:m format mm\n");
	check_visits(&top, "a", 7, "alpha:a format aa\n");
	fake_tracefs_end(&top);
}

TEST(what_is_no_tracepoint_or_has_gone_is_passed_over)
{
	struct folder top;

	fake_tracefs_begin(&top);
	event_add(&top, "alpha", "gone", NULL);
	event_add(&top, "alpha", "here", "format");
	folder_add_text(&top, "events/alpha/filter", "none\n");
	folder_add_text(&top, "events/header_page", "field: u64 timestamp\n");
	folder_add_text(&top, "events/ftrace/print/format", "a system that cannot be enabled");
	check_visits(&top, NULL, 0, "alpha:here format\n");
	fake_tracefs_end(&top);
}

/* A directory stands for whatever prevents it. */
TEST(a_format_that_cannot_be_read_is_reported)
{
	const struct tracepoint_visitor visitor = { .visit = visit_log };
	struct error error = { 0 };
	struct folder top;
	int events_fd;

	fake_tracefs_begin(&top);
	event_add(&top, "alpha", "here", NULL);
	folder_add_text(&top, "events/alpha/here/format/file", "");
	events_fd = events_fd_open(&top);
	CHECK_NUMBER(tracepoints_visit(events_fd, &visitor, &error), -1);
	CHECK_TEXT(error.text, "cannot read the format of alpha:here: Is a directory");
	close(events_fd);
	fake_tracefs_end(&top);
}

TEST(a_directory_that_cannot_be_listed_is_reported)
{
	const struct tracepoint_visitor visitor = { .visit = visit_log };
	struct error error = { 0 };

	CHECK_NUMBER(tracepoints_visit(-1, &visitor, &error), -1);
	CHECK(strncmp(error.text, "cannot list the tracepoints in tracefs: ", 40) == 0);
}

TEST(what_comes_later_is_found_where_the_way_is_cut_off)
{
	struct visits visits = { 0 };
	const struct tracepoint_visitor visitor = { .context = &visits, .visit = visit_log };
	struct error error = { 0 };
	struct folder top, elsewhere;
	int events_fd;

	folder_new(&elsewhere);
	fake_tracefs_begin(&top);
	event_add(&top, "alpha", "a", "format aa");
	events_fd = events_fd_open(&top);
	event_add(&top, "beta", "b", "format bb");
	CHECK_NUMBER(rename(top.path, folder_path(&elsewhere, "top")), 0);
	CHECK_NUMBER(tracepoints_visit(events_fd, &visitor, &error), 0);
	CHECK_TEXT(buffer_string(&visits.log), "alpha:a format aa\nbeta:b format bb\n");
	close(events_fd);
	buffer_release(&visits.log);
	fake_tracefs_end(&top);
	folder_remove(&elsewhere);
}

TEST(a_tracepoint_is_enabled_where_its_file_says_1)
{
	struct folder top;
	int events_fd;

	fake_tracefs_begin(&top);
	folder_add_text(&top, "events/alpha/on/enable", "1\n");
	folder_add_text(&top, "events/alpha/soft/enable", "1*\n");
	folder_add_text(&top, "events/alpha/off/enable", "0\n");
	events_fd = events_fd_open(&top);
	CHECK(event_is_enabled(events_fd, "alpha", "on"));
	CHECK(event_is_enabled(events_fd, "alpha", "soft"));
	CHECK(!event_is_enabled(events_fd, "alpha", "off"));
	CHECK(!event_is_enabled(events_fd, "alpha", "missing"));
	close(events_fd);
	fake_tracefs_end(&top);
}

/* With the names that are saved in the top of tracefs now. */
static void task_find(const struct folder *top, int tid, struct thread_identity *out)
{
	struct saved_tasks saved;

	saved_tasks_open(&saved, top->path);
	thread_find(&saved, tid, out);
	saved_tasks_close(&saved);
}

/* No thread has this number: the kernel's largest is 4194304. */
#define TID_GONE 5000000

TEST(a_task_that_is_gone_is_found_among_the_saved_names)
{
	struct thread_identity task;
	struct folder top;

	fake_tracefs_begin(&top);
	folder_add_text(
		&top, "saved_cmdlines",
		"15000000 longer\n5000000 kworker/0:1 of two\n500000 shorter\n5000002 last");
	folder_add_text(&top, "saved_tgids", "5000001 1\n5000000 4999999\n5000002 77");
	task_find(&top, TID_GONE, &task);
	CHECK_TEXT(task.comm, "kworker/0:1 of two");
	CHECK_NUMBER(task.tgid, 4999999);
	task_find(&top, TID_GONE + 2, &task);
	CHECK_TEXT(task.comm, "last");
	CHECK_NUMBER(task.tgid, 77);
	fake_tracefs_end(&top);
}

TEST(what_the_kernel_does_not_have_stays_empty)
{
	struct thread_identity task;
	struct folder top;

	fake_tracefs_begin(&top);
	task_find(&top, TID_GONE, &task);
	CHECK_TEXT(task.comm, "");
	folder_add_text(&top, "saved_cmdlines", "\n5000000 <...>\n5000001\nodd\n");
	task_find(&top, TID_GONE, &task);
	CHECK_TEXT(task.comm, "");
	CHECK_NUMBER(task.tgid, 0);
	task_find(&top, TID_GONE + 1, &task);
	CHECK_TEXT(task.comm, "");
	task_find(&top, TID_GONE + 2, &task);
	CHECK_TEXT(task.comm, "");
	fake_tracefs_end(&top);
}

TEST(of_two_saved_names_of_a_thread_none_is_taken)
{
	struct thread_identity task;
	struct folder top;

	fake_tracefs_begin(&top);
	folder_add_text(&top, "saved_cmdlines", "5000000 one\n5000001 sure\n5000000 other\n");
	task_find(&top, TID_GONE, &task);
	CHECK_TEXT(task.comm, "");
	task_find(&top, TID_GONE + 1, &task);
	CHECK_TEXT(task.comm, "sure");
	fake_tracefs_end(&top);
}

TEST(a_saved_name_that_is_too_long_is_cut)
{
	for (int size = THREAD_COMM_SIZE - 1; size <= THREAD_COMM_SIZE + 1; size++) {
		struct thread_identity task;
		struct folder top;
		char line[256];

		fake_tracefs_begin(&top);
		snprintf(line, sizeof(line), "%d %0*d\n", TID_GONE, size, 0);
		folder_add_text(&top, "saved_cmdlines", line);
		task_find(&top, TID_GONE, &task);
		CHECK_NUMBER(strlen(task.comm), THREAD_COMM_SIZE - 1);
		fake_tracefs_end(&top);
	}
}

static void *thread_main(void *context)
{
	const struct saved_tasks none = SAVED_TASKS_NONE;
	struct thread_identity *task = context;

	prctl(PR_SET_NAME, "a) Tgid:\t1\nb");
	thread_find(&none, syscall(SYS_gettid), task);
	return NULL;
}

TEST(a_living_thread_has_its_own_name_and_its_process)
{
	struct thread_identity task;
	struct folder top;
	pthread_t thread;

	fake_tracefs_begin(&top);
	CHECK_NUMBER(pthread_create(&thread, NULL, thread_main, &task), 0);
	pthread_join(thread, NULL);
	CHECK_TEXT(task.comm, "a) Tgid:\t1\nb");
	CHECK_NUMBER(task.tgid, getpid());
	fake_tracefs_end(&top);
}

TEST(a_zombie_still_has_its_name_and_its_process)
{
	struct thread_identity task;
	struct folder top;
	pid_t pid;

	fake_tracefs_begin(&top);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "walking dead");
		_exit(0);
	}
	waitid(P_PID, pid, NULL, WEXITED | WNOWAIT);
	task_find(&top, pid, &task);
	waitpid(pid, NULL, 0);
	CHECK_TEXT(task.comm, "walking dead");
	CHECK_NUMBER(task.tgid, pid);
	fake_tracefs_end(&top);
}

/* In a PID namespace, the numbers of procfs are other threads'. */
TEST(a_thread_has_only_saved_names_where_procfs_has_other_numbers)
{
	struct saved_tasks saved = SAVED_TASKS_NONE;
	struct thread_identity found;

	thread_find(&saved, getpid(), &found);
	CHECK_NUMBER(found.tgid, getpid());
	CHECK(found.comm[0]);
	saved.is_nested = true;
	thread_find(&saved, getpid(), &found);
	CHECK_NUMBER(found.tgid, 0);
	CHECK_TEXT(found.comm, "");
}

TEST(clocks_that_are_the_systems_are_known)
{
	clockid_t clock;

	CHECK(trace_clock_find("boot", &clock) && clock == CLOCK_BOOTTIME);
	CHECK(trace_clock_find("mono", &clock) && clock == CLOCK_MONOTONIC);
	CHECK(trace_clock_find("mono_raw", &clock) && clock == CLOCK_MONOTONIC_RAW);
	CHECK(trace_clock_find("tai", &clock) && clock == CLOCK_TAI);
	CHECK(!trace_clock_find("local", &clock));
	CHECK(!trace_clock_find("uptime", &clock));
}

TEST(clocks_that_count_no_nanoseconds_are_known)
{
	CHECK(trace_clock_counts_ticks("counter"));
	CHECK(trace_clock_counts_ticks("uptime"));
	CHECK(trace_clock_counts_ticks("x86-tsc"));
	CHECK(trace_clock_counts_ticks("ppc-tb"));
	CHECK(!trace_clock_counts_ticks("boot"));
	CHECK(!trace_clock_counts_ticks(NULL));
}
