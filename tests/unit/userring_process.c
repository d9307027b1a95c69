// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what procfs reports of the memory of processes. */
#define KTRACK_SYSTEM unit
#include <ktrack/user.h>
#include <sys/stat.h>
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

	CHECK_NUMBER(fstat(ktrack_user1_process.fd, &status), 0);
	CHECK(memory_is_mapped(status.st_ino));
	ktrack_user1_after_fork();
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
