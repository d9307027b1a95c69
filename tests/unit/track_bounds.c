// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the track room's bounds: tracks that are retired, names that are not kept, streams that
 * end early.
 */
#include "track/track.h"

#include <stdio.h>
#include <string.h>

#include "stage.h"
#include "tap.h"
#include "track/name.h"

#define NOTHING_LOST "0 lost, 0 unmatched, 0 malformed"

TEST(above_the_bound_the_least_recently_used_idle_track_is_retired)
{
	struct tracks_settings settings = { .idle_max = 3 };
	struct stage stage;

	stage_init(&stage, &settings);
	stage_instant(&stage, 101, 1, "x");
	stage_count(&stage, 102, 2, 5);
	stage_begin(&stage, 103, 3, "x");
	stage_end(&stage, 104, 3);
	stage_instant(&stage, 105, 1, "x");
	stage_count(&stage, 106, 2, 6);
	stage_told(&stage);
	stage_instant(&stage, 107, 4, "x");
	stage_instant(&stage, 108, 5, "x");
	stage_instant(&stage, 109, 3, "x");
	CHECK_TEXT(stage_told(&stage), "107 #3 -\n107 #4 + a:work slices 'work' tid 4\n107 #4 "
				       "instant 'x' depth 0 outer 107\n"
				       "108 #1 -\n108 #5 + a:work slices 'work' tid 5\n108 #5 "
				       "instant 'x' depth 0 outer 108\n"
				       "109 #2 -\n109 #6 + a:work slices 'work' tid 3\n109 #6 "
				       "instant 'x' depth 0 outer 109\n");
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "200 #4 -\n200 #5 -\n200 #6 -\n"
		   "200 finish 0: " NOTHING_LOST ", 0 unfinished, 0 suspect, 3 retired, 0 other\n");
	stage_release(&stage);
}

TEST(the_end_of_its_last_slice_is_a_use_of_a_track)
{
	struct tracks_settings settings = { .idle_max = 2 };
	struct stage stage;

	stage_init(&stage, &settings);
	stage_begin(&stage, 101, 1, "x");
	stage_instant(&stage, 102, 2, "x");
	stage_end(&stage, 103, 1);
	stage_told(&stage);
	stage_instant(&stage, 104, 3, "x");
	CHECK_TEXT(stage_told(&stage), "104 #2 -\n104 #3 + a:work slices 'work' tid 3\n104 #3 "
				       "instant 'x' depth 0 outer 104\n");
	stage_release(&stage);
}

TEST(a_track_with_an_open_slice_is_never_retired)
{
	struct tracks_settings settings = { .idle_max = 2 };
	struct stage stage;

	stage_init(&stage, &settings);
	for (int tid = 1; tid <= 5; tid++)
		stage_begin(&stage, 100 + tid, tid, "x");
	stage_told(&stage);
	stage_instant(&stage, 110, 3, "x");
	stage_instant(&stage, 111, 6, "x");
	stage_end(&stage, 112, 1);
	CHECK_TEXT(stage_told(&stage),
		   "110 #3 instant 'x' depth 1 outer 103\n"
		   "111 #6 + a:work slices 'work' tid 6\n111 #6 instant 'x' depth 0 outer 111\n"
		   "112 #1 end 'x' depth 1 from 101\n");
	stage_release(&stage);
}

TEST(tracks_that_were_open_above_the_bound_are_retired_once_they_are_idle)
{
	struct tracks_settings settings = { .idle_max = 2 };
	struct stage stage;

	stage_init(&stage, &settings);
	for (int tid = 1; tid <= 5; tid++)
		stage_begin(&stage, 100 + tid, tid, "x");
	for (int tid = 5; tid >= 1; tid--)
		stage_end(&stage, 120 - tid, tid);
	stage_told(&stage);
	stage_instant(&stage, 130, 6, "x");
	CHECK_TEXT(stage_told(&stage),
		   "130 #5 -\n130 #4 -\n130 #3 -\n130 #2 -\n"
		   "130 #6 + a:work slices 'work' tid 6\n130 #6 instant 'x' depth 0 outer 130\n");
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "200 #1 -\n200 #6 -\n"
		   "200 finish 0: " NOTHING_LOST ", 0 unfinished, 0 suspect, 4 retired, 0 other\n");
	stage_release(&stage);
}

TEST(without_a_setting_the_bound_is_16384_tracks)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int tid = 1; tid <= TRACKS_IDLE_MAX; tid++)
		stage_instant(&stage, 110, tid, "x");
	stage_told(&stage);
	stage_instant(&stage, 120, TRACKS_IDLE_MAX, "x");
	CHECK_TEXT(stage_told(&stage), "120 #16384 instant 'x' depth 0 outer 110\n");
	stage_instant(&stage, 120, TRACKS_IDLE_MAX + 1, "x");
	CHECK_TEXT(stage_told(&stage), "120 #1 -\n120 #16385 + a:work slices 'work' tid 16385\n"
				       "120 #16385 instant 'x' depth 0 outer 120\n");
	stage_release(&stage);
}

