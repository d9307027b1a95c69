// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ends by another thread than the begin's, on tracks that several threads share. */
#include "track/track.h"

#include <string.h>

#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

#define COUNTED " finish 0: 0 lost, 0 unmatched, 0 malformed, 0 unfinished, 0 suspect, "
#define NONE_FOREIGN "0 retired, 0 other\n"

static void observe(struct track_fixture *fixture, int64_t time_ns,
		    enum track_fixture_tracepoint tracepoint, enum decoded_kind kind, int tid)
{
	struct decoded_event decoded = track_fixture_event(tracepoint, kind, time_ns, tid);

	decoded.scope_id.signed_number = 1;
	decoded.slice_name = text_of(kind == DECODED_BEGIN ? "x" : "");
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

static void begin_of(struct track_fixture *fixture, int64_t time_ns, int tid)
{
	observe(fixture, time_ns, FIXTURE_QUEUE, DECODED_BEGIN, tid);
}

static void end_of(struct track_fixture *fixture, int64_t time_ns, int tid)
{
	observe(fixture, time_ns, FIXTURE_QUEUE, DECODED_END, tid);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

TEST(ends_by_other_threads_are_foreign_while_slices_overlap)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin_of(&fixture, 110, 7);
	begin_of(&fixture, 120, 8);
	track_fixture_output(&fixture);
	end_of(&fixture, 130, 7);
	end_of(&fixture, 140, 8);
	CHECK_TEXT(track_fixture_output(&fixture), "130 foreign end a:queue\n"
						   "130 #1 end 'x' depth 2 from 120 foreign\n"
						   "140 #1 end 'x' depth 1 from 110 foreign\n");
	begin_of(&fixture, 150, 7);
	begin_of(&fixture, 160, 8);
	end_of(&fixture, 170, 8);
	end_of(&fixture, 180, 7);
	begin_of(&fixture, 190, 7);
	begin_of(&fixture, 200, 8);
	track_fixture_output(&fixture);
	end_of(&fixture, 210, 9);
	CHECK_TEXT(track_fixture_output(&fixture), "210 #1 end 'x' depth 2 from 200 foreign\n");
	end_of(&fixture, 220, 7);
	track_fixture_finish(&fixture, 300);
	CHECK(ends_with(track_fixture_output(&fixture), "0 retired, 0 other, 3 foreign\n"));
}

TEST(one_slice_at_a_time_may_end_on_any_thread)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 3; i++) {
		begin_of(&fixture, 110 + 10 * i, 7);
		end_of(&fixture, 115 + 10 * i, 8 + i);
	}
	track_fixture_finish(&fixture, 300);
	CHECK(ends_with(track_fixture_output(&fixture), COUNTED NONE_FOREIGN));
}

TEST(what_one_thread_nests_in_a_slice_of_another_is_sound)
{
	FIXTURE(track_fixture, fixture, NULL);

	begin_of(&fixture, 110, 7);
	begin_of(&fixture, 120, 8);
	end_of(&fixture, 130, 8);
	end_of(&fixture, 140, 9);
	track_fixture_finish(&fixture, 300);
	CHECK(ends_with(track_fixture_output(&fixture), COUNTED NONE_FOREIGN));
}

TEST(foreign_ends_are_reported_once_for_each_tracepoint_and_session)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 3; i++) {
		begin_of(&fixture, 110, 7);
		begin_of(&fixture, 110, 8);
		end_of(&fixture, 110, 7);
		end_of(&fixture, 110, 8);
		if (i == 1)
			track_fixture_renew(&fixture, 110);
		CHECK((strstr(track_fixture_output(&fixture), "foreign end a:queue") != NULL) ==
		      (i != 1));
	}
	observe(&fixture, 120, FIXTURE_JOB, DECODED_BEGIN, 7);
	observe(&fixture, 120, FIXTURE_JOB, DECODED_BEGIN, 8);
	observe(&fixture, 120, FIXTURE_JOB, DECODED_END, 7);
	CHECK(strstr(track_fixture_output(&fixture), "foreign end a:job") != NULL);
}

TEST(a_slice_stays_foreign_in_the_next_session)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 3; i++)
		begin_of(&fixture, 110, 7 + i);
	end_of(&fixture, 120, 7);
	track_fixture_renew(&fixture, 130);
	track_fixture_output(&fixture);
	end_of(&fixture, 140, 8);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "140 #1 end 'x' depth 2 from 130 continued foreign\n");
	end_of(&fixture, 150, 8);
	CHECK(strstr(track_fixture_output(&fixture), "150 foreign end a:queue\n") != NULL);
}

TEST(an_end_after_a_loss_may_be_of_any_slice)
{
	struct loss gap = { .cpu = 0, .from_ns = 125, .to_ns = 126, .count = 1 };
	FIXTURE(track_fixture, fixture, NULL);

	begin_of(&fixture, 110, 7);
	begin_of(&fixture, 120, 8);
	CHECK_NUMBER(tracks_lose(fixture.tracks, &gap, &fixture.error), 0);
	track_fixture_output(&fixture);
	end_of(&fixture, 130, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "130 #1 end 'x' depth 2 from 120 suspect\n");
}
