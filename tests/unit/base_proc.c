// SPDX-License-Identifier: GPL-2.0-only
/* Tests of walks over /proc. */
#include "base/base.h"

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
