// SPDX-License-Identifier: GPL-2.0-only
/* Tests of look-ups: which track the table of recent ones finds, that none is found once it has
 * ended, and what distinguishes tracks of one hash. */
#include "track/track.h"

#include <string.h>

#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"
#include "track/state.h"

/* A begin on the track of a thread and a name. */
static struct decoded_event begin_of(int tid, const char *track_name)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 110, tid);

	decoded.slice_name = text_of("x");
	decoded.track_name = text_of(track_name);
	decoded.track_head = text_head(decoded.track_name);
	return decoded;
}

static size_t index_of(const struct decoded_event *decoded)
{
	return track_recent_index(decoded->descriptor->index, decoded->scope_id.unsigned_number,
				  decoded->track_head, track_idle_cpu(decoded));
}

/* The number of the track that the table has for @decoded, 0 for none. */
static unsigned long recent_number(const struct track_fixture *fixture,
				   const struct decoded_event *decoded)
{
	const struct track *track = tracks_recent(fixture->tracks, decoded);

	return track ? track->shown.number : 0;
}

static void add(struct track_fixture *fixture, struct decoded_event decoded, enum decoded_kind kind)
{
	decoded.kind = kind;
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

/* The next thread whose track has the index of that of thread 1. */
static int tid_after(int tid)
{
	const struct decoded_event first = begin_of(1, "work");
	struct decoded_event other;

	do
		other = begin_of(++tid, "work");
	while (index_of(&other) != index_of(&first));
	return tid;
}

TEST(a_track_is_recent_since_its_first_record)
{
	const struct decoded_event used = begin_of(7, "work"), unused = begin_of(8, "work");
	FIXTURE(track_fixture, fixture, NULL);

	CHECK_NUMBER(recent_number(&fixture, &used), 0);
	add(&fixture, used, DECODED_BEGIN);
	CHECK_NUMBER(recent_number(&fixture, &used), 1);
	CHECK_NUMBER(recent_number(&fixture, &unused), 0);
	add(&fixture, used, DECODED_END);
	CHECK_NUMBER(recent_number(&fixture, &used), 1);
}

TEST(of_three_tracks_with_one_index_the_last_two_are_recent)
{
	const int second = tid_after(1), third = tid_after(second);
	const struct decoded_event events[] = { begin_of(1, "work"), begin_of(second, "work"),
						begin_of(third, "work") };
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 3; i++)
		add(&fixture, events[i], DECODED_BEGIN);
	CHECK_NUMBER(recent_number(&fixture, &events[0]), 0);
	CHECK_NUMBER(recent_number(&fixture, &events[1]), 2);
	CHECK_NUMBER(recent_number(&fixture, &events[2]), 3);
	/* A hit changes nothing; a miss is no new track, and replaces the older one. */
	add(&fixture, events[1], DECODED_END);
	add(&fixture, events[0], DECODED_END);
	CHECK_NUMBER(recent_number(&fixture, &events[0]), 1);
	CHECK_NUMBER(recent_number(&fixture, &events[1]), 0);
	CHECK_NUMBER(recent_number(&fixture, &events[2]), 3);
	CHECK_NUMBER(fixture.tracks->nr_seen, 3);
}

/* The first track ends as the older one of its pair, then as the newer one. */
TEST(an_ended_track_is_not_recent_and_its_successor_is_another_one)
{
	struct tracks_settings settings = { .idle_max = 2 };
	const int second = tid_after(1);
	const struct decoded_event first = begin_of(1, "work"), peer = begin_of(second, "work");
	struct track_fixture fixture;

	for (int is_newer = 0; is_newer < 2; is_newer++) {
		track_fixture_init(&fixture, &settings);
		add(&fixture, is_newer ? peer : first, DECODED_INSTANT);
		add(&fixture, is_newer ? first : peer, DECODED_INSTANT);
		/* Now the first track is the one that is evicted. */
		add(&fixture, peer, DECODED_INSTANT);
		add(&fixture, begin_of(second + 1, "work"), DECODED_INSTANT);
		CHECK_NUMBER(recent_number(&fixture, &first), 0);
		CHECK_NUMBER(recent_number(&fixture, &peer), 1 + !is_newer);
		add(&fixture, first, DECODED_INSTANT);
		CHECK_NUMBER(recent_number(&fixture, &first), 4);
		track_fixture_release(&fixture);
	}
}

