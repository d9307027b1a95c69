// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the trace2 sink: timers and summaries where tracks and recordings end, and streams that
 * end early.
 */
#include <string.h>

#include "show.h"
#include "sink/sink.h"
#include "tap.h"

static const struct timeline_totals no_totals;

static struct value number(int64_t number)
{
	return (struct value){ .kind = VALUE_SIGNED, .signed_number = number };
}

/** struct cast - what the events of one show point to */
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

static void cast_open(struct cast *cast, struct show *show)
{
	cast_init(cast);
	show_open(show, &show_recording);
	show_track(show, 0, &cast->tracks[0]);
	show_track(show, 0, &cast->tracks[1]);
	show_track(show, 0, &cast->counter);
}

/* A slice on one of the tracks, of so many milliseconds, that ends at 9 ms. */
static void slice(struct show *show, struct timeline_track *track, struct timeline_name *name,
		  int ms)
{
	struct timeline_event event = {
		.kind = TIMELINE_SLICE_BEGIN, .track = track, .name = name, .depth = 1
	};

	show_push(show, 9, event);
	event.kind = TIMELINE_SLICE_END;
	event.begin_ns = SHOW_START_NS + (9 - ms) * INT64_C(1000000);
	show_push(show, 9, event);
}

static void track_end(struct show *show, struct timeline_track *track)
{
	show_push(show, 9, (struct timeline_event){ .kind = TIMELINE_TRACK_END, .track = track });
}

#define TIMER(event, thread, name, intervals, total, min, max)                                \
	SHOW_LINE(event, thread, "009",                                                       \
		  ",\"category\":\"a:work\",\"name\":\"" name                                 \
		  "\",\"intervals\":" intervals SHOW_T("t_total", total) SHOW_T("t_min", min) \
			  SHOW_T("t_max", max))
#define THREAD_EXIT(thread) \
	SHOW_LINE("thread_exit", thread, "009", SHOW_T("t_rel", "009") SHOW_T("t_abs", "009"))
#define EXIT SHOW_LINE("exit", "main", "009", ",AT" SHOW_T("t_abs", "009") ",\"code\":0")
#define ATEXIT SHOW_LINE("atexit", "main", "009", ",AT" SHOW_T("t_abs", "009") ",\"code\":0")

TEST(timers_sum_each_name_of_a_track_and_then_of_all_tracks)
{
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	slice(&show, &cast.tracks[0], &cast.read, 3);
	slice(&show, &cast.tracks[0], &cast.write, 1);
	slice(&show, &cast.tracks[0], &cast.read, 5);
	slice(&show, &cast.tracks[1], &cast.write, 0);
	slice(&show, &cast.tracks[1], &cast.read, 4);
	show_told(&show);
	track_end(&show, &cast.tracks[0]);
	CHECK_TEXT(show_told(&show),
		   TIMER("th_timer", "th01:t tid 0", "read", "2", "008", "003", "005")
			   TIMER("th_timer", "th01:t tid 0", "write", "1", "001", "001", "001")
				   THREAD_EXIT("th01:t tid 0"));
	track_end(&show, &cast.tracks[1]);
	CHECK_TEXT(show_told(&show),
		   TIMER("th_timer", "th02:t tid 1", "write", "1", "000", "000", "000")
			   TIMER("th_timer", "th02:t tid 1", "read", "1", "004", "004", "004")
				   THREAD_EXIT("th02:t tid 1"));
	show_finish(&show, 9, 0, &no_totals);
	CHECK_TEXT(show_told(&show),
		   EXIT TIMER("timer", "main", "read", "3", "012", "003", "005")
			   TIMER("timer", "main", "write", "2", "001", "000", "001") ATEXIT);
	show_release(&show);
}

TEST(names_that_are_not_counted_share_one_timer)
{
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	slice(&show, &cast.tracks[0], &cast.rare, 3);
	CHECK(strstr(show_told(&show), "\"label\":\"rare\"") != NULL);
	slice(&show, &cast.tracks[0], &cast.odd, 1);
	CHECK(strstr(show_told(&show), "\"label\":\"odd\"") != NULL);
	/* Such names come and go, so that nothing may be kept in them. */
	CHECK(cast.rare.slots[0] == NULL);
	track_end(&show, &cast.tracks[0]);
	show_finish(&show, 9, 0, &no_totals);
	CHECK_TEXT(show_told(&show),
		   TIMER("th_timer", "th01:t tid 0", "(other)", "2", "004", "001", "003")
			   THREAD_EXIT("th01:t tid 0") EXIT TIMER("timer", "main", "(other)", "2",
								  "004", "001", "003") ATEXIT);
	show_release(&show);
}

TEST(suspect_and_unfinished_slices_are_in_no_timer)
{
	struct timeline_event event = { .kind = TIMELINE_SLICE_BEGIN,
					.depth = 1,
					.begin_ns = SHOW_START_NS };
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	slice(&show, &cast.tracks[0], &cast.write, 1);
	event.track = &cast.tracks[0];
	event.name = &cast.read;
	show_push(&show, 9, event);
	event.kind = TIMELINE_SLICE_END;
	event.is_suspect = true;
	show_push(&show, 9, event);
	event.is_unfinished = true;
	show_push(&show, 9, event);
	event.is_suspect = false;
	show_push(&show, 9, event);
	show_told(&show);
	track_end(&show, &cast.tracks[0]);
	show_finish(&show, 9, 0, &no_totals);
	CHECK_TEXT(show_told(&show),
		   TIMER("th_timer", "th01:t tid 0", "write", "1", "001", "001", "001")
			   THREAD_EXIT("th01:t tid 0") EXIT TIMER("timer", "main", "write", "1",
								  "001", "001", "001") ATEXIT);
	show_release(&show);
}

