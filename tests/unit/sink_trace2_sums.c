// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the trace2 sink: timers and summaries where tracks and recordings end, and streams that
 * end early.
 */
#include <string.h>

#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

static const struct timeline_totals no_totals;

static struct value number(int64_t number)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = number };
}

/** struct cast - the objects that the events refer to */
struct cast {
	struct timeline_category work;
	struct timeline_category load;
	struct timeline_track tracks[2];
	struct timeline_track counter;
	struct timeline_name read;
	struct timeline_name write;
	struct timeline_name rare;
	struct timeline_name odd;
};

static void cast_init(struct cast *cast)
{
	*cast = (struct cast){
		.work = { .text = "a:work" },
		.load = { .text = "a:load" },
		.read = { .text = text_of("read"), .is_counted = true },
		.write = { .text = text_of("write"), .is_counted = true },
		.rare = { .text = text_of("rare") },
		.odd = { .text = text_of("odd") },
	};
	for (int i = 0; i < 2; i++)
		cast->tracks[i] = (struct timeline_track){
			.number = 1 + i,
			.category = &cast->work,
			.name = text_of("t"),
			.id = number(i),
			.cpu = -1,
			.comm = "",
		};
	cast->counter = (struct timeline_track){
		.number = 3,
		.category = &cast->load,
		.kind = TRACK_COUNTER,
		.name = text_of("c"),
		.id = number(5),
		.cpu = -1,
		.comm = "",
	};
}

static void cast_open(struct cast *cast, struct trace2_fixture *fixture)
{
	cast_init(cast);
	trace2_fixture_open(fixture, &trace2_fixture_recording);
	trace2_fixture_track(fixture, 0, &cast->tracks[0]);
	trace2_fixture_track(fixture, 0, &cast->tracks[1]);
	trace2_fixture_track(fixture, 0, &cast->counter);
}

/* A slice on one of the tracks, of so many milliseconds, that ends at 9 ms. */
static void slice(struct trace2_fixture *fixture, struct timeline_track *track,
		  struct timeline_name *name, int ms)
{
	struct timeline_event event = {
		.kind = TIMELINE_SLICE_BEGIN, .track = track, .name = name, .depth = 1
	};

	trace2_fixture_push(fixture, 9, event);
	event.kind = TIMELINE_SLICE_END;
	event.begin_ns = FIXTURE_START_NS + (9 - ms) * INT64_C(1000000);
	trace2_fixture_push(fixture, 9, event);
}

static void track_end(struct trace2_fixture *fixture, struct timeline_track *track)
{
	trace2_fixture_push(fixture, 9,
			    (struct timeline_event){ .kind = TIMELINE_TRACK_END, .track = track });
}

#define TIMER(event, thread, name, intervals, total, min, max)                                   \
	EVENT_LINE(event, thread, "009",                                                         \
		   ",\"category\":\"a:work\",\"name\":\"" name                                   \
		   "\",\"intervals\":" intervals EVENT_T("t_total", total) EVENT_T("t_min", min) \
			   EVENT_T("t_max", max))
#define THREAD_EXIT(thread) \
	EVENT_LINE("thread_exit", thread, "009", EVENT_T("t_rel", "009") EVENT_T("t_abs", "009"))
#define EXIT EVENT_LINE("exit", "main", "009", ",AT" EVENT_T("t_abs", "009") ",\"code\":0")
#define ATEXIT EVENT_LINE("atexit", "main", "009", ",AT" EVENT_T("t_abs", "009") ",\"code\":0")

TEST(timers_sum_each_name_of_a_track_and_then_of_all_tracks)
{
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	slice(&fixture, &cast.tracks[0], &cast.read, 3);
	slice(&fixture, &cast.tracks[0], &cast.write, 1);
	slice(&fixture, &cast.tracks[0], &cast.read, 5);
	slice(&fixture, &cast.tracks[1], &cast.write, 0);
	slice(&fixture, &cast.tracks[1], &cast.read, 4);
	trace2_fixture_output(&fixture);
	track_end(&fixture, &cast.tracks[0]);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   TIMER("th_timer", "th01:t tid 0", "read", "2", "008", "003", "005")
			   TIMER("th_timer", "th01:t tid 0", "write", "1", "001", "001", "001")
				   THREAD_EXIT("th01:t tid 0"));
	track_end(&fixture, &cast.tracks[1]);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   TIMER("th_timer", "th02:t tid 1", "write", "1", "000", "000", "000")
			   TIMER("th_timer", "th02:t tid 1", "read", "1", "004", "004", "004")
				   THREAD_EXIT("th02:t tid 1"));
	trace2_fixture_finish(&fixture, 9, 0, &no_totals);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EXIT TIMER("timer", "main", "read", "3", "012", "003", "005")
			   TIMER("timer", "main", "write", "2", "001", "000", "001") ATEXIT);
}

