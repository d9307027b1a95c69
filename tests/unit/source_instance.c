// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading what an instance that somebody else set up holds. */
#include "source/live.h"

#include <sys/utsname.h>
#include <time.h>

#include "instance.h"

static int rig_open(struct rig *rig)
{
	return instance_open(&rig->source, rig->instance.path, &rig->error);
}

/* How many records come from a file that never ends. */
static size_t records_of(uint64_t nr_sheets, const char *size_kib)
{
	struct buffer sheets = { 0 };
	struct sheet sheet;
	struct rig rig;
	uint64_t lost;
	size_t nr_records = 0;

	rig_begin(&rig, 1);
	for (uint64_t i = 1; i <= nr_sheets; i++) {
		sheet_begin(&sheet, i);
		sheet_at(&sheet, i, 0);
		sheet_end(&sheet);
		buffer_append(&sheets, sheet.bytes, SHEET_SIZE);
	}
	folder_add(&rig.instance, "per_cpu/cpu0/trace_pipe_raw", sheets.data, sheets.size);
	folder_add_text(&rig.instance, "per_cpu/cpu0/buffer_size_kb", size_kib);
	folder_add_text(&rig.instance, "buffer_size_kb", "X\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_finish(rig.source, 1000, &rig.handler, &lost, &rig.error), 0);
	for (size_t i = 0; i < rig.log.size; i++)
		nr_records += rig.log.data[i] == '\n';
	buffer_release(&sheets);
	rig_end(&rig);
	return nr_records;
}

/* As many sub-buffers as Linux 6.12 gave of full buffers that said to have these sizes. */
TEST(all_is_read_that_a_full_buffer_holds)
{
	CHECK_NUMBER(records_of(2, "7\n"), 2);
	CHECK_NUMBER(records_of(18, "67\n"), 18);
	CHECK_NUMBER(records_of(355, "1410\n"), 355);
}

TEST(writers_that_never_rest_do_not_keep_us)
{
	size_t nr_records = records_of(1000, "1410\n");

	CHECK(nr_records >= 355 && nr_records < 370);
	CHECK(records_of(100, "7 (expanded: 1408)\n") < 10);
	CHECK(records_of(100, "") < 10);
}

/* A killed run leaves two. */
static void pair_begin(struct rig *rig, struct rig *beside)
{
	rig_begin(rig, 1);
	rig_begin(beside, 0);
	folder_remove(&beside->instance);
	snprintf(beside->instance.path, sizeof(beside->instance.path), "%.55s.durable",
		 rig->instance.path);
	ADD(rig, 0, 0, 20);
	ADD(beside, 0, 0, 10, 30);
	folder_add_text(&rig->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	folder_add_text(&beside->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	folder_add_text(&beside->instance, "per_cpu/cpu0/stats", "overrun: 2\n");
}

TEST(what_is_beside_is_read_along_with_it)
{
	struct rig rig, beside;

	pair_begin(&rig, &beside);
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_describe(rig.source)->nr_cpus, 1);
	check_finish(&rig, 100, 0, "cpu 0 at 10\ncpu 0 at 20\ncpu 0 at 30\n");
	CHECK_NUMBER(source_lost_durable(rig.source), 2);
	rig_end(&rig);
	rig_end(&beside);
}

TEST(what_others_read_before_is_that_of_tracks)
{
	struct rig rig, beside;

	pair_begin(&rig, &beside);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", "read events: 3\n");
	folder_add_text(&beside.instance, "per_cpu/cpu0/stats", "read events: 5\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_describe(rig.source)->read_before, 3);
	rig_end(&rig);
	rig_end(&beside);
}

static void check_clock(const char *text, const char *clock, const char *time_source)
{
	const struct source_description *description;
	struct rig rig;

	rig_begin(&rig, 2);
	folder_add_text(&rig.instance, "trace_clock", text);
	folder_add_text(&rig.instance, "buffer_size_kb", "1410\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	description = source_describe(rig.source);
	CHECK_NUMBER(description->nr_cpus, 2);
	CHECK_NUMBER(description->buffer_kib, 1410);
	CHECK_TEXT(description->clock, clock);
	CHECK_TEXT(description->time_source, time_source);
	rig_end(&rig);
}

TEST(clocks_that_the_system_has_tell_wall_time)
{
	check_clock("local global counter uptime perf mono mono_raw [boot] tai x86-tsc\n", "boot",
		    "realtime");
	check_clock("local global counter uptime perf [mono] mono_raw boot tai\n", "mono",
		    "realtime");
	check_clock("[local] global boot\n", "local", "none");
	check_clock("local [x86-tsc]\n", "x86-tsc", "none");
}

static int64_t now_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static bool clock_is_of_ticks(const char *text)
{
	struct rig rig;
	bool counts_ticks;

	rig_begin(&rig, 1);
	folder_add_text(&rig.instance, "trace_clock", text);
	CHECK_NUMBER(rig_open(&rig), 0);
	counts_ticks = source_describe(rig.source)->counts_ticks;
	rig_end(&rig);
	return counts_ticks;
}

TEST(clocks_of_ticks_are_known)
{
	CHECK(clock_is_of_ticks("local [counter]\n"));
	CHECK(clock_is_of_ticks("local [uptime]\n"));
	CHECK(clock_is_of_ticks("[x86-tsc]\n"));
	CHECK(!clock_is_of_ticks("[local]\n"));
	CHECK(!clock_is_of_ticks("boot\n"));
}

TEST(wall_time_is_what_the_clock_lacks)
{
	const struct source_description *description;
	struct rig rig;
	int64_t error_ns;

	rig_begin(&rig, 1);
	folder_add_text(&rig.instance, "trace_clock", "[boot]\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	description = source_describe(rig.source);
	error_ns = now_ns(CLOCK_BOOTTIME) + description->wall_offset_ns - now_ns(CLOCK_REALTIME);
	CHECK(error_ns > -NS_PER_S && error_ns < NS_PER_S);
	rig_end(&rig);
}

TEST(an_instance_is_described_as_far_as_it_tells)
{
	const struct source_description *description;
	struct utsname kernel;
	struct rig rig;

	uname(&kernel);
	rig_begin(&rig, 1);
	CHECK_NUMBER(rig_open(&rig), 0);
	description = source_describe(rig.source);
	CHECK(!description->clock);
	CHECK_NUMBER(description->buffer_kib, 0);
	CHECK_NUMBER(description->wall_offset_ns, 0);
	CHECK_TEXT(description->time_source, "none");
	CHECK_TEXT(description->kernel, kernel.release);
	CHECK(!description->buffers);
	CHECK(!description->is_swapped);
	rig_end(&rig);
}

static uint64_t id_of(struct rig *rig)
{
	uint64_t id;

	CHECK_NUMBER(rig_open(rig), 0);
	id = source_describe(rig->source)->id;
	source_close(rig->source);
	rig->source = NULL;
	return id;
}

TEST(an_instance_has_one_id_and_another_one_another)
{
	struct rig a, b;
	uint64_t id;

	rig_begin(&a, 1);
	rig_begin(&b, 1);
	id = id_of(&a);
	CHECK(id_of(&a) == id);
	CHECK(id_of(&b) != id);
	rig_end(&a);
	rig_end(&b);
}

TEST(the_first_time_is_that_of_the_earliest_cpu)
{
	struct rig rig;
	int64_t time_ns = 0;

	rig_begin(&rig, 3);
	ADD(&rig, 0, 0, 30);
	ADD(&rig, 2, 5, 20, 40);
	folder_add_text(&rig.instance, "per_cpu/cpu2/stats", "overrun: 5\n");
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_first_time(rig.source, &time_ns, &rig.error), 1);
	CHECK_NUMBER(time_ns, 20);
	CHECK_NUMBER(source_first_time(rig.source, &time_ns, &rig.error), 1);
	check_finish(&rig, 50, 5,
		     "cpu 2 lost 5 from 0 to 20\ncpu 2 at 20\ncpu 0 at 30\ncpu 2 at 40\n");
	rig_end(&rig);
}

/* What the kernel counts, when the instance is opened and at the end, and what is told of it. */
static void check_account(const char *before, const char *after, uint64_t lost, const char *want)
{
	struct rig rig;

	rig_begin(&rig, 1);
	ADD(&rig, 0, -1, 20);
	folder_add_text(&rig.instance, "per_cpu/cpu0/stats", before);
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_describe(rig.source)->read_before,
		     strtoull(strstr(before, "read events: ") + 13, NULL, 10));
	folder_set_text(&rig.instance, "per_cpu/cpu0/stats", after);
	check_finish(&rig, 50, lost, want);
	rig_end(&rig);
}

#define GAP "cpu 0 lost -1 from 0 to 20\ncpu 0 at 20\n"

TEST(what_was_lost_before_somebody_else_read_is_not_ours)
{
	check_account("overrun: 90\ndropped events: 4\nread events: 0\n",
		      "overrun: 95\ndropped events: 6\nread events: 1\n", 101,
		      "cpu 0 lost 95 from 0 to 20\ncpu 0 at 20\ncpu 0 lost 6 from 20 to 50\n");
	check_account("overrun: 90\nread events: 3\n",
		      "overrun: 95\ndropped events: 6\nread events: 4\n", 6,
		      GAP "cpu 0 lost 6 from 20 to 50\n");
	check_account("overrun: 90\nread events: 3\n", "overrun: 95\nread events: 4\n", 0, GAP);
}

TEST(what_was_dropped_before_or_after_somebody_else_read_is_told_without_a_number)
{
	check_account("dropped events: 4\nread events: 3\n", "dropped events: 4\nread events: 4\n",
		      0, GAP "cpu 0 lost -1 from 20 to 50\n");
}

TEST(an_empty_instance_has_no_first_time)
{
	struct rig rig;
	int64_t time_ns = 7;

	rig_begin(&rig, 2);
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_first_time(rig.source, &time_ns, &rig.error), 0);
	CHECK_NUMBER(time_ns, 7);
	rig_end(&rig);
}

/* A sub-buffer of two pages, of which the second one has a record too. */
TEST(sub_buffers_larger_than_a_page_are_read_whole)
{
	static struct {
		uint64_t time_ns;
		uint64_t commit;
		uint32_t entries[600][2];
		unsigned char rest[8192 - 16 - 600 * 8];
	} large = { .time_ns = 1, .commit = sizeof(large.entries) };
	struct sheet first_entry;
	struct rig rig;
	uint64_t lost;

	sheet_begin(&first_entry, 1);
	sheet_head(&first_entry, 1, 0);
	for (size_t i = 0; i < 600; i++)
		memcpy(&large.entries[i][0], first_entry.bytes + SHEET_HEADER_SIZE,
		       sizeof(uint32_t));
	rig_begin(&rig, 1);
	folder_add_text(&rig.instance, "buffer_subbuf_size_kb", "8\n");
	folder_add(&rig.instance, "per_cpu/cpu0/trace_pipe_raw", &large, sizeof(large));
	CHECK_NUMBER(rig_open(&rig), 0);
	CHECK_NUMBER(source_finish(rig.source, 50, &rig.handler, &lost, &rig.error), 0);
	CHECK_NUMBER(rig.log.size, 600 * strlen("cpu 0 at 1\n"));
	rig_end(&rig);
}

TEST(a_size_of_sub_buffers_that_cannot_be_is_not_believed)
{
	struct rig rig;

	rig_begin(&rig, 1);
	folder_add_text(&rig.instance, "buffer_subbuf_size_kb", "99999999999999\n");
	ADD(&rig, 0, 0, 10);
	CHECK_NUMBER(rig_open(&rig), 0);
	check_finish(&rig, 50, 0, "cpu 0 at 10\n");
	rig_end(&rig);
}

TEST(an_instance_that_is_not_there_is_named)
{
	struct rig rig;
	char want[512];

	rig_begin(&rig, 0);
	snprintf(want, sizeof(want), "cannot open %s/per_cpu: No such file or directory",
		 rig.instance.path);
	CHECK_NUMBER(rig_open(&rig), -1);
	CHECK_TEXT(rig.error.text, want);
	CHECK(!rig.source);
	rig_end(&rig);
}