TEST(a_counter_is_summed_up_as_levels)
{
	static const int64_t samples[] = { 5, -9223372036854775807, 12, 7 };
	struct timeline_event event = { .kind = TIMELINE_COUNTER, .outer_ns = SHOW_START_NS };
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	event.track = &cast.counter;
	for (int i = 0; i < 4; i++) {
		event.value = number(samples[i]);
		show_push(&show, 8, event);
	}
	show_told(&show);
	track_end(&show, &cast.counter);
	CHECK_TEXT(show_told(&show),
		   SHOW_LINE("data_json", "th03:c tid 5", "009",
			     SHOW_T("t_abs", "009") SHOW_T(
				     "t_rel",
				     "009") ",\"nesting\":1,\"category\":\"summary\",\"key\":"
					    "\"th03\",\"value\":"
					    "{\"samples\":4,\"first\":\"5\",\"last\":\"7\","
					    "\"min\":\"-9223372036854775807\",\"max\":\"12\"}")
			   THREAD_EXIT("th03:c tid 5"));
	show_release(&show);
}

TEST(a_track_without_slices_or_samples_just_ends)
{
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	show_told(&show);
	track_end(&show, &cast.counter);
	track_end(&show, &cast.tracks[1]);
	CHECK_TEXT(show_told(&show), THREAD_EXIT("th03:c tid 5") THREAD_EXIT("th02:t tid 1"));
	show_finish(&show, 9, 0, &no_totals);
	CHECK_TEXT(show_told(&show), EXIT ATEXIT);
	show_release(&show);
}

TEST(how_far_the_wall_clock_has_moved_is_said_in_the_end)
{
	struct timeline_totals totals = { .has_wall_drift = true, .wall_drift_ns = -1234 };
	const char *told;
	struct show show;

	show_open(&show, &show_recording);
	show_told(&show);
	show_finish(&show, 9, 0, &totals);
	told = show_told(&show);
	CHECK(strstr(told,
		     "\"param\":\"wall_drift_ns\",\"value\":\"-1234\"}\n{\"event\":\"exit\""));
	show_release(&show);
}

TEST(between_which_moments_all_is_there_is_said_in_the_end)
{
	struct timeline_totals totals = { .has_complete_from = true,
					  .complete_from_ns = SHOW_START_NS + 1002000003,
					  .has_complete_until = true,
					  .complete_until_ns = SHOW_START_NS + 2000000001 };
	const char *told;
	struct show show;

	show_open(&show, &show_recording);
	show_told(&show);
	show_finish(&show, 9, 0, &totals);
	told = show_told(&show);
	CHECK(strstr(told, "\"param\":\"complete_from\",\"value\":\"1.002000003\"}\n"));
	CHECK(strstr(told, "\"param\":\"complete_until\",\"value\":\"2.000000001\"}\n"
			   "{\"event\":\"exit\""));
	show_release(&show);
}

TEST(tracks_end_in_any_order_while_others_go_on)
{
	struct cast cast;
	struct show show;

	for (int first = 0; first < 3; first++) {
		struct timeline_track *tracks[3];

		cast_open(&cast, &show);
		tracks[0] = &cast.tracks[0];
		tracks[1] = &cast.tracks[1];
		tracks[2] = &cast.counter;
		for (int i = 0; i < 3; i++)
			track_end(&show, tracks[(first + i) % 3]);
		show_track(&show, 9, &cast.tracks[0]);
		slice(&show, &cast.tracks[0], &cast.read, 1);
		track_end(&show, &cast.tracks[0]);
		show_release(&show);
	}
}

TEST(everything_is_given_back_where_the_stream_ends_early)
{
	struct timeline_event open = { .kind = TIMELINE_SLICE_BEGIN, .depth = 1 };
	struct cast cast;
	struct show show;

	cast_open(&cast, &show);
	slice(&show, &cast.tracks[0], &cast.read, 1);
	slice(&show, &cast.tracks[1], &cast.rare, 1);
	open.track = &cast.tracks[1];
	open.name = &cast.write;
	show_push(&show, 9, open);
	track_end(&show, &cast.tracks[0]);
	/* The sanitizer tells what is left. */
	show_release(&show);
}

TEST(two_sinks_write_the_same_and_share_nothing)
{
	struct sink_trace2_settings settings = { .sid = "S", .hierarchy = "git/stream" };
	struct catch catch;
	struct cast cast;
	struct show show;

	cast_init(&cast);
	show_init(&show, 0);
	settings.targets[TRACE2_EVENT].name = "second";
	settings.targets[TRACE2_EVENT].fd = catch_init(&catch);
	CHECK_NUMBER(
		timeline_add(&show.timeline, sink_trace2_new(&settings, &show.error), &show.error),
		0);
	CHECK_NUMBER(timeline_open(&show.timeline, &show_recording, &show.error), 0);
	for (int i = 0; i < 2; i++) {
		show_track(&show, 9 * i, &cast.tracks[i]);
		slice(&show, &cast.tracks[i], &cast.read, 1);
	}
	track_end(&show, &cast.tracks[0]);
	track_end(&show, &cast.tracks[1]);
	show_finish(&show, 9, 0, &no_totals);
	CHECK(cast.read.slots[0] && cast.read.slots[1] && cast.read.slots[0] != cast.read.slots[1]);
	CHECK(cast.work.slots[0] && cast.work.slots[1] && cast.work.slots[0] != cast.work.slots[1]);
	CHECK_NUMBER(timeline_flush(&show.timeline, &show.error), 0);
	CHECK(strlen(catch_text(&catch)) > 3000);
	CHECK_TEXT(catch_text(&catch), catch_text(&show.catch));
	show_release(&show);
	catch_release(&catch);
}
