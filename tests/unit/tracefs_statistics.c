// SPDX-License-Identifier: GPL-2.0-only
/* Tests of reading what the kernel counts for a CPU. */
#include "tracefs/tracefs.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/tap.h"

static uint64_t lost_in(struct text text)
{
	struct statistics statistics;

	statistics_read(&statistics, text);
	return statistics.overwritten + statistics.dropped;
}

static uint64_t lost_of(const char *string)
{
	return lost_in(text_of(string));
}

TEST(what_leaves_a_mark_is_distinguished_from_what_leaves_none)
{
	struct statistics statistics;

	statistics_read(&statistics, text_of("entries: 226\noverrun: 34491\ncommit overrun: 20\n"
					     "bytes: 3912\ndropped events: 300\n"
					     "read events: 4000\n"));
	CHECK_NUMBER(statistics.held_bytes, 3912);
	CHECK_NUMBER(statistics.overwritten, 34491);
	CHECK_NUMBER(statistics.dropped, 320);
	CHECK_NUMBER(statistics.read, 4000);
	CHECK_NUMBER(statistics.unread, 226);
}

static int64_t now_in(const char *string)
{
	struct statistics statistics;

	statistics_read(&statistics, text_of(string));
	return statistics.now;
}

TEST(a_clock_shows_microseconds_or_ticks)
{
	CHECK_NUMBER(now_in("oldest event ts:     4.060049\nnow ts:     4.064921\n"), 4064921000);
	CHECK_NUMBER(now_in("now ts: 0.000000\n"), 0);
	CHECK_NUMBER(now_in("now ts: 18446744073709551615\n"), 0);
	CHECK_NUMBER(now_in("now ts: 4064921\n"), 4064921);
	CHECK_NUMBER(now_in("now ts: 4.0649\n"), 0);
	CHECK_NUMBER(now_in(""), 0);
}

TEST(a_mode_says_which_records_are_there)
{
	struct statistics statistics;

	statistics_read(&statistics, text_of("overrun: 3\nmode: circular\n"));
	CHECK(statistics.keeps_last && !statistics.keeps_first);
	CHECK_NUMBER(statistics.overwritten, 3);
	statistics_read(&statistics, text_of("mode:oneshot"));
	CHECK(statistics.keeps_first && !statistics.keeps_last);
	statistics_read(&statistics, text_of("mode: oneshots\noverrun: 3\n"));
	CHECK(!statistics.keeps_first && !statistics.keeps_last);
}

TEST(what_did_not_get_into_the_file_is_among_the_dropped)
{
	CHECK_NUMBER(lost_of("dropped events: 3\nread events: 9\nin flight: 4\n"), 7);
}

TEST(all_three_ways_to_lose_a_record_add_up)
{
	CHECK_NUMBER(lost_of("entries: 226\noverrun: 34491\ncommit overrun: 20\nbytes: 3912\n"
			     "oldest event ts:     4.060049\nnow ts:     4.064921\n"
			     "dropped events: 300\nread events: 4000\n"),
		     34811);
}

TEST(names_have_to_be_whole)
{
	CHECK_NUMBER(lost_of("overruns: 1\nno overrun: 2\noverrun : 4\n overrun: 8\nOverrun: 16\n"),
		     0);
	CHECK_NUMBER(lost_of("read events: 32\nbytes: 64\n"), 0);
	CHECK_NUMBER(lost_of("overrun 5\n"), 0);
}

TEST(the_last_line_counts_without_its_newline)
{
	CHECK_NUMBER(lost_of("overrun: 1\ndropped events: 41"), 42);
	CHECK_NUMBER(lost_of("overrun: 7x\n"), 7);
}

TEST(large_numbers_are_read_whole)
{
	CHECK(lost_of("overrun: 18446744073709551614\ncommit overrun: 1\n") == UINT64_MAX);
}

TEST(no_numbers_are_no_losses)
{
	CHECK_NUMBER(lost_of(""), 0);
	CHECK_NUMBER(lost_of("\n\n:\n: 5\noverrun:\noverrun: \noverrun: -3\n"), 0);
	CHECK_NUMBER(lost_in((struct text){ 0 }), 0);
}

TEST(nothing_behind_the_text_is_read)
{
	const char text[] = "dropped events: 12\noverrun: 34";

	for (size_t size = 0; size < sizeof(text); size++) {
		char *block = malloc(size);

		memcpy(block, text, size);
		CHECK(lost_in((struct text){ block, size }) <= 46);
		free(block);
	}
}
