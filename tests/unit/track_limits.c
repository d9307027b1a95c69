// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the track module's bounds: tracks that are retired, names that are not kept, streams
 * that end early.
 */
#include "track/track.h"

#include <stdio.h>
#include <string.h>

#include "fixtures/tap.h"
#include "fixtures/track_fixture.h"

#define NOTHING_LOST "0 lost, 0 unmatched, 0 malformed"

TEST(above_the_bound_the_least_recently_used_idle_track_is_retired)
{
	struct tracks_settings settings = { .idle_max = 3 };
	FIXTURE(track_fixture, fixture, &settings);

	track_fixture_instant(&fixture, 101, 1, "x");
	track_fixture_count(&fixture, 102, 2, 5);
	track_fixture_begin(&fixture, 103, 3, "x");
	track_fixture_end(&fixture, 104, 3);
	track_fixture_instant(&fixture, 105, 1, "x");
	track_fixture_count(&fixture, 106, 2, 6);
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 107, 4, "x");
	track_fixture_instant(&fixture, 108, 5, "x");
	track_fixture_instant(&fixture, 109, 3, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "107 #3 -\n107 #4 + a:work slices 'work' tid 4\n107 #4 "
		   "instant 'x' depth 0 outer 107\n"
		   "108 #1 -\n108 #5 + a:work slices 'work' tid 5\n108 #5 "
		   "instant 'x' depth 0 outer 108\n"
		   "109 #2 -\n109 #6 + a:work slices 'work' tid 3\n109 #6 "
		   "instant 'x' depth 0 outer 109\n");
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #4 -\n200 #5 -\n200 #6 -\n"
		   "200 finish 0: " NOTHING_LOST ", 0 unfinished, 0 suspect, 3 retired, 0 other\n");
}

TEST(the_end_of_its_last_slice_is_a_use_of_a_track)
{
	struct tracks_settings settings = { .idle_max = 2 };
	FIXTURE(track_fixture, fixture, &settings);

	track_fixture_begin(&fixture, 101, 1, "x");
	track_fixture_instant(&fixture, 102, 2, "x");
	track_fixture_end(&fixture, 103, 1);
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 104, 3, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "104 #2 -\n104 #3 + a:work slices 'work' tid 3\n104 #3 "
		   "instant 'x' depth 0 outer 104\n");
}

TEST(a_track_with_an_open_slice_is_never_retired)
{
	struct tracks_settings settings = { .idle_max = 2 };
	FIXTURE(track_fixture, fixture, &settings);

	for (int tid = 1; tid <= 5; tid++)
		track_fixture_begin(&fixture, 100 + tid, tid, "x");
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 110, 3, "x");
	track_fixture_instant(&fixture, 111, 6, "x");
	track_fixture_end(&fixture, 112, 1);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #3 instant 'x' depth 1 outer 103\n"
		   "111 #6 + a:work slices 'work' tid 6\n111 #6 instant 'x' depth 0 outer 111\n"
		   "112 #1 end 'x' depth 1 from 101\n");
}

TEST(tracks_that_were_open_above_the_bound_are_retired_once_they_are_idle)
{
	struct tracks_settings settings = { .idle_max = 2 };
	FIXTURE(track_fixture, fixture, &settings);

	for (int tid = 1; tid <= 5; tid++)
		track_fixture_begin(&fixture, 100 + tid, tid, "x");
	for (int tid = 5; tid >= 1; tid--)
		track_fixture_end(&fixture, 120 - tid, tid);
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 130, 6, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "130 #5 -\n130 #4 -\n130 #3 -\n130 #2 -\n"
		   "130 #6 + a:work slices 'work' tid 6\n130 #6 instant 'x' depth 0 outer 130\n");
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 -\n200 #6 -\n"
		   "200 finish 0: " NOTHING_LOST ", 0 unfinished, 0 suspect, 4 retired, 0 other\n");
}

TEST(without_a_setting_the_bound_is_16384_tracks)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int tid = 1; tid <= TRACKS_IDLE_MAX; tid++)
		track_fixture_instant(&fixture, 110, tid, "x");
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 120, TRACKS_IDLE_MAX, "x");
	CHECK_TEXT(track_fixture_output(&fixture), "120 #16384 instant 'x' depth 0 outer 110\n");
	track_fixture_instant(&fixture, 120, TRACKS_IDLE_MAX + 1, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 #1 -\n120 #16385 + a:work slices 'work' tid 16385\n"
		   "120 #16385 instant 'x' depth 0 outer 120\n");
}

