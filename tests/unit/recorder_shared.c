// SPDX-License-Identifier: GPL-2.0-only
/* Tests of what is counted of an instance that was there before a recording, and goes on behind it.
 */
#include "recorder/parts.h"

#include "folder.h"
#include "tap.h"

/** struct shared - an instance of one CPU, and the parts that read it */
struct shared {
	struct folder instance;
	struct part part;
	struct parts parts;
	struct error error;
};

static void count(struct shared *shared, const char *statistics)
{
	folder_set_text(&shared->instance, "per_cpu/cpu0/stats", statistics);
}

static void shared_begin(struct shared *shared, const char *statistics)
{
	*shared = (struct shared){ .parts = { .nr_parts = 1, .page_size = 4096 } };
	shared->parts.list = &shared->part;
	folder_new(&shared->instance);
	folder_add_text(&shared->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	count(shared, statistics);
	shared->part.statistics_fd = statistics_open(shared->instance.path, 0, &shared->error);
	shared->part.bound_fd = -1;
	CHECK_NUMBER(parts_share(&shared->parts, shared->instance.path, &shared->error), 0);
}

static void shared_end(struct shared *shared)
{
	close(shared->part.statistics_fd);
	if (shared->part.bound_fd >= 0)
		close(shared->part.bound_fd);
	folder_remove(&shared->instance);
}

static void check_count(struct shared *shared, uint64_t overwritten, uint64_t dropped)
{
	struct statistics statistics;

	CHECK_NUMBER(part_statistics(&shared->parts, &shared->part, &statistics, &shared->error),
		     0);
	CHECK_NUMBER(statistics.overwritten, overwritten);
	CHECK_NUMBER(statistics.dropped, dropped);
	CHECK_NUMBER(statistics.unread, 0);
}

TEST(what_was_lost_before_and_after_is_not_counted)
{
	struct shared shared;

	shared_begin(&shared, "overrun: 90\ndropped events: 5\nread events: 3\n");
	check_count(&shared, 0, 0);
	count(&shared, "overrun: 94\ndropped events: 7\nread events: 9\nentries: 4\n");
	check_count(&shared, 4, 2);
	CHECK_NUMBER(parts_seal(&shared.parts, &shared.error), 0);
	count(&shared, "overrun: 1000\ndropped events: 70\nread events: 9\n");
	check_count(&shared, 4, 2);
	shared_end(&shared);
}

TEST(what_was_lost_before_anybody_read_is_missing_before_what_is_read)
{
	struct shared shared;

	shared_begin(&shared, "overrun: 90\ndropped events: 5\nread events: 0\n");
	check_count(&shared, 90, 5);
	shared_end(&shared);
}

TEST(where_somebody_empties_the_buffers_the_kernel_counts_anew)
{
	struct shared shared;

	shared_begin(&shared, "overrun: 90\ndropped events: 5\nread events: 3\n");
	count(&shared, "overrun: 6\ndropped events: 1\n");
	check_count(&shared, 6, 1);
	shared_end(&shared);
}

TEST(a_writer_that_never_rests_does_not_keep_us)
{
	struct shared shared;

	shared_begin(&shared, "");
	shared.part.left = UINT64_MAX;
	CHECK_NUMBER(parts_seal(&shared.parts, &shared.error), 0);
	CHECK_NUMBER(shared.part.left, 5 * 4096);
	shared_end(&shared);
}

TEST(sub_buffers_that_are_no_pages_are_refused)
{
	struct shared shared;
	char want[256];

	shared_begin(&shared, "");
	folder_add_text(&shared.instance, "buffer_subbuf_size_kb", "8\n");
	CHECK_NUMBER(parts_share(&shared.parts, shared.instance.path, &shared.error), -1);
	snprintf(want, sizeof(want), "%s has sub-buffers that are no pages, which cannot be saved",
		 shared.instance.path);
	CHECK_TEXT(shared.error.text, want);
	shared_end(&shared);
}
