// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tracks that no recording of tests/golden/ shows: depth, memory of names, time that falls. */
#include "track/track.h"

#include <stdio.h>
#include <string.h>

#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

TEST(a_stack_may_be_deep)
{
	char want[64];
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 1000; i++)
		track_fixture_begin(&fixture, 1000 + i, 7, "deep");
	for (int i = 1000; i > 0; i--) {
		track_fixture_output(&fixture);
		track_fixture_end(&fixture, 3000 - i, 7);
		snprintf(want, sizeof(want), "%d #1 end 'deep' depth %d from %d\n", 3000 - i, i,
			 999 + i);
		if (!CHECK_TEXT(track_fixture_output(&fixture), want))
			break;
	}
}

TEST(names_are_copied_and_may_hold_any_byte)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 110, 7);
	char track_name[] = "track\n\xff", slice_name[] = "slice\t\xfe";
	FIXTURE(track_fixture, fixture, NULL);

	decoded.track_name = text_of(track_name);
	decoded.slice_name = text_of(slice_name);
	CHECK_NUMBER(track_fixture_add(&fixture, &decoded), 0);
	track_fixture_output(&fixture);
	memset(slice_name, '?', sizeof(slice_name) - 1);
	decoded = track_fixture_event(FIXTURE_WORK, DECODED_END, 120, 7);
	decoded.track_name = text_of("track\n\xff");
	memset(track_name, '?', sizeof(track_name) - 1);
	CHECK_NUMBER(track_fixture_add(&fixture, &decoded), 0);
	CHECK_TEXT(track_fixture_output(&fixture), "120 #1 end 'slice\t\xfe' depth 1 from 110\n");
}

static void reject(struct track_fixture *fixture, int64_t time_ns)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, time_ns, 7);

	decoded.problem = "bad";
	CHECK_NUMBER(tracks_reject(fixture->tracks, &decoded, &fixture->error), 0);
}

TEST(a_malformed_record_touches_no_track)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "a");
	reject(&fixture, 120);
	track_fixture_end(&fixture, 130, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'a' depth 1\n"
						   "120 malformed a:work: bad\n"
						   "130 #1 end 'a' depth 1 from 110\n");
}

TEST(time_never_runs_backwards)
{
	struct timeline_event passed = { .kind = TIMELINE_COMMAND_BEGIN };
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 50, 7, "before the start");
	track_fixture_begin(&fixture, 200, 7, "a");
	track_fixture_end(&fixture, 150, 7);
	track_fixture_instant(&fixture, 10, 8, "x");
	reject(&fixture, 190);
	CHECK_NUMBER(tracks_pass(fixture.tracks, &passed, 120, &fixture.error), 0);
	CHECK_NUMBER(
		tracks_lose(fixture.tracks, &(struct loss){ 0, 0, 130, 140, 2 }, &fixture.error),
		0);
	CHECK_NUMBER(tracks_pass(fixture.tracks, &passed, 250, &fixture.error), 0);
	track_fixture_finish(&fixture, 240);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "100 #1 + a:work slices 'work' tid 7\n"
		   "100 #1 begin 'before the start' depth 1\n"
		   "200 #1 begin 'a' depth 2\n"
		   "200 #1 end 'a' depth 2 from 200\n"
		   "200 #2 + a:work slices 'work' tid 8\n"
		   "200 #2 instant 'x' depth 0 outer 200\n"
		   "200 malformed a:work: bad\n"
		   "200 passed 9\n"
		   "200 lost 2 on 0\n"
		   "250 passed 9\n"
		   "250 #1 end 'before the start' depth 1 from 100 suspect unfinished\n"
		   "250 #1 -\n250 #2 -\n"
		   "250 finish 0: 0 lost, 0 unmatched, 1 malformed, 1 unfinished, 1 suspect, 0 "
		   "retired, 0 other\n");
}
