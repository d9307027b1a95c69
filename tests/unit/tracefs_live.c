// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading a running instance, and of what the kernel's account adds to what was read. */
#include "source/source.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fixtures/fake_tracefs.h"
#include "fixtures/source_fixture.h"

static int source_fixture_open(struct source_fixture *reader)
{
	return source_live_open(&reader->source,
				&(struct instance_paths){ { reader->instance.path } }, NULL,
				&reader->error);
}

TEST(all_buffers_are_read_round_by_round)
{
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10, 30);
	ADD(&reader, 1, 0, 20, 70);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_describe(reader.source)->nr_cpus, 2);
	check_drain(&reader, 50, "cpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\n");
	ADD(&reader, 0, 0, 60);
	check_drain(&reader, 65, "cpu 0 at 60\n");
	check_finish(&reader, 100, 0, "cpu 1 at 70\n");
}

TEST(what_is_no_cpu_is_passed_over)
{
	FIXTURE(source_fixture, reader, 1);

	folder_make(&reader.instance, "per_cpu/cpu7x");
	folder_make(&reader.instance, "per_cpu/cpuidle");
	folder_make(&reader.instance, "per_cpu/acpu3");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_describe(reader.source)->nr_cpus, 1);
}

TEST(losses_that_the_buffer_shows_are_not_reported_twice)
{
	FIXTURE(source_fixture, reader, 2);

	ADD(&reader, 0, 0, 10);
	ADD(&reader, 0, 4, 20);
	ADD(&reader, 1, 0, 15);
	ADD(&reader, 1, -1, 25);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 4\n");
	folder_add_text(&reader.instance, "per_cpu/cpu1/stats", "overrun: 30\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 34,
		     "cpu 0 at 10\ncpu 0 lost 4 from 10 to 20\ncpu 1 at 15\n"
		     "cpu 1 lost 30 from 15 to 25\ncpu 0 at 20\ncpu 1 at 25\n");
}

TEST(losses_without_a_mark_reach_from_the_last_record_to_the_end)
{
	FIXTURE(source_fixture, reader, 12);

	ADD(&reader, 0, 3, 20);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 3\ncommit overrun: 2\n");
	folder_add_text(&reader.instance, "per_cpu/cpu2/stats", "dropped events: 7\n");
	folder_add_text(&reader.instance, "per_cpu/cpu11/stats", "dropped events: 1\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 13,
		     "cpu 0 lost 3 from 0 to 20\ncpu 0 at 20\ncpu 0 lost 2 from 20 to 100\n"
		     "cpu 2 lost 7 from 0 to 100\ncpu 11 lost 1 from 0 to 100\n");
}

TEST(what_was_dropped_is_reported_though_the_size_of_a_gap_is_unknown)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	ADD(&reader, 0, -1, 20);
	ADD(&reader, 0, -1, 30);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats",
			"overrun: 30\ncommit overrun: 2\ndropped events: 5\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 37,
		     "cpu 0 at 10\ncpu 0 lost -1 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 30\ncpu 0 at 30\n"
		     "cpu 0 lost 7 from 30 to 100\ncpu 0 lost 30 in all\n");
}

/* The kernel has no space for the number in a full sub-buffer. */
TEST(the_size_of_a_gap_is_what_was_overwritten_since_the_last_one)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 4, 10);
	ADD(&reader, 0, 0, 20);
	ADD(&reader, 0, -1, 30);
	ADD(&reader, 0, 0, 40);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 30\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 30,
		     "cpu 0 lost 4 from 0 to 10\ncpu 0 at 10\ncpu 0 at 20\n"
		     "cpu 0 lost 26 from 20 to 30\ncpu 0 at 30\ncpu 0 at 40\n");
}

TEST(a_gap_has_no_size_where_more_may_have_been_overwritten_since)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, -1, 10);
	ADD(&reader, 0, 5, 20);
	ADD(&reader, 0, -1, 30);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 30\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 30,
		     "cpu 0 lost -1 from 0 to 10\ncpu 0 at 10\n"
		     "cpu 0 lost 5 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 30\ncpu 0 at 30\ncpu 0 lost 25 in all\n");
}

static bool wants_second(void *context, int cpu, unsigned int buffer)
{
	(void)context;
	return cpu == 1 && buffer == 0;
}

