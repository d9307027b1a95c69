// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ends by another thread than the begin's, on tracks that several threads share. */
#include "track/track.h"

#include <string.h>

#include "stage.h"
#include "tap.h"

#define COUNTED " finish 0: 0 lost, 0 unmatched, 0 malformed, 0 unfinished, 0 suspect, "
#define NONE_FOREIGN "0 retired, 0 other\n"

static void observe(struct stage *stage, int64_t time_ns, enum stage_tracepoint tracepoint,
		    enum observation_kind kind, int tid)
{
	struct observation observation = stage_observation(tracepoint, kind, time_ns, tid);

	observation.scope_id.signed_number = 1;
	observation.slice_name = text_of(kind == OBSERVATION_BEGIN ? "x" : "");
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

static void begin_of(struct stage *stage, int64_t time_ns, int tid)
{
	observe(stage, time_ns, STAGE_QUEUE, OBSERVATION_BEGIN, tid);
}

static void end_of(struct stage *stage, int64_t time_ns, int tid)
{
	observe(stage, time_ns, STAGE_QUEUE, OBSERVATION_END, tid);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

TEST(ends_by_other_threads_are_foreign_while_slices_overlap)
{
	struct stage stage;

	stage_init(&stage, NULL);
	begin_of(&stage, 110, 7);
	begin_of(&stage, 120, 8);
	stage_told(&stage);
	end_of(&stage, 130, 7);
	end_of(&stage, 140, 8);
	CHECK_TEXT(stage_told(&stage), "130 foreign end a:queue\n"
				       "130 #1 end 'x' depth 2 from 120 foreign\n"
				       "140 #1 end 'x' depth 1 from 110 foreign\n");
	begin_of(&stage, 150, 7);
	begin_of(&stage, 160, 8);
	end_of(&stage, 170, 8);
	end_of(&stage, 180, 7);
	begin_of(&stage, 190, 7);
	begin_of(&stage, 200, 8);
	stage_told(&stage);
	end_of(&stage, 210, 9);
	CHECK_TEXT(stage_told(&stage), "210 #1 end 'x' depth 2 from 200 foreign\n");
	end_of(&stage, 220, 7);
	stage_finish(&stage, 300);
	CHECK(ends_with(stage_told(&stage), "0 retired, 0 other, 3 foreign\n"));
	stage_release(&stage);
}

TEST(one_slice_at_a_time_may_end_on_any_thread)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int i = 0; i < 3; i++) {
		begin_of(&stage, 110 + 10 * i, 7);
		end_of(&stage, 115 + 10 * i, 8 + i);
	}
	stage_finish(&stage, 300);
	CHECK(ends_with(stage_told(&stage), COUNTED NONE_FOREIGN));
	stage_release(&stage);
}

TEST(what_one_thread_nests_in_a_slice_of_another_is_sound)
{
	struct stage stage;

	stage_init(&stage, NULL);
	begin_of(&stage, 110, 7);
	begin_of(&stage, 120, 8);
	end_of(&stage, 130, 8);
	end_of(&stage, 140, 9);
	stage_finish(&stage, 300);
	CHECK(ends_with(stage_told(&stage), COUNTED NONE_FOREIGN));
	stage_release(&stage);
}

TEST(foreign_ends_are_reported_once_for_each_tracepoint_and_session)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int i = 0; i < 3; i++) {
		begin_of(&stage, 110, 7);
		begin_of(&stage, 110, 8);
		end_of(&stage, 110, 7);
		end_of(&stage, 110, 8);
		if (i == 1)
			stage_renew(&stage, 110);
		CHECK((strstr(stage_told(&stage), "foreign end a:queue") != NULL) == (i != 1));
	}
	observe(&stage, 120, STAGE_JOB, OBSERVATION_BEGIN, 7);
	observe(&stage, 120, STAGE_JOB, OBSERVATION_BEGIN, 8);
	observe(&stage, 120, STAGE_JOB, OBSERVATION_END, 7);
	CHECK(strstr(stage_told(&stage), "foreign end a:job") != NULL);
	stage_release(&stage);
}

TEST(a_slice_stays_foreign_in_the_next_session)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int i = 0; i < 3; i++)
		begin_of(&stage, 110, 7 + i);
	end_of(&stage, 120, 7);
	stage_renew(&stage, 130);
	stage_told(&stage);
	end_of(&stage, 140, 8);
	CHECK_TEXT(stage_told(&stage), "140 #1 end 'x' depth 2 from 130 continued foreign\n");
	end_of(&stage, 150, 8);
	CHECK(strstr(stage_told(&stage), "150 foreign end a:queue\n") != NULL);
	stage_release(&stage);
}

TEST(an_end_after_a_loss_may_be_of_any_slice)
{
	struct tracks_gap gap = { .cpu = 0, .from_ns = 125, .to_ns = 126, .count = 1 };
	struct stage stage;

	stage_init(&stage, NULL);
	begin_of(&stage, 110, 7);
	begin_of(&stage, 120, 8);
	CHECK_NUMBER(tracks_lose(stage.tracks, &gap, &stage.error), 0);
	stage_told(&stage);
	end_of(&stage, 130, 7);
	CHECK_TEXT(stage_told(&stage), "130 #1 end 'x' depth 2 from 120 suspect\n");
	stage_release(&stage);
}
