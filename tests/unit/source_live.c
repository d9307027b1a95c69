// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading a running instance, and of what the kernel's account adds to what was read. */
#include "source/source.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "instance.h"

static int rig_open(struct rig *rig)
{
	return source_live_open(&rig->source, rig->instance.path, &rig->error);
}

TEST(all_buffers_are_read_round_by_round)
{
	struct rig rig;

	rig_begin(&rig, 2);
	ADD(&rig, 0, 0, 10, 30);
	ADD(&rig, 1, 0, 20, 70);
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_describe(rig.source)->nr_cpus, 2);
	check_drain(&rig, 50, "cpu 0 at 10\ncpu 1 at 20\ncpu 0 at 30\n");
	ADD(&rig, 0, 0, 60);
	check_drain(&rig, 65, "cpu 0 at 60\n");
	check_finish(&rig, 100, 0, "cpu 1 at 70\n");
	rig_end(&rig);
}

TEST(what_is_no_cpu_is_passed_over)
{
	struct rig rig;

	rig_begin(&rig, 1);
	folder_make(&rig.instance, "per_cpu/cpu7x");
	folder_make(&rig.instance, "per_cpu/cpuidle");
	folder_make(&rig.instance, "per_cpu/acpu3");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_describe(rig.source)->nr_cpus, 1);
	rig_end(&rig);
}

TEST(losses_that_the_buffer_shows_are_not_told_twice)
{
	struct rig rig;

	rig_begin(&rig, 2);
	ADD(&rig, 0, 0, 10);
	ADD(&rig, 0, 4, 20);
	ADD(&rig, 1, 0, 15);
	ADD(&rig, 1, -1, 25);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 4\n");
	folder_add_text(&rig.instance, "per_cpu/cpu1/stats", "overrun: 30\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 34,
		     "cpu 0 at 10\ncpu 0 lost 4 from 10 to 20\ncpu 1 at 15\n"
		     "cpu 1 lost 30 from 15 to 25\ncpu 0 at 20\ncpu 1 at 25\n");
	rig_end(&rig);
}

TEST(losses_without_a_mark_reach_from_the_last_record_to_the_end)
{
	struct rig rig;

	rig_begin(&rig, 12);
	ADD(&rig, 0, 3, 20);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 3\ncommit overrun: 2\n");
	folder_add_text(&rig.instance, "per_cpu/cpu2/stats", "dropped events: 7\n");
	folder_add_text(&rig.instance, "per_cpu/cpu11/stats", "dropped events: 1\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 13,
		     "cpu 0 lost 3 from 0 to 20\ncpu 0 at 20\ncpu 0 lost 2 from 20 to 100\n"
		     "cpu 2 lost 7 from 0 to 100\ncpu 11 lost 1 from 0 to 100\n");
	rig_end(&rig);
}

TEST(what_was_dropped_is_told_though_the_size_of_a_gap_is_unknown)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	ADD(&rig, 0, -1, 20);
	ADD(&rig, 0, -1, 30);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats",
			"overrun: 30\ncommit overrun: 2\ndropped events: 5\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 37,
		     "cpu 0 at 10\ncpu 0 lost -1 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 30\ncpu 0 at 30\n"
		     "cpu 0 lost 7 from 30 to 100\ncpu 0 lost 30 in all\n");
	rig_end(&rig);
}

/* The kernel has no room for the number in a full sub-buffer. */
TEST(the_size_of_a_gap_is_what_was_overwritten_since_the_last_one)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 4, 10);
	ADD(&rig, 0, 0, 20);
	ADD(&rig, 0, -1, 30);
	ADD(&rig, 0, 0, 40);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 30\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 30,
		     "cpu 0 lost 4 from 0 to 10\ncpu 0 at 10\ncpu 0 at 20\n"
		     "cpu 0 lost 26 from 20 to 30\ncpu 0 at 30\ncpu 0 at 40\n");
	rig_end(&rig);
}

TEST(a_gap_has_no_size_where_more_may_have_been_overwritten_since)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, -1, 10);
	ADD(&rig, 0, 5, 20);
	ADD(&rig, 0, -1, 30);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 30\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 30,
		     "cpu 0 lost -1 from 0 to 10\ncpu 0 at 10\n"
		     "cpu 0 lost 5 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 30\ncpu 0 at 30\ncpu 0 lost 25 in all\n");
	rig_end(&rig);
}

static bool wants_second(void *context, int cpu, unsigned int buffer)
{
	(void)context;
	return cpu == 1 && buffer == 0;
}

