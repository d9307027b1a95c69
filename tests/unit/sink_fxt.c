// SPDX-License-Identifier: GPL-2.0-only
/* Tests of Fuchsia's trace format that need no recording; tests/outputs/fxt.t reads its files. */
#include <endian.h>

#include "fixtures/capture.h"
#include "fixtures/tap.h"
#include "fixtures/trace2_fixture.h"
#include "fixtures/sink.h"

/** struct states - a file with the states of two threads, 7 and 8 */
struct states {
	struct fixture_tracks tracks;
	struct timeline_track other;
	struct timeline timeline;
	struct error error;
	struct capture capture;
};

static void states_init(struct states *states)
{
	struct fixture_tracks *tracks = &states->tracks;
	const struct sink_settings settings = { .name = "it",
						.fd = capture_init(&states->capture) };
	struct timeline_track *const begun[] = { &tracks->slices, &states->other };

	states->timeline = (struct timeline){ 0 };
	states->error = (struct error){ 0 };
	fixture_tracks_init(tracks);
	tracks->category.text = "sched:thread";
	tracks->slices.is_state = true;
	tracks->slices.process_comm = "";
	states->other = tracks->slices;
	states->other.number = 2;
	states->other.id.signed_number = 8;
	CHECK_NUMBER(timeline_add(&states->timeline, sink_of("fxt", &settings, &states->error),
				  &states->error),
		     0);
	CHECK_NUMBER(timeline_open(&states->timeline, &trace2_fixture_recording, &states->error),
		     0);
	for (size_t i = 0; i < 2; i++)
		CHECK_NUMBER(fixture_push(&states->timeline,
					  (struct timeline_event){ .kind = TIMELINE_TRACK_BEGIN,
								   .track = begun[i] },
					  &states->error),
			     0);
}

static void state_push(struct states *states, enum timeline_kind kind, struct timeline_track *track,
		       const char *text, int cpu)
{
	struct timeline_name name = { .text = text_of(text) };
	const struct timeline_event event = {
		.kind = kind, .track = track, .name = &name, .cpu = cpu, .tid = -1, .depth = 1
	};

	CHECK_NUMBER(fixture_push(&states->timeline, event, &states->error), 0);
}

static void states_end(struct states *states)
{
	timeline_release(&states->timeline);
	capture_release(&states->capture);
}

/* A word of the flushed file, from its end: 1 is the last one. */
static uint64_t word_before_end(struct states *states, size_t number)
{
	uint64_t word;

	CHECK_NUMBER(timeline_flush(&states->timeline, &states->error), 0);
	capture_text(&states->capture);
	memcpy(&word, states->capture.text.data + states->capture.text.size - number * sizeof(word),
	       sizeof(word));
	return le64toh(word);
}

/* A thread stops: which one runs then is known only when that begins. */
TEST(a_flush_writes_the_half_of_a_switch)
{
	struct states states;

	states_init(&states);
	state_push(&states, TIMELINE_SLICE_BEGIN, &states.tracks.slices, "D", 0);
	/* Time, both threads, the weight of none, the state. */
	CHECK_NUMBER(word_before_end(&states, 5), FIXTURE_START_NS);
	CHECK_NUMBER(word_before_end(&states, 4), 7);
	CHECK_NUMBER(word_before_end(&states, 3), 0);
	states_end(&states);
}

TEST(a_thread_that_is_woken_at_once_has_slept)
{
	struct states states;

	states_init(&states);
	state_push(&states, TIMELINE_SLICE_BEGIN, &states.tracks.slices, "S", 0);
	state_push(&states, TIMELINE_SLICE_END, &states.tracks.slices, "S", 0);
	state_push(&states, TIMELINE_SLICE_BEGIN, &states.tracks.slices, "Runnable", 0);
	/* The switch precedes three words of the wakeup. */
	CHECK_NUMBER(word_before_end(&states, 1), 7);
	CHECK_NUMBER(word_before_end(&states, 3 + 4), 7);
	CHECK_NUMBER(word_before_end(&states, 3 + 3), 0);
	states_end(&states);
}

TEST(halves_on_two_cpus_are_two_switches)
{
	struct states states;

	states_init(&states);
	state_push(&states, TIMELINE_SLICE_BEGIN, &states.tracks.slices, "S", 0);
	state_push(&states, TIMELINE_SLICE_BEGIN, &states.other, "Running", 1);
	/* None, the thread that runs, and the weight of none. */
	CHECK_NUMBER(word_before_end(&states, 3), 0);
	CHECK_NUMBER(word_before_end(&states, 2), 8);
	states_end(&states);
}