TEST(names_that_are_not_counted_share_one_timer)
{
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	slice(&fixture, &cast.tracks[0], &cast.rare, 3);
	CHECK(strstr(trace2_fixture_output(&fixture), "\"label\":\"rare\"") != NULL);
	slice(&fixture, &cast.tracks[0], &cast.odd, 1);
	CHECK(strstr(trace2_fixture_output(&fixture), "\"label\":\"odd\"") != NULL);
	/* Such names are released, so that sinks may keep no data in them. */
	CHECK(cast.rare.sink_data[0] == NULL);
	track_end(&fixture, &cast.tracks[0]);
	trace2_fixture_finish(&fixture, 9, 0, &no_totals);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   TIMER("th_timer", "th01:t tid 0", "(other)", "2", "004", "001", "003")
			   THREAD_EXIT("th01:t tid 0") EXIT TIMER("timer", "main", "(other)", "2",
								  "004", "001", "003") ATEXIT);
}

TEST(suspect_and_unfinished_slices_are_in_no_timer)
{
	struct timeline_event event = { .kind = TIMELINE_SLICE_BEGIN,
					.depth = 1,
					.begin_ns = FIXTURE_START_NS };
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	slice(&fixture, &cast.tracks[0], &cast.write, 1);
	event.track = &cast.tracks[0];
	event.name = &cast.read;
	trace2_fixture_push(&fixture, 9, event);
	event.kind = TIMELINE_SLICE_END;
	event.is_suspect = true;
	trace2_fixture_push(&fixture, 9, event);
	event.is_unfinished = true;
	trace2_fixture_push(&fixture, 9, event);
	event.is_suspect = false;
	trace2_fixture_push(&fixture, 9, event);
	trace2_fixture_output(&fixture);
	track_end(&fixture, &cast.tracks[0]);
	trace2_fixture_finish(&fixture, 9, 0, &no_totals);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   TIMER("th_timer", "th01:t tid 0", "write", "1", "001", "001", "001")
			   THREAD_EXIT("th01:t tid 0") EXIT TIMER("timer", "main", "write", "1",
								  "001", "001", "001") ATEXIT);
}

TEST(a_counter_is_summed_up_as_levels)
{
	static const int64_t samples[] = { 5, -9223372036854775807, 12, 7 };
	struct timeline_event event = { .kind = TIMELINE_COUNTER, .outer_ns = FIXTURE_START_NS };
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	event.track = &cast.counter;
	for (int i = 0; i < 4; i++) {
		event.value = number(samples[i]);
		trace2_fixture_push(&fixture, 8, event);
	}
	trace2_fixture_output(&fixture);
	track_end(&fixture, &cast.counter);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   EVENT_LINE("data_json", "th03:c tid 5", "009",
			      EVENT_T("t_abs", "009") EVENT_T(
				      "t_rel",
				      "009") ",\"nesting\":1,\"category\":\"summary\",\"key\":"
					     "\"th03\",\"value\":"
					     "{\"samples\":4,\"first\":\"5\",\"last\":\"7\","
					     "\"min\":\"-9223372036854775807\",\"max\":\"12\"}")
			   THREAD_EXIT("th03:c tid 5"));
}

TEST(a_track_without_slices_or_samples_just_ends)
{
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	trace2_fixture_output(&fixture);
	track_end(&fixture, &cast.counter);
	track_end(&fixture, &cast.tracks[1]);
	CHECK_TEXT(trace2_fixture_output(&fixture),
		   THREAD_EXIT("th03:c tid 5") THREAD_EXIT("th02:t tid 1"));
	trace2_fixture_finish(&fixture, 9, 0, &no_totals);
	CHECK_TEXT(trace2_fixture_output(&fixture), EXIT ATEXIT);
}

