// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the track module: which records belong together, and what the timeline receives.
 */
#include "track/track.h"

#include <stdio.h>
#include <string.h>

#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

TEST(a_slice_begins_and_ends_on_the_track_of_its_thread)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "read");
	track_fixture_end(&fixture, 150, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'read' depth 1\n"
						   "150 #1 end 'read' depth 1 from 110\n");
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 -\n"
		   "200 finish 0: 0 lost, 0 unmatched, 0 malformed, 0 "
		   "unfinished, 0 suspect, 0 retired, 0 other\n");
}

TEST(slices_nest_and_each_end_closes_the_innermost)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "a");
	track_fixture_begin(&fixture, 120, 7, "b");
	track_fixture_begin(&fixture, 120, 7, "c");
	track_fixture_end(&fixture, 130, 7);
	track_fixture_end(&fixture, 131, 7);
	track_fixture_begin(&fixture, 140, 7, "d");
	track_fixture_end(&fixture, 150, 7);
	track_fixture_end(&fixture, 160, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 begin 'a' depth 1\n"
						   "120 #1 begin 'b' depth 2\n"
						   "120 #1 begin 'c' depth 3\n"
						   "130 #1 end 'c' depth 3 from 120\n"
						   "131 #1 end 'b' depth 2 from 120\n"
						   "140 #1 begin 'd' depth 2\n"
						   "150 #1 end 'd' depth 2 from 140\n"
						   "160 #1 end 'a' depth 1 from 110\n");
}

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

/* Shows one record with a name and a scope to the tracks. */
static void observe(struct track_fixture *fixture, struct decoded_event decoded,
		    const char *track_name, struct value scope_id)
{
	decoded.slice_name = text_of("x");
	decoded.track_name = text_of(track_name);
	decoded.scope_id = scope_id;
	decoded.counter_value = (struct value){ .kind = VALUE_SIGNED, .signed_number = 1 };
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

static struct value number(int64_t number)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = number };
}

static struct decoded_event begin_of(enum track_fixture_tracepoint tracepoint)
{
	return track_fixture_event(tracepoint, DECODED_BEGIN, 110, 7);
}

TEST(tracepoint_scope_and_track_name_make_a_track)
{
	FIXTURE(track_fixture, fixture, NULL);

	observe(&fixture, begin_of(FIXTURE_WORK), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_WORK), "work", number(8));
	observe(&fixture, begin_of(FIXTURE_WORK), "wor", number(7));
	observe(&fixture, begin_of(FIXTURE_WORK), "", number(7));
	observe(&fixture, begin_of(FIXTURE_OTHER_WORK), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_JOB), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_TICK), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_QUEUE), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_WORK), "work", number(7));
	observe(&fixture, begin_of(FIXTURE_OTHER_WORK), "work", number(7));
	CHECK_TEXT(track_fixture_output(&fixture),
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
}

TEST(buffers_keep_tracks_apart)
{
	static const char *const buffers[] = { "", "second" };
	struct tracks_settings settings = { .buffers = buffers };
	struct decoded_event second = begin_of(FIXTURE_WORK);
	SCOPED(track_fixture) fixture;

	second.buffer = 1;
	track_fixture_init(&fixture, &settings);
	observe(&fixture, begin_of(FIXTURE_WORK), "work", number(7));
	observe(&fixture, second, "work", number(7));
	second.kind = DECODED_END;
	observe(&fixture, second, "work", number(7));
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 7 in ''\n110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:work slices 'work' tid 7 in 'second'\n110 #2 begin 'x' depth 1\n"
		   "110 #2 end 'x' depth 1 from 110\n");
}

TEST(the_writer_matters_to_thread_scope_only)
{
	struct decoded_event end = track_fixture_event(FIXTURE_QUEUE, DECODED_END, 120, 8);
	FIXTURE(track_fixture, fixture, NULL);

	observe(&fixture, begin_of(FIXTURE_QUEUE), "q", number(3));
	end.cpu = 1;
	observe(&fixture, end, "q", number(3));
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:queue slices 'q' custom 3 scope_queue\n"
		   "110 #1 begin 'x' depth 1\n"
		   "120 #1 end 'x' depth 1 from 110\n");
}

