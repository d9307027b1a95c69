// SPDX-License-Identifier: GPL-2.0-only
/* Tests of copies of pipes: what is copied, and what is refused before it fills a disk. */
#include "tracedat/file.h"

#include <signal.h>
#include <sys/wait.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

/* Runs a copy of what a child process writes; returns what input_copy() does. */
static int copy_of(const char *first, size_t first_size, size_t zeros, uint64_t limit,
		   struct error *error)
{
	const struct input_limits limits = { .name = "the pipe", .size = limit };
	static const char block[4096];
	int pair[2], spool;
	pid_t child;

	CHECK_NUMBER(pipe(pair), 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		close(pair[0]);
		signal(SIGPIPE, SIG_DFL);
		file_write_all(pair[1], first, first_size, NULL);
		for (; zeros >= sizeof(block); zeros -= sizeof(block))
			file_write_all(pair[1], block, sizeof(block), NULL);
		_exit(0);
	}
	close(pair[1]);
	spool = input_copy(pair[0], &limits, NULL, error);
	close(pair[0]);
	waitpid(child, NULL, 0);
	return spool;
}

static void check_size(int spool, int64_t want)
{
	struct stat about = { 0 };

	CHECK_NUMBER(fstat(spool, &about), 0);
	CHECK_NUMBER(about.st_size, want);
	CHECK_NUMBER(about.st_nlink, 0);
	close(spool);
}

TEST(a_pipe_is_copied_to_its_end)
{
	struct error error = { 0 };
	size_t size = strlen(TRACE_DAT_MAGIC);

	check_size(copy_of(TRACE_DAT_MAGIC, size, 409600, size + 409600, &error), size + 409600);
	CHECK_TEXT(error.text, "");
}

TEST(one_byte_more_than_the_limit_is_refused)
{
	struct error error = { 0 };
	size_t size = strlen(TRACE_DAT_MAGIC);

	CHECK_NUMBER(copy_of(TRACE_DAT_MAGIC, size, 409600, size + 409599, &error), -1);
	CHECK_TEXT(error.text,
		   "the pipe: more than 409609 bytes; write it to a file and name that");
}

TEST(an_endless_source_ends_at_the_limit)
{
	struct error error = { 0 };

	CHECK_NUMBER(copy_of(TRACE_DAT_MAGIC, strlen(TRACE_DAT_MAGIC), SIZE_MAX, 1 << 20, &error),
		     -1);
	CHECK_TEXT(error.text,
		   "the pipe: more than 1048576 bytes; write it to a file and name that");
}

TEST(of_what_is_no_trace_dat_the_first_bytes_are_enough)
{
	struct error error = { 0 };

	check_size(copy_of("ordinary text", 13, SIZE_MAX, UINT64_MAX, &error), 65536);
	check_size(copy_of("\x17\x08", 2, 0, UINT64_MAX, &error), 2);
	check_size(copy_of("", 0, 0, UINT64_MAX, &error), 0);
	CHECK_TEXT(error.text, "");
}