TEST(only_what_counts_is_settled)
{
	struct rig rig;

	rig_begin(&rig, 2);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "dropped events: 7\n");
	folder_add_text(&rig.instance, "per_cpu/cpu1/stats", "dropped events: 9\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	rig.handler.wants = wants_second;
	check_finish(&rig, 100, 9, "cpu 1 lost 9 from 0 to 100\n");
	rig_end(&rig);
}

TEST(a_gap_at_the_very_end_is_told_by_the_account)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	rig_add(&rig, 0, 5, (const uint64_t[]){ 0 });
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 5\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 5, "cpu 0 at 10\ncpu 0 lost 5 from 10 to 100\n");
	rig_end(&rig);
}

TEST(a_gap_of_unknown_size_at_the_very_end_is_told_too)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	ADD(&rig, 0, -1, 20);
	rig_add(&rig, 0, -1, (const uint64_t[]){ 0 });
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "overrun: 5\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 100, 5,
		     "cpu 0 at 10\ncpu 0 lost -1 from 10 to 20\ncpu 0 at 20\n"
		     "cpu 0 lost -1 from 20 to 100\ncpu 0 lost 5 in all\n");
	rig_end(&rig);
}

static void check_open_fails(struct rig *rig, const char *format)
{
	char want[512];

	snprintf(want, sizeof(want), format, rig->instance.path);
	CHECK_NUMBER(rig_open(rig), -1);
	CHECK_TEXT(rig->error.text, want);
	CHECK(!rig->source);
}

TEST(what_cannot_be_opened_is_named)
{
	struct rig rig;

	rig_begin(&rig, 0);
	check_open_fails(&rig, "cannot open %s/per_cpu: No such file or directory");
	rig_end(&rig);
	rig_begin(&rig, 0);
	folder_make(&rig.instance, "per_cpu");
	check_open_fails(&rig, "%s/per_cpu names no CPU");
	rig_end(&rig);
	rig_begin(&rig, 0);
	folder_make(&rig.instance, "per_cpu/cpu5");
	check_open_fails(&rig,
			 "cannot open %s/per_cpu/cpu5/trace_pipe_raw: No such file or directory");
	rig_end(&rig);
}

TEST(what_cannot_be_read_is_named)
{
	struct rig rig;

	rig_begin(&rig, 0);
	folder_make(&rig.instance, "per_cpu/cpu3/trace_pipe_raw");
	folder_add_text(&rig.instance, "per_cpu/cpu3/stats", "");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_drain(rig.source, 100, &rig.handler, &rig.error), -1);
	CHECK_TEXT(rig.error.text, "cannot read the ring buffer of cpu 3: Is a directory");
	rig_end(&rig);
}

TEST(an_account_that_cannot_be_read_is_named)
{
	struct rig rig;
	uint64_t lost;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	CHECK_NUMBER(unlink(folder_path(&rig.instance, "per_cpu/cpu0/stats")), 0);
	folder_make(&rig.instance, "per_cpu/cpu0/stats");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_finish(rig.source, 100, &rig.handler, &lost, &rig.error), -1);
	CHECK_TEXT(rig.error.text, "cannot read the statistics of cpu 0: Is a directory");
	CHECK_TEXT(buffer_string(&rig.log), "cpu 0 at 10\n");
	rig_end(&rig);
}

static void rig_count(struct rig *rig, const char *stats)
{
	FILE *file = fopen(folder_path(&rig->instance, "per_cpu/cpu0/stats"), "w");

	CHECK(file && fputs(stats, file) >= 0 && fclose(file) == 0);
}

TEST(what_the_kernel_forgets_is_remembered)
{
	struct rig rig;

	rig_begin(&rig, 1);
	CHECK_NUMBER(rig_open(&rig), 0);
	rig_count(&rig, "overrun: 5\ndropped events: 1\nread events: 3\n");
	CHECK_NUMBER(source_settle(rig.source, &rig.error), 0);
	rig_count(&rig, "overrun: 2\nread events: 1\n");
	CHECK_NUMBER(source_start_over(rig.source, true, 50, &rig.handler, &rig.error), 0);
	CHECK_TEXT(buffer_string(&rig.log), "");
	check_finish(&rig, 100, 8, "cpu 0 lost 8 from 0 to 100\n");
	rig_end(&rig);
}