/* What the finish says behind the slices without an end. */
static void check_evicted(struct stage *stage, unsigned int nr_slices, unsigned int nr_retired,
			  unsigned int nr_evicted)
{
	const char *finish;
	char want[128];

	snprintf(want, sizeof(want), "%u unfinished, 0 suspect, %u retired, 0 other, %u evicted slices\n",
		 nr_slices, nr_retired, nr_evicted);
	stage_told(stage);
	stage_finish(stage, 1000000);
	finish = strstr(stage_told(stage), " malformed, ");
	CHECK_TEXT(finish ? finish + strlen(" malformed, ") : "", want);
}

TEST(one_slice_more_than_a_track_can_hold_closes_the_track)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int i = 0; i < TRACK_SLICES_MAX; i++)
		stage_begin(&stage, 110, 1, "x");
	stage_told(&stage);
	stage_begin(&stage, 120, 1, "y");
	CHECK(strncmp(stage_told(&stage), "120 #1 end 'x' depth 16384 from 110 unfinished\n", 47) ==
	      0);
	stage_end(&stage, 130, 1);
	CHECK_TEXT(stage_told(&stage), "130 #2 end 'y' depth 1 from 120\n");
	check_evicted(&stage, TRACK_SLICES_MAX, 1, TRACK_SLICES_MAX);
	stage_release(&stage);
}

TEST(above_20480_tracks_those_that_have_been_open_longest_are_closed)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int tid = 1; tid <= 20480; tid++)
		stage_begin(&stage, 30000 - tid / 2, 20481 - tid, "x");
	stage_told(&stage);
	stage_instant(&stage, 40000, 30000, "y");
	CHECK(strncmp(stage_told(&stage),
		      "40000 #1 end 'x' depth 1 from 30000 unfinished\n40000 #1 -\n"
		      "40000 #2 end 'x' depth 1 from 30000 unfinished\n40000 #2 -\n",
		      116) == 0);
	check_evicted(&stage, 20480, 4096, 4096);
	stage_release(&stage);
}

TEST(what_open_slices_take_is_bounded_on_all_tracks_together)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int tid = 1; tid <= 100; tid++) {
		for (int i = 0; i < 4096; i++)
			stage_begin(&stage, 110 + tid, tid, "x");
		stage_told(&stage);
	}
	/* A stack takes 128 KiB: of each 65, the 33 oldest are closed. */
	check_evicted(&stage, 100 * 4096, 66, 66 * 4096);
	stage_release(&stage);
}

TEST(names_of_open_slices_are_bounded_likewise)
{
	struct tracks_settings settings = { .names_max = 1 };
	static char name[60000];
	struct stage stage;

	stage_init(&stage, &settings);
	stage_instant(&stage, 110, 1, "counted");
	memset(name, 'x', sizeof(name) - 1);
	for (int i = 0; i < 1000; i++) {
		stage_begin(&stage, 110 + i, 1 + i % 500, name);
		stage_told(&stage);
	}
	stage_finish(&stage, 2000);
	CHECK(strstr(stage_told(&stage), " evicted slices\n") != NULL);
	stage_release(&stage);
}

TEST(names_that_are_kept_are_bounded_by_their_size)
{
	struct names names = { .max = 1000 };
	static char name[60000];
	size_t nr_kept = 0;

	memset(name, 'x', sizeof(name));
	for (size_t i = 0; i < 1000; i++) {
		struct name *one = names_get(&names, 0, (struct text){ name, sizeof(name) - i });

		nr_kept += one->shown.is_counted;
		name_put(one);
	}
	CHECK(nr_kept > 60 && nr_kept < 71);
	names_release(&names);
}

TEST(names_beyond_the_bound_are_told_but_not_counted)
{
	struct tracks_settings settings = { .names_max = 2 };
	struct observation other = stage_observation(STAGE_QUEUE, OBSERVATION_INSTANT, 120, 1);
	struct stage stage;

	stage_init(&stage, &settings);
	stage_begin(&stage, 110, 1, "a");
	stage_instant(&stage, 110, 1, "b");
	stage_begin(&stage, 110, 1, "c");
	stage_begin(&stage, 110, 1, "c");
	stage_instant(&stage, 111, 1, "d");
	stage_end(&stage, 112, 1);
	stage_end(&stage, 113, 1);
	stage_end(&stage, 114, 1);
	stage_instant(&stage, 115, 1, "b");
	other.slice_name = text_of("c");
	CHECK_NUMBER(stage_observe(&stage, &other), 0);
	stage_begin(&stage, 130, 1, "e");
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 1\n"
		   "110 #1 begin 'a' depth 1\n"
		   "110 #1 instant 'b' depth 1 outer 110\n"
		   "110 #1 begin ~'c' depth 2\n"
		   "110 #1 begin ~'c' depth 3\n"
		   "111 #1 instant ~'d' depth 3 outer 110\n"
		   "112 #1 end ~'c' depth 3 from 110\n"
		   "113 #1 end ~'c' depth 2 from 110\n"
		   "114 #1 end 'a' depth 1 from 110\n"
		   "115 #1 instant 'b' depth 0 outer 110\n"
		   "120 #2 + a:queue slices 'queue' custom 1 scope_queue\n"
		   "120 #2 instant 'c' depth 0 outer 120\n"
		   "130 #1 begin ~'e' depth 1\n"
		   "200 #1 end ~'e' depth 1 from 130 unfinished\n"
		   "200 #1 -\n200 #2 -\n"
		   "200 finish 0: " NOTHING_LOST ", 1 unfinished, 0 suspect, 0 retired, 4 other\n");
	stage_release(&stage);
}

