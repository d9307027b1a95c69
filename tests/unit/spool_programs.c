// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the sub-buffers of programs in a spool. The passes are the test's. */
#include "tracedat/spool.h"

#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"
#include "userring/programs.h"

/** struct programs_spool - the spool of a recording of programs, which nobody reads */
struct programs_spool {
	struct programs programs;
	struct folder folder;
	struct spool *spool;
	struct error error;
};

static void programs_spool_init(struct programs_spool *fixture)
{
	static const struct spool_owner ourselves;
	const struct buffer_mode *mode = buffer_mode_find("streaming");

	*fixture = (struct programs_spool){
		.programs = { .fd = -1, .helper = { .fd = -1 }, .has_lost_helper = true }
	};
	folder_new(&fixture->folder);
	CHECK_NUMBER(spool_new(&fixture->spool, folder_path(&fixture->folder, "trace.dat"),
			       &ourselves, &fixture->error),
		     0);
	CHECK_NUMBER(spool_set_programs(fixture->spool, &fixture->programs, &fixture->error), 0);
	CHECK_NUMBER(spool_begin(fixture->spool, NULL, mode, NULL, &fixture->error), 0);
}

static void programs_spool_release(struct programs_spool *fixture)
{
	spool_close(fixture->spool);
	recorded_release(&fixture->programs.recorded);
	folder_remove(&fixture->folder);
}

/* A pass reads one record at each time from @first_ns to @last_ns. */
static void pass(struct programs_spool *fixture, int64_t first_ns, int64_t last_ns)
{
	for (int64_t time_ns = first_ns; time_ns <= last_ns; time_ns++)
		CHECK_NUMBER(queue_add(&fixture->programs.recorded.queue, 0, time_ns, &time_ns,
				       sizeof(time_ns)),
			     0);
	CHECK_NUMBER(spool_read(fixture->spool, &fixture->error), 0);
	CHECK_TEXT(fixture->error.text, "");
}

/* The file has @want sub-buffers, with a record of each time from 1 to @last_ns in order. */
static void check_sub_buffers(const struct programs_spool *fixture, size_t want, int64_t last_ns)
{
	const struct spool_file *file = spool_programs_file(fixture->spool);
	size_t page_size = fixture->spool->pipe.page_size;
	unsigned char bytes[PROGRAM_PAGE_SIZE];
	struct record record;
	int64_t time_ns = 0;
	struct page page;

	CHECK_NUMBER(file->size, want * page_size);
	for (uint64_t offset = 0; offset < file->size; offset += page_size) {
		CHECK_NUMBER(pread(file->fd, bytes, sizeof(bytes), offset), sizeof(bytes));
		page_load(&page, (struct page_layout){ 0 }, bytes, sizeof(bytes));
		while (page_next(&page, &record))
			CHECK_NUMBER(record.time_ns, ++time_ns);
		CHECK(!page.is_damaged);
	}
	CHECK_NUMBER(time_ns, last_ns);
}

TEST(sub_buffers_are_extended_by_later_passes)
{
	FIXTURE(programs_spool, fixture);

	for (int64_t time_ns = 1; time_ns <= 100; time_ns++)
		pass(&fixture, time_ns, time_ns);
	check_sub_buffers(&fixture, 1, 100);
	/* What does not fit is in others, of which the last one is extended. */
	pass(&fixture, 101, 500);
	pass(&fixture, 501, 501);
	check_sub_buffers(&fixture, 2, 501);
}

/* A batch has 64 sub-buffers of 4 KiB, or fewer of larger pages. */
#define MANY (64 * 340)

/* The batch has the last sub-buffer, whatever the pass before it wrote. */
TEST(a_pass_that_fills_a_batch_or_reads_nothing_is_extended)
{
	FIXTURE(programs_spool, fixture);

	pass(&fixture, 1, MANY);
	pass(&fixture, 0, -1);
	pass(&fixture, MANY + 1, MANY + 1);
	check_sub_buffers(&fixture, 65, MANY + 1);
}
