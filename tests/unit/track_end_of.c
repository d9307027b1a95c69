// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ends that name the begin of their slice, and of slices that cross on one track. */
#include "track/track.h"

#include <string.h>

#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

static int add(struct track_fixture *fixture, int64_t time_ns, enum decoded_kind kind,
	       const char *name, int64_t begin_ns)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, kind, time_ns, 7);

	decoded.slice_name = text_of(name);
	decoded.begin_ns = begin_ns;
	return track_fixture_add(fixture, &decoded);
}

static void begin(struct track_fixture *fixture, int64_t time_ns, const char *name)
{
	CHECK_NUMBER(add(fixture, time_ns, DECODED_BEGIN, name, 0), 0);
}

static void end(struct track_fixture *fixture, int64_t time_ns)
{
	CHECK_NUMBER(add(fixture, time_ns, DECODED_END, "", 0), 0);
}

static void end_of(struct track_fixture *fixture, int64_t time_ns, int64_t begin_ns)
{
	CHECK_NUMBER(add(fixture, time_ns, DECODED_END_OF, "", begin_ns), 0);
}

static bool has_finish(struct track_fixture *fixture, const char *totals)
{
	track_fixture_finish(fixture, 900);
	return strstr(track_fixture_output(fixture), totals) != NULL;
}

TEST(an_end_ends_the_slice_that_it_names)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	track_fixture_output(&fixture);
	end_of(&fixture, 130, 110);
	CHECK_TEXT(track_fixture_output(&fixture), "130 #1 end 'a' depth 1 from 110\n");
	end_of(&fixture, 140, 120);
	CHECK_TEXT(track_fixture_output(&fixture), "140 #1 end 'b' depth 2 in 0 from 120\n");
	CHECK(has_finish(&fixture, ": 0 lost, 0 unmatched, 0 malformed, 0 unfinished, 0 suspect"));
}

TEST(an_end_that_names_no_open_slice_is_counted_and_ends_none)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	end_of(&fixture, 130, 110);
	track_fixture_output(&fixture);
	end_of(&fixture, 140, 110);
	end_of(&fixture, 140, 115);
	end_of(&fixture, 140, INT64_MIN);
	CHECK_TEXT(track_fixture_output(&fixture), "");
	CHECK(has_finish(&fixture, ": 0 lost, 3 unmatched, 0 malformed, 1 unfinished, 0 suspect"));
}

TEST(slices_that_cross_keep_their_places_and_leave_them_free)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	begin(&fixture, 130, "c");
	end_of(&fixture, 140, 120);
	end_of(&fixture, 150, 110);
	track_fixture_output(&fixture);
	begin(&fixture, 160, "d");
	begin(&fixture, 170, "e");
	begin(&fixture, 180, "f");
	CHECK_TEXT(track_fixture_output(&fixture), "160 #1 begin 'd' depth 1 in 3\n"
						   "170 #1 begin 'e' depth 2\n"
						   "180 #1 begin 'f' depth 4 in 2\n");
	end_of(&fixture, 190, 180);
	end_of(&fixture, 200, 130);
	begin(&fixture, 210, "g");
	CHECK_TEXT(track_fixture_output(&fixture), "190 #1 end 'f' depth 4 in 2 from 180\n"
						   "200 #1 end 'c' depth 3 in 0 from 130\n"
						   "210 #1 begin 'g' depth 3\n");
}

TEST(an_end_without_a_name_ends_the_slice_that_began_last)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	end_of(&fixture, 130, 110);
	begin(&fixture, 140, "c");
	CHECK_NUMBER(add(&fixture, 145, DECODED_INSTANT, "i", 0), 0);
	track_fixture_output(&fixture);
	end(&fixture, 150);
	CHECK_NUMBER(add(&fixture, 155, DECODED_INSTANT, "i", 0), 0);
	end(&fixture, 160);
	begin(&fixture, 170, "d");
	CHECK_TEXT(track_fixture_output(&fixture), "150 #1 end 'c' depth 1 in 2 from 140\n"
						   "155 #1 instant 'i' depth 2 outer 120\n"
						   "160 #1 end 'b' depth 2 in 0 from 120\n"
						   "170 #1 begin 'd' depth 1\n");
}

TEST(slices_that_crossed_nest_in_the_next_session_and_can_be_named)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	begin(&fixture, 130, "c");
	end_of(&fixture, 140, 110);
	begin(&fixture, 150, "d");
	end_of(&fixture, 160, 120);
	track_fixture_output(&fixture);
	track_fixture_renew(&fixture, 200);
	CHECK(strstr(track_fixture_output(&fixture), "200 #1 begin 'c' depth 1 continued\n"
						     "200 #1 begin 'd' depth 2 continued\n"));
	end_of(&fixture, 210, 130);
	end(&fixture, 220);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "210 #1 end 'c' depth 1 from 200 continued\n"
		   "220 #1 end 'd' depth 2 in 0 from 200 continued\n");
}

TEST(a_late_begin_is_named_by_the_time_of_its_record)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 120, "a");
	begin(&fixture, 110, "late");
	track_fixture_output(&fixture);
	end_of(&fixture, 130, 110);
	CHECK_TEXT(track_fixture_output(&fixture), "130 #1 end 'late' depth 2 from 120\n");
}

TEST(what_is_open_among_free_places_is_unfinished)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin(&fixture, 110, "a");
	begin(&fixture, 120, "b");
	begin(&fixture, 130, "c");
	begin(&fixture, 140, "d");
	end_of(&fixture, 150, 110);
	end_of(&fixture, 150, 130);
	track_fixture_output(&fixture);
	track_fixture_finish(&fixture, 160);
	CHECK(strstr(track_fixture_output(&fixture),
		     "160 #1 end 'd' depth 4 in 2 from 140 unfinished\n"
		     "160 #1 end 'b' depth 2 in 0 from 120 unfinished\n160 #1 -\n"));
}
