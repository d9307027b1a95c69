// SPDX-License-Identifier: GPL-2.0-only
/* Tests of which records a command line asks for. */
#include "reader/reader.h"

#include "cli/option_parts.h"

#include <string.h>

#include "fixtures/tap.h"

#define START_NS 1000

/* Applies an option by its name; returns what it returns. */
static int apply(struct filter *filter, const char *name, const char *value, struct error *error)
{
	for (size_t i = 0; i < filter_options.nr_rows; i++) {
		const struct option_row *row = &filter_options.rows[i];

		if (strcmp(row->long_name, name) == 0)
			return option_row_apply(row, filter, value, error);
	}
	return 1;
}

static struct filter filter_of(const char *name, const char *value)
{
	struct filter filter = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&filter, name, value, &error), 0);
	return filter;
}

TEST(without_options_everything_is_wanted)
{
	struct filter filter = { 0 };
	struct record record = { .time_ns = START_NS, .cpu = 70, .buffer = 3 };
	struct decoded_event decoded = { .tid = -1 };

	CHECK(filter_wants_record(&filter, &record, NULL));
	CHECK(filter_wants_event(&filter, &decoded));
}

/* The window of a recording that starts at START_NS, and of a part of one. */
static void check_window(const struct filter *filter, const char *part, int64_t from_ns, int64_t to_ns)
{
	struct recording recording = { .start_ns = START_NS, .part = part };

	recording_set_origin(&recording);
	recording_set_window(&recording, filter);
	CHECK(recording.has_window);
	CHECK_NUMBER(recording.start_ns, START_NS);
	CHECK_NUMBER(recording.from_ns, from_ns);
	CHECK_NUMBER(recording.to_ns, to_ns);
}

TEST(times_count_from_the_start)
{
	struct filter from = filter_of("from", "2us"), to = filter_of("to", "2us");
	struct filter both = { .from_ns = 1000, .to_ns = 3000 }, none = { 0 };
	struct filter late = { .from_ns = INT64_MAX - 1 };
	struct recording recording = { .start_ns = START_NS };

	check_window(&from, NULL, START_NS + 2000, RECORD_TIME_LIMIT);
	check_window(&to, NULL, START_NS, START_NS + 2000);
	check_window(&both, NULL, START_NS + 1000, START_NS + 3000);
	check_window(&late, NULL, RECORD_TIME_LIMIT, RECORD_TIME_LIMIT);
	recording_set_window(&recording, &none);
	CHECK(!recording.has_window);
	from = filter_of("from", "0");
	recording_set_window(&recording, &from);
	CHECK(!recording.has_window);
}

TEST(a_part_has_the_window_that_was_cut)
{
	struct filter none = { 0 }, wide = { .from_ns = 1, .to_ns = 9000 };
	struct filter narrow = { .from_ns = 2000, .to_ns = 3000 };
	static const char part[] = "window 2000 6000 1000\nuse 0 1 1 0 demo:io\n";
	static const char *const bad[] = { "", "use 0 1 1 0 demo:io\n", "window 1 2 3\n",
					   "window 9 8 1\n", "window -9 8 -9\n" };

	check_window(&none, part, 2000, 6000);
	check_window(&wide, part, 2000, 6000);
	check_window(&narrow, part, 3000, 4000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct recording recording = { .start_ns = START_NS, .part = bad[i] };

		recording_set_origin(&recording);
		recording_set_window(&recording, &none);
		CHECK(!recording.has_window && recording.start_ns == START_NS);
	}
}

TEST(a_cpu_may_be_the_first)
{
	struct filter filter = filter_of("cpu", "0");

	CHECK(filter_wants_record(&filter, &(struct record){ .time_ns = START_NS, .cpu = 0 },
				  NULL));
	CHECK(!filter_wants_record(&filter, &(struct record){ .time_ns = START_NS, .cpu = 1 },
				   NULL));
}