TEST(only_what_counts_is_settled)
{
	FIXTURE(source_fixture, reader, 2);

	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "dropped events: 7\n");
	folder_add_text(&reader.instance, "per_cpu/cpu1/stats", "dropped events: 9\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	reader.handler.wants = wants_second;
	check_finish(&reader, 100, 9, "cpu 1 lost 9 from 0 to 100\n");
}

TEST(a_gap_at_the_very_end_is_reported_by_the_account)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	source_fixture_add(&reader, 0, 5, (const uint64_t[]){ 0 });
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 5\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 5, "cpu 0 at 10\ncpu 0 lost 5 from 10 to 100\n");
}

TEST(a_gap_of_unknown_size_at_the_very_end_is_reported_too)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	ADD(&reader, 0, -1, 20);
	source_fixture_add(&reader, 0, -1, (const uint64_t[]){ 0 });
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "overrun: 5\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 100, 5,
		     "cpu 0 at 10\ncpu 0 lost -1 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 100\ncpu 0 lost 5 in all\n");
}

static void check_open_fails(struct source_fixture *reader, const char *format)
{
	char want[512];

	snprintf(want, sizeof(want), format, reader->instance.path);
	CHECK_NUMBER(source_fixture_open(reader), -1);
	CHECK_TEXT(reader->error.text, want);
	CHECK(!reader->source);
}

TEST(what_cannot_be_opened_is_named)
{
	struct source_fixture reader;

	source_fixture_init(&reader, 0);
	check_open_fails(&reader, "cannot open %s/per_cpu: No such file or directory");
	source_fixture_release(&reader);
	source_fixture_init(&reader, 0);
	folder_make(&reader.instance, "per_cpu");
	check_open_fails(&reader, "%s/per_cpu names no CPU");
	source_fixture_release(&reader);
	source_fixture_init(&reader, 0);
	folder_make(&reader.instance, "per_cpu/cpu5");
	check_open_fails(&reader,
			 "cannot open %s/per_cpu/cpu5/trace_pipe_raw: No such file or directory");
	source_fixture_release(&reader);
}

TEST(what_cannot_be_read_is_named)
{
	FIXTURE(source_fixture, reader, 0);

	folder_make(&reader.instance, "per_cpu/cpu3/trace_pipe_raw");
	folder_add_text(&reader.instance, "per_cpu/cpu3/stats", "");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_drain(reader.source, 100, &reader.handler, &reader.error), -1);
	CHECK_TEXT(reader.error.text, "cannot read the ring buffer of cpu 3: Is a directory");
}

TEST(an_account_that_cannot_be_read_is_named)
{
	uint64_t lost;
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	CHECK_NUMBER(unlink(folder_path(&reader.instance, "per_cpu/cpu0/stats")), 0);
	folder_make(&reader.instance, "per_cpu/cpu0/stats");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_finish(reader.source, 100, &reader.handler, &lost, &reader.error), -1);
	CHECK_TEXT(reader.error.text, "cannot read the statistics of cpu 0: Is a directory");
	CHECK_TEXT(buffer_string(&reader.log), "cpu 0 at 10\n");
}

static void source_fixture_count(struct source_fixture *reader, const char *stats)
{
	FILE *file = fopen(folder_path(&reader->instance, "per_cpu/cpu0/stats"), "w");

	CHECK(file && fputs(stats, file) >= 0 && fclose(file) == 0);
}

TEST(what_the_kernel_forgets_is_remembered)
{
	FIXTURE(source_fixture, reader, 1);

	CHECK_NUMBER(source_fixture_open(&reader), 0);
	source_fixture_count(&reader, "overrun: 5\ndropped events: 1\nread events: 3\n");
	CHECK_NUMBER(source_settle(reader.source, &reader.error), 0);
	source_fixture_count(&reader, "overrun: 2\nread events: 1\n");
	CHECK_NUMBER(source_start_over(reader.source, INSTANCE_MAIN, true, 50, &reader.handler,
				       &reader.error),
		     0);
	CHECK_TEXT(buffer_string(&reader.log), "");
	check_finish(&reader, 100, 8, "cpu 0 lost 8 from 0 to 100\n");
}

TEST(what_was_not_read_when_the_buffers_were_emptied_is_lost)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_drain(&reader, 20, "cpu 0 at 10\n");
	buffer_clear(&reader.log);
	CHECK_NUMBER(source_start_over(reader.source, INSTANCE_MAIN, false, 50, &reader.handler,
				       &reader.error),
		     0);
	CHECK_TEXT(buffer_string(&reader.log), "cpu 0 lost -1 from 20 to 50\n");
}

