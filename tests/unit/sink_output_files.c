// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the outputs of one file: streams that end early, files that cannot be written, and names
 * that are not counted.
 */
#include <fcntl.h>
#include <string.h>

#include "fixtures/capture.h"
#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

static const char *const kinds[] = { "chrome", "perfetto", "html", "otlp", "fxt", "stat" };

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct fixture_tracks tracks;
static struct timeline_name counted, other;

static void things_init(void)
{
	fixture_tracks_init(&tracks);
	counted = (struct timeline_name){ .text = text_of("counted"), .is_counted = true };
	other = (struct timeline_name){ .text = text_of("other") };
}

/* Two tracks with an open slice, another that ended, an instant, a sample and losses. */
static int push_all(struct timeline *timeline, struct error *error)
{
	static const struct field field = { .name = { .data = "size", .size = 4 },
					    .value = { .kind = VALUE_UNSIGNED,
						       .unsigned_number = UINT64_MAX } };
	const struct timeline_event events[] = {
		{ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.slices },
		{ .kind = TIMELINE_TRACK_BEGIN, .track = &tracks.counter },
		{ .kind = TIMELINE_SLICE_BEGIN,
		  .track = &tracks.slices,
		  .name = &counted,
		  .fields = &field,
		  .nr_fields = 1,
		  .depth = 1 },
		{ .kind = TIMELINE_SLICE_BEGIN,
		  .track = &tracks.slices,
		  .name = &other,
		  .depth = 2 },
		{ .kind = TIMELINE_SLICE_END, .track = &tracks.slices, .name = &other, .depth = 2 },
		{ .kind = TIMELINE_INSTANT, .track = &tracks.slices, .name = &other, .depth = 1 },
		{ .kind = TIMELINE_COUNTER,
		  .track = &tracks.counter,
		  .value = { .kind = VALUE_SIGNED, .signed_number = INT64_MIN } },
		{ .kind = TIMELINE_LOSS, .loss_count = 3, .loss_end_ns = INT64_MAX },
		{ .kind = TIMELINE_LOSS, .loss_count = 3, .loss_end_ns = FIXTURE_START_NS + 5 },
		{ .kind = TIMELINE_MALFORMED, .problem = "odd", .tracepoint = "a:work" },
		{ .kind = TIMELINE_TRACEPOINT,
		  .recorded = TIMELINE_RECORDED_FROM_NOW,
		  .tracepoint = "a:work" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (fixture_push(timeline, events[i], error) < 0)
			return -1;
	}
	return 0;
}

static int timeline_make(struct timeline *timeline, size_t kind, int fd, struct error *error)
{
	static const struct sink_stat_settings stat;
	struct sink_settings settings = { .name = "it", .fd = fd, .with = 7, .stat = &stat };
	struct sink *sink = sink_of(kinds[kind], &settings, error);
	struct recording recording = trace2_fixture_recording;

	recording.counts_ticks = true;
	things_init();
	*timeline = (struct timeline){ 0 };
	if (!sink || timeline_add(timeline, sink, error) < 0)
		return -1;
	return timeline_open(timeline, &recording, error);
}

TEST(what_is_kept_is_given_back_where_the_stream_ends_early)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		struct timeline timeline;
		struct error error = { 0 };
		struct capture capture;

		CHECK_NUMBER(timeline_make(&timeline, i, capture_init(&capture), &error), 0);
		CHECK_NUMBER(push_all(&timeline, &error), 0);
		CHECK_TEXT(error.text, "");
		timeline_release(&timeline);
		capture_release(&capture);
	}
}

static bool capture_has(struct capture *capture, struct text text)
{
	const char *all = capture_text(capture);

	return memmem(all, capture->text.size, text.data, text.size);
}

/* What ends a recording with all that can be wrong with it as a whole. */
static struct timeline_event faults_finish(struct timeline_totals *totals)
{
	static const struct timeline_count malformed[] = { { "demo:io", 2 }, { "demo:\"it\"", 1 } };