TEST(scopes_keep_all_64_bits_and_their_sign)
{
	struct value huge = { .kind = VALUE_UNSIGNED, .unsigned_number = UINT64_MAX };
	FIXTURE(track_fixture, fixture, NULL);

	observe(&fixture, begin_of(FIXTURE_QUEUE), "q", number(1));
	observe(&fixture, begin_of(FIXTURE_QUEUE), "q", number(INT64_C(1) << 32 | 1));
	observe(&fixture, begin_of(FIXTURE_QUEUE), "q", number(-1));
	observe(&fixture, begin_of(FIXTURE_TICK), "q", huge);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:queue slices 'q' custom 1 scope_queue\n110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:queue slices 'q' custom 4294967297 scope_queue\n110 #2 begin 'x' "
		   "depth 1\n"
		   "110 #3 + a:queue slices 'q' custom -1 scope_queue\n110 #3 begin 'x' depth 1\n"
		   "110 #4 + a:tick slices 'q' cpu 18446744073709551615 scope_cpu\n110 #4 begin "
		   "'x' depth 1\n");
}

TEST(names_are_copied_and_may_hold_any_byte)
{
	struct decoded_event decoded = begin_of(FIXTURE_WORK);
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

TEST(idle_tasks_are_kept_apart_by_cpu)
{
	struct decoded_event begin = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 110, 0);
	struct decoded_event queue = track_fixture_event(FIXTURE_QUEUE, DECODED_BEGIN, 110, 0);
	FIXTURE(track_fixture, fixture, NULL);

	for (int cpu = 0; cpu < 2; cpu++) {
		begin.cpu = cpu;
		observe(&fixture, begin, "work", number(0));
		queue.cpu = cpu;
		observe(&fixture, queue, "q", number(0));
	}
	begin.kind = DECODED_END;
	observe(&fixture, begin, "work", number(0));
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 0 on 0 of 0 'swapper/0'\n"
		   "110 #1 begin 'x' depth 1\n"
		   "110 #2 + a:queue slices 'q' custom 0 scope_queue\n110 #2 begin 'x' depth 1\n"
		   "110 #3 + a:work slices 'work' tid 0 on 1 of 0 'swapper/1'\n"
		   "110 #3 begin 'x' depth 1\n"
		   "110 #2 begin 'x' depth 2\n"
		   "110 #3 end 'x' depth 1 from 110\n");
}

TEST(instants_and_counters_have_what_is_open_around_them)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_instant(&fixture, 110, 7, "early");
	track_fixture_begin(&fixture, 120, 7, "a");
	track_fixture_begin(&fixture, 130, 7, "b");
	track_fixture_instant(&fixture, 140, 7, "inside");
	track_fixture_end(&fixture, 150, 7);
	track_fixture_instant(&fixture, 160, 7, "between");
	track_fixture_end(&fixture, 170, 7);
	track_fixture_instant(&fixture, 180, 7, "late");
	CHECK_TEXT(track_fixture_output(&fixture), "110 #1 + a:work slices 'work' tid 7\n"
						   "110 #1 instant 'early' depth 0 outer 110\n"
						   "120 #1 begin 'a' depth 1\n"
						   "130 #1 begin 'b' depth 2\n"
						   "140 #1 instant 'inside' depth 2 outer 130\n"
						   "150 #1 end 'b' depth 2 from 130\n"
						   "160 #1 instant 'between' depth 1 outer 120\n"
						   "170 #1 end 'a' depth 1 from 120\n"
						   "180 #1 instant 'late' depth 0 outer 110\n");
}

TEST(counter_samples_pass_exactly)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_DEPTH, DECODED_COUNTER, 130, 8);
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_count(&fixture, 110, 7, INT64_MIN);
	track_fixture_count(&fixture, 120, 7, -1);
	decoded.counter_value = (struct value){ .kind = VALUE_UNSIGNED,
						.unsigned_number = UINT64_MAX };
	CHECK_NUMBER(track_fixture_add(&fixture, &decoded), 0);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:load counter 'load' tid 7\n"
		   "110 #1 -9223372036854775808 depth 0 outer 110\n"
		   "120 #1 -1 depth 0 outer 110\n"
		   "130 #2 + a:depth counter 'depth' custom 8 scope_queue\n"
		   "130 #2 18446744073709551615 depth 0 outer 130\n");
}

TEST(extra_fields_are_handed_on_with_every_kind)
{
	struct decoded_event decoded = begin_of(FIXTURE_WORK);
	struct field extras[2] = { 0 };
	FIXTURE(track_fixture, fixture, NULL);

	decoded.nr_extras = 2;
	decoded.extras = extras;
	extras[0] = (struct field){ .name = text_of("bytes"), .value = number(512) };
	extras[1].name = text_of("ok");
	extras[1].value = (struct value){ .kind = VALUE_BOOLEAN, .boolean = true };
	observe(&fixture, decoded, "work", number(7));
	decoded.kind = DECODED_INSTANT;
	observe(&fixture, decoded, "work", number(7));
	decoded.kind = DECODED_END;
	observe(&fixture, decoded, "work", number(7));
	decoded.kind = DECODED_COUNTER;
	decoded.descriptor = &track_fixture_descriptors[FIXTURE_LOAD];
	observe(&fixture, decoded, "load", number(7));
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 7\n"
		   "110 #1 begin 'x' depth 1 bytes=512 ok=true\n"
		   "110 #1 instant 'x' depth 1 outer 110 bytes=512 ok=true\n"
		   "110 #1 end 'x' depth 1 from 110 bytes=512 ok=true\n"
		   "110 #2 + a:load counter 'load' tid 7\n"
		   "110 #2 1 depth 0 outer 110 bytes=512 ok=true\n");
}