/* Each differs from the first one in one thing, and has its index. */
TEST(another_identity_with_the_same_index_is_a_miss)
{
	const struct decoded_event first = begin_of(7, "queue of requests, the first");
	struct decoded_event name = first, scope = first, tracepoint = first, buffer = first;
	struct descriptor descriptor = *first.descriptor;
	SCOPED(track_fixture) fixture;

	name.track_name = text_of("queue of requests, the fifth");
	do
		scope.scope_id.signed_number++;
	while (index_of(&scope) != index_of(&first));
	tracepoint.descriptor = &descriptor;
	do
		descriptor.index++;
	while (index_of(&tracepoint) != index_of(&first));
	buffer.buffer = 1;
	track_fixture_init(&fixture, NULL);
	add(&fixture, first, DECODED_BEGIN);
	CHECK_NUMBER(recent_number(&fixture, &first), 1);
	CHECK_NUMBER(recent_number(&fixture, &name), 0);
	CHECK_NUMBER(recent_number(&fixture, &scope), 0);
	CHECK_NUMBER(recent_number(&fixture, &tracepoint), 0);
	CHECK_NUMBER(recent_number(&fixture, &buffer), 0);
}

/* The idle task of each CPU has tracks of its own. */
TEST(idle_tasks_of_two_CPUs_with_the_same_index_are_apart)
{
	const struct decoded_event first = begin_of(0, "work");
	struct decoded_event other = first;
	SCOPED(track_fixture) fixture;

	do
		other.cpu++;
	while (index_of(&other) != index_of(&first));
	track_fixture_init(&fixture, NULL);
	add(&fixture, first, DECODED_BEGIN);
	CHECK_NUMBER(recent_number(&fixture, &first), 1);
	CHECK_NUMBER(recent_number(&fixture, &other), 0);
}

/* The table does not compare outer scopes, and its user does not look up writers. */
TEST(tracks_that_need_more_than_a_comparison_are_never_recent)
{
	struct tracks_settings with_writers = { .has_comm = true };
	struct decoded_keys keys = { .nr_outer = 1 };
	struct decoded_event plain = begin_of(7, "work"), scoped = plain;
	struct track_fixture fixture;

	keys.outer[0] = (struct field){ text_of("scope_dev"), { .kind = VALUE_UNSIGNED } };
	scoped.keys = &keys;
	track_fixture_init(&fixture, NULL);
	add(&fixture, scoped, DECODED_BEGIN);
	CHECK_NUMBER(fixture.tracks->nr_seen, 1);
	CHECK_NUMBER(recent_number(&fixture, &plain), 0);
	track_fixture_release(&fixture);
	track_fixture_init(&fixture, &with_writers);
	add(&fixture, plain, DECODED_BEGIN);
	CHECK_NUMBER(fixture.tracks->nr_seen, 1);
	CHECK_NUMBER(recent_number(&fixture, &plain), 0);
	track_fixture_release(&fixture);
}

/* Thread 9 executes a program and becomes the first thread of its process, 7. */
TEST(a_track_that_moves_to_another_thread_is_recent_there_only)
{
	const struct task_change change = {
		.kind = TASK_CHANGE_TOOK_OVER, .time_ns = 120, .tid = 7, .old_tid = 9
	};
	const struct decoded_event before = begin_of(9, "work"), after = begin_of(7, "work");
	FIXTURE(track_fixture, fixture, NULL);

	add(&fixture, before, DECODED_BEGIN);
	CHECK_NUMBER(recent_number(&fixture, &before), 1);
	CHECK_NUMBER(tracks_learn(fixture.tracks, &change, &fixture.error), 0);
	CHECK_NUMBER(recent_number(&fixture, &before), 0);
	add(&fixture, after, DECODED_END);
	CHECK(recent_number(&fixture, &after) > 0);
	track_fixture_finish(&fixture, 200);
	CHECK(strstr(track_fixture_output(&fixture), " 0 unmatched, 0 malformed, 0 unfinished"));
}

/* The hash is 64 bits wide, so that no other test sees a collision. */
TEST(equal_hashes_do_not_make_one_track)
{
	/* Of an idle task, which each CPU has; the heads of two names are equal. */
	const struct decoded_event first = begin_of(0, "queue of requests, the first");
	struct category category = { 0 };
	struct track *track = track_new(&first, 0, &category);
	struct decoded_event others[] = { begin_of(0, "worm"),
					  begin_of(0, "queue of requests, the fifth"),
					  first,
					  first,
					  first,
					  first };

	others[2].scope_id.signed_number = INT64_C(1) << 32;
	others[3].cpu++;
	others[4].buffer = 1;
	others[5].descriptor = &track_fixture_descriptors[FIXTURE_OTHER_WORK];
	CHECK(track_matches(track, &first));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!track_matches(track, &others[i]));
	track_delete(track);
}
