// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the track module: which slices a loss makes suspect. */
#include "track/track.h"

#include <string.h>

#include "fixtures/tap.h"
#include "fixtures/track_fixture.h"

static void lose_count(struct track_fixture *fixture, int cpu, int64_t from_ns, int64_t to_ns,
		       int64_t count)
{
	struct loss gap = { .cpu = cpu, .from_ns = from_ns, .to_ns = to_ns, .count = count };

	CHECK_NUMBER(tracks_lose(fixture->tracks, &gap, &fixture->error), 0);
}

static void lose(struct track_fixture *fixture, int cpu, int64_t from_ns, int64_t to_ns)
{
	lose_count(fixture, cpu, from_ns, to_ns, 1);
}

TEST(a_slice_that_is_open_when_a_loss_begins_is_suspect)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "before");
	track_fixture_end(&fixture, 119, 7);
	track_fixture_begin(&fixture, 120, 7, "outer");
	track_fixture_begin(&fixture, 121, 7, "inner");
	lose(&fixture, 0, 130, 140);
	track_fixture_end(&fixture, 150, 7);
	track_fixture_end(&fixture, 160, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'before' depth 1\n"
						   "119 #1 end 'before' depth 1 from 110\n"
						   "120 #1 begin 'outer' depth 1\n"
						   "121 #1 begin 'inner' depth 2\n"
						   "130 lost 1 on 0\n"
						   "150 #1 end 'inner' depth 2 from 121 suspect\n"
						   "160 #1 end 'outer' depth 1 from 120 suspect\n");
}

TEST(gaps_are_counted_and_those_of_unknown_size_apart)
{
	struct timeline_totals totals;
	int64_t now_ns;
	FIXTURE(track_fixture, fixture, NULL);

	lose_count(&fixture, 0, 110, 120, 3);
	lose_count(&fixture, 1, 110, 120, LOSS_COUNT_UNKNOWN);
	lose_count(&fixture, 0, 130, 140, LOSS_COUNT_UNKNOWN);
	CHECK_NUMBER(tracks_leave(fixture.tracks, &totals, &now_ns, &fixture.error), 0);
	CHECK_NUMBER(totals.lost_gaps, 3);
	CHECK_NUMBER(totals.lost_gaps_unknown, 2);
}

TEST(a_slice_that_begins_with_the_record_behind_a_loss_is_sound_and_never_cut_short)
{
	FIXTURE(track_fixture, fixture, NULL);

	lose(&fixture, 0, 120, 130);
	track_fixture_begin(&fixture, 130, 7, "outer");
	track_fixture_begin(&fixture, 131, 7, "inner");
	track_fixture_end(&fixture, 132, 7);
	track_fixture_end(&fixture, 133, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "120 lost 1 on 0\n"
						   "130 #1 + a:work slices 'work' tid 7\n"
						   "130 #1 begin 'outer' depth 1\n"
						   "131 #1 begin 'inner' depth 2\n"
						   "132 #1 end 'inner' depth 2 from 131\n"
						   "133 #1 end 'outer' depth 1 from 130\n");
}

TEST(a_slice_of_another_cpu_that_begins_within_a_loss_is_suspect)
{
	FIXTURE(track_fixture, fixture, NULL);

	lose(&fixture, 2, 130, 140);
	track_fixture_begin(&fixture, 135, 7, "a");
	track_fixture_end(&fixture, 136, 7);
	track_fixture_begin(&fixture, 139, 7, "b");
	track_fixture_end(&fixture, 150, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "130 lost 1 on 2\n"
						   "135 #1 + a:work slices 'work' tid 7\n"
						   "135 #1 begin 'a' depth 1\n"
						   "136 #1 end 'a' depth 1 from 135 suspect\n"
						   "139 #1 begin 'b' depth 1\n"
						   "150 #1 end 'b' depth 1 from 139 suspect\n");
}

/* Shows that slices of the tracepoint nest two deep, on a track of its own. */
static void nest_twice(struct track_fixture *fixture)
{
	track_fixture_begin(fixture, 110, 8, "outer");
	track_fixture_begin(fixture, 111, 8, "inner");
	track_fixture_end(fixture, 112, 8);
	track_fixture_end(fixture, 113, 8);
	track_fixture_output(fixture);
}

