// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading ahead of the delivery, of CPUs that are not there, and of waiting for either. */
#include "source/source.h"

#include <sys/syscall.h>
#include <time.h>

#include "fixtures/source_fixture.h"

/* Which CPU is not online, as its file says; -1 for none. */
static int absent_cpu = -1;

static bool is_file_of(int fd, int cpu)
{
	char link[64], path[512], end[64];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(end, sizeof(end), "/per_cpu/cpu%d/trace_pipe_raw", cpu);
	size = readlink(link, path, sizeof(path) - 1);
	path[size > 0 ? size : 0] = '\0';
	return strstr(path, end) != NULL;
}

/* Takes the place of the C library's. */
__attribute__((visibility("default"))) ssize_t read(int fd, void *bytes, size_t size)
{
	if (absent_cpu >= 0 && is_file_of(fd, absent_cpu)) {
		errno = ENODEV;
		return -1;
	}
	return syscall(SYS_read, fd, bytes, size);
}

static int source_fixture_open(struct source_fixture *reader)
{
	return source_live_open(&reader->source,
				&(struct instance_paths){ { reader->instance.path } }, NULL,
				&reader->error);
}

TEST(a_cpu_that_comes_online_is_read_from_then_on)
{
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10, 30);
	ADD(&reader, 1, 0, 40, 70);
	absent_cpu = 1;
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_drain(&reader, 35, "cpu 0 at 10\ncpu 0 at 30\n");
	check_drain(&reader, 36, "");
	absent_cpu = -1;
	check_drain(&reader, 50, "cpu 1 at 40\n");
	check_finish(&reader, 100, 0, "cpu 1 at 70\n");
}

TEST(a_cpu_that_never_comes_online_is_no_failure)
{
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10);
	absent_cpu = 1;
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 0, "cpu 0 at 10\n");
	absent_cpu = -1;
}

static void buffers_empty(struct source_fixture *reader)
{
	CHECK_NUMBER(truncate(folder_path(&reader->instance, "per_cpu/cpu0/trace_pipe_raw"), 0), 0);
	CHECK_NUMBER(truncate(folder_path(&reader->instance, "per_cpu/cpu1/trace_pipe_raw"), 0), 0);
}

/* While the first record is delivered, the rest is overwritten. */
static int record_slowly(void *context, const struct record *record, struct error *error)
{
	struct source_fixture *reader = context;

	if (reader->log.size == 0) {
		source_read_ahead(reader->source);
		buffers_empty(reader);
	}
	return record_log(&reader->log, record, error);
}

TEST(what_was_read_ahead_cannot_be_overwritten)
{
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10, 30);
	ADD(&reader, 0, 0, 50);
	ADD(&reader, 0, 0, 70);
	ADD(&reader, 1, 0, 20);
	ADD(&reader, 1, 0, 60);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	reader.handler = (struct source_handler){ .context = &reader,
						  .record = record_slowly,
						  .loss = loss_log };
	check_drain(&reader, 65,
		    "cpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\ncpu 0 at 50\ncpu 1 at 60\n");
	check_finish(&reader, 100, 0, "cpu 0 at 70\n");
}

TEST(what_was_read_ahead_is_given_back_where_nobody_takes_it)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	ADD(&reader, 0, 0, 20);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	source_read_ahead(reader.source);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits in a reader whose only CPU is not online: nothing but time and the pipe can end that. */
static int64_t wait_of(int fd, int timeout_ms)
{
	int64_t begin_ms = now_ms();
	struct source_fixture reader;

	source_fixture_init(&reader, 1);
	absent_cpu = 0;
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_drain(&reader, 50, "");
	source_wait(reader.source, fd, timeout_ms, 0);
	absent_cpu = -1;
	source_fixture_release(&reader);
	return now_ms() - begin_ms;
}

TEST(waiting_ends_with_time_or_with_the_other_descriptor)
{
	int pair[2];

	CHECK_NUMBER(pipe(pair), 0);
	CHECK(wait_of(pair[0], 100) >= 100);
	CHECK_NUMBER(write(pair[1], "x", 1), 1);
	/* Time never ends this one. */
	wait_of(pair[0], -1);
	close(pair[0]);
	close(pair[1]);
}

TEST(waiting_ends_where_a_buffer_can_be_read)
{
	FIXTURE(source_fixture, reader, 1);

	CHECK_NUMBER(source_fixture_open(&reader), 0);
	/* Time never ends it. */
	source_wait(reader.source, -1, -1, 0);
}

/* Keeps the last call. */
static void bytes_keep(void *context, uint64_t done, uint64_t total)
{
	uint64_t *kept = context;

	kept[0] = done;
	kept[1] = total;
}

TEST(progress_counts_what_is_delivered_of_what_the_buffers_held)
{
	uint64_t kept[2] = { 0 };
	struct byte_progress progress = { .advanced = bytes_keep, .context = kept };
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10, 30);
	ADD(&reader, 1, 0, 20);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "entries: 0\nbytes: 9000\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	source_set_progress(reader.source, &progress);
	check_drain(&reader, 15, "cpu 0 at 10\n");
	CHECK_NUMBER(kept[1], 9000);
	CHECK(kept[0] > 0 && kept[0] <= 2 * RAW_PAGE_SIZE);
	kept[0] = 0;
	source_set_progress(reader.source, NULL);
	check_finish(&reader, 100, 0, "cpu 1 at 20\ncpu 0 at 30\n");
	CHECK_NUMBER(kept[0], 0);
}
