// SPDX-License-Identifier: GPL-2.0-only
/* Tests of rows of threads: each has the log of what an output would write. */
#include "sink/rows.h"

#include <string.h>

#include "fixtures/tap.h"

#define TRACKS 8

/**
 * struct rows_test - a thread with tracks that are named by letters
 * @log: what was written: row and depth, then a letter: upper case for a begin, lower case for an
 * end, with "!" if it is cut, with the time of its begin for one that goes on
 * @depths: open slices of each track
 */
struct rows_test {
	struct rows rows;
	struct timeline_track shown[TRACKS];
	struct row_track tracks[TRACKS];
	struct timeline_name names[TRACKS];
	struct timeline_category category;
	unsigned int depths[TRACKS];
	struct buffer log;
};

static void log_write(void *context, const struct row_place *place,
		      const struct timeline_event *event)
{
	struct rows_test *test = context;
	char letter = event->name->text.data[0];

	if (event->kind == TIMELINE_SLICE_END)
		letter += 'a' - 'A';
	buffer_printf(&test->log, "%s%u.%u%c", test->log.size > 0 ? " " : "", place->row->number,
		      place->depth, event->kind == TIMELINE_INSTANT ? '*' : letter);
	if (event->is_cut)
		buffer_append_char(&test->log, '!');
	if (event->is_cut && event->kind == TIMELINE_SLICE_BEGIN)
		buffer_append_signed(&test->log, event->begin_ns);
}

static void rows_test_begin_with(struct rows_test *test, bool writes_begins, bool has_one_row)
{
	static const char letters[TRACKS] = "ABCDEFGH";

	*test = (struct rows_test){ 0 };
	test->category.text = "drv:event";
	test->rows.context = test;
	test->rows.has_one_row = has_one_row;
	test->rows.write = writes_begins ? log_write : NULL;
	for (int i = 0; i < TRACKS; i++) {
		test->names[i].text = (struct text){ .data = &letters[i], .size = 1 };
		test->shown[i] = (struct timeline_track){ .category = &test->category,
							  .scope = SCOPE_THREAD,
							  .id.signed_number = 7,
							  .cpu = -1,
							  .comm = "",
							  .process_comm = "" };
		rows_track_begin(&test->rows, &test->tracks[i], &test->shown[i]);
	}
}

static void rows_test_init(struct rows_test *test, bool writes_begins)
{
	rows_test_begin_with(test, writes_begins, false);
}

/* @mark: '?' if no record ended it, '~' and '-' if it is continued, with a record and without. */
static void event_push(struct rows_test *test, enum timeline_kind kind, char letter,
		       int64_t time_ns, char mark)
{
	int number = letter - 'A';
	struct timeline_event event = { .kind = kind,
					.time_ns = time_ns,
					.track = &test->shown[number],
					.name = &test->names[number],
					.tid = mark == '-' ? -1 : 7,
					.is_continued = mark == '-' || mark == '~',
					.is_unfinished = mark == '?' };

	test->depths[number] += kind == TIMELINE_SLICE_BEGIN;
	event.depth = test->depths[number];
	test->depths[number] -= kind == TIMELINE_SLICE_END;
	CHECK(rows_event(&test->rows, &test->tracks[number], &event));
}

/*
 * Each word is an event at the time of its place in the script, or of the word before it if it
 * begins with "=": upper case begins, lower case ends, with a mark as of event_push(), "*A" is an
 * instant.
 */
static void script_run(struct rows_test *test, const char *script)
{
	int64_t time_ns = 0;

	for (; *script; script++) {
		bool is_end = *script >= 'a' && *script <= 'h';

		if (*script == ' ')
			continue;
		if (*script == '=')
			script++;
		else
			time_ns++;
		if (*script == '*')
			event_push(test, TIMELINE_INSTANT, *++script, time_ns, ' ');
		else if (is_end || (*script >= 'a'))
			event_push(test, TIMELINE_SLICE_END, *script - 'a' + 'A', time_ns,
				   script[1]);
		else
			event_push(test, TIMELINE_SLICE_BEGIN, *script, time_ns, ' ');
		script += script[1] && strchr("?~-", script[1]);
	}
}

