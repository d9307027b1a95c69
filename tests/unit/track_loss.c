// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the track room: which slices a loss makes suspect. */
#include "track/track.h"

#include <string.h>

#include "stage.h"
#include "tap.h"
#include "track/suspicion.h"

static void lose_count(struct stage *stage, int cpu, int64_t from_ns, int64_t to_ns, int64_t count)
{
	struct tracks_gap gap = { .cpu = cpu, .from_ns = from_ns, .to_ns = to_ns, .count = count };

	CHECK_NUMBER(tracks_lose(stage->tracks, &gap, &stage->error), 0);
}

static void lose(struct stage *stage, int cpu, int64_t from_ns, int64_t to_ns)
{
	lose_count(stage, cpu, from_ns, to_ns, 1);
}

TEST(a_slice_that_is_open_when_a_loss_begins_is_suspect)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "before");
	stage_end(&stage, 119, 7);
	stage_begin(&stage, 120, 7, "outer");
	stage_begin(&stage, 121, 7, "inner");
	lose(&stage, 0, 130, 140);
	stage_end(&stage, 150, 7);
	stage_end(&stage, 160, 7);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 begin 'before' depth 1\n"
				       "119 #1 end 'before' depth 1 from 110\n"
				       "120 #1 begin 'outer' depth 1\n"
				       "121 #1 begin 'inner' depth 2\n"
				       "130 lost 1 on 0\n"
				       "150 #1 end 'inner' depth 2 from 121 suspect\n"
				       "160 #1 end 'outer' depth 1 from 120 suspect\n");
	stage_release(&stage);
}

TEST(a_slice_that_begins_with_the_record_behind_a_loss_is_sound_and_never_cut_short)
{
	struct stage stage;

	stage_init(&stage, NULL);
	lose(&stage, 0, 120, 130);
	stage_begin(&stage, 130, 7, "outer");
	stage_begin(&stage, 131, 7, "inner");
	stage_end(&stage, 132, 7);
	stage_end(&stage, 133, 7);
	CHECK_TEXT(stage_told(&stage), "120 lost 1 on 0\n"
				       "130 #1 + a:work slices 'work' tid 7\n"
				       "130 #1 begin 'outer' depth 1\n"
				       "131 #1 begin 'inner' depth 2\n"
				       "132 #1 end 'inner' depth 2 from 131\n"
				       "133 #1 end 'outer' depth 1 from 130\n");
	stage_release(&stage);
}

TEST(a_slice_of_another_cpu_that_begins_within_a_loss_is_suspect)
{
	struct stage stage;

	stage_init(&stage, NULL);
	lose(&stage, 2, 130, 140);
	stage_begin(&stage, 135, 7, "a");
	stage_end(&stage, 136, 7);
	stage_begin(&stage, 139, 7, "b");
	stage_end(&stage, 150, 7);
	CHECK_TEXT(stage_told(&stage), "130 lost 1 on 2\n"
				       "135 #1 + a:work slices 'work' tid 7\n"
				       "135 #1 begin 'a' depth 1\n"
				       "136 #1 end 'a' depth 1 from 135 suspect\n"
				       "139 #1 begin 'b' depth 1\n"
				       "150 #1 end 'b' depth 1 from 139 suspect\n");
	stage_release(&stage);
}

/* Shows that slices of the tracepoint nest two deep, on a track of its own. */
static void nest_twice(struct stage *stage)
{
	stage_begin(stage, 110, 8, "outer");
	stage_begin(stage, 111, 8, "inner");
	stage_end(stage, 112, 8);
	stage_end(stage, 113, 8);
	stage_told(stage);
}

TEST(a_slice_that_begins_after_a_loss_is_not_suspect_even_inside_one_that_is)
{
	struct stage stage;

	stage_init(&stage, NULL);
	nest_twice(&stage);
	stage_begin(&stage, 120, 7, "its end was lost");
	lose(&stage, 0, 130, 140);
	stage_begin(&stage, 141, 7, "after");
	stage_end(&stage, 150, 7);
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage),
		   "120 #2 + a:work slices 'work' tid 7\n"
		   "120 #2 begin 'its end was lost' depth 1\n"
		   "130 lost 1 on 0\n"
		   "141 #2 begin 'after' depth 2\n"
		   "150 #2 end 'after' depth 2 from 141\n"
		   "200 #1 -\n"
		   "200 #2 end 'its end was lost' depth 1 from 120 suspect unfinished\n"
		   "200 #2 -\n"
		   "200 finish 0: 0 lost, 0 unmatched, 0 malformed, 1 unfinished, 1 suspect, 0 "
		   "retired, 0 other\n");
	stage_release(&stage);
}

