// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the track room: which records belong together, and what the timeline is told of them. */
#include "track/track.h"

#include <stdio.h>
#include <string.h>

#include "stage.h"
#include "tap.h"
#include "track/state.h"

TEST(a_slice_begins_and_ends_on_the_track_of_its_thread)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "read");
	stage_end(&stage, 150, 7);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 begin 'read' depth 1\n"
				       "150 #1 end 'read' depth 1 from 110\n");
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage), "200 #1 -\n"
				       "200 finish 0: 0 lost, 0 unmatched, 0 malformed, 0 "
				       "unfinished, 0 suspect, 0 retired, 0 other\n");
	stage_release(&stage);
}

TEST(slices_nest_and_each_end_closes_the_innermost)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "a");
	stage_begin(&stage, 120, 7, "b");
	stage_begin(&stage, 120, 7, "c");
	stage_end(&stage, 130, 7);
	stage_end(&stage, 131, 7);
	stage_begin(&stage, 140, 7, "d");
	stage_end(&stage, 150, 7);
	stage_end(&stage, 160, 7);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 begin 'a' depth 1\n"
				       "120 #1 begin 'b' depth 2\n"
				       "120 #1 begin 'c' depth 3\n"
				       "130 #1 end 'c' depth 3 from 120\n"
				       "131 #1 end 'b' depth 2 from 120\n"
				       "140 #1 begin 'd' depth 2\n"
				       "150 #1 end 'd' depth 2 from 140\n"
				       "160 #1 end 'a' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(a_stack_may_be_deep)
{
	struct stage stage;
	char want[64];

	stage_init(&stage, NULL);
	for (int i = 0; i < 1000; i++)
		stage_begin(&stage, 1000 + i, 7, "deep");
	for (int i = 1000; i > 0; i--) {
		stage_told(&stage);
		stage_end(&stage, 3000 - i, 7);
		snprintf(want, sizeof(want), "%d #1 end 'deep' depth %d from %d\n", 3000 - i, i,
			 999 + i);
		if (!CHECK_TEXT(stage_told(&stage), want))
			break;
	}
	stage_release(&stage);
}

/* Shows one record with a name and a scope to the tracks. */
static void observe(struct stage *stage, struct observation observation, const char *track_name,
		    struct value scope_id)
{
	observation.slice_name = text_of("x");
	observation.track_name = text_of(track_name);
	observation.scope_id = scope_id;
	observation.counter_value = (struct value){ .kind = VALUE_SIGNED, .signed_number = 1 };
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

static struct value number(int64_t number)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = number };
}

static struct observation begin_of(enum stage_tracepoint tracepoint)
{
	return stage_observation(tracepoint, OBSERVATION_BEGIN, 110, 7);
}

TEST(tracepoint_scope_and_track_name_make_a_track)
{
	struct stage stage;

	stage_init(&stage, NULL);
	observe(&stage, begin_of(STAGE_WORK), "work", number(7));
	observe(&stage, begin_of(STAGE_WORK), "work", number(8));
	observe(&stage, begin_of(STAGE_WORK), "wor", number(7));
	observe(&stage, begin_of(STAGE_WORK), "", number(7));
	observe(&stage, begin_of(STAGE_OTHER_WORK), "work", number(7));
	observe(&stage, begin_of(STAGE_JOB), "work", number(7));
	observe(&stage, begin_of(STAGE_TICK), "work", number(7));
	observe(&stage, begin_of(STAGE_QUEUE), "work", number(7));
	observe(&stage, begin_of(STAGE_WORK), "work", number(7));
	observe(&stage, begin_of(STAGE_OTHER_WORK), "work", number(7));
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 7\n110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:work slices 'work' tid 8\n110 #2 begin 'x' depth 1\n"
		   "110 #3 + a:work slices 'wor' tid 7\n110 #3 begin 'x' depth 1\n"
		   "110 #4 + a:work slices '' tid 7\n110 #4 begin 'x' depth 1\n"
		   "110 #5 + b:work slices 'work' tid 7\n110 #5 begin 'x' depth 1\n"
		   "110 #6 + a:job slices 'work' tgid 7 scope_tgid\n110 #6 begin 'x' depth 1\n"
		   "110 #7 + a:tick slices 'work' cpu 7 scope_cpu\n110 #7 begin 'x' depth 1\n"
		   "110 #8 + a:queue slices 'work' custom 7 scope_queue\n110 #8 begin 'x' depth 1\n"
		   "110 #1 begin 'x' depth 2\n"
		   "110 #5 begin 'x' depth 2\n");
	stage_release(&stage);
}

