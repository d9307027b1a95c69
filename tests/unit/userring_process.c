// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what procfs reports of the memory of processes. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/own_socket.h"
#include "fixtures/tap.h"
#include "userring/process.h"

/** struct searched_inode - whether a memory is mapped */
struct searched_inode {
	ino_t inode;
	bool is_found;
};

static void inode_compare(void *context, const struct mapping *mapping)
{
	struct searched_inode *searched = context;

	searched->is_found |= mapping->inode == searched->inode;
}

static bool memory_is_mapped(ino_t inode)
{
	struct searched_inode searched = { .inode = inode };
	const struct mapping_visitor visitor = { &searched, inode_compare };

	CHECK(process_visit_mappings(getpid(), INT64_MAX, &visitor));
	return searched.is_found;
}

TEST(a_memory_that_exec_has_replaced_is_mapped_no_more)
{
	struct searched_inode searched = { 0 };
	const struct mapping_visitor visitor = { &searched, inode_compare };
	struct stat status;

	CHECK_NUMBER(fstat(ktrack_user3_process.fd, &status), 0);
	CHECK(memory_is_mapped(status.st_ino));
	ktrack_user3_after_fork();
	CHECK(!memory_is_mapped(status.st_ino));
	CHECK(!process_visit_mappings(-1, INT64_MAX, &visitor));
}

/* Reading all mappings of a process may take longer than the reader of its rings has. */
TEST(mappings_that_are_not_read_in_time_are_unknown)
{
	struct searched_inode searched = { 0 };
	const struct mapping_visitor visitor = { &searched, inode_compare };

	CHECK(!process_visit_mappings(getpid(), time_now_ns(CLOCK_THREAD_CPUTIME_ID), &visitor));
	CHECK(process_visit_mappings(getpid(), INT64_MAX, &visitor));
}

/** struct family - a parent that sleeps, and its child that runs */
struct family {
	pid_t parent;
	_Atomic pid_t *child;
};

static void family_begin(struct family *family)
{
	family->child = mmap(NULL, sizeof(*family->child), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	family->parent = fork();
	if (family->parent == 0) {
		pid_t child = fork();

		while (child == 0)
			;
		*family->child = child;
		for (;;)
			pause();
	}
	while (!process_is_sleeping(family->parent) || *family->child == 0)
		usleep(1000);
}

static void family_end(const struct family *family)
{
	kill(*family->child, SIGKILL);
	kill(family->parent, SIGKILL);
	waitpid(family->parent, NULL, 0);
	munmap(family->child, sizeof(*family->child));
}

TEST(a_family_runs_as_long_as_a_child_runs)
{
	struct family family;

	family_begin(&family);
	CHECK(process_is_sleeping(family.parent));
	CHECK(!process_family_is_sleeping(family.parent));
	kill(*family.child, SIGSTOP);
	while (!process_is_sleeping(*family.child))
		usleep(1000);
	CHECK(process_family_is_sleeping(family.parent));
	family_end(&family);
	CHECK(!process_family_is_sleeping(family.parent));
}

TEST(only_so_many_ancestors_are_looked_at)
{
	CHECK(process_descends(getpid(), getpid(), 0));
	CHECK(process_descends(getpid(), getppid(), 1));
	CHECK(!process_descends(getpid(), getppid(), 0));
}