	*totals = (struct timeline_totals){ .late_records = 3,
					    .unmatched_ends = 1,
					    .malformed = 3,
					    .retired_tracks = 4,
					    .foreign_ends = 5,
					    .evicted_slices = 6,
					    .renamed_threads = 7,
					    .has_wall_drift = true,
					    .wall_drift_ns = -1234567,
					    .malformed_of = malformed,
					    .nr_malformed_of = 2 };
	return (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = totals };
}

TEST(what_is_wrong_with_the_whole_is_reported)
{
	static const char *const notes[] = {
		"the clock counts ticks,",
		"3 records came after younger ones",
		"1 end without a begin",
		"2 malformed records of demo:io",
		"1 malformed record of demo:",
		"4 tracks were closed to save memory (--max-tracks) and",
		"5 slices were ended by other threads",
		"6 slices were open on closed tracks"
	};

	for (size_t i = 0; i < NR_KINDS; i++) {
		struct timeline_totals totals;
		struct timeline timeline;
		struct error error = { 0 };
		struct capture capture;

		CHECK_NUMBER(timeline_make(&timeline, i, capture_init(&capture), &error), 0);
		CHECK_NUMBER(fixture_push(&timeline, faults_finish(&totals), &error), 0);
		timeline_release(&timeline);
		for (size_t j = 0; j < sizeof(notes) / sizeof(notes[0]); j++)
			CHECK(capture_has(&capture, text_of(notes[j])));
		CHECK(!capture_has(&capture, text_of("rename")));
		capture_release(&capture);
	}
}

/* Perfetto gets the time of day at the end, 1599999999998765433 ns, the others the drift of the
 * wall clock. */
TEST(a_wall_clock_that_moves_is_reported)
{
	for (size_t i = 0; i < NR_KINDS - 1; i++) {
		const struct text reported[] = { text_of("\"wall_drift_ns\":\"-1234567\""),
						 text_of("\xf9\xd2\xb4\xc4\xdd\xf0\x95\x9a\x16"),
						 text_of("\"wall_drift_ns\":-1234567"),
						 text_of("\"ktrack.wall_drift_ns\",\"value\":"
							 "{\"intValue\":\"-1234567\"}"),
						 text_of("\x79\x29\xed\xff") };
		struct timeline_totals totals;
		struct timeline timeline;
		struct error error = { 0 };
		struct capture capture;

		CHECK_NUMBER(timeline_make(&timeline, i, capture_init(&capture), &error), 0);
		CHECK_NUMBER(fixture_push(&timeline, faults_finish(&totals), &error), 0);
		timeline_release(&timeline);
		CHECK(capture_has(&capture, reported[i]));
		capture_release(&capture);
	}
}

TEST(a_full_disk_is_reported)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		static const struct timeline_totals totals;
		struct timeline_event finish = { .kind = TIMELINE_FINISH, .totals = &totals };
		struct timeline timeline;
		struct error error = { 0 };
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

		CHECK_NUMBER(timeline_make(&timeline, i, fd, &error), 0);
		CHECK_NUMBER(fixture_push(&timeline, finish, &error), -1);
		CHECK_TEXT(error.text, "cannot write to it: No space left on device");
		timeline_release(&timeline);
	}
}

TEST(what_is_flushed_can_be_read_while_it_goes_on)
{
	for (size_t i = 0; i < NR_KINDS - 1; i++) {
		struct timeline timeline;
		struct error error = { 0 };
		struct capture capture;
		size_t before;

		CHECK_NUMBER(timeline_make(&timeline, i, capture_init(&capture), &error), 0);
		CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
		capture_text(&capture);
		before = capture.text.size;
		CHECK_NUMBER(push_all(&timeline, &error), 0);
		CHECK_NUMBER(timeline_flush(&timeline, &error), 0);
		capture_text(&capture);
		/* Lines have no head of a file. */
		CHECK(before > 0 || strcmp(kinds[i], "otlp") == 0);
		CHECK(capture.text.size > before);
		timeline_release(&timeline);
		capture_release(&capture);
	}
}