/* The hash is 64 bits wide, so that no other test sees a collision. */
TEST(equal_hashes_do_not_make_one_track)
{
	struct observation observation = begin_of(STAGE_WORK);
	struct track_key key = track_key_of(&observation), other;
	struct track *track;

	key.head = text_head(key.name);
	other = key;
	track = track_new(&key, 0, NULL);
	CHECK(track_has_key(track, &other));
	other.name = text_of("worm");
	other.head = text_head(other.name);
	CHECK(!track_has_key(track, &other));
	other = key;
	other.scope_id = number(INT64_C(1) << 32 | 7);
	CHECK(!track_has_key(track, &other));
	other = key;
	other.cpu = 0;
	CHECK(!track_has_key(track, &other));
	other = key;
	other.buffer = 1;
	CHECK(!track_has_key(track, &other));
	other = key;
	other.template = &stage_templates[STAGE_OTHER_WORK];
	CHECK(!track_has_key(track, &other));
	track_free(track);
}

/* Names that only their ends tell apart, of which a glance sees but the first eight bytes. */
TEST(long_names_are_compared_to_their_ends)
{
	struct observation observation = begin_of(STAGE_WORK);
	struct track_key key = track_key_of(&observation), other;
	struct track *track;

	key.name = text_of("queue of requests, the first");
	key.head = text_head(key.name);
	other = key;
	track = track_new(&key, 0, NULL);
	CHECK(track_has_key(track, &other));
	other.name = text_of("queue of requests, the fifth");
	CHECK(other.head == text_head(other.name) && !track_has_key(track, &other));
	track_free(track);
}

