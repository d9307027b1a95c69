// SPDX-License-Identifier: GPL-2.0-only
/* Tests of recordings that go on in another session: what ends, what goes on, what is counted. */
#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

#define FINISH(counts) " finish 0: 0 lost, " counts ", 0 retired, 0 other\n"
#define NOTHING "0 unmatched, 0 malformed, 0 unfinished, 0 suspect"

TEST(open_slices_go_on_as_continued_ones)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 1, "outer");
	track_fixture_begin(&fixture, 120, 1, "inner");
	track_fixture_output(&fixture);
	track_fixture_renew(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 end 'inner' depth 2 from 120 continued\n"
		   "200 #1 end 'outer' depth 1 from 110 continued\n200 #1 -\n200" FINISH(
			   NOTHING) "200 #1 + a:work slices 'work' tid 1\n"
				    "200 #1 begin 'outer' depth 1 continued\n"
				    "200 #1 begin 'inner' depth 2 continued\n");
	track_fixture_begin(&fixture, 205, 1, "new");
	track_fixture_end(&fixture, 208, 1);
	track_fixture_end(&fixture, 210, 1);
	track_fixture_instant(&fixture, 215, 1, "x");
	track_fixture_renew(&fixture, 300);
	track_fixture_end(&fixture, 310, 1);
	CHECK_TEXT(
		track_fixture_output(&fixture),
		"205 #1 begin 'new' depth 3\n"
		"208 #1 end 'new' depth 3 from 205\n"
		"210 #1 end 'inner' depth 2 from 200 continued\n"
		"215 #1 instant 'x' depth 1 outer 200\n"
		"300 #1 end 'outer' depth 1 from 200 continued\n"
		"300 #1 -\n300" FINISH(NOTHING) "300 #1 + a:work slices 'work' tid 1\n"
						"300 #1 begin 'outer' depth 1 continued\n"
						"310 #1 end 'outer' depth 1 from 300 continued\n");
}

TEST(tracks_without_open_slices_come_back_when_they_are_used)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_instant(&fixture, 110, 1, "x");
	track_fixture_count(&fixture, 120, 2, 5);
	track_fixture_begin(&fixture, 130, 3, "y");
	track_fixture_output(&fixture);
	track_fixture_renew(&fixture, 200);
	track_fixture_count(&fixture, 210, 2, 6);
	track_fixture_end(&fixture, 220, 3);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 -\n200 #2 -\n200 #3 end 'y' depth 1 from 130 continued\n200 #3 -\n"
		   "200" FINISH(NOTHING) "200 #1 + a:work slices 'work' tid 3\n"
					 "200 #1 begin 'y' depth 1 continued\n"
					 "210 #2 + a:load counter 'load' tid 2\n"
					 "210 #2 6 depth 0 outer 210\n"
					 "220 #1 end 'y' depth 1 from 200 continued\n");
}

TEST(each_session_counts_its_own)
{
	struct decoded_event odd = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 115, 1);
	SCOPED(track_fixture) fixture;

	odd.problem = "odd";
	track_fixture_init(&fixture, NULL);
	track_fixture_end(&fixture, 110, 1);
	tracks_reject(fixture.tracks, &odd, &fixture.error);
	track_fixture_renew(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 1\n115 malformed a:work: odd\n200 #1 -\n"
		   "200" FINISH("1 unmatched, 1 malformed, 0 unfinished, 0 suspect"));
	tracks_reject(fixture.tracks, &odd, &fixture.error);
	track_fixture_begin(&fixture, 220, 1, "x");
	track_fixture_finish(&fixture, 300);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 malformed a:work: odd\n220 #1 + a:work slices 'work' tid 1\n"
		   "220 #1 begin 'x' depth 1\n300 #1 end 'x' depth 1 from 220 unfinished\n"
		   "300 #1 -\n"
		   "300" FINISH("0 unmatched, 1 malformed, 1 unfinished, 0 suspect"));
}

/* The loss is reported in the first session; what overlapped it then stays in doubt. */
TEST(a_slice_that_was_suspect_stays_so)
{
	struct loss gap = { .from_ns = 115, .to_ns = 125, .count = 3 };
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 1, "x");
	tracks_lose(fixture.tracks, &gap, &fixture.error);
	track_fixture_output(&fixture);
	track_fixture_renew(&fixture, 200);
	track_fixture_begin(&fixture, 210, 2, "clean");
	track_fixture_end(&fixture, 220, 2);
	track_fixture_end(&fixture, 230, 1);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 end 'x' depth 1 from 110 continued suspect\n200 #1 -\n"
		   "200" FINISH("0 unmatched, 0 malformed, 0 unfinished, 1 "
				"suspect") "200 #1 + a:work slices 'work' tid "
					   "1\n200 #1 begin 'x' depth 1 "
					   "continued\n"
					   "210 #2 + a:work slices 'work' tid "
					   "2\n210 #2 begin 'clean' depth 1\n"
					   "220 #2 end 'clean' depth 1 from 210\n"
					   "230 #1 end 'x' depth 1 from 200 "
					   "continued suspect\n");
}