/* The lines of the finish after the incomplete slices. */
static void check_evicted(struct track_fixture *fixture, unsigned int nr_slices,
			  unsigned int nr_retired, unsigned int nr_evicted)
{
	const char *finish;
	char want[128];

	snprintf(want, sizeof(want),
		 "%u unfinished, 0 suspect, %u retired, 0 other, %u evicted slices\n", nr_slices,
		 nr_retired, nr_evicted);
	track_fixture_output(fixture);
	track_fixture_finish(fixture, 1000000);
	finish = strstr(track_fixture_output(fixture), " malformed, ");
	CHECK_TEXT(finish ? finish + strlen(" malformed, ") : "", want);
}

TEST(one_slice_more_than_a_track_can_hold_closes_the_track)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < TRACK_SLICES_MAX; i++)
		track_fixture_begin(&fixture, 110, 1, "x");
	track_fixture_output(&fixture);
	track_fixture_begin(&fixture, 120, 1, "y");
	CHECK(strncmp(track_fixture_output(&fixture),
		      "120 #1 end 'x' depth 16384 from 110 unfinished\n", 47) == 0);
	track_fixture_end(&fixture, 130, 1);
	CHECK_TEXT(track_fixture_output(&fixture), "130 #2 end 'y' depth 1 from 120\n");
	check_evicted(&fixture, TRACK_SLICES_MAX, 1, TRACK_SLICES_MAX);
}

TEST(above_20480_tracks_those_that_have_been_open_longest_are_closed)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int tid = 1; tid <= 20480; tid++)
		track_fixture_begin(&fixture, 30000 - tid / 2, 20481 - tid, "x");
	track_fixture_output(&fixture);
	track_fixture_instant(&fixture, 40000, 30000, "y");
	CHECK(strncmp(track_fixture_output(&fixture),
		      "40000 #1 end 'x' depth 1 from 30000 unfinished\n40000 #1 -\n"
		      "40000 #2 end 'x' depth 1 from 30000 unfinished\n40000 #2 -\n",
		      116) == 0);
	check_evicted(&fixture, 20480, 4096, 4096);
}

TEST(what_open_slices_take_is_bounded_on_all_tracks_together)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int tid = 1; tid <= 100; tid++) {
		for (int i = 0; i < 4096; i++)
			track_fixture_begin(&fixture, 110 + tid, tid, "x");
		track_fixture_output(&fixture);
	}
	/* A stack takes 192 KiB: of each 43, the 22 oldest are closed. */
	check_evicted(&fixture, 100 * 4096, 66, 66 * 4096);
}

TEST(names_of_open_slices_are_bounded_likewise)
{
	struct tracks_settings settings = { .names_max = 1 };
	static char name[60000];
	FIXTURE(track_fixture, fixture, &settings);

	track_fixture_instant(&fixture, 110, 1, "counted");
	memset(name, 'x', sizeof(name) - 1);
	for (int i = 0; i < 1000; i++) {
		track_fixture_begin(&fixture, 110 + i, 1 + i % 500, name);
		track_fixture_output(&fixture);
	}
	track_fixture_finish(&fixture, 2000);
	CHECK(strstr(track_fixture_output(&fixture), " evicted slices\n") != NULL);
}

TEST(names_that_are_kept_are_bounded_by_their_size)
{
	struct tracks_settings settings = { .names_max = 1000 };
	static char name[60000];
	size_t nr_kept = 0;
	FIXTURE(track_fixture, fixture, &settings);

	memset(name, 'x', sizeof(name) - 1);
	for (size_t i = 0; i < 100; i++) {
		track_fixture_instant(&fixture, 110, 1, name + i);
		nr_kept += strstr(track_fixture_output(&fixture), "instant 'x") != NULL;
	}
	CHECK(nr_kept > 60 && nr_kept < 71);
}

