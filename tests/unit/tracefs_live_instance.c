// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading the buffers of an instance of another owner. */
#include <sys/utsname.h>
#include <time.h>

#include "fixtures/fake_tracefs.h"
#include "fixtures/source_fixture.h"

/* The instance is the top level of tracefs. */
static int source_fixture_open(struct source_fixture *reader)
{
	fake_tracefs.top = reader->instance;
	return source_open(&reader->source, "tracefs", NULL, &reader->error);
}

/* How many records come from a file that never ends. */
static size_t records_of(uint64_t nr_raw_pages, const char *size_kib)
{
	struct buffer raw_pages = { 0 };
	struct raw_page raw_page;
	struct source_fixture reader;
	uint64_t lost;
	size_t nr_records = 0;

	source_fixture_init(&reader, 1);
	for (uint64_t i = 1; i <= nr_raw_pages; i++) {
		raw_page_begin(&raw_page, i);
		raw_page_at(&raw_page, i, 0);
		raw_page_end(&raw_page);
		buffer_append(&raw_pages, raw_page.bytes, RAW_PAGE_SIZE);
	}
	folder_add(&reader.instance, "per_cpu/cpu0/trace_pipe_raw", raw_pages.data, raw_pages.size);
	folder_add_text(&reader.instance, "per_cpu/cpu0/buffer_size_kb", size_kib);
	folder_add_text(&reader.instance, "buffer_size_kb", "X\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_finish(reader.source, 1000, &reader.handler, &lost, &reader.error), 0);
	for (size_t i = 0; i < reader.log.size; i++)
		nr_records += reader.log.data[i] == '\n';
	buffer_release(&raw_pages);
	source_fixture_release(&reader);
	return nr_records;
}

/* The number of sub-buffers that Linux 6.12 returned for full buffers of these stated sizes. */
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

/* A killed run leaves an instance and its sideband. */
static void pair_begin(struct source_fixture *reader, struct source_fixture *sideband)
{
	source_fixture_init(reader, 1);
	source_fixture_init(sideband, 0);
	folder_remove(&sideband->instance);
	snprintf(sideband->instance.path, sizeof(sideband->instance.path), "%.54s.sideband",
		 reader->instance.path);
	ADD(reader, 0, 0, 20);
	ADD(sideband, 0, 0, 10, 30);
	folder_add_text(&reader->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	folder_add_text(&sideband->instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	folder_add_text(&sideband->instance, "per_cpu/cpu0/stats", "overrun: 2\n");
}

TEST(the_sideband_is_read_along_with_it)
{
	struct source_fixture reader, sideband;

	pair_begin(&reader, &sideband);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_describe(reader.source)->nr_cpus, 1);
	check_finish(&reader, 100, 0, "cpu 0 at 10\ncpu 0 at 20\ncpu 0 at 30\n");
	CHECK_NUMBER(source_lost_sideband(reader.source), 2);
	source_fixture_release(&reader);
	source_fixture_release(&sideband);
}

TEST(what_others_read_before_is_that_of_tracks)
{
	struct source_fixture reader, sideband;

	pair_begin(&reader, &sideband);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", "read events: 3\n");
	folder_add_text(&sideband.instance, "per_cpu/cpu0/stats", "read events: 5\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_describe(reader.source)->read_before, 3);
	source_fixture_release(&reader);
	source_fixture_release(&sideband);
}

static void check_clock(const char *text, const char *clock, const char *time_source)
{
	const struct recording *description;
	FIXTURE(source_fixture, reader, 2);

	folder_add_text(&reader.instance, "trace_clock", text);
	folder_add_text(&reader.instance, "buffer_size_kb", "1410\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	description = source_describe(reader.source);
	CHECK_NUMBER(description->nr_cpus, 2);
	CHECK_NUMBER(description->buffer_kib, 1410);
	CHECK_TEXT(description->clock, clock);
	CHECK_TEXT(description->time_source, time_source);
}

TEST(clocks_that_the_system_has_report_wall_time)
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
	struct source_fixture reader;
	bool counts_ticks;

	source_fixture_init(&reader, 1);
	folder_add_text(&reader.instance, "trace_clock", text);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	counts_ticks = source_describe(reader.source)->counts_ticks;
	source_fixture_release(&reader);
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
	const struct recording *description;
	int64_t before_ns, wall_ns;
	FIXTURE(source_fixture, reader, 1);

	folder_add_text(&reader.instance, "trace_clock", "[boot]\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	description = source_describe(reader.source);
	before_ns = now_ns(CLOCK_REALTIME);
	wall_ns = now_ns(CLOCK_BOOTTIME) + description->wall_offset_ns;
	CHECK(wall_ns > before_ns - NS_PER_S && wall_ns < now_ns(CLOCK_REALTIME) + NS_PER_S);
}

TEST(an_instance_is_described_as_far_as_it_reports)
{
	const struct recording *description;
	struct utsname kernel;
	SCOPED(source_fixture) reader;

	uname(&kernel);
	source_fixture_init(&reader, 1);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	description = source_describe(reader.source);
	CHECK(!description->clock);
	CHECK_NUMBER(description->buffer_kib, 0);
	CHECK_NUMBER(description->wall_offset_ns, 0);
	CHECK_TEXT(description->time_source, "none");
	CHECK_TEXT(description->kernel, kernel.release);
	CHECK(!description->buffers);
	CHECK(!description->is_swapped);
}

static uint64_t id_of(struct source_fixture *reader)
{
	uint64_t id;

	CHECK_NUMBER(source_fixture_open(reader), 0);
	id = strtoull(source_describe(reader->source)->id, NULL, 16);
	source_close(reader->source);
	reader->source = NULL;
	return id;
}

TEST(an_instance_has_one_id_and_another_one_another)
{
	struct source_fixture a, b;
	uint64_t id;

	source_fixture_init(&a, 1);
	source_fixture_init(&b, 1);
	id = id_of(&a);
	CHECK(id_of(&a) == id);
	CHECK(id_of(&b) != id);
	source_fixture_release(&a);
	source_fixture_release(&b);
}

TEST(the_first_time_is_that_of_the_earliest_cpu)
{
	int64_t time_ns = 0;
	FIXTURE(source_fixture, reader, 3);

	ADD(&reader, 0, 0, 30);
	ADD(&reader, 2, 5, 20, 40);
	folder_add_text(&reader.instance, "per_cpu/cpu2/stats", "overrun: 5\n");
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_first_time(reader.source, &time_ns, &reader.error), 1);
	CHECK_NUMBER(time_ns, 20);
	CHECK_NUMBER(source_first_time(reader.source, &time_ns, &reader.error), 1);
	check_finish(&reader, 50, 5,
		     "cpu 2 lost 5 from 0 to 20\ncpu 2 at 20\ncpu 0 at 30\ncpu 2 at 40\n");
}

/* The kernel's counts when the instance is opened and at the end, and the report of both. */
static void check_account(const char *before, const char *after, uint64_t lost, const char *want)
{
	FIXTURE(source_fixture, reader, 1);

	ADD(&reader, 0, -1, 20);
	folder_add_text(&reader.instance, "per_cpu/cpu0/stats", before);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_describe(reader.source)->read_before,
		     strtoull(strstr(before, "read events: ") + 13, NULL, 10));
	folder_set_text(&reader.instance, "per_cpu/cpu0/stats", after);
	check_finish(&reader, 50, lost, want);
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

TEST(what_was_dropped_before_or_after_somebody_else_read_is_reported_without_a_number)
{
	check_account("dropped events: 4\nread events: 3\n", "dropped events: 4\nread events: 4\n",
		      0, GAP "cpu 0 lost -1 from 20 to 50\n");
}

TEST(an_empty_instance_has_no_first_time)
{
	int64_t time_ns = 7;
	FIXTURE(source_fixture, reader, 2);

	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_first_time(reader.source, &time_ns, &reader.error), 0);
	CHECK_NUMBER(time_ns, 7);
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
	struct raw_page first_entry;
	SCOPED(source_fixture) reader;
	uint64_t lost;

	raw_page_begin(&first_entry, 1);
	raw_page_head(&first_entry, 1, 0);
	for (size_t i = 0; i < 600; i++)
		memcpy(&large.entries[i][0], first_entry.bytes + RAW_PAGE_HEADER_SIZE,
		       sizeof(uint32_t));
	source_fixture_init(&reader, 1);
	folder_add_text(&reader.instance, "buffer_subbuf_size_kb", "8\n");
	folder_add(&reader.instance, "per_cpu/cpu0/trace_pipe_raw", &large, sizeof(large));
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	CHECK_NUMBER(source_finish(reader.source, 50, &reader.handler, &lost, &reader.error), 0);
	CHECK_NUMBER(reader.log.size, 600 * strlen("cpu 0 at 1\n"));
}

TEST(a_size_of_sub_buffers_that_cannot_be_is_not_believed)
{
	FIXTURE(source_fixture, reader, 1);

	folder_add_text(&reader.instance, "buffer_subbuf_size_kb", "99999999999999\n");
	ADD(&reader, 0, 0, 10);
	CHECK_NUMBER(source_fixture_open(&reader), 0);
	check_finish(&reader, 50, 0, "cpu 0 at 10\n");
}

TEST(an_instance_that_is_not_there_is_named)
{
	char want[512];
	FIXTURE(source_fixture, reader, 0);

	snprintf(want, sizeof(want), "cannot open %s/per_cpu: No such file or directory",
		 reader.instance.path);
	CHECK_NUMBER(source_fixture_open(&reader), -1);
	CHECK_TEXT(reader.error.text, want);
	CHECK(!reader.source);
}