TEST(a_suspect_slice_ends_before_another_lies_deeper_than_any_did)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 120, 7, "its end was lost");
	lose(&stage, 0, 130, 140);
	stage_begin(&stage, 135, 7, "so was this one's");
	stage_begin(&stage, 141, 7, "after");
	stage_end(&stage, 150, 7);
	CHECK_TEXT(stage_told(&stage),
		   "120 #1 + a:work slices 'work' tid 7\n"
		   "120 #1 begin 'its end was lost' depth 1\n"
		   "130 lost 1 on 0\n"
		   "135 #1 end 'its end was lost' depth 1 from 120 suspect unfinished\n"
		   "135 #1 begin 'so was this one's' depth 1\n"
		   "141 #1 end 'so was this one's' depth 1 from 135 suspect unfinished\n"
		   "141 #1 begin 'after' depth 1\n"
		   "150 #1 end 'after' depth 1 from 141\n");
	stage_release(&stage);
}

TEST(suspect_slices_teach_no_depth_and_others_do)
{
	struct stage stage;

	stage_init(&stage, NULL);
	nest_twice(&stage);
	stage_begin(&stage, 120, 7, "a");
	lose(&stage, 0, 130, 140);
	for (int i = 0; i < 5; i++)
		stage_begin(&stage, 131 + i, 7, "again");
	stage_told(&stage);
	stage_begin(&stage, 141, 7, "after");
	stage_begin(&stage, 142, 7, "within");
	CHECK_TEXT(stage_told(&stage), "141 #2 end 'again' depth 2 from 135 suspect unfinished\n"
				       "141 #2 begin 'after' depth 2\n"
				       "142 #2 begin 'within' depth 3\n");
	stage_release(&stage);
}

TEST(a_short_loss_does_not_shorten_a_long_one)
{
	struct stage stage;

	stage_init(&stage, NULL);
	lose(&stage, 0, 110, 200);
	lose(&stage, 1, 120, 130);
	stage_begin(&stage, 150, 7, "in the long one");
	stage_end(&stage, 160, 7);
	CHECK(strstr(stage_told(&stage),
		     "160 #1 end 'in the long one' depth 1 from 150 suspect\n") != NULL);
	lose(&stage, 0, 200, 205);
	stage_begin(&stage, 206, 7, "after both");
	stage_end(&stage, 210, 7);
	CHECK_TEXT(stage_told(&stage), "200 lost 1 on 0\n"
				       "206 #1 begin 'after both' depth 1\n"
				       "210 #1 end 'after both' depth 1 from 206\n");
	stage_release(&stage);
}

