// SPDX-License-Identifier: GPL-2.0-only
/* Tests of recordings that go on in another session: what ends, what goes on, what is counted. */
#include "stage.h"
#include "tap.h"

#define FINISH(counts) " finish 0: 0 lost, " counts ", 0 retired, 0 other\n"
#define NOTHING "0 unmatched, 0 malformed, 0 unfinished, 0 suspect"

TEST(open_slices_go_on_as_continued_ones)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 1, "outer");
	stage_begin(&stage, 120, 1, "inner");
	stage_told(&stage);
	stage_renew(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "200 #1 end 'inner' depth 2 from 120 continued\n"
		   "200 #1 end 'outer' depth 1 from 110 continued\n200 #1 -\n200" FINISH(
			   NOTHING) "200 #1 + a:work slices 'work' tid 1\n"
				    "200 #1 begin 'outer' depth 1 continued\n"
				    "200 #1 begin 'inner' depth 2 continued\n");
	stage_begin(&stage, 205, 1, "new");
	stage_end(&stage, 208, 1);
	stage_end(&stage, 210, 1);
	stage_instant(&stage, 215, 1, "x");
	stage_renew(&stage, 300);
	stage_end(&stage, 310, 1);
	CHECK_TEXT(
		stage_told(&stage),
		"205 #1 begin 'new' depth 3\n"
		"208 #1 end 'new' depth 3 from 205\n"
		"210 #1 end 'inner' depth 2 from 200 continued\n"
		"215 #1 instant 'x' depth 1 outer 200\n"
		"300 #1 end 'outer' depth 1 from 200 continued\n"
		"300 #1 -\n300" FINISH(NOTHING) "300 #1 + a:work slices 'work' tid 1\n"
						"300 #1 begin 'outer' depth 1 continued\n"
						"310 #1 end 'outer' depth 1 from 300 continued\n");
	stage_release(&stage);
}

TEST(tracks_without_open_slices_come_back_when_they_are_used)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_instant(&stage, 110, 1, "x");
	stage_count(&stage, 120, 2, 5);
	stage_begin(&stage, 130, 3, "y");
	stage_told(&stage);
	stage_renew(&stage, 200);
	stage_count(&stage, 210, 2, 6);
	stage_end(&stage, 220, 3);
	CHECK_TEXT(stage_told(&stage),
		   "200 #1 -\n200 #2 -\n200 #3 end 'y' depth 1 from 130 continued\n200 #3 -\n"
		   "200" FINISH(NOTHING) "200 #1 + a:work slices 'work' tid 3\n"
					 "200 #1 begin 'y' depth 1 continued\n"
					 "210 #2 + a:load counter 'load' tid 2\n"
					 "210 #2 6 depth 0 outer 210\n"
					 "220 #1 end 'y' depth 1 from 200 continued\n");
	stage_release(&stage);
}

TEST(each_session_counts_its_own)
{
	struct observation odd = stage_observation(STAGE_WORK, OBSERVATION_BEGIN, 115, 1);
	struct stage stage;

	odd.problem = "odd";
	stage_init(&stage, NULL);
	stage_end(&stage, 110, 1);
	tracks_reject(stage.tracks, &odd, &stage.error);
	stage_renew(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 1\n115 malformed a:work: odd\n200 #1 -\n"
		   "200" FINISH("1 unmatched, 1 malformed, 0 unfinished, 0 suspect"));
	tracks_reject(stage.tracks, &odd, &stage.error);
	stage_begin(&stage, 220, 1, "x");
	stage_finish(&stage, 300);
	CHECK_TEXT(stage_told(&stage),
		   "200 malformed a:work: odd\n220 #1 + a:work slices 'work' tid 1\n"
		   "220 #1 begin 'x' depth 1\n300 #1 end 'x' depth 1 from 220 unfinished\n"
		   "300 #1 -\n"
		   "300" FINISH("0 unmatched, 1 malformed, 1 unfinished, 0 suspect"));
	stage_release(&stage);
}

/* The loss is told in the first session; what overlapped it then stays in doubt. */
TEST(a_slice_that_was_suspect_stays_so)
{
	struct tracks_gap gap = { .from_ns = 115, .to_ns = 125, .count = 3 };
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 1, "x");
	tracks_lose(stage.tracks, &gap, &stage.error);
	stage_told(&stage);
	stage_renew(&stage, 200);
	stage_begin(&stage, 210, 2, "clean");
	stage_end(&stage, 220, 2);
	stage_end(&stage, 230, 1);
	CHECK_TEXT(
		stage_told(&stage), "200 #1 end 'x' depth 1 from 110 continued suspect\n200 #1 -\n"
				    "200" FINISH("0 unmatched, 0 malformed, 0 unfinished, 1 "
						 "suspect") "200 #1 + a:work slices 'work' tid "
							    "1\n200 #1 begin 'x' depth 1 "
							    "continued\n"
							    "210 #2 + a:work slices 'work' tid "
							    "2\n210 #2 begin 'clean' depth 1\n"
							    "220 #2 end 'clean' depth 1 from 210\n"
							    "230 #1 end 'x' depth 1 from 200 "
							    "continued suspect\n");
	stage_release(&stage);
}