static int change_log(void *context, const struct instance_change *change, struct error *error)
{
	(void)error;
	buffer_printf(context, "%s written\n", change->file);
	return 0;
}

/** struct watched - an instance, its files, and a source that watches them */
struct watched {
	struct source_fixture reader;
	struct instance *instance;
	struct folder files;
};

/* The handler logs into the fixture. The records are in a folder of their own. */
static void watched_init(struct watched *watched)
{
	struct source_fixture *reader = &watched->reader;

	fake_tracefs_begin();
	source_fixture_init(reader, 2);
	watched->instance = recorder_of(64);
	snprintf(watched->files.path, sizeof(watched->files.path), "%s",
		 instance_directory(watched->instance));
	CHECK_NUMBER(instance_watch(watched->instance, &reader->error), 0);
	CHECK_NUMBER(source_live_open(&reader->source,
				      &(struct instance_paths){ { reader->instance.path } },
				      watched->instance, &reader->error),
		     0);
	reader->handler.change = change_log;
}

static void watched_release(struct watched *watched)
{
	source_fixture_release(&watched->reader);
	CHECK_NUMBER(instance_remove(watched->instance, &watched->reader.error), 0);
	fake_tracefs_end();
}

TEST(changes_are_delivered_before_records_that_were_read_later)
{
	FIXTURE(watched, watched);

	folder_add_text(&watched.files, "trace", "\n");
	check_drain(&watched.reader, 5, "");
	ADD(&watched.reader, 0, 0, 10);
	check_drain(&watched.reader, 5, "trace written\n");
	check_drain(&watched.reader, 20, "cpu 0 at 10\n");
	folder_add_text(&watched.files, "trace", "\n");
	check_drain(&watched.reader, 30, "");
}

/* Records that were read before the last look are delivered. */
TEST(records_that_may_show_another_clock_are_dropped)
{
	FIXTURE(watched, watched);

	ADD(&watched.reader, 0, 0, 10, 30);
	check_drain(&watched.reader, 20, "cpu 0 at 10\n");
	folder_add_text(&watched.files, "trace_clock", "mono");
	ADD(&watched.reader, 0, 0, 40);
	ADD(&watched.reader, 1, 0, 35);
	check_drain(&watched.reader, 50, "trace_clock written\ncpu 0 at 30\n");
	ADD(&watched.reader, 1, 0, 60);
	check_finish(&watched.reader, 100, 0, "");
}

static int record_refuse(void *context, const struct record *record, struct error *error)
{
	return error_set(error, "refused cpu %d at %lld%s", record->cpu, (long long)record->time_ns,
			 context ? "" : "?");
}

TEST(a_handler_that_refuses_ends_the_reading)
{
	uint64_t lost;
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 10, 20);
	reader.handler.record = record_refuse;
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_drain(reader.source, 100, &reader.handler, &reader.error), -1);
	CHECK_TEXT(reader.error.text, "refused cpu 0 at 10");
	reader.error.text[0] = '\0';
	CHECK_NUMBER(source_finish(reader.source, 100, &reader.handler, &lost, &reader.error), -1);
	CHECK_TEXT(reader.error.text, "refused cpu 0 at 20");
}

TEST(closing_nothing_is_fine)
{
	source_close(NULL);
}

static int membarrier_refuse(void)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(program) / sizeof(program[0]),
				     .filter = program };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/*
 * A process of its own drains where the kernel refuses membarrier; reports what it got through a
 * file. Returns how long that took, or -1.
 */
static int64_t child_drain(struct source_fixture *reader, int64_t until_ns)
{
	int64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		if (membarrier_refuse() < 0 ||
		    source_drain(reader->source, until_ns, &reader->handler, &reader->error) < 0)
			_exit(1);
		folder_add(&reader->instance, "log", reader->log.data, reader->log.size);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status == 0 ? time_now_ns(CLOCK_MONOTONIC) - begin_ns : -1;
}

TEST(without_membarrier_writers_get_time_to_commit)
{
	SCOPED_BUFFER(log);
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, 0, 99, 101);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK(child_drain(&reader, 100) >= 20 * NS_PER_MS);
	CHECK_NUMBER(file_read(folder_path(&reader.instance, "log"), &log), 0);
	CHECK_TEXT(buffer_string(&log), "cpu 0 at 99\n");
}
