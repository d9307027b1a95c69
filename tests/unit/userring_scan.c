// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the search for memfds: files of other kinds may have their path in a mount namespace. */
#include <fcntl.h>
#include <ktrack/user/layout.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* CPU time of searches. */
#define OWN_CLOCK CLOCK_THREAD_CPUTIME_ID
#include "fixtures/own_clock.h"
#include "fixtures/tap.h"
#include "userring/helper.h"

/** struct found - the kinds of files that were opened */
struct found {
	unsigned int nr_regular;
	unsigned int nr_others;
};

static pid_t child;

/* CPU time that a search takes for each link. */
static int64_t link_ns;

/* Takes the place of the C library's: every link of the child leads to a memfd of ktrack/user.h. */
ssize_t readlinkat(int folder_fd, const char *path, char *out, size_t size)
{
	static const char link[] = "/memfd:" KTRACK_USER_NAME " (deleted)";
	char own[64], folder[64] = "", wanted[64];

	(void)path;
	own_clock_ns += link_ns;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", folder_fd);
	snprintf(wanted, sizeof(wanted), "/proc/%d/fd", child);
	if (readlink(own, folder, sizeof(folder) - 1) < 0 || strcmp(folder, wanted) != 0)
		return -1;
	if (size > strlen(link))
		size = strlen(link);
	memcpy(out, link, size);
	return size;
}

static void file_count(struct found *found, const struct helper_report *report)
{
	struct stat status;

	/* Other tests have memory that is found by its mappings. */
	if (report->message.pid != child || fstat(report->memory_fd, &status) < 0)
		return;
	if (S_ISREG(status.st_mode))
		found->nr_regular++;
	else
		found->nr_others++;
}

static void __attribute__((noreturn)) child_run(uid_t user, int memory, const int standard[3])
{
	if (user != geteuid() && setuid(user) < 0)
		abort();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(standard[fd], fd);
	dup2(memory, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	/* Whoever continues the test's process group does not end it. */
	for (;;)
		raise(SIGSTOP);
}

/* It has a memfd, and as standard files a device and both ends of a pipe. */
static void child_begin(uid_t user)
{
	int memory = memfd_create("unit", MFD_CLOEXEC), fds[3] = { open("/dev/null", O_RDWR) };

	if (memory < 0 || fds[0] < 0 || pipe(fds + 1) < 0)
		abort();
	child = fork();
	if (child == 0)
		child_run(user, memory, fds);
	waitpid(child, NULL, WUNTRACED);
	close(memory);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* Searches once, and counts files of a child of a user; returns how many processes are left out. */
static int child_search(uid_t user, int64_t time_ns, struct found *found)
{
	const struct helper_work work = {
		.socket_fd = -1, .descendants_fd = -1, .reader_fd = -1, .own_pid = getpid()
	};
	struct helper_report report;
	struct error error = { 0 };
	struct helper helper;
	int nr_left_out = 0;

	child_begin(user);
	link_ns = time_ns;
	CHECK_NUMBER(helper_start(&helper, &work, &error), 0);
	helper_search(&helper);
	while (helper.is_searching) {
		if (!helper_receive(&helper, &report, -1))
			continue;
		file_count(found, &report);
		if (report.message.kind == HELPER_CUT)
			nr_left_out += report.message.number;
		report_close(&report);
	}
	helper_end(&helper);
	link_ns = 0;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return nr_left_out;
}

TEST(only_regular_files_are_opened)
{
	struct found found = { 0 };

	child_search(geteuid(), 0, &found);
	CHECK_NUMBER(found.nr_regular, 1);
	CHECK_NUMBER(found.nr_others, 0);
}

/* The process that runs the tests comes first, and takes all time of this user. */
TEST(processes_of_a_user_that_take_too_long_are_left_out)
{
	struct found found = { 0 };

	CHECK(child_search(geteuid(), 6 * NS_PER_S, &found) > 0);
	CHECK_NUMBER(found.nr_regular, 0);
}

TEST(processes_of_other_users_have_their_own_time)
{
	struct found found = { 0 };

	if (geteuid() != 0)
		return;
	/* No other process has this user: a second run of the test, for one. */
	CHECK(child_search(100000000 + (uid_t)getpid(), 6 * NS_PER_S, &found) > 0);
	CHECK_NUMBER(found.nr_regular, 1);
}