TEST(a_slice_that_begins_after_a_loss_is_not_suspect_even_inside_one_that_is)
{
	FIXTURE(track_fixture, fixture, NULL);

	nest_twice(&fixture);
	track_fixture_begin(&fixture, 120, 7, "its end was lost");
	lose(&fixture, 0, 130, 140);
	track_fixture_begin(&fixture, 141, 7, "after");
	track_fixture_end(&fixture, 150, 7);
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
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
}

TEST(a_suspect_slice_ends_before_another_lies_deeper_than_any_did)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 120, 7, "its end was lost");
	lose(&fixture, 0, 130, 140);
	track_fixture_begin(&fixture, 135, 7, "so was this one's");
	track_fixture_begin(&fixture, 141, 7, "after");
	track_fixture_end(&fixture, 150, 7);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 #1 + a:work slices 'work' tid 7\n"
		   "120 #1 begin 'its end was lost' depth 1\n"
		   "130 lost 1 on 0\n"
		   "135 #1 end 'its end was lost' depth 1 from 120 suspect unfinished\n"
		   "135 #1 begin 'so was this one's' depth 1\n"
		   "141 #1 end 'so was this one's' depth 1 from 135 suspect unfinished\n"
		   "141 #1 begin 'after' depth 1\n"
		   "150 #1 end 'after' depth 1 from 141\n");
}

TEST(suspect_slices_teach_no_depth_and_others_do)
{
	FIXTURE(track_fixture, fixture, NULL);

	nest_twice(&fixture);
	track_fixture_begin(&fixture, 120, 7, "a");
	lose(&fixture, 0, 130, 140);
	for (int i = 0; i < 5; i++)
		track_fixture_begin(&fixture, 131 + i, 7, "again");
	track_fixture_output(&fixture);
	track_fixture_begin(&fixture, 141, 7, "after");
	track_fixture_begin(&fixture, 142, 7, "within");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "141 #2 end 'again' depth 2 from 135 suspect unfinished\n"
		   "141 #2 begin 'after' depth 2\n"
		   "142 #2 begin 'within' depth 3\n");
}

TEST(a_short_loss_does_not_shorten_a_long_one)
{
	FIXTURE(track_fixture, fixture, NULL);

	lose(&fixture, 0, 110, 200);
	lose(&fixture, 1, 120, 130);
	track_fixture_begin(&fixture, 150, 7, "in the long one");
	track_fixture_end(&fixture, 160, 7);
	CHECK(strstr(track_fixture_output(&fixture),
		     "160 #1 end 'in the long one' depth 1 from 150 suspect\n") != NULL);
	lose(&fixture, 0, 200, 205);
	track_fixture_begin(&fixture, 206, 7, "after both");
	track_fixture_end(&fixture, 210, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "200 lost 1 on 0\n"
						   "206 #1 begin 'after both' depth 1\n"
						   "210 #1 end 'after both' depth 1 from 206\n");
}

/* A slice of an idle task. */
static void idle_slice(struct track_fixture *fixture, enum decoded_kind kind, int64_t time_ns,
		       int cpu)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, kind, time_ns, 0);

	decoded.cpu = cpu;
	decoded.slice_name = text_of("idle");
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

TEST(a_loss_touches_the_idle_task_of_its_own_cpu_only)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int cpu = 0; cpu < 4; cpu++)
		idle_slice(&fixture, DECODED_BEGIN, 110 + cpu, cpu);
	track_fixture_output(&fixture);
	lose(&fixture, 1, 120, 130);
	lose(&fixture, 2, 125, 135);
	for (int cpu = 0; cpu < 4; cpu++)
		idle_slice(&fixture, DECODED_END, 140, cpu);
	idle_slice(&fixture, DECODED_BEGIN, 141, 1);
	idle_slice(&fixture, DECODED_END, 142, 1);
	CHECK_TEXT(track_fixture_output(&fixture), "120 lost 1 on 1\n125 lost 1 on 2\n"
						   "140 #1 end 'idle' depth 1 from 110\n"
						   "140 #2 end 'idle' depth 1 from 111 suspect\n"
						   "140 #3 end 'idle' depth 1 from 112 suspect\n"
						   "140 #4 end 'idle' depth 1 from 113\n"
						   "141 #2 begin 'idle' depth 1\n"
						   "142 #2 end 'idle' depth 1 from 141\n");
}

