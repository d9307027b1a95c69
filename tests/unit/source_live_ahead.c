// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading ahead of the delivery, of CPUs that are not there, and of waiting for either. */
#include "source/source.h"

#include <sys/syscall.h>
#include <time.h>

#include "instance.h"

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

static int rig_open(struct rig *rig)
{
	return source_live_open(&rig->source, rig->instance.path, &rig->error);
}

TEST(a_cpu_that_comes_online_is_read_from_then_on)
{
	struct rig rig;

	rig_begin(&rig, 2);
	ADD(&rig, 0, 0, 10, 30);
	ADD(&rig, 1, 0, 40, 70);
	absent_cpu = 1;
	CHECK_NUMBER(rig_open(&rig), 0);
	check_drain(&rig, 35, "cpu 0 at 10\ncpu 0 at 30\n");
	check_drain(&rig, 36, "");
	absent_cpu = -1;
	check_drain(&rig, 50, "cpu 1 at 40\n");
	check_finish(&rig, 100, 0, "cpu 1 at 70\n");
	rig_end(&rig);
}

TEST(a_cpu_that_never_comes_online_is_no_failure)
{
	struct rig rig;

	rig_begin(&rig, 2);
	ADD(&rig, 0, 0, 10);
	absent_cpu = 1;
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 0, "cpu 0 at 10\n");
	absent_cpu = -1;
	rig_end(&rig);
}

static void buffers_empty(struct rig *rig)
{
	CHECK_NUMBER(truncate(folder_path(&rig->instance, "per_cpu/cpu0/trace_pipe_raw"), 0), 0);
	CHECK_NUMBER(truncate(folder_path(&rig->instance, "per_cpu/cpu1/trace_pipe_raw"), 0), 0);
}

/* While the first record is delivered, the rest is overwritten. */
static int record_slowly(void *context, const struct record *record, struct error *error)
{
	struct rig *rig = context;

	if (rig->log.size == 0) {
		source_read_ahead(rig->source);
		buffers_empty(rig);
	}
	return record_log(&rig->log, record, error);
}

TEST(what_was_read_ahead_cannot_be_overwritten)
{
	struct rig rig;

	rig_begin(&rig, 2);
	ADD(&rig, 0, 0, 10, 30);
	ADD(&rig, 0, 0, 50);
	ADD(&rig, 0, 0, 70);
	ADD(&rig, 1, 0, 20);
	ADD(&rig, 1, 0, 60);
	CHECK_NUMBER(rig_open(&rig), 0);
	rig.handler = (struct source_handler){ .context = &rig,
					       .record = record_slowly,
					       .loss = loss_log };
	check_drain(&rig, 65, "cpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\ncpu 0 at 50\ncpu 1 at 60\n");
	check_finish(&rig, 100, 0, "cpu 0 at 70\n");
	rig_end(&rig);
}

TEST(what_was_read_ahead_is_given_back_where_nobody_takes_it)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	ADD(&rig, 0, 0, 20);
	CHECK_NUMBER(rig_open(&rig), 0);
	source_read_ahead(rig.source);
	rig_end(&rig);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits in a rig whose only CPU is not online: nothing but time and the pipe can end that. */
static int64_t wait_of(int fd, int timeout_ms)
{
	int64_t begin_ms = now_ms();
	struct rig rig;

	rig_begin(&rig, 1);
	absent_cpu = 0;
	CHECK_NUMBER(rig_open(&rig), 0);
	check_drain(&rig, 50, "");
	source_wait(rig.source, fd, timeout_ms);
	absent_cpu = -1;
	rig_end(&rig);
	return now_ms() - begin_ms;
}

TEST(waiting_ends_with_time_or_with_the_other_descriptor)
{
	int pair[2];

	CHECK_NUMBER(pipe(pair), 0);
	CHECK(wait_of(pair[0], 100) >= 100);
	CHECK_NUMBER(write(pair[1], "x", 1), 1);
	CHECK(wait_of(pair[0], 60000) < 60000);
	close(pair[0]);
	close(pair[1]);
}

TEST(waiting_ends_where_a_buffer_can_be_read)
{
	int64_t begin_ms = now_ms();
	struct rig rig;

	rig_begin(&rig, 1);
	CHECK_NUMBER(rig_open(&rig), 0);
	source_wait(rig.source, -1, 60000);
	CHECK(now_ms() - begin_ms < 60000);
	rig_end(&rig);
}