TEST(what_was_not_read_when_the_buffers_were_emptied_is_lost)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10);
	CHECK_NUMBER(rig_open(&rig), 0);
	check_drain(&rig, 20, "cpu 0 at 10\n");
	buffer_clear(&rig.log);
	CHECK_NUMBER(source_start_over(rig.source, false, 50, &rig.handler, &rig.error), 0);
	CHECK_TEXT(buffer_string(&rig.log), "cpu 0 lost -1 from 20 to 50\n");
	rig_end(&rig);
}

static int looks_count(void *context, struct error *error)
{
	(void)error;
	++*(int *)context;
	return 0;
}

TEST(who_watches_looks_before_anything_is_delivered)
{
	int nr_looks = 0;
	const struct source_watcher watcher = { .context = &nr_looks, .look = looks_count };
	struct rig rig;

	rig_begin(&rig, 1);
	CHECK_NUMBER(rig_open(&rig), 0);
	source_watch(rig.source, &watcher);
	check_drain(&rig, 5, "");
	CHECK_NUMBER(nr_looks, 0);
	ADD(&rig, 0, 0, 10);
	check_drain(&rig, 5, "");
	CHECK_NUMBER(nr_looks, 1);
	check_drain(&rig, 20, "cpu 0 at 10\n");
	CHECK_NUMBER(nr_looks, 1);
	rig_end(&rig);
}

/** struct cutter - who watches, and cuts the source from the @first_bad look on */
struct cutter {
	struct source *source;
	int nr_looks;
	int first_bad;
};

static int looks_cut(void *context, struct error *error)
{
	struct cutter *cutter = context;

	(void)error;
	if (++cutter->nr_looks >= cutter->first_bad)
		source_cut(cutter->source);
	return 0;
}

/* What was looked at before is delivered. */
TEST(what_was_read_before_a_cut_is_forgotten_and_nothing_more_is_read)
{
	struct cutter cutter = { .first_bad = 2 };
	const struct source_watcher watcher = { .context = &cutter, .look = looks_cut };
	struct rig rig;

	rig_begin(&rig, 2);
	CHECK_NUMBER(rig_open(&rig), 0);
	cutter.source = rig.source;
	source_watch(rig.source, &watcher);
	ADD(&rig, 0, 0, 10, 30);
	check_drain(&rig, 20, "cpu 0 at 10\n");
	ADD(&rig, 0, 0, 40);
	ADD(&rig, 1, 0, 35);
	check_drain(&rig, 50, "cpu 0 at 30\n");
	CHECK_NUMBER(cutter.nr_looks, 2);
	ADD(&rig, 1, 0, 60);
	check_finish(&rig, 100, 0, "");
	rig_end(&rig);
}

static int record_refuse(void *context, const struct record *record, struct error *error)
{
	return error_set(error, "refused cpu %d at %lld%s", record->cpu, (long long)record->time_ns,
			 context ? "" : "?");
}

TEST(a_handler_that_refuses_ends_the_reading)
{
	struct rig rig;
	uint64_t lost;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 10, 20);
	rig.handler.record = record_refuse;
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_drain(rig.source, 100, &rig.handler, &rig.error), -1);
	CHECK_TEXT(rig.error.text, "refused cpu 0 at 10");
	rig.error.text[0] = '\0';
	CHECK_NUMBER(source_finish(rig.source, 100, &rig.handler, &lost, &rig.error), -1);
	CHECK_TEXT(rig.error.text, "refused cpu 0 at 20");
	rig_end(&rig);
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
 * A process of its own drains where the kernel refuses membarrier; tells what it got through a
 * file. Returns how long that took, or -1.
 */
static int64_t child_drain(struct rig *rig, int64_t until_ns)
{
	int64_t begin_ns = time_now_ns(CLOCK_MONOTONIC);
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		if (membarrier_refuse() < 0 ||
		    source_drain(rig->source, until_ns, &rig->handler, &rig->error) < 0)
			_exit(1);
		folder_add(&rig->instance, "log", rig->log.data, rig->log.size);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status == 0 ? time_now_ns(CLOCK_MONOTONIC) - begin_ns : -1;
}

TEST(without_membarrier_writers_get_time_to_commit)
{
	struct buffer log = { 0 };
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, 0, 99, 101);
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK(child_drain(&rig, 100) >= 20 * NS_PER_MS);
	CHECK_NUMBER(file_read(folder_path(&rig.instance, "log"), &log), 0);
	CHECK_TEXT(buffer_string(&log), "cpu 0 at 99\n");
	buffer_release(&log);
	rig_end(&rig);
}