TEST(a_buffer_is_asked_for_by_name)
{
	static const char *const buffers[] = { "", "second" };
	struct filter second = filter_of("buffer", "second"), first = filter_of("buffer", "");
	struct record record = { .time_ns = START_NS, .buffer = 1 };

	CHECK(filter_wants_record(&second, &record, buffers) &&
	      !filter_wants_record(&first, &record, buffers));
	record.buffer = 0;
	CHECK(!filter_wants_record(&second, &record, buffers) &&
	      filter_wants_record(&first, &record, buffers));
	CHECK(!filter_wants_record(&second, &record, NULL) &&
	      filter_wants_record(&first, &record, NULL));
}

static bool wants_track(const struct filter *filter, const char *name, size_t size)
{
	return filter_wants_event(
		filter, &(struct decoded_event){ .track_name = { .data = name, .size = size } });
}

TEST(a_track_is_asked_for_by_a_pattern)
{
	struct filter filter = filter_of("track", "queue[0-3]*");

	CHECK(wants_track(&filter, "queue0", 6) && wants_track(&filter, "queue3 of disk", 14));
	CHECK(!wants_track(&filter, "queue7", 6) && !wants_track(&filter, "queue", 5) &&
	      !wants_track(&filter, "", 0));
	/* What follows the name in memory is none of it. */
	CHECK(!wants_track(&filter, "queue0", 5));
	filter = filter_of("track", "");
	CHECK(wants_track(&filter, "queue0", 0) && !wants_track(&filter, "queue0", 6));
}

TEST(a_thread_is_asked_for_by_its_number)
{
	struct filter filter = filter_of("pid", "7"), idle = filter_of("pid", "0");

	CHECK(filter_wants_event(&filter, &(struct decoded_event){ .tid = 7 }));
	CHECK(!filter_wants_event(&filter, &(struct decoded_event){ .tid = 8 }));
	CHECK(filter_wants_event(&idle, &(struct decoded_event){ .tid = 0 }));
	CHECK(!filter_wants_event(&idle, &(struct decoded_event){ .tid = 7 }));
}

static void check_refused(const char *name, const char *value, const char *want)
{
	struct filter filter = { 0 };
	struct error error = { 0 };

	CHECK_NUMBER(apply(&filter, name, value, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(what_is_no_number_and_what_leaves_nothing_is_refused)
{
	check_refused("cpu", "", "'': not a CPU; write a number from 0");
	check_refused("cpu", "-1", "'-1': not a CPU; write a number from 0");
	check_refused("cpu", "1x", "'1x': not a CPU; write a number from 0");
	check_refused("cpu", "2147483648", "'2147483648': not a CPU; write a number from 0");
	check_refused("pid", "self", "'self': not a thread id; write a number from 0");
	check_refused("pid", "99999999999999999999",
		      "'99999999999999999999': not a thread id; write a number from 0");
	check_refused("from", "x", "'x' is no duration; write a number with ns, us, ms, s, m or h");
	check_refused("to", "-1", "'-1' is no duration; write a number with ns, us, ms, s, m or h");
	check_refused("to", "0", "--to=0: no records; write a time above 0");
}

static void check_checked(const struct filter *filter, const char *const *buffers, const char *want)
{
	struct recording description = { .buffers = buffers, .nr_buffers = 2 };
	struct error error = { 0 };

	CHECK_NUMBER(filter_check(filter, &description, &error), *want ? -1 : 0);
	CHECK_TEXT(error.text, want);
}

TEST(what_a_source_cannot_have_is_refused)
{
	static const char *const buffers[] = { "", "second" };

	check_checked(&(struct filter){ 0 }, NULL, "");
	check_checked(&(struct filter){ .buffer = "second" }, buffers, "");
	check_checked(&(struct filter){ .buffer = "" }, NULL, "");
	check_checked(&(struct filter){ .buffer = "third" }, buffers,
		      "--buffer=third: no such buffer; write one of '', 'second'");
	check_checked(&(struct filter){ .buffer = "third" }, NULL,
		      "--buffer=third: no such buffer; write one of ''");
}
