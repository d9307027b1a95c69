// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the lines for a page that follows the recording. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OWN_CLOCK CLOCK_MONOTONIC
#include "fixtures/capture.h"
#include "fixtures/own_clock.h"
#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"
#include "fixtures/tap.h"

#define SIZE_MAX_TEST 4000
#define INTERVAL_NS (250 * NS_PER_MS)

static struct fixture_tracks tracks;
static struct timeline_name name, late_name;
static struct timeline_totals totals;

struct live_case {
	struct timeline timeline;
	struct capture capture;
	struct error error;
	int64_t time_ns;
};

static void live_init(struct live_case *live, const char *kind, int fd)
{
	struct sink_settings settings = { .name = "it", .fd = fd, .size_max = SIZE_MAX_TEST };

	fixture_tracks_init(&tracks);
	name = (struct timeline_name){ .text = text_of("</script>"), .is_counted = true };
	late_name = (struct timeline_name){ .text = text_of("late"), .is_counted = true };
	totals = (struct timeline_totals){ .lost_records = 7, .malformed = 1 };
	live->timeline = (struct timeline){ 0 };
	live->error = (struct error){ 0 };
	live->time_ns = FIXTURE_START_NS;
	CHECK_NUMBER(
		timeline_add(&live->timeline, sink_of(kind, &settings, &live->error), &live->error),
		0);
	CHECK_NUMBER(timeline_open(&live->timeline, &trace2_fixture_recording, &live->error), 0);
}

static void live_push(struct live_case *live, struct timeline_event event)
{
	event.time_ns = live->time_ns;
	event.comm = "";
	CHECK_NUMBER(timeline_push(&live->timeline, &event, &live->error), 0);
	CHECK_TEXT(live->error.text, "");
}

static void push_slice(struct live_case *live, struct timeline_name *which)
{
	live_push(live, (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
						 .track = &tracks.slices,
						 .name = which,
						 .depth = 1 });
	live->time_ns += 1000;
	live_push(live, (struct timeline_event){ .kind = TIMELINE_SLICE_END,
						 .track = &tracks.slices,
						 .name = which,
						 .begin_ns = live->time_ns - 1000,
						 .depth = 1 });
}

static void push_track(struct live_case *live, enum timeline_kind kind)
{
	live_push(live, (struct timeline_event){ .kind = kind, .track = &tracks.slices });
}

static void push_finish(struct live_case *live)
{
	live_push(live, (struct timeline_event){ .kind = TIMELINE_FINISH, .totals = &totals });
}

static void live_flush(struct live_case *live)
{
	CHECK_NUMBER(timeline_flush(&live->timeline, &live->error), 0);
}

static bool live_has(struct live_case *live, const char *text)
{
	return strstr(capture_text(&live->capture), text) != NULL;
}

TEST(lines_are_those_of_a_page)
{
	struct live_case live, page;
	const char *found;

	live_init(&live, "serve", capture_init(&live.capture));
	push_track(&live, TIMELINE_TRACK_BEGIN);
	push_slice(&live, &name);
	push_track(&live, TIMELINE_TRACK_END);
	push_finish(&live);
	live_init(&page, "html", capture_init(&page.capture));
	push_track(&page, TIMELINE_TRACK_BEGIN);
	push_slice(&page, &name);
	push_track(&page, TIMELINE_TRACK_END);
	push_finish(&page);
	found = strstr(capture_text(&page.capture), "\nr {");
	CHECK(found && strncmp(found + 1, capture_text(&live.capture),
			       strlen(capture_text(&live.capture))) == 0);
	CHECK(live_has(&live, "\ne 1\n"));
	CHECK(!live_has(&live, "</script>"));
	timeline_release(&live.timeline);
	timeline_release(&page.timeline);
	capture_release(&live.capture);
	capture_release(&page.capture);
}

TEST(events_are_written_at_an_interval)
{
	struct live_case live;

	live_init(&live, "serve", capture_init(&live.capture));
	push_track(&live, TIMELINE_TRACK_BEGIN);
	push_slice(&live, &name);
	CHECK(!live_has(&live, "\nc 1 "));
	live_flush(&live);
	CHECK(live_has(&live, "\nc 1 0 0 1000 1 "));
	push_slice(&live, &late_name);
	live_flush(&live);
	CHECK(!live_has(&live, "late"));
	own_clock_ns += INTERVAL_NS - 1;
	live_flush(&live);
	CHECK(!live_has(&live, "late"));
	own_clock_ns++;
	live_flush(&live);
	CHECK(live_has(&live, "\nc 1 0 1000 2000 1 "));
	timeline_release(&live.timeline);
	capture_release(&live.capture);
}

TEST(nothing_but_the_end_is_written_behind_the_limit)
{
	struct live_case live;

	live_init(&live, "serve", capture_init(&live.capture));
	push_track(&live, TIMELINE_TRACK_BEGIN);
	for (int i = 0; i < 2000; i++)
		push_slice(&live, &name);
	live_flush(&live);
	CHECK(live_has(&live,
		       "w \"this page is full: it has nothing after 2.00ms (limit 0 MiB)\""));
	push_slice(&live, &late_name);
	live_push(&live, (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN,
						  .track = &tracks.counter });
	live_push(&live,
		  (struct timeline_event){ .kind = TIMELINE_COUNTER,
					   .track = &tracks.counter,
					   .value = { .kind = VALUE_SIGNED, .signed_number = 3 } });
	push_track(&live, TIMELINE_TRACK_END);
	live_push(&live, (struct timeline_event){ .kind = TIMELINE_LOSS, .loss_count = 3 });
	own_clock_ns += INTERVAL_NS;
	live_flush(&live);
	push_finish(&live);
	CHECK(!live_has(&live, "late") && !live_has(&live, "\nv ") && !live_has(&live, "\nl ") &&
	      !live_has(&live, "\ne ") && !live_has(&live, "\"number\":2"));
	CHECK(live_has(&live, "\nf {") && live_has(&live, "\"lost\":7"));
	timeline_release(&live.timeline);
	capture_release(&live.capture);
}

TEST(a_full_disk_is_reported)
{
	struct live_case live;

	live_init(&live, "serve", open("/dev/full", O_WRONLY | O_CLOEXEC));
	CHECK_NUMBER(timeline_flush(&live.timeline, &live.error), -1);
	CHECK_TEXT(live.error.text, "cannot write to it: No space left on device");
	timeline_release(&live.timeline);
}

TEST(a_stream_that_ends_early_is_released)
{
	struct live_case live;

	live_init(&live, "serve", capture_init(&live.capture));
	push_track(&live, TIMELINE_TRACK_BEGIN);
	push_slice(&live, &name);
	live_push(&live, (struct timeline_event){ .kind = TIMELINE_SLICE_BEGIN,
						  .track = &tracks.slices,
						  .name = &name,
						  .depth = 1 });
	timeline_release(&live.timeline);
	CHECK(!live_has(&live, "\nf "));
	capture_release(&live.capture);
}
