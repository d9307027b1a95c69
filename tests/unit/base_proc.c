// SPDX-License-Identifier: GPL-2.0-only
/* Tests of walks over /proc, and of namespaces. */
#include "base/base.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/tap.h"

/**
 * struct visits - what was visited
 * @wanted, @status: the walk stops there, or at once if @wanted is 0, with that status
 */
struct visits {
	int wanted;
	int status;
	size_t nr_wanted;
	size_t nr_wrong;
	size_t nr;
};

static int visit(void *context, int folder_fd, int number)
{
	struct visits *visits = context;
	struct stat about;

	visits->nr++;
	visits->nr_wanted += number == visits->wanted;
	visits->nr_wrong += number <= 0 || fstat(folder_fd, &about) < 0;
	return number == visits->wanted || !visits->wanted ? visits->status : 0;
}

TEST(processes_and_threads_are_visited_by_their_numbers)
{
	struct visits processes = { .wanted = getpid() }, threads = { .wanted = gettid() };

	CHECK_NUMBER(proc_visit("/proc", visit, &processes), 0);
	CHECK_NUMBER(processes.nr_wanted, 1);
	CHECK_NUMBER(processes.nr_wrong, 0);
	CHECK_NUMBER(proc_visit("/proc/self/task", visit, &threads), 0);
	CHECK_NUMBER(threads.nr_wanted, 1);
	CHECK_NUMBER(threads.nr_wrong, 0);
}

TEST(a_visitor_ends_the_walk)
{
	struct visits ours = { .wanted = getpid(), .status = -1 };
	struct visits first = { .status = 7 };

	CHECK_NUMBER(proc_visit("/proc", visit, &ours), -1);
	CHECK_NUMBER(proc_visit("/proc", visit, &first), 7);
	CHECK_NUMBER(first.nr, 1);
}

TEST(a_folder_that_is_gone_has_nothing_to_visit)
{
	struct visits visits = { .wanted = 1 };

	CHECK_NUMBER(proc_visit("/proc/0/task", visit, &visits), 0);
	CHECK_NUMBER(visits.nr, 0);
}

/* The file shows the clocks of children of this process: they are shifted, not its own. */
TEST(clocks_that_a_time_namespace_shifts_are_refused)
{
	static const char offsets[] = "monotonic -7 5\nboottime 1000 0\n";
	struct error error = { 0 };
	int fd;

	CHECK_NUMBER(namespace_check_clocks(&error), 0);
	/* Some machines let nobody do that. */
	if (unshare(CLONE_NEWTIME | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0)
		return;
	CHECK_NUMBER(namespace_check_clocks(&error), 0);
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	CHECK_NUMBER(write(fd, offsets, strlen(offsets)), strlen(offsets));
	close(fd);
	CHECK_NUMBER(namespace_check_clocks(&error), -1);
	CHECK_TEXT(error.text, "a time namespace shifts the clock monotonic by -7 s; run ktrack "
			       "outside of it: nsenter --time --target 1 ktrack");
}
