// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the trace2 sink: tracks that end in any order, streams that end early, two of them. */
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
};

static void cast_init(struct cast *cast)
{
	*cast = (struct cast){
		.work = { .text = "a:work" },
		.load = { .text = "a:load" },
		.read = { .text = text_of("read"), .is_counted = true },
		.write = { .text = text_of("write"), .is_counted = true },
		.rare = { .text = text_of("rare") },
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