/* A slice of an idle task. */
static void idle_slice(struct stage *stage, enum observation_kind kind, int64_t time_ns, int cpu)
{
	struct observation observation = stage_observation(STAGE_WORK, kind, time_ns, 0);

	observation.cpu = cpu;
	observation.slice_name = text_of("idle");
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

TEST(a_loss_touches_the_idle_task_of_its_own_cpu_only)
{
	struct stage stage;

	stage_init(&stage, NULL);
	for (int cpu = 0; cpu < 4; cpu++)
		idle_slice(&stage, OBSERVATION_BEGIN, 110 + cpu, cpu);
	stage_told(&stage);
	lose(&stage, 1, 120, 130);
	lose(&stage, 2, 125, 135);
	for (int cpu = 0; cpu < 4; cpu++)
		idle_slice(&stage, OBSERVATION_END, 140, cpu);
	idle_slice(&stage, OBSERVATION_BEGIN, 141, 1);
	idle_slice(&stage, OBSERVATION_END, 142, 1);
	CHECK_TEXT(stage_told(&stage), "120 lost 1 on 1\n125 lost 1 on 2\n"
				       "140 #1 end 'idle' depth 1 from 110\n"
				       "140 #2 end 'idle' depth 1 from 111 suspect\n"
				       "140 #3 end 'idle' depth 1 from 112 suspect\n"
				       "140 #4 end 'idle' depth 1 from 113\n"
				       "141 #2 begin 'idle' depth 1\n"
				       "142 #2 end 'idle' depth 1 from 141\n");
	stage_release(&stage);
}

TEST(a_scope_that_names_a_cpu_may_be_written_from_any_cpu)
{
	struct observation begin = stage_observation(STAGE_TICK, OBSERVATION_BEGIN, 110, 3);
	struct observation end = stage_observation(STAGE_TICK, OBSERVATION_END, 140, 3);
	struct stage stage;

	stage_init(&stage, NULL);
	begin.cpu = end.cpu = 3;
	begin.slice_name = text_of("tick");
	CHECK_NUMBER(stage_observe(&stage, &begin), 0);
	stage_told(&stage);
	lose(&stage, 0, 120, 130);
	CHECK_NUMBER(stage_observe(&stage, &end), 0);
	CHECK_TEXT(stage_told(&stage),
		   "120 lost 1 on 0\n140 #1 end 'tick' depth 1 from 110 suspect\n");
	stage_release(&stage);
}

TEST(a_loss_touches_its_own_buffer_only)
{
	struct observation begin = stage_observation(STAGE_WORK, OBSERVATION_BEGIN, 110, 7);
	struct observation end = stage_observation(STAGE_WORK, OBSERVATION_END, 140, 7);
	struct tracks_gap gap = { .buffer = 2, .from_ns = 120, .to_ns = 130, .count = 1 };
	struct stage stage;

	stage_init(&stage, NULL);
	for (unsigned int buffer = 0; buffer < 4; buffer++) {
		begin.buffer = buffer;
		CHECK_NUMBER(stage_observe(&stage, &begin), 0);
	}
	stage_told(&stage);
	CHECK_NUMBER(tracks_lose(stage.tracks, &gap, &stage.error), 0);
	for (unsigned int buffer = 0; buffer < 4; buffer++) {
		end.buffer = buffer;
		CHECK_NUMBER(stage_observe(&stage, &end), 0);
	}
	CHECK_TEXT(stage_told(&stage),
		   "120 lost 1 on 0\n"
		   "140 #1 end '' depth 1 from 110\n140 #2 end '' depth 1 from 110\n"
		   "140 #3 end '' depth 1 from 110 suspect\n140 #4 end '' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(a_loss_says_how_many_or_that_nobody_knows)
{
	struct stage stage;

	stage_init(&stage, NULL);
	lose_count(&stage, 0, 110, 120, INT64_C(5000000000));
	lose_count(&stage, 70, 111, 120, TIMELINE_COUNT_UNKNOWN);
	CHECK_TEXT(stage_told(&stage), "110 lost 5000000000 on 0\n111 lost -1 on 70\n");
	stage_release(&stage);
}

TEST(suspicion_reaches_to_the_last_end_of_any_loss)
{
	struct suspicion suspicion = { 0 };

	CHECK(!suspicion_covers(&suspicion, -1, INT64_MIN, 0));
	CHECK(!suspicion_covers(&suspicion, 5, INT64_MIN, 5));
	CHECK_NUMBER(suspicion_add(&suspicion, 2, 50), 0);
	CHECK_NUMBER(suspicion_add(&suspicion, 2, 40), 0);
	CHECK(suspicion_covers(&suspicion, -1, 49, 2) && !suspicion_covers(&suspicion, -1, 51, 0));
	CHECK(suspicion_covers(&suspicion, 2, 49, 2) && !suspicion_covers(&suspicion, 2, 50, 2));
	CHECK(!suspicion_covers(&suspicion, 0, 0, 0) && !suspicion_covers(&suspicion, 3, 0, 3));
	suspicion_release(&suspicion);
}

TEST(what_begins_when_a_loss_ends_is_behind_it_on_its_cpu_only)
{
	struct suspicion suspicion = { 0 };

	CHECK_NUMBER(suspicion_add(&suspicion, 2, 50), 0);
	CHECK(!suspicion_covers(&suspicion, -1, 50, 2) && suspicion_covers(&suspicion, -1, 50, 0));
	CHECK_NUMBER(suspicion_add(&suspicion, 1, 50), 0);
	CHECK(suspicion_covers(&suspicion, -1, 50, 2) && suspicion_covers(&suspicion, -1, 50, 1));
	CHECK(!suspicion_covers(&suspicion, 1, 50, 1) && !suspicion_covers(&suspicion, 2, 50, 2));
	suspicion_release(&suspicion);
}

TEST(what_begins_between_two_losses_of_one_moment_is_suspect)
{
	struct suspicion suspicion = { 0 };

	for (int i = 0; i < 2; i++)
		CHECK_NUMBER(suspicion_add(&suspicion, 2, 50), 0);
	CHECK(suspicion_covers(&suspicion, -1, 50, 2) && suspicion_covers(&suspicion, 2, 50, 2));
	CHECK(!suspicion_covers(&suspicion, 2, 51, 2));
	for (int i = 0; i < 2; i++)
		CHECK_NUMBER(suspicion_add(&suspicion, 2, INT64_MAX), 0);
	CHECK(suspicion_covers(&suspicion, -1, INT64_MAX - 1, 2));
	suspicion_release(&suspicion);
}