TEST(a_counted_name_is_one_object_for_each_tracepoint)
{
	struct names names = { .max = 2 };
	struct name *a = names_get(&names, 0, text_of("a"));
	struct name *empty = names_get(&names, 0, text_of(""));
	struct name *third = names_get(&names, 0, text_of("b"));
	struct name *elsewhere = names_get(&names, 70, text_of("a"));

	CHECK(a->shown.is_counted && empty->shown.is_counted && !third->shown.is_counted);
	CHECK(names_get(&names, 0, text_of("a")) == a);
	CHECK(names_get(&names, 0, text_of("")) == empty);
	CHECK(elsewhere != a && elsewhere->shown.is_counted);
	CHECK_NUMBER(a->shown.number, 0);
	CHECK_NUMBER(empty->shown.number, 1);
	CHECK_NUMBER(elsewhere->shown.number, 0);
	name_put(a);
	CHECK(names_get(&names, 0, text_of("a")) == a);
	name_put(third);
	names_release(&names);
}

TEST(without_a_setting_a_thousand_names_of_a_tracepoint_are_kept)
{
	struct stage stage;
	char name[32];

	stage_init(&stage, NULL);
	for (int i = 1; i <= TRACKS_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		stage_instant(&stage, 110, 1, name);
	}
	CHECK(strstr(stage_told(&stage), "instant 'name 1000' ") != NULL);
	stage_instant(&stage, 110, 1, "one more");
	CHECK_TEXT(stage_told(&stage), "110 #1 instant ~'one more' depth 0 outer 110\n");
	stage_release(&stage);
}

static int show(struct stage *stage, enum stage_tracepoint tracepoint, enum observation_kind kind,
		int tid)
{
	struct observation observation = stage_observation(tracepoint, kind, 110, tid);

	observation.slice_name = text_of(tid % 2 && kind == OBSERVATION_BEGIN ? "counted"
									      : "not counted");
	return stage_observe(stage, &observation);
}

/* Something of everything, up to the first failure; the fifth and the sixth track retire others. */
static int play_all(struct stage *stage)
{
	struct observation bad = stage_observation(STAGE_WORK, OBSERVATION_BEGIN, 110, 1);
	struct tracks_gap gap = {
		.cpu = 3, .from_ns = 110, .to_ns = 120, .count = TIMELINE_COUNT_UNKNOWN
	};

	for (int tid = 1; tid <= 6; tid++) {
		if (show(stage, STAGE_WORK, OBSERVATION_BEGIN, tid) < 0)
			return -1;
		if (show(stage, STAGE_WORK, OBSERVATION_INSTANT, tid) < 0)
			return -1;
		if (tid % 2 && show(stage, STAGE_WORK, OBSERVATION_END, tid) < 0)
			return -1;
	}
	if (show(stage, STAGE_LOAD, OBSERVATION_COUNTER, 1) < 0)
		return -1;
	bad.problem = "bad";
	if (tracks_reject(stage->tracks, &bad, &stage->error) < 0)
		return -1;
	if (tracks_lose(stage->tracks, &gap, &stage->error) < 0)
		return -1;
	return tracks_finish(stage->tracks, 200, 0, 0, &stage->error);
}

TEST(the_first_failure_of_an_output_ends_everything_wherever_it_happens)
{
	struct tracks_settings settings = { .idle_max = 4, .names_max = 1 };
	unsigned int nr_failures = 0;
	int status = -1;

	while (status < 0 && nr_failures < 100) {
		struct stage stage;

		stage_init(&stage, &settings);
		stage.fails_after = ++nr_failures;
		status = play_all(&stage);
		CHECK_TEXT(stage.error.text, status < 0 ? "the notebook is full" : "");
		stage_release(&stage);
	}
	/*
	 * 7 tracks come and go, 6 slices begin and end; 6 instants, 1 sample, 1 malformed, 1 loss,
	 * the finish.
	 */
	CHECK_NUMBER(nr_failures, 2 * 7 + 2 * 6 + 6 + 4);
}