TEST(names_beyond_the_bound_are_reported_but_not_counted)
{
	struct tracks_settings settings = { .names_max = 2 };
	struct decoded_event other = track_fixture_event(FIXTURE_QUEUE, DECODED_INSTANT, 120, 1);
	FIXTURE(track_fixture, fixture, &settings);

	track_fixture_begin(&fixture, 110, 1, "a");
	track_fixture_instant(&fixture, 110, 1, "b");
	track_fixture_begin(&fixture, 110, 1, "c");
	track_fixture_begin(&fixture, 110, 1, "c");
	track_fixture_instant(&fixture, 111, 1, "d");
	track_fixture_end(&fixture, 112, 1);
	track_fixture_end(&fixture, 113, 1);
	track_fixture_end(&fixture, 114, 1);
	track_fixture_instant(&fixture, 115, 1, "b");
	other.slice_name = text_of("c");
	for (int i = 0; i < 3; i++)
		CHECK_NUMBER(track_fixture_add(&fixture, &other), 0);
	track_fixture_begin(&fixture, 130, 1, "e");
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
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
		   "120 #2 instant 'c' depth 0 outer 120\n"
		   "120 #2 instant 'c' depth 0 outer 120\n"
		   "130 #1 begin ~'e' depth 1\n"
		   "200 #1 end ~'e' depth 1 from 130 unfinished\n"
		   "200 #1 -\n200 #2 -\n"
		   "200 finish 0: " NOTHING_LOST ", 1 unfinished, 0 suspect, 0 retired, 4 other\n");
}

TEST(without_a_setting_a_thousand_names_of_a_tracepoint_are_kept)
{
	char name[32];
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 1; i <= TRACKS_NAMES_MAX; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		track_fixture_instant(&fixture, 110, 1, name);
	}
	CHECK(strstr(track_fixture_output(&fixture), "instant 'name 1000' ") != NULL);
	track_fixture_instant(&fixture, 110, 1, "one more");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 instant ~'one more' depth 0 outer 110\n");
}

static int show(struct track_fixture *fixture, enum track_fixture_tracepoint tracepoint,
		enum decoded_kind kind, int tid)
{
	struct decoded_event decoded = track_fixture_event(tracepoint, kind, 110, tid);

	decoded.slice_name = text_of(tid % 2 && kind == DECODED_BEGIN ? "counted" : "not counted");
	return track_fixture_add(fixture, &decoded);
}

/* Something of everything, up to the first failure; the fifth and the sixth track retire others. */
static int play_all(struct track_fixture *fixture)
{
	struct decoded_event bad = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 110, 1);
	struct loss gap = {
		.cpu = 3, .from_ns = 110, .to_ns = 120, .count = TIMELINE_COUNT_UNKNOWN
	};

	for (int tid = 1; tid <= 6; tid++) {
		if (show(fixture, FIXTURE_WORK, DECODED_BEGIN, tid) < 0)
			return -1;
		if (show(fixture, FIXTURE_WORK, DECODED_INSTANT, tid) < 0)
			return -1;
		if (tid % 2 && show(fixture, FIXTURE_WORK, DECODED_END, tid) < 0)
			return -1;
	}
	if (show(fixture, FIXTURE_LOAD, DECODED_COUNTER, 1) < 0)
		return -1;
	bad.problem = "bad";
	if (tracks_reject(fixture->tracks, &bad, &fixture->error) < 0)
		return -1;
	if (tracks_lose(fixture->tracks, &gap, &fixture->error) < 0)
		return -1;
	return tracks_finish(fixture->tracks, 200, 0, 0, &fixture->error);
}

TEST(the_first_failure_of_an_output_ends_everything_wherever_it_happens)
{
	struct tracks_settings settings = { .idle_max = 4, .names_max = 1 };
	unsigned int nr_failures = 0;
	int status = -1;

	while (status < 0 && nr_failures < 100) {
		struct track_fixture fixture;

		track_fixture_init(&fixture, &settings);
		fixture.fails_after = ++nr_failures;
		status = play_all(&fixture);
		CHECK_TEXT(fixture.error.text, status < 0 ? "the notebook is full" : "");
		track_fixture_release(&fixture);
	}
	/*
	 * 7 tracks start and end, 6 slices begin and end; 6 instants, 1 sample, 1 malformed, 1
	 * loss, the finish.
	 */
	CHECK_NUMBER(nr_failures, 2 * 7 + 2 * 6 + 6 + 4);
}