TEST(how_far_the_wall_clock_has_moved_is_said_in_the_end)
{
	struct timeline_totals totals = { .has_wall_drift = true, .wall_drift_ns = -1234 };
	const char *reported;
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_output(&fixture);
	trace2_fixture_finish(&fixture, 9, 0, &totals);
	reported = trace2_fixture_output(&fixture);
	CHECK(strstr(reported,
		     "\"param\":\"wall_drift_ns\",\"value\":\"-1234\"}\n{\"event\":\"exit\""));
}

TEST(between_which_moments_all_is_there_is_said_in_the_end)
{
	struct timeline_totals totals = { .has_complete_from = true,
					  .complete_from_ns = FIXTURE_START_NS + 1002000003,
					  .has_complete_until = true,
					  .complete_until_ns = FIXTURE_START_NS + 2000000001 };
	const char *reported;
	SCOPED(trace2_fixture) fixture;

	trace2_fixture_open(&fixture, &trace2_fixture_recording);
	trace2_fixture_output(&fixture);
	trace2_fixture_finish(&fixture, 9, 0, &totals);
	reported = trace2_fixture_output(&fixture);
	CHECK(strstr(reported, "\"param\":\"complete_from\",\"value\":\"1.002000003\"}\n"));
	CHECK(strstr(reported, "\"param\":\"complete_until\",\"value\":\"2.000000001\"}\n"
			       "{\"event\":\"exit\""));
}

TEST(tracks_end_in_any_order_while_others_go_on)
{
	struct cast cast;
	struct trace2_fixture fixture;

	for (int first = 0; first < 3; first++) {
		struct timeline_track *tracks[3];

		cast_open(&cast, &fixture);
		tracks[0] = &cast.tracks[0];
		tracks[1] = &cast.tracks[1];
		tracks[2] = &cast.counter;
		for (int i = 0; i < 3; i++)
			track_end(&fixture, tracks[(first + i) % 3]);
		trace2_fixture_track(&fixture, 9, &cast.tracks[0]);
		slice(&fixture, &cast.tracks[0], &cast.read, 1);
		track_end(&fixture, &cast.tracks[0]);
		trace2_fixture_release(&fixture);
	}
}

TEST(everything_is_given_back_where_the_stream_ends_early)
{
	struct timeline_event open = { .kind = TIMELINE_SLICE_BEGIN, .depth = 1 };
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_open(&cast, &fixture);
	slice(&fixture, &cast.tracks[0], &cast.read, 1);
	slice(&fixture, &cast.tracks[1], &cast.rare, 1);
	open.track = &cast.tracks[1];
	open.name = &cast.write;
	trace2_fixture_push(&fixture, 9, open);
	track_end(&fixture, &cast.tracks[0]);
	/* The sanitizer reports what is left. */
}

TEST(two_sinks_write_the_same_and_share_nothing)
{
	struct sink_trace2_settings trace2 = { .sid = "S", .hierarchy = "git/stream" };
	struct sink_settings settings = { .name = "second", .trace2 = &trace2 };
	SCOPED(capture) capture;
	struct cast cast;
	SCOPED(trace2_fixture) fixture;

	cast_init(&cast);
	trace2_fixture_init(&fixture, 0);
	settings.fd = capture_init(&capture);
	CHECK_NUMBER(timeline_add(&fixture.timeline, sink_of("event", &settings, &fixture.error),
				  &fixture.error),
		     0);
	CHECK_NUMBER(timeline_open(&fixture.timeline, &trace2_fixture_recording, &fixture.error),
		     0);
	for (int i = 0; i < 2; i++) {
		trace2_fixture_track(&fixture, 9 * i, &cast.tracks[i]);
		slice(&fixture, &cast.tracks[i], &cast.read, 1);
	}
	track_end(&fixture, &cast.tracks[0]);
	track_end(&fixture, &cast.tracks[1]);
	trace2_fixture_finish(&fixture, 9, 0, &no_totals);
	CHECK(cast.read.sink_data[0] && cast.read.sink_data[1] &&
	      cast.read.sink_data[0] != cast.read.sink_data[1]);
	CHECK(cast.work.sink_data[0] && cast.work.sink_data[1] &&
	      cast.work.sink_data[0] != cast.work.sink_data[1]);
	CHECK_NUMBER(timeline_flush(&fixture.timeline, &fixture.error), 0);
	CHECK(strlen(capture_text(&capture)) > 3000);
	CHECK_TEXT(capture_text(&capture), capture_text(&fixture.capture));
}