static void rows_test_release(struct rows_test *test)
{
	for (int i = 0; i < TRACKS; i++)
		rows_track_end(&test->rows, &test->tracks[i]);
	CHECK_NUMBER(test->rows.threads.size, 0);
	rows_release(&test->rows);
	buffer_release(&test->log);
}

static void check_log(const char *script, const char *log)
{
	FIXTURE(rows_test, test, true);

	script_run(&test, script);
	CHECK_TEXT(buffer_string(&test.log), log);
}

TEST(slices_of_a_thread_nest_across_tracks)
{
	check_log("A B C c b B b a", "1.1A 1.2B 1.3C 1.3c 1.2b 1.2B 1.2b 1.1a");
}

TEST(a_track_may_be_inside_and_around_another)
{
	check_log("A B A a b a", "1.1A 1.2B 1.3A 1.3a 1.2b 1.1a");
}

TEST(instants_are_inside_of_the_open_slices)
{
	check_log("*A A *B B *A b a *B", "1.0* 1.1A 1.1* 1.2B 1.2* 1.2b 1.1a 1.0*");
}

TEST(a_slice_that_crosses_is_cut_and_goes_on_in_a_second_row)
{
	check_log("A B a b", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b");
}

TEST(a_track_that_crossed_once_stays_in_its_row)
{
	check_log("A B a b A B a b", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b 1.1A 2.1B 1.1a 2.1b");
}

TEST(slices_that_nest_in_one_that_moves_move_with_it)
{
	check_log("A B C a c b", "1.1A 1.2B 1.3C 1.3c! 1.2b! 1.1a 2.1B!2 2.2C!3 2.2c 2.1b");
}

TEST(a_slice_around_those_that_cross_stays)
{
	check_log("D A B a b d", "1.1D 1.2A 1.3B 1.3b! 1.2a 2.1B!3 2.1b 1.1d");
}

TEST(slices_that_cross_each_other_too_are_on_three_rows)
{
	check_log("A B C a b c A B C a b c",
		  "1.1A 1.2B 1.3C 1.3c! 1.2b! 1.1a 2.1B!2 2.2C!3 2.2c! 2.1b 3.1C!3 3.1c "
		  "1.1A 2.1B 3.1C 1.1a 2.1b 3.1c");
}

/* Of track B, one slice is open on the first row when the other one moves. */
TEST(slices_that_began_before_their_track_moved_end_on_their_row)
{
	check_log("B A B a b b", "1.1B 1.2A 1.3B 1.3b! 1.2a 2.1B!3 2.1b 1.1b");
}

/* B began at 2, C has been on the second row from 4 to 5. */
TEST(a_slice_moves_past_a_row_with_slices_in_its_time)
{
	check_log("A C a c A B C c a b",
		  "1.1A 1.2C 1.2c! 1.1a 2.1C!2 2.1c 1.1A 1.2B 2.1C 2.1c 1.2b! 1.1a 3.1B!6 3.1b");
}

TEST(a_slice_without_length_nests_at_the_time_of_others)
{
	check_log("A =B =b =a B =b", "1.1A 1.2B 1.2b 1.1a 1.1B 1.1b");
}

TEST(ends_at_one_time_that_are_records_are_in_their_order)
{
	check_log("A B a =b", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b");
}

TEST(slices_without_an_end_end_at_one_time_without_crossing)
{
	check_log("A B C a? =b? =c?", "1.1A 1.2B 1.3C 1.3c 1.2b 1.1a");
	check_log("A B C b? =a? =c?", "1.1A 1.2B 1.3C 1.3c 1.2b 1.1a");
}

TEST(a_slice_that_lost_its_end_is_crossed_by_what_goes_on)
{
	check_log("A B a? B b b", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.2B 2.2b 2.1b");
	check_log("A B a? b?", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b");
	check_log("A B C a? =b? *D c", "1.1A 1.2B 1.3C 1.3c! 1.2b 2.1C!3 1.1a 1.0* 2.1c");
}

TEST(a_record_may_end_a_slice_of_an_earlier_session)
{
	check_log("A B a- =b-", "1.1A 1.2B 1.2b 1.1a");
	check_log("A B a~ =b~", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b");
	check_log("A B a =b", "1.1A 1.2B 1.2b! 1.1a 2.1B!2 2.1b");
}

TEST(outputs_that_write_ends_get_the_place_of_the_whole_slice)
{
	FIXTURE(rows_test, test, false);

	script_run(&test, "A B a");
	CHECK_NUMBER(test.rows.place.row->number, 1);
	CHECK_NUMBER(test.rows.place.depth, 1);
	script_run(&test, "b");
	CHECK_NUMBER(test.rows.place.row->number, 2);
	CHECK_NUMBER(test.rows.place.depth, 1);
	CHECK_NUMBER(test.log.size, 0);
}

/* Begins and ends of slices of the first track: the place of each, and the letter of its name. */
static void crossing_run(struct rows_test *test, const char *script)
{
	int64_t time_ns = 0;

	for (; *script; script += 2) {
		bool is_end = *script >= 'a';
		char letter = is_end ? *script - 'a' + 'A' : *script;
		struct timeline_event event = {
			.kind = is_end ? TIMELINE_SLICE_END : TIMELINE_SLICE_BEGIN,
			.time_ns = ++time_ns,
			.depth = script[1] - '0',
			.track = &test->shown[0],
			.name = &test->names[letter - 'A'],
			.tid = 7,
		};

		CHECK(rows_event(&test->rows, &test->tracks[0], &event));
		script += script[2] == ' ';
	}
}

static void check_crossing(bool has_one_row, const char *script, const char *log)
{
	SCOPED(rows_test) test;

	rows_test_begin_with(&test, true, has_one_row);
	crossing_run(&test, script);
	CHECK_TEXT(buffer_string(&test.log), log);
}

TEST(slices_of_one_track_that_cross_are_cut_once_and_then_on_rows_of_their_own)
{
	check_crossing(false, "A1 B2 a1 C1 b2 D2 c1 d2",
		       "1.1A 1.2B 1.2b! 1.1a 2.1B!2 1.1C 2.1b 2.1D 1.1c 2.1d");
	check_crossing(false, "A1 B2 C3 a1 D1 c3 b2 d1",
		       "1.1A 1.2B 1.3C 1.3c! 1.2b! 1.1a 2.1B!2 2.2C!3 1.1D 2.2c 2.1b 1.1d");
}

TEST(slices_of_a_track_with_one_row_are_cut_wherever_they_cross)
{
	check_crossing(true, "A1 B2 a1 C1 b2 c1",
		       "1.1A 1.2B 1.2b! 1.1a 1.1B!2 1.2C 1.2c! 1.1b 1.1C!4 1.1c");
	check_crossing(true, "A1 B2 C3 b2 a1 c3",
		       "1.1A 1.2B 1.3C 1.3c! 1.2b 1.2C!3 1.2c! 1.1a 1.1C!3 1.1c");
}

/* As coroutines, of which the oldest one always ends next. */
TEST(rows_of_slices_that_cross_are_limited)
{
	int64_t time_ns = 0;
	FIXTURE(rows_test, test, true);

	for (unsigned int i = 0; i < 6 * ROWS_MAX; i++) {
		unsigned int nr_open = 2 * ROWS_MAX;
		struct timeline_event event = { .kind = TIMELINE_SLICE_BEGIN,
						.depth = i % nr_open + 1,
						.track = &test.shown[0],
						.name = &test.names[0],
						.tid = 7 };

		for (int is_begin = i < nr_open; is_begin < 2; is_begin++) {
			event.time_ns = ++time_ns;
			event.kind = is_begin ? TIMELINE_SLICE_BEGIN : TIMELINE_SLICE_END;
			CHECK(rows_event(&test.rows, &test.tracks[0], &event));
			CHECK(test.rows.place.row->number <= ROWS_MAX + 1);
		}
	}
	CHECK(strstr(buffer_string(&test.log), " 32.") && !strstr(buffer_string(&test.log), "33."));
}

/* More pairwise crossing tracks than rows: the last ones are cut for good. */
TEST(rows_are_limited)
{
	struct timeline_track shown[2 * ROWS_MAX];
	struct row_track tracks[2 * ROWS_MAX];
	FIXTURE(rows_test, test, true);

	for (int i = 0; i < 2 * ROWS_MAX; i++) {
		shown[i] = test.shown[0];
		rows_track_begin(&test.rows, &tracks[i], &shown[i]);
	}
	for (int round = 0; round < 4 * ROWS_MAX; round++) {
		struct timeline_event event = { .kind = round < 2 * ROWS_MAX ? TIMELINE_SLICE_BEGIN
									     : TIMELINE_SLICE_END,
						.time_ns = round,
						.depth = 1,
						.name = &test.names[0] };
		struct row_track *track = &tracks[round % (2 * ROWS_MAX)];

		event.track = track->shown;
		CHECK(rows_event(&test.rows, track, &event));
		CHECK(test.rows.place.row->number <= ROWS_MAX + 1);
	}
	CHECK_NUMBER(test.rows.place.row->number, ROWS_MAX + 1);
	CHECK_NUMBER(test.rows.place.row->nr_open, 0);
	CHECK_NUMBER(tracks[2 * ROWS_MAX - 1].row->number, ROWS_MAX);
	CHECK(!strstr(buffer_string(&test.log), "33."));
	for (int i = 0; i < 2 * ROWS_MAX; i++)
		rows_track_end(&test.rows, &tracks[i]);
}

TEST(threads_have_rows_of_their_own)
{
	FIXTURE(rows_test, test, true);

	for (int i = 1; i < TRACKS; i++)
		CHECK(test.tracks[i].row == test.tracks[0].row);
	rows_track_end(&test.rows, &test.tracks[1]);
	test.shown[1].id.signed_number = 8;
	rows_track_begin(&test.rows, &test.tracks[1], &test.shown[1]);
	CHECK(test.tracks[1].row != test.tracks[0].row);
}

TEST(a_reused_id_is_another_thread)
{
	FIXTURE(rows_test, test, true);

	rows_track_end(&test.rows, &test.tracks[1]);
	rows_track_end(&test.rows, &test.tracks[2]);
	test.shown[1].born_ns = 5;
	rows_track_begin(&test.rows, &test.tracks[1], &test.shown[1]);
	CHECK(test.tracks[1].row == test.tracks[0].row);
	test.shown[2].born_ns = 9;
	rows_track_begin(&test.rows, &test.tracks[2], &test.shown[2]);
	CHECK(test.tracks[2].row != test.tracks[0].row);
}

TEST(states_counters_lanes_and_other_scopes_take_no_part)
{
	struct timeline_track track = { .scope = SCOPE_THREAD };

	CHECK(rows_take_track(&track));
	track.is_state = true;
	CHECK(!rows_take_track(&track));
	track = (struct timeline_track){ .scope = SCOPE_THREAD, .kind = TRACK_COUNTER };
	CHECK(!rows_take_track(&track));
	track = (struct timeline_track){ .scope = SCOPE_THREAD, .lane = 1 };
	CHECK(!rows_take_track(&track));
	track = (struct timeline_track){ .scope = SCOPE_THREAD, .nr_outer = 1 };
	CHECK(!rows_take_track(&track));
	track = (struct timeline_track){ .scope = SCOPE_CPU };
	CHECK(!rows_take_track(&track));
}

/* A process may be moved while it has no tracks. */
TEST(a_track_that_continues_in_another_cgroup_has_the_same_key)
{
	static const char *const cgroups[] = { NULL, "/a", "/b" };
	struct buffer keys[3] = { { 0 } };
	FIXTURE(rows_test, test, false);

	for (size_t i = 0; i < 3; i++) {
		test.shown[0].cgroup = cgroups[i];
		rows_append_key(&keys[i], &test.shown[0], false);
		CHECK_TEXT(buffer_string(&keys[i]), buffer_string(&keys[0]));
	}
	for (size_t i = 0; i < 3; i++)
		buffer_release(&keys[i]);
}