TEST(a_scope_that_names_a_cpu_may_be_written_from_any_cpu)
{
	struct decoded_event begin = track_fixture_event(FIXTURE_TICK, DECODED_BEGIN, 110, 3);
	struct decoded_event end = track_fixture_event(FIXTURE_TICK, DECODED_END, 140, 3);
	FIXTURE(track_fixture, fixture, NULL);

	begin.cpu = end.cpu = 3;
	begin.slice_name = text_of("tick");
	CHECK_NUMBER(track_fixture_add(&fixture, &begin), 0);
	track_fixture_output(&fixture);
	lose(&fixture, 0, 120, 130);
	CHECK_NUMBER(track_fixture_add(&fixture, &end), 0);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 lost 1 on 0\n140 #1 end 'tick' depth 1 from 110 suspect\n");
}

TEST(a_loss_touches_its_own_buffer_only)
{
	struct decoded_event begin = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 110, 7);
	struct decoded_event end = track_fixture_event(FIXTURE_WORK, DECODED_END, 140, 7);
	struct loss gap = { .buffer = 2, .from_ns = 120, .to_ns = 130, .count = 1 };
	FIXTURE(track_fixture, fixture, NULL);

	for (unsigned int buffer = 0; buffer < 4; buffer++) {
		begin.buffer = buffer;
		CHECK_NUMBER(track_fixture_add(&fixture, &begin), 0);
	}
	track_fixture_output(&fixture);
	CHECK_NUMBER(tracks_lose(fixture.tracks, &gap, &fixture.error), 0);
	for (unsigned int buffer = 0; buffer < 4; buffer++) {
		end.buffer = buffer;
		CHECK_NUMBER(track_fixture_add(&fixture, &end), 0);
	}
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 lost 1 on 0\n"
		   "140 #1 end '' depth 1 from 110\n140 #2 end '' depth 1 from 110\n"
		   "140 #3 end '' depth 1 from 110 suspect\n140 #4 end '' depth 1 from 110\n");
}

TEST(a_loss_says_how_many_or_that_nobody_has)
{
	FIXTURE(track_fixture, fixture, NULL);

	lose_count(&fixture, 0, 110, 120, INT64_C(5000000000));
	lose_count(&fixture, 70, 111, 120, TIMELINE_COUNT_UNKNOWN);
	CHECK_TEXT(track_fixture_output(&fixture), "110 lost 5000000000 on 0\n111 lost -1 on 70\n");
}

TEST(what_begins_where_losses_of_two_cpus_end_is_behind_neither)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int cpu = 0; cpu < 2; cpu++) {
		lose(&fixture, cpu, 101 + 10 * cpu, 110 + 10 * cpu);
		lose(&fixture, !cpu, 101 + 10 * cpu, 110 + 10 * cpu);
		track_fixture_begin(&fixture, 110 + 10 * cpu, 7, "a");
		track_fixture_end(&fixture, 111 + 10 * cpu, 7);
	}
	CHECK_TEXT(track_fixture_output(&fixture), "101 lost 1 on 0\n101 lost 1 on 1\n"
						   "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'a' depth 1\n"
						   "111 #1 end 'a' depth 1 from 110 suspect\n"
						   "111 lost 1 on 1\n111 lost 1 on 0\n"
						   "120 #1 begin 'a' depth 1\n"
						   "121 #1 end 'a' depth 1 from 120 suspect\n");
}

TEST(what_begins_between_two_losses_of_one_moment_is_suspect)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 2; i++)
		lose(&fixture, 0, 120, 130);
	track_fixture_begin(&fixture, 130, 7, "between");
	track_fixture_end(&fixture, 131, 7);
	track_fixture_begin(&fixture, 131, 7, "behind");
	track_fixture_end(&fixture, 132, 7);
	for (int i = 0; i < 2; i++)
		lose(&fixture, 0, 140, INT64_MAX);
	track_fixture_begin(&fixture, 150, 7, "within");
	track_fixture_end(&fixture, 151, 7);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 lost 1 on 0\n120 lost 1 on 0\n"
		   "130 #1 + a:work slices 'work' tid 7\n"
		   "130 #1 begin 'between' depth 1\n"
		   "131 #1 end 'between' depth 1 from 130 suspect\n"
		   "131 #1 begin 'behind' depth 1\n"
		   "132 #1 end 'behind' depth 1 from 131\n"
		   "140 lost 1 on 0\n140 lost 1 on 0\n"
		   "150 #1 begin 'within' depth 1\n"
		   "151 #1 end 'within' depth 1 from 150 suspect\n");
}