TEST(an_end_without_a_begin_is_counted_and_touches_no_stack)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 8, "other");
	track_fixture_end(&fixture, 120, 7);
	track_fixture_end(&fixture, 120, 7);
	track_fixture_begin(&fixture, 130, 7, "a");
	track_fixture_end(&fixture, 140, 7);
	track_fixture_end(&fixture, 150, 7);
	track_fixture_end(&fixture, 160, 8);
	track_fixture_finish(&fixture, 170);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 8\n"
		   "110 #1 begin 'other' depth 1\n"
		   "120 #2 + a:work slices 'work' tid 7\n"
		   "130 #2 begin 'a' depth 1\n"
		   "140 #2 end 'a' depth 1 from 130\n"
		   "160 #1 end 'other' depth 1 from 110\n"
		   "170 #1 -\n170 #2 -\n"
		   "170 finish 0: 0 lost, 3 unmatched, 0 malformed, 0 "
		   "unfinished, 0 suspect, 0 retired, 0 other\n");
}

TEST(what_is_open_at_the_end_is_ended_there_innermost_first)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "a");
	track_fixture_begin(&fixture, 120, 8, "c");
	track_fixture_begin(&fixture, 130, 7, "b");
	track_fixture_output(&fixture);
	CHECK_NUMBER(tracks_finish(fixture.tracks, 200, 42, 3, &fixture.error), 0);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "200 #1 end 'b' depth 2 from 130 unfinished\n"
		   "200 #1 end 'a' depth 1 from 110 unfinished\n"
		   "200 #1 -\n"
		   "200 #2 end 'c' depth 1 from 120 unfinished\n"
		   "200 #2 -\n"
		   "200 finish 3: 42 lost, 0 unmatched, 0 malformed, 3 "
		   "unfinished, 0 suspect, 0 retired, 0 other\n");
}

TEST(tracks_take_leave_in_the_order_of_their_numbers)
{
	SCOPED_BUFFER(want);
	FIXTURE(track_fixture, fixture, NULL);

	for (int tid = 500; tid > 0; tid--)
		track_fixture_instant(&fixture, 110, tid, "x");
	track_fixture_output(&fixture);
	track_fixture_finish(&fixture, 200);
	for (int i = 1; i <= 500; i++)
		buffer_printf(&want, "200 #%d -\n", i);
	buffer_printf(&want, "200 finish 0: 0 lost, 0 unmatched, 0 malformed, 0 unfinished, 0 "
			     "suspect, 0 retired, 0 other\n");
	CHECK_TEXT(track_fixture_output(&fixture), buffer_string(&want));
}

static void reject(struct track_fixture *fixture, enum track_fixture_tracepoint tracepoint,
		   int64_t time_ns, const char *problem)
{
	struct decoded_event decoded = track_fixture_event(tracepoint, DECODED_BEGIN, time_ns, 7);

	decoded.problem = problem;
	CHECK_NUMBER(tracks_reject(fixture->tracks, &decoded, &fixture->error), 0);
}

TEST(malformed_records_are_reported_once_for_each_kind_and_tracepoint_and_counted_always)
{
	static const char bad_name[] = "bad name", bad_type[] = "bad type";
	FIXTURE(track_fixture, fixture, NULL);

	reject(&fixture, FIXTURE_WORK, 110, bad_name);
	reject(&fixture, FIXTURE_WORK, 120, bad_name);
	reject(&fixture, FIXTURE_WORK, 130, bad_type);
	reject(&fixture, FIXTURE_DEPTH, 140, bad_name);
	reject(&fixture, FIXTURE_WORK, 150, bad_type);
	reject(&fixture, FIXTURE_WORK, 160, bad_name);
	track_fixture_finish(&fixture, 200);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 malformed a:work: bad name\n"
		   "130 malformed a:work: bad type\n"
		   "140 malformed a:depth: bad name\n"
		   "200 finish 0: 0 lost, 0 unmatched, 6 malformed, 0 "
		   "unfinished, 0 suspect, 0 retired, 0 other\n");
}

TEST(a_malformed_record_touches_no_track)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "a");
	reject(&fixture, FIXTURE_WORK, 120, "bad");
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
	reject(&fixture, FIXTURE_WORK, 190, "bad");
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