TEST(buffers_keep_tracks_apart)
{
	static const char *const buffers[] = { "", "second" };
	struct tracks_settings settings = { .buffers = buffers };
	struct observation second = begin_of(STAGE_WORK);
	struct stage stage;

	second.buffer = 1;
	stage_init(&stage, &settings);
	observe(&stage, begin_of(STAGE_WORK), "work", number(7));
	observe(&stage, second, "work", number(7));
	second.kind = OBSERVATION_END;
	observe(&stage, second, "work", number(7));
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 7 in ''\n110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:work slices 'work' tid 7 in 'second'\n110 #2 begin 'x' depth 1\n"
		   "110 #2 end 'x' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(the_writer_matters_to_thread_scope_only)
{
	struct stage stage;
	struct observation end = stage_observation(STAGE_QUEUE, OBSERVATION_END, 120, 8);

	stage_init(&stage, NULL);
	observe(&stage, begin_of(STAGE_QUEUE), "q", number(3));
	end.cpu = 1;
	observe(&stage, end, "q", number(3));
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:queue slices 'q' custom 3 scope_queue\n"
				       "110 #1 begin 'x' depth 1\n"
				       "120 #1 end 'x' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(scopes_keep_all_64_bits_and_their_sign)
{
	struct stage stage;
	struct value huge = { .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX };

	stage_init(&stage, NULL);
	observe(&stage, begin_of(STAGE_QUEUE), "q", number(1));
	observe(&stage, begin_of(STAGE_QUEUE), "q", number(INT64_C(1) << 32 | 1));
	observe(&stage, begin_of(STAGE_QUEUE), "q", number(-1));
	observe(&stage, begin_of(STAGE_TICK), "q", huge);
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:queue slices 'q' custom 1 scope_queue\n110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:queue slices 'q' custom 4294967297 scope_queue\n110 #2 begin 'x' "
		   "depth 1\n"
		   "110 #3 + a:queue slices 'q' custom -1 scope_queue\n110 #3 begin 'x' depth 1\n"
		   "110 #4 + a:tick slices 'q' cpu 18446744073709551615 scope_cpu\n110 #4 begin "
		   "'x' depth 1\n");
	stage_release(&stage);
}

TEST(names_are_copied_and_may_hold_any_byte)
{
	struct stage stage;
	struct observation observation = begin_of(STAGE_WORK);
	char track_name[] = "track\n\xff", slice_name[] = "slice\t\xfe";

	stage_init(&stage, NULL);
	observation.track_name = text_of(track_name);
	observation.slice_name = text_of(slice_name);
	CHECK_NUMBER(stage_observe(&stage, &observation), 0);
	stage_told(&stage);
	memset(slice_name, '?', sizeof(slice_name) - 1);
	observation = stage_observation(STAGE_WORK, OBSERVATION_END, 120, 7);
	observation.track_name = text_of("track\n\xff");
	memset(track_name, '?', sizeof(track_name) - 1);
	CHECK_NUMBER(stage_observe(&stage, &observation), 0);
	CHECK_TEXT(stage_told(&stage), "120 #1 end 'slice\t\xfe' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(idle_tasks_are_kept_apart_by_cpu)
{
	struct stage stage;
	struct observation begin = stage_observation(STAGE_WORK, OBSERVATION_BEGIN, 110, 0);
	struct observation queue = stage_observation(STAGE_QUEUE, OBSERVATION_BEGIN, 110, 0);

	stage_init(&stage, NULL);
	for (int cpu = 0; cpu < 2; cpu++) {
		begin.cpu = cpu;
		observe(&stage, begin, "work", number(0));
		queue.cpu = cpu;
		observe(&stage, queue, "q", number(0));
	}
	begin.kind = OBSERVATION_END;
	observe(&stage, begin, "work", number(0));
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 0 on 0 of 0 'idle'\n"
		   "110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:queue slices 'q' custom 0 scope_queue\n110 #2 begin 'x' depth 1\n"
		   "110 #3 + a:work slices 'work' tid 0 on 1 of 0 'idle'\n"
		   "110 #3 begin 'x' depth 1\n"
		   "110 #2 begin 'x' depth 2\n"
		   "110 #3 end 'x' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(instants_and_counters_know_what_is_open_around_them)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_instant(&stage, 110, 7, "early");
	stage_begin(&stage, 120, 7, "a");
	stage_begin(&stage, 130, 7, "b");
	stage_instant(&stage, 140, 7, "inside");
	stage_end(&stage, 150, 7);
	stage_instant(&stage, 160, 7, "between");
	stage_end(&stage, 170, 7);
	stage_instant(&stage, 180, 7, "late");
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 instant 'early' depth 0 outer 110\n"
				       "120 #1 begin 'a' depth 1\n"
				       "130 #1 begin 'b' depth 2\n"
				       "140 #1 instant 'inside' depth 2 outer 130\n"
				       "150 #1 end 'b' depth 2 from 130\n"
				       "160 #1 instant 'between' depth 1 outer 120\n"
				       "170 #1 end 'a' depth 1 from 120\n"
				       "180 #1 instant 'late' depth 0 outer 110\n");
	stage_release(&stage);
}

TEST(counter_samples_pass_exactly)
{
	struct stage stage;
	struct observation observation = stage_observation(STAGE_DEPTH, OBSERVATION_COUNTER, 130,
							   8);

	stage_init(&stage, NULL);
	stage_count(&stage, 110, 7, INT64_MIN);
	stage_count(&stage, 120, 7, -1);
	observation.counter_value = (struct value){ .kind = VALUE_UNSIGNED,
						    .unsigned_number = UINT64_MAX };
	CHECK_NUMBER(stage_observe(&stage, &observation), 0);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:load counter 'load' tid 7\n"
				       "110 #1 -9223372036854775808 depth 0 outer 110\n"
				       "120 #1 -1 depth 0 outer 110\n"
				       "130 #2 + a:depth counter 'depth' custom 8 scope_queue\n"
				       "130 #2 18446744073709551615 depth 0 outer 130\n");
	stage_release(&stage);
}

TEST(extra_fields_are_handed_on_with_every_kind)
{
	struct stage stage;
	struct observation observation = begin_of(STAGE_WORK);
	struct field extras[2] = { 0 };

	stage_init(&stage, NULL);
	observation.nr_extras = 2;
	observation.extras = extras;
	extras[0] = (struct field){ .name = text_of("bytes"), .value = number(512) };
	extras[1].name = text_of("ok");
	extras[1].value = (struct value){ .kind = VALUE_BOOLEAN, .boolean = true };
	observe(&stage, observation, "work", number(7));
	observation.kind = OBSERVATION_INSTANT;
	observe(&stage, observation, "work", number(7));
	observation.kind = OBSERVATION_END;
	observe(&stage, observation, "work", number(7));
	observation.kind = OBSERVATION_COUNTER;
	observation.template = &stage_templates[STAGE_LOAD];
	observe(&stage, observation, "load", number(7));
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 begin 'x' depth 1 bytes=512 ok=true\n"
				       "110 #1 instant 'x' depth 1 outer 110 bytes=512 ok=true\n"
				       "110 #1 end 'x' depth 1 from 110 bytes=512 ok=true\n"
				       "110 #2 + a:load counter 'load' tid 7\n"
				       "110 #2 1 depth 0 outer 110 bytes=512 ok=true\n");
	stage_release(&stage);
}

TEST(an_end_without_a_begin_is_counted_and_touches_no_stack)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 8, "other");
	stage_end(&stage, 120, 7);
	stage_end(&stage, 120, 7);
	stage_begin(&stage, 130, 7, "a");
	stage_end(&stage, 140, 7);
	stage_end(&stage, 150, 7);
	stage_end(&stage, 160, 8);
	stage_finish(&stage, 170);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 8\n"
				       "110 #1 begin 'other' depth 1\n"
				       "120 #2 + a:work slices 'work' tid 7\n"
				       "130 #2 begin 'a' depth 1\n"
				       "140 #2 end 'a' depth 1 from 130\n"
				       "160 #1 end 'other' depth 1 from 110\n"
				       "170 #1 -\n170 #2 -\n"
				       "170 finish 0: 0 lost, 3 unmatched, 0 malformed, 0 "
				       "unfinished, 0 suspect, 0 retired, 0 other\n");
	stage_release(&stage);
}

