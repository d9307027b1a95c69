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

#include "fixtures/tap.h"
#include "userring/helper.h"

/** struct found - the kinds of files that were opened */
struct found {
	unsigned int nr_regular;
	unsigned int nr_others;
};

static pid_t child;

/* Takes the place of the C library's: every link of the child leads to a memfd of ktrack/user.h. */
ssize_t readlinkat(int folder_fd, const char *path, char *out, size_t size)
{
	static const char link[] = "/memfd:" KTRACK_USER_NAME " (deleted)";
	char own[64], folder[64] = "", wanted[64];

	(void)path;
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

static void __attribute__((noreturn)) child_run(int memory, const int standard[3])
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(standard[fd], fd);
	dup2(memory, STDERR_FILENO + 1);
	close_range(STDERR_FILENO + 2, ~0U, 0);
	/* Whoever continues the test's process group does not end it. */
	for (;;)
		raise(SIGSTOP);
}

/* It has a memfd, and as standard files a device and both ends of a pipe. */
static void child_begin(void)
{
	int memory = memfd_create("unit", MFD_CLOEXEC), fds[3] = { open("/dev/null", O_RDWR) };

	if (memory < 0 || fds[0] < 0 || pipe(fds + 1) < 0)
		abort();
	child = fork();
	if (child == 0)
		child_run(memory, fds);
	waitpid(child, NULL, WUNTRACED);
	close(memory);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

TEST(only_regular_files_are_opened)
{
	struct found found = { 0 };
	const struct helper_work work = { .socket_fd = -1, .reader_fd = -1, .own_pid = getpid() };
	struct helper_report report;
	struct error error = { 0 };
	struct helper helper;

	child_begin();
	CHECK_NUMBER(helper_start(&helper, &work, &error), 0);
	helper_search(&helper);
	while (helper.is_searching) {
		if (!helper_receive(&helper, &report, -1))
			continue;
		file_count(&found, &report);
		report_close(&report);
	}
	helper_end(&helper);
	CHECK_NUMBER(found.nr_regular, 1);
	CHECK_NUMBER(found.nr_others, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}
