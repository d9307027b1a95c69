// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading an instance of another owner while it is written. */
#include "fixtures/source_fixture.h"

static void attach_paths(struct source_fixture *reader)
{
	const struct instance_paths paths = { .list = { reader->instance.path } };

	CHECK_NUMBER(source_attached_open(&reader->source, &paths, &reader->error), 0);
}

/* An instance with one CPU, whose clock no program can read. */
static void attach(struct source_fixture *reader, const char *overwrite, const char *statistics)
{
	source_fixture_init(reader, 1);
	folder_add_text(&reader->instance, "trace_clock", "[local] global boot\n");
	folder_add_text(&reader->instance, "options/overwrite", overwrite);
	folder_add_text(&reader->instance, "buffer_size_kb", "64\n");
	folder_add_text(&reader->instance, "per_cpu/cpu0/stats", statistics);
	attach_paths(reader);
}

/* What the kernel counts now. */
static void count(struct source_fixture *reader, const char *statistics)
{
	folder_set_text(&reader->instance, "per_cpu/cpu0/stats", statistics);
}

TEST(an_instance_is_taken_as_it_is)
{
	const struct recording *description;
	struct source_fixture reader;

	attach(&reader, "0\n", "");
	description = source_describe(reader.source);
	CHECK_TEXT(description->clock, "local");
	CHECK_TEXT(description->overwrite, "0");
	CHECK_TEXT(description->time_source, "none");
	CHECK_NUMBER(description->buffer_kib, 64);
	source_fixture_release(&reader);
	attach(&reader, "1\n", "");
	CHECK_TEXT(source_describe(reader.source)->overwrite, "1");
	source_fixture_release(&reader);
}

TEST(the_kernel_says_what_its_clocks_show)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "1", "oldest event ts:     1.000001\nnow ts:    12.000345\n");
	CHECK_NUMBER(source_now_ns(reader.source), 12000345000);
	count(&reader, "now ts: 4711\n");
	CHECK_NUMBER(source_now_ns(reader.source), 4711);
	count(&reader, "now ts: 12.34\n");
	CHECK_NUMBER(source_now_ns(reader.source), 0);
	count(&reader, "now ts: 99999999999999.000000\n");
	CHECK_NUMBER(source_now_ns(reader.source), 0);
}

TEST(a_clock_that_programs_can_read_is_read)
{
	int64_t before_ns, now_ns;
	FIXTURE(source_fixture, reader, 1);

	folder_add_text(&reader.instance, "trace_clock", "local [mono]\n");
	attach_paths(&reader);
	before_ns = time_now_ns(CLOCK_MONOTONIC);
	now_ns = source_now_ns(reader.source);
	CHECK(before_ns <= now_ns && now_ns <= time_now_ns(CLOCK_MONOTONIC));
}

static void check_start(struct source_fixture *reader, int64_t want)
{
	int64_t start_ns;

	CHECK_NUMBER(source_start_time(reader->source, &start_ns, &reader->error), 0);
	CHECK_NUMBER(start_ns, want);
	source_fixture_release(reader);
}

TEST(it_begins_with_the_oldest_record_or_now)
{
	struct source_fixture reader;

	attach(&reader, "1", "now ts: 50\n");
	check_start(&reader, 50);
	attach(&reader, "1", "now ts: 50\n");
	ADD(&reader, 0, 0, 20, 30);
	check_start(&reader, 20);
	attach(&reader, "1", "now ts: 50\n");
	ADD(&reader, 0, 0, 60);
	check_start(&reader, 50);
}

TEST(what_is_written_once_it_is_sealed_is_left)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "1", "now ts: 50\n");
	ADD(&reader, 0, 0, 20, 30);
	check_drain(&reader, 25, "cpu 0 at 20\n");
	count(&reader, "overrun: 3\ndropped events: 2\n");
	source_freeze(reader.source);
	ADD(&reader, 0, 0, 40);
	count(&reader, "overrun: 90\ndropped events: 9\nnow ts: 50\n");
	source_freeze(reader.source);
	check_finish(&reader, 100, 5, "cpu 0 at 30\ncpu 0 lost 5 from 30 to 100\n");
}

TEST(what_was_overwritten_before_somebody_else_read_is_not_counted)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "1", "overrun: 90\nread events: 7\n");
	ADD(&reader, 0, -1, 20);
	check_drain(&reader, 10, "cpu 0 lost -1 from 0 to 20\n");
	count(&reader, "overrun: 94\nread events: 8\n");
	source_freeze(reader.source);
	check_finish(&reader, 100, 4, "cpu 0 at 20\ncpu 0 lost 4 in all\n");
}

TEST(what_a_full_buffer_drops_is_reported_when_it_happens)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "0", "now ts: 10\n");
	ADD(&reader, 0, 0, 20, 70);
	check_drain(&reader, 50, "cpu 0 at 20\n");
	count(&reader, "dropped events: 7\nnow ts: 80\n");
	check_drain(&reader, 75, "cpu 0 lost 7 from 50 to 80\ncpu 0 at 70\n");
	check_drain(&reader, 85, "");
	count(&reader, "dropped events: 9\nnow ts: 95\n");
	source_freeze(reader.source);
	check_finish(&reader, 100, 9, "cpu 0 lost 2 from 85 to 95\n");
}

TEST(drops_are_counted_anew_where_somebody_empties_the_buffer)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "0", "");
	count(&reader, "dropped events: 7\nnow ts: 80\n");
	check_drain(&reader, 75, "cpu 0 lost 7 from 0 to 80\n");
	count(&reader, "dropped events: 2\nnow ts: 95\n");
	check_drain(&reader, 90, "cpu 0 lost 2 from 75 to 95\n");
	source_freeze(reader.source);
	check_finish(&reader, 100, 9, "");
}

/* The counts when the source is opened, and the report of them. */
static void check_older(const char *before, uint64_t lost, const char *want)
{
	SCOPED(source_fixture) reader;

	attach(&reader, "0", before);
	check_drain(&reader, 75, want);
	source_freeze(reader.source);
	check_finish(&reader, 100, lost, "");
}

TEST(what_was_dropped_before_we_came_is_missing_behind_what_the_buffer_held)
{
	check_older("entries: 9\ndropped events: 4\nnow ts: 60\n", 4,
		    "cpu 0 lost 4 from 0 to 60\n");
	check_older("entries: 9\ndropped events: 4\nread events: 2\nnow ts: 60\n", 0,
		    "cpu 0 lost -1 from 0 to 60\n");
	check_older("entries: 0\ndropped events: 4\nread events: 2\nnow ts: 60\n", 0, "");
}