TEST(what_is_open_at_the_end_is_ended_there_innermost_first)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "a");
	stage_begin(&stage, 120, 8, "c");
	stage_begin(&stage, 130, 7, "b");
	stage_told(&stage);
	CHECK_NUMBER(tracks_finish(stage.tracks, 200, 42, 3, &stage.error), 0);
	CHECK_TEXT(stage_told(&stage), "200 #1 end 'b' depth 2 from 130 unfinished\n"
				       "200 #1 end 'a' depth 1 from 110 unfinished\n"
				       "200 #1 -\n"
				       "200 #2 end 'c' depth 1 from 120 unfinished\n"
				       "200 #2 -\n"
				       "200 finish 3: 42 lost, 0 unmatched, 0 malformed, 3 "
				       "unfinished, 0 suspect, 0 retired, 0 other\n");
	stage_release(&stage);
}

TEST(tracks_take_leave_in_the_order_of_their_numbers)
{
	struct stage stage;
	struct buffer want = { 0 };

	stage_init(&stage, NULL);
	for (int tid = 500; tid > 0; tid--)
		stage_instant(&stage, 110, tid, "x");
	stage_told(&stage);
	stage_finish(&stage, 200);
	for (int i = 1; i <= 500; i++)
		buffer_printf(&want, "200 #%d -\n", i);
	buffer_printf(&want, "200 finish 0: 0 lost, 0 unmatched, 0 malformed, 0 unfinished, 0 "
			     "suspect, 0 retired, 0 other\n");
	CHECK_TEXT(stage_told(&stage), buffer_string(&want));
	buffer_release(&want);
	stage_release(&stage);
}

static void reject(struct stage *stage, enum stage_tracepoint tracepoint, int64_t time_ns,
		   const char *problem)
{
	struct observation observation = stage_observation(tracepoint, OBSERVATION_BEGIN, time_ns,
							   7);

	observation.problem = problem;
	CHECK_NUMBER(tracks_reject(stage->tracks, &observation, &stage->error), 0);
}

TEST(malformed_records_are_told_once_for_each_kind_and_tracepoint_and_counted_always)
{
	static const char bad_name[] = "bad name", bad_type[] = "bad type";
	struct stage stage;

	stage_init(&stage, NULL);
	reject(&stage, STAGE_WORK, 110, bad_name);
	reject(&stage, STAGE_WORK, 120, bad_name);
	reject(&stage, STAGE_WORK, 130, bad_type);
	reject(&stage, STAGE_DEPTH, 140, bad_name);
	reject(&stage, STAGE_WORK, 150, bad_type);
	reject(&stage, STAGE_WORK, 160, bad_name);
	stage_finish(&stage, 200);
	CHECK_TEXT(stage_told(&stage), "110 malformed a:work: bad name\n"
				       "130 malformed a:work: bad type\n"
				       "140 malformed a:depth: bad name\n"
				       "200 finish 0: 0 lost, 0 unmatched, 6 malformed, 0 "
				       "unfinished, 0 suspect, 0 retired, 0 other\n");
	stage_release(&stage);
}

TEST(a_malformed_record_touches_no_track)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "a");
	reject(&stage, STAGE_WORK, 120, "bad");
	stage_end(&stage, 130, 7);
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 7\n"
				       "110 #1 begin 'a' depth 1\n"
				       "120 malformed a:work: bad\n"
				       "130 #1 end 'a' depth 1 from 110\n");
	stage_release(&stage);
}

TEST(time_never_runs_backwards)
{
	struct stage stage;
	struct timeline_event passed = { .kind = TIMELINE_COMMAND_BEGIN };

	stage_init(&stage, NULL);
	stage_begin(&stage, 50, 7, "before the start");
	stage_begin(&stage, 200, 7, "a");
	stage_end(&stage, 150, 7);
	stage_instant(&stage, 10, 8, "x");
	reject(&stage, STAGE_WORK, 190, "bad");
	CHECK_NUMBER(tracks_pass(stage.tracks, &passed, 120, &stage.error), 0);
	CHECK_NUMBER(
		tracks_lose(stage.tracks, &(struct tracks_gap){ 0, 0, 130, 140, 2 }, &stage.error),
		0);
	CHECK_NUMBER(tracks_pass(stage.tracks, &passed, 250, &stage.error), 0);
	stage_finish(&stage, 240);
	CHECK_TEXT(stage_told(&stage),
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
	stage_release(&stage);
}
