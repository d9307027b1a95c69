// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what is counted of an instance that was there before a recording, and goes on behind it.
 */
#include "tracedat/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

/** struct shared - an instance of one CPU, and the spool that read it */
struct shared {
	struct folder instance;
	struct cpu_buffer buffer;
	struct buffer_reader reader;
	struct spool_file file;
	struct spool spool;
	struct error error;
};

static void count(struct shared *shared, const char *statistics)
{
	folder_set_text(&shared->instance, "per_cpu/cpu0/stats", statistics);
}

static void shared_init(struct shared *shared, const char *statistics)
{
	*shared = (struct shared){ .spool = { .nr_files = 1, .pipe.page_size = 4096 } };
	shared->spool.files = &shared->file;
	folder_new(&shared->instance);
	folder_add_text(&shared->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	count(shared, statistics);
	shared->buffer.statistics_fd = cpu_file_open(shared->instance.path, 0, "stats", O_RDONLY,
						     &shared->error);
	shared->buffer.size_fd = cpu_file_open(shared->instance.path, 0, "buffer_size_kb", O_RDONLY,
					       &shared->error);
	shared->buffer.sub_buffer_size = 4096;
	shared->reader = (struct buffer_reader){ .list = &shared->buffer, .size = 1 };
	shared->spool.reader = &shared->reader;
	shared->file.buffer = &shared->buffer;
	CHECK_NUMBER(spool_share(&shared->spool, shared->instance.path, &shared->error), 0);
}

static void shared_release(struct shared *shared)
{
	close(shared->buffer.statistics_fd);
	close(shared->buffer.size_fd);
	folder_remove(&shared->instance);
}

static void check_count(struct shared *shared, uint64_t overwritten, uint64_t dropped)
{
	struct statistics statistics;

	CHECK_NUMBER(
		spool_file_statistics(&shared->spool, &shared->file, &statistics, &shared->error),
		0);
	CHECK_NUMBER(statistics.overwritten, overwritten);
	CHECK_NUMBER(statistics.dropped, dropped);
	CHECK_NUMBER(statistics.unread, 0);
}

TEST(what_was_lost_before_and_after_is_not_counted)
{
	FIXTURE(shared, shared, "overrun: 90\ndropped events: 5\nread events: 3\n");

	check_count(&shared, 0, 0);
	count(&shared, "overrun: 94\ndropped events: 7\nread events: 9\nentries: 4\n");
	check_count(&shared, 4, 2);
	CHECK_NUMBER(spool_freeze(&shared.spool, &shared.error), 0);
	count(&shared, "overrun: 1000\ndropped events: 70\nread events: 9\n");
	check_count(&shared, 4, 2);
}

TEST(what_was_lost_before_anybody_read_is_missing_before_what_is_read)
{
	FIXTURE(shared, shared, "overrun: 90\ndropped events: 5\nread events: 0\n");

	check_count(&shared, 90, 5);
}

TEST(where_somebody_empties_the_buffers_the_kernel_counts_anew)
{
	FIXTURE(shared, shared, "overrun: 90\ndropped events: 5\nread events: 3\n");

	count(&shared, "overrun: 6\ndropped events: 1\n");
	check_count(&shared, 6, 1);
}

TEST(a_writer_that_never_rests_does_not_keep_us)
{
	FIXTURE(shared, shared, "");

	shared.buffer.sub_buffers_left = UINT64_MAX;
	CHECK_NUMBER(spool_freeze(&shared.spool, &shared.error), 0);
	CHECK_NUMBER(shared.buffer.sub_buffers_left, 5);
}

TEST(sub_buffers_that_are_no_pages_are_refused)
{
	char want[256];
	FIXTURE(shared, shared, "");

	folder_add_text(&shared.instance, "buffer_subbuf_size_kb", "8\n");
	CHECK_NUMBER(spool_share(&shared.spool, shared.instance.path, &shared.error), -1);
	snprintf(want, sizeof(want),
		 "%s: its sub-buffers are not pages; set buffer_subbuf_size_kb to 4",
		 shared.instance.path);
	CHECK_TEXT(shared.error.text, want);
}
