// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading an instance that somebody set up, while it is written. */
#include "instance.h"

/* An instance with one CPU, whose clock no program can read. */
static void attach(struct rig *rig, const char *overwrite, const char *statistics)
{
	rig_begin(rig, 1);
	folder_add_text(&rig->instance, "trace_clock", "[local] global boot\n");
	folder_add_text(&rig->instance, "options/overwrite", overwrite);
	folder_add_text(&rig->instance, "buffer_size_kb", "64\n");
	folder_add_text(&rig->instance, "per_cpu/cpu0/stats", statistics);
	CHECK_NUMBER(source_attached_open(&rig->source, rig->instance.path, &rig->error), 0);
}

/* What the kernel counts now. */
static void count(struct rig *rig, const char *statistics)
{
	folder_set_text(&rig->instance, "per_cpu/cpu0/stats", statistics);
}

TEST(an_instance_is_taken_as_it_is)
{
	const struct source_description *description;
	struct rig rig;

	attach(&rig, "0\n", "");
	description = source_describe(rig.source);
	CHECK_TEXT(description->clock, "local");
	CHECK_TEXT(description->overwrite, "0");
	CHECK_TEXT(description->time_source, "none");
	CHECK_NUMBER(description->buffer_kib, 64);
	rig_end(&rig);
	attach(&rig, "1\n", "");
	CHECK_TEXT(source_describe(rig.source)->overwrite, "1");
	rig_end(&rig);
}

TEST(the_kernel_says_what_its_clocks_show)
{
	struct rig rig;

	attach(&rig, "1", "oldest event ts:     1.000001\nnow ts:    12.000345\n");
	CHECK_NUMBER(source_now_ns(rig.source), 12000345000);
	count(&rig, "now ts: 4711\n");
	CHECK_NUMBER(source_now_ns(rig.source), 4711);
	count(&rig, "now ts: 12.34\n");
	CHECK_NUMBER(source_now_ns(rig.source), 0);
	count(&rig, "now ts: 99999999999999.000000\n");
	CHECK_NUMBER(source_now_ns(rig.source), 0);
	rig_end(&rig);
}

TEST(a_clock_that_programs_can_read_is_read)
{
	struct rig rig;
	int64_t before_ns, now_ns;

	rig_begin(&rig, 1);
	folder_add_text(&rig.instance, "trace_clock", "local [mono]\n");
	CHECK_NUMBER(source_attached_open(&rig.source, rig.instance.path, &rig.error), 0);
	before_ns = time_now_ns(CLOCK_MONOTONIC);
	now_ns = source_now_ns(rig.source);
	CHECK(before_ns <= now_ns && now_ns <= time_now_ns(CLOCK_MONOTONIC));
	rig_end(&rig);
}

static void check_start(struct rig *rig, int64_t want)
{
	int64_t start_ns;

	CHECK_NUMBER(source_attached_start(rig->source, &start_ns, &rig->error), 0);
	CHECK_NUMBER(start_ns, want);
	rig_end(rig);
}

TEST(it_begins_with_the_oldest_record_or_now)
{
	struct rig rig;

	attach(&rig, "1", "now ts: 50\n");
	check_start(&rig, 50);
	attach(&rig, "1", "now ts: 50\n");
	ADD(&rig, 0, 0, 20, 30);
	check_start(&rig, 20);
	attach(&rig, "1", "now ts: 50\n");
	ADD(&rig, 0, 0, 60);
	check_start(&rig, 50);
}

TEST(what_is_written_once_it_is_sealed_is_left)
{
	struct rig rig;

	attach(&rig, "1", "now ts: 50\n");
	ADD(&rig, 0, 0, 20, 30);
	check_drain(&rig, 25, "cpu 0 at 20\n");
	count(&rig, "overrun: 3\ndropped events: 2\n");
	source_seal(rig.source);
	ADD(&rig, 0, 0, 40);
	count(&rig, "overrun: 90\ndropped events: 9\nnow ts: 50\n");
	source_seal(rig.source);
	check_finish(&rig, 100, 5, "cpu 0 at 30\ncpu 0 lost 5 from 30 to 100\n");
	rig_end(&rig);
}

TEST(what_was_overwritten_before_somebody_else_read_is_not_counted)
{
	struct rig rig;

	attach(&rig, "1", "overrun: 90\nread events: 7\n");
	ADD(&rig, 0, -1, 20);
	check_drain(&rig, 10, "cpu 0 lost -1 from 0 to 20\n");
	count(&rig, "overrun: 94\nread events: 8\n");
	source_seal(rig.source);
	check_finish(&rig, 100, 4, "cpu 0 at 20\ncpu 0 lost 4 in all\n");
	rig_end(&rig);
}

TEST(what_a_full_buffer_drops_is_told_when_it_happens)
{
	struct rig rig;

	attach(&rig, "0", "now ts: 10\n");
	ADD(&rig, 0, 0, 20, 70);
	check_drain(&rig, 50, "cpu 0 at 20\n");
	count(&rig, "dropped events: 7\nnow ts: 80\n");
	check_drain(&rig, 75, "cpu 0 lost 7 from 50 to 80\ncpu 0 at 70\n");
	check_drain(&rig, 85, "");
	count(&rig, "dropped events: 9\nnow ts: 95\n");
	source_seal(rig.source);
	check_finish(&rig, 100, 9, "cpu 0 lost 2 from 85 to 95\n");
	rig_end(&rig);
}

TEST(drops_are_counted_anew_where_somebody_empties_the_buffer)
{
	struct rig rig;

	attach(&rig, "0", "");
	count(&rig, "dropped events: 7\nnow ts: 80\n");
	check_drain(&rig, 75, "cpu 0 lost 7 from 0 to 80\n");
	count(&rig, "dropped events: 2\nnow ts: 95\n");
	check_drain(&rig, 90, "cpu 0 lost 2 from 75 to 95\n");
	source_seal(rig.source);
	check_finish(&rig, 100, 9, "");
	rig_end(&rig);
}

/* What was counted when we came, and what is told of it. */
static void check_older(const char *before, uint64_t lost, const char *want)
{
	struct rig rig;

	attach(&rig, "0", before);
	check_drain(&rig, 75, want);
	source_seal(rig.source);
	check_finish(&rig, 100, lost, "");
	rig_end(&rig);
}

TEST(what_was_dropped_before_we_came_is_missing_behind_what_the_buffer_held)
{
	check_older("entries: 9\ndropped events: 4\nnow ts: 60\n", 4,
		    "cpu 0 lost 4 from 0 to 60\n");
	check_older("entries: 9\ndropped events: 4\nread events: 2\nnow ts: 60\n", 0,
		    "cpu 0 lost -1 from 0 to 60\n");
	check_older("entries: 0\ndropped events: 4\nread events: 2\nnow ts: 60\n", 0, "");
}
