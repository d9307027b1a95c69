// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the page's data: the time of the last record, which is not that of the recording's end.
 */
#include <stdlib.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"
#include "sink/html/state.h"

#define MS INT64_C(1000000)
#define END_MS 380

static struct fixture_tracks tracks;
static struct timeline_name name;

static void things_init(void)
{
	fixture_tracks_init(&tracks);
	name = (struct timeline_name){ .text = text_of("it"), .is_counted = true };
}

static void push(struct timeline *timeline, int64_t ms, struct timeline_event event)
{
	struct error error = { 0 };

	event.time_ns = FIXTURE_START_NS + ms * MS;
	event.comm = "";
	CHECK_NUMBER(timeline_push(timeline, &event, &error), 0);
}

/* A page of one event at @ms, between two tracks that begin at 1 ms and the end at 380 ms. */
static void page_make(struct capture *capture, int64_t ms, struct timeline_event event)
{
	static const struct timeline_totals totals;
	struct sink_settings settings = { .name = "it", .fd = capture_init(capture) };
	SCOPED(timeline) timeline = { 0 };
	struct error error = { 0 };

	things_init();
	CHECK_NUMBER(timeline_add(&timeline, sink_of("html", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	push(&timeline, 1,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices });
	push(&timeline, 1,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.counter });
	push(&timeline, 2,
	     (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
				      .track = &tracks.slices,
				      .name = &name,
				      .depth = 1 });
	push(&timeline, ms, event);
	push(&timeline, END_MS,
	     (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals });
}

/* Checks what a page of @event has as the time of its last record: @last. */
static void check_last(struct timeline_event event, int64_t at_ms, const char *last)
{
	SCOPED(capture) capture;

	page_make(&capture, at_ms, event);
	CHECK(strstr(capture_text(&capture), last) != NULL);
	CHECK(strstr(capture_text(&capture), ",\"end_ns\":380000000,") != NULL);
}

static struct timeline_event slice_end(void)
{
	return (struct timeline_event){ .kind = TIMELINE_SLICE_END,
					.track = &tracks.slices,
					.name = &name,
					.begin_ns = FIXTURE_START_NS + 2 * MS,
					.depth = 1 };
}

TEST(every_record_of_a_track_may_be_the_last_one)
{
	const struct timeline_event events[] = {
		{ .kind = TIMELINE_SLICE_BEGIN,
		  .track = &tracks.slices,
		  .name = &name,
		  .depth = 2 },
		slice_end(),
		{ .kind = TIMELINE_INSTANT, .track = &tracks.slices, .name = &name, .depth = 1 },
		{ .kind = TIMELINE_COUNTER,
		  .track = &tracks.counter,
		  .value = { .kind = VALUE_SIGNED, .signed_number = 5 } },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		check_last(events[i], 30, "f {\"last_ns\":30000000,");
}

TEST(an_end_without_a_record_is_not_the_last_record)
{
	struct timeline_event unfinished = slice_end(), continued = slice_end();

	unfinished.is_unfinished = true;
	continued.is_continued = true;
	check_last(unfinished, END_MS, "f {\"last_ns\":2000000,");
	check_last(continued, END_MS, "f {\"last_ns\":2000000,");
}

TEST(what_happens_to_the_recording_is_no_record_of_a_track)
{
	const struct timeline_event events[] = {
		{ .kind = TIMELINE_LOSS, .loss_count = 3, .loss_end_ns = INT64_MAX },
		{ .kind = TIMELINE_MALFORMED, .problem = "odd", .tracepoint = "a:work" },
		{ .kind = TIMELINE_COMMAND_END, .pid = 1 },
		{ .kind = TIMELINE_TRACEPOINT,
		  .recorded = TIMELINE_RECORDED_FROM_NOW,
		  .tracepoint = "a:work" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		check_last(events[i], 300, "f {\"last_ns\":2000000,");
}

/* Pushes @count slices without gaps, 1 ms each, the last of which is suspect. */
static void push_slices(struct timeline *timeline, int count)
{
	push(timeline, 0,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices });
	for (int i = 0; i < count; i++) {
		struct timeline_event end = slice_end();

		push(timeline, i,
		     (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
					      .track = &tracks.slices,
					      .name = &name,
					      .depth = 1 });
		end.begin_ns = FIXTURE_START_NS + i * MS;
		end.is_suspect = i == count - 1;
		push(timeline, i + 1, end);
	}
}

static void check_digest(int count, const char *begin, const char *end)
{
	static const struct timeline_totals totals;
	SCOPED(capture) capture;
	struct sink_settings settings = { .name = "it", .fd = capture_init(&capture) };
	SCOPED(timeline) timeline = { 0 };
	struct error error = { 0 };

	things_init();
	CHECK_NUMBER(timeline_add(&timeline, sink_of("html", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	push_slices(&timeline, count);
	push(&timeline, END_MS,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_END, .track = &tracks.slices });
	push(&timeline, END_MS,
	     (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals });
	CHECK(strstr(capture_text(&capture), begin) != NULL);
	CHECK(strstr(capture_text(&capture), end) != NULL);
}

/* One name, number 0; bins that are full, the last one with the mark of a suspect slice. */
TEST(a_chunk_has_a_digest)
{
	check_digest(64, " 0 0 64000000 64 64000000 AQD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A", "/wD/IA== ");
	check_digest(63, " 0 0 63000000 63 63000000 - ", " - ");
}

TEST(a_chunk_has_the_range_of_its_durations)
{
	static const int times_ms[] = { 0, 3, 4, 6 };
	SCOPED(capture) capture;
	struct sink_settings settings = { .name = "it", .fd = capture_init(&capture) };
	SCOPED(timeline) timeline = { 0 };
	struct error error = { 0 };

	things_init();
	CHECK_NUMBER(timeline_add(&timeline, sink_of("html", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	push(&timeline, 0,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices });
	for (int i = 0; i < 3; i++) {
		struct timeline_event end = slice_end();

		push(&timeline, times_ms[i],
		     (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
					      .track = &tracks.slices,
					      .name = &name,
					      .depth = 1 });
		end.begin_ns = FIXTURE_START_NS + times_ms[i] * MS;
		push(&timeline, times_ms[i + 1], end);
	}
	html_report_all(container_of(timeline.sinks[0], struct html_sink, file.sink));
	CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
	CHECK(strstr(capture_text(&capture), " 3 6000000 - ;=1000000~3000000; ") != NULL);
}

#define LANES 200

static void push_of(struct timeline *timeline, enum timeline_kind kind,
		    struct timeline_track *track, unsigned int depth)
{
	push(timeline, 1,
	     (struct timeline_event){ .kind = kind,
				      .track = track,
				      .name = &name,
				      .begin_ns = FIXTURE_START_NS + MS,
				      .depth = depth });
}

/* The number of slices in all chunks of a track. */
static unsigned int slices_count(const char *page, const char *track)
{
	unsigned int count = 0;

	for (const char *at = strstr(page, track); at; at = strstr(at + 1, track)) {
		/* PLACE, FROM and TO precede it. */
		const char *word = at + strlen(track);

		for (int i = 0; i < 3; i++)
			word = strchr(word, ' ') + 1;
		count += atoi(word);
	}
	return count;
}

/* A slice of @inner in each of the slices of the track around it. */
static void push_lanes(struct timeline *timeline, struct timeline_track *inner)
{
	push_of(timeline, TIMELINE_TRACK_BEGIN, &tracks.slices, 0);
	push_of(timeline, TIMELINE_TRACK_BEGIN, inner, 0);
	for (unsigned int depth = 1; depth <= LANES; depth++) {
		push_of(timeline, TIMELINE_SLICE_BEGIN, &tracks.slices, depth);
		push_of(timeline, TIMELINE_SLICE_BEGIN, inner, 1);
		push_of(timeline, TIMELINE_SLICE_END, inner, 1);
	}
}

TEST(a_track_keeps_few_of_its_places)
{
	SCOPED(capture) capture;
	struct sink_settings settings = { .name = "it", .fd = capture_init(&capture) };
	SCOPED(timeline) timeline = { 0 };
	struct timeline_track inner;
	struct error error = { 0 };
	const struct html_sink *sink;
	const struct html_track *track;

	things_init();
	inner = tracks.slices;
	inner.number = 77;
	CHECK_NUMBER(timeline_add(&timeline, sink_of("html", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	push_lanes(&timeline, &inner);
	sink = container_of(timeline.sinks[0], struct html_sink, file.sink);
	track = inner.sink_data[0];
	CHECK_NUMBER(track->depths[0].chunks->place.lane, 1);
	CHECK(track->nr_places > 0 && track->nr_places <= 64);
	CHECK(sink->pending_size >= track->nr_places * sizeof(struct html_chunk));
	for (unsigned int depth = LANES; depth > 0; depth--)
		push_of(&timeline, TIMELINE_SLICE_END, &tracks.slices, depth);
	html_report_all((struct html_sink *)sink);
	CHECK_NUMBER(track->nr_places, 0);
	CHECK_NUMBER(sink->pending_size, 0);
	push_of(&timeline, TIMELINE_TRACK_END, &inner, 0);
	CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
	CHECK_NUMBER(slices_count(capture_text(&capture), "\nc 77 "), LANES);
}

/* An instant with a field, and with a flow that has an id. */
static void push_instant(struct timeline *timeline, int64_t ms, int64_t number, bool has_flow)
{
	static const char field_name[] = "a", flow_name[] = "f";
	const struct field fields[] = {
		{ .name = text_of(field_name),
		  .value = { .kind = VALUE_SIGNED, .signed_number = number } },
		{ .name = text_of(flow_name),
		  .value = { .kind = VALUE_UNSIGNED, .unsigned_number = 1 } },
	};

	push(timeline, ms,
	     (struct timeline_event){ .kind = TIMELINE_INSTANT,
				      .track = &tracks.slices,
				      .name = &name,
				      .fields = fields,
				      .nr_fields = 1,
				      .nr_flows = has_flow });
}

/* Pages' chunks have 512 instants at most. */
TEST(each_chunk_has_the_range_of_its_fields_though_values_repeat)
{
	struct capture capture;
	struct sink_settings settings = { .name = "it", .fd = capture_init(&capture) };
	struct timeline timeline = { 0 };
	struct error error = { 0 };
	struct html_sink *sink;
	const char *line;

	things_init();
	CHECK_NUMBER(timeline_add(&timeline, sink_of("html", &settings, &error), &error), 0);
	CHECK_NUMBER(timeline_open(&timeline, &trace2_fixture_recording, &error), 0);
	push(&timeline, 0,
	     (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices });
	for (int i = 0; i < 2 * 512; i++)
		push_instant(&timeline, i, 5, false);
	push_instant(&timeline, 2000, 700, false);
	push_instant(&timeline, 2000, 7, true);
	push_instant(&timeline, 2000, 70, true);
	push_instant(&timeline, 2000, -7, false);
	sink = container_of(timeline.sinks[0], struct html_sink, file.sink);
	html_report_all(sink);
	CHECK_NUMBER(sink->pending_size, 0);
	CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
	line = strstr(capture_text(&capture), "\ni ");
	CHECK(line && strstr(line, " 0 511000000 512 0 ;a=5~5; "));
	CHECK(line && strstr(line, " 512000000 1023000000 512 0 ;a=5~5; "));
	CHECK(line && strstr(line, " 2000000000 2000000000 4 0 ;a=-7~700;"));
	timeline_release(&timeline);
	capture_release(&capture);
}
