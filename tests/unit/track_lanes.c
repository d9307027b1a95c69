// SPDX-License-Identifier: GPL-2.0-only
/* Tests of asynchronous slices: lanes, and pairs of begin and end by id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/random.h"
#include "fixtures/tap.h"
#include "fixtures/track_fixture.h"
#include "track/track.h"

#define NR_GROUPS 3
#define IN_FLIGHT_MAX 1000
#define NR_EVENTS 40000

static const struct descriptor request = {
	.index = 0,
	.kind = DESCRIPTOR_SLICE,
	.category = (char *)"a:request",
	.name = "request",
	.scope = DESCRIPTOR_SCOPE_CUSTOM,
	.scope_field = (char *)"scope_queue",
};

/**
 * struct in_flight - a request that has begun
 * @serial: its slice has this number as its name
 */
struct in_flight {
	uint64_t id;
	int64_t begin_ns;
	unsigned int serial;
};

/**
 * struct model - requests in flight, and a sink that compares slices with them
 * @expected: the slice that the current event begins or ends
 * @nr_lanes: number of lanes so far, by group
 * @highest: highest number of requests in flight so far, by group
 */
struct model {
	struct sink sink;
	struct in_flight in_flight[NR_GROUPS][IN_FLIGHT_MAX];
	size_t nr_in_flight[NR_GROUPS];
	size_t highest[NR_GROUPS];
	size_t nr_lanes[NR_GROUPS];
	struct in_flight expected;
	unsigned int nr_wrong;
	unsigned int nr_ended;
};

static int model_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		      struct error *error)
{
	(void)sink, (void)recording, (void)sink_index, (void)error;
	return 0;
}

static int model_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct model *model = (struct model *)sink;
	bool is_slice = event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END;

	(void)error;
	if (event->kind == TIMELINE_TRACK_BEGIN) {
		size_t *nr_lanes = &model->nr_lanes[event->track->id.unsigned_number];

		model->nr_wrong += event->track->lane != ++*nr_lanes;
	}
	if (!is_slice)
		return 0;
	model->nr_wrong += strtoul(event->name->text.data, NULL, 10) != model->expected.serial;
	model->nr_wrong += event->depth != 1;
	if (event->kind == TIMELINE_SLICE_END) {
		model->nr_wrong += event->begin_ns != model->expected.begin_ns;
		model->nr_ended++;
	}
	return 0;
}

static void model_free(struct sink *sink)
{
	(void)sink;
}

static const struct sink_ops model_ops = { .open = model_open,
					   .event = model_event,
					   .free = model_free };

static void show(struct tracks *tracks, struct decoded_event *decoded, uint64_t group, uint64_t id)
{
	struct decoded_keys keys = { .is_async = true, .ids = { id } };
	struct error error = { 0 };

	decoded->descriptor = &request;
	decoded->keys = &keys;
	decoded->scope_id = (struct value){ .kind = VALUE_UNSIGNED, .unsigned_number = group };
	decoded->track_name = text_of("request");
	decoded->track_head = text_head(decoded->track_name);
	decoded->slice_head = text_head(decoded->slice_name);
	CHECK_NUMBER(tracks_observe(tracks, decoded, &error), 0);
}

static void model_begin(struct model *model, struct tracks *tracks, size_t group, int64_t now_ns)
{
	size_t *nr = &model->nr_in_flight[group];
	struct in_flight one = { .id = UINT64_C(0xffff888000000000) + now_ns * 64,
				 .begin_ns = now_ns,
				 .serial = now_ns };
	struct decoded_event decoded = { .kind = DECODED_BEGIN, .time_ns = now_ns, .tid = now_ns };
	char name[16];

	snprintf(name, sizeof(name), "%u", one.serial);
	decoded.slice_name = text_of(name);
	model->expected = one;
	model->in_flight[group][(*nr)++] = one;
	if (*nr > model->highest[group])
		model->highest[group] = *nr;
	show(tracks, &decoded, group, one.id);
}

static void model_end(struct model *model, struct tracks *tracks, size_t group, size_t which,
		      int64_t now_ns)
{
	struct decoded_event decoded = { .kind = DECODED_END,
					 .time_ns = now_ns,
					 .tid = now_ns,
					 .slice_name = text_of("") };
	size_t *nr = &model->nr_in_flight[group];

	model->expected = model->in_flight[group][which];
	model->in_flight[group][which] = model->in_flight[group][--*nr];
	show(tracks, &decoded, group, model->expected.id);
}

TEST(a_thousand_requests_in_flight_pair_by_id_on_the_fewest_lanes)
{
	struct model *model = calloc(1, sizeof(*model));
	struct random random = { 0x1234567 };
	struct tracks_settings settings = { 0 };
	struct timeline timeline = { 0 };
	struct error error = { 0 };
	struct tracks *tracks;

	model->sink.ops = &model_ops;
	CHECK_NUMBER(timeline_add(&timeline, &model->sink, &error), 0);
	tracks = tracks_new(&settings, &timeline, 0);
	for (int64_t now_ns = 1; now_ns <= NR_EVENTS; now_ns++) {
		size_t group = random_below(&random, NR_GROUPS);
		size_t nr = model->nr_in_flight[group];
		bool is_rising = now_ns / 8000 % 2 == 0;

		if (nr == 0 || (nr < IN_FLIGHT_MAX && random_below(&random, 10) < (is_rising ? 8 : 3)))
			model_begin(model, tracks, group, now_ns);
		else
			model_end(model, tracks, group, random_below(&random, nr), now_ns);
	}
	CHECK_NUMBER(model->nr_wrong, 0);
	CHECK(model->nr_ended > NR_EVENTS / 3);
	for (size_t group = 0; group < NR_GROUPS; group++)
		CHECK_NUMBER(model->nr_lanes[group], model->highest[group]);
	CHECK_NUMBER(model->highest[0], IN_FLIGHT_MAX);
	tracks_free(tracks);
	timeline_release(&timeline);
	free(model);
}

/* Shows a record of the fixture's "a:work", with @id. */
static void work(struct track_fixture *fixture, enum decoded_kind kind, int64_t time_ns, int tid,
		 uint64_t id, const char *name)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_QUEUE, kind, time_ns, tid);
	struct decoded_keys keys = { .is_async = true, .ids = { id } };

	decoded.scope_id.signed_number = 1;
	decoded.slice_name = text_of(name);
	decoded.keys = &keys;
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

TEST(an_unknown_id_ends_nothing)
{
	FIXTURE(track_fixture, fixture, NULL);

	work(&fixture, DECODED_BEGIN, 110, 7, 1, "x");
	track_fixture_output(&fixture);
	work(&fixture, DECODED_END, 120, 7, 2, "");
	CHECK_TEXT(track_fixture_output(&fixture), "120 #2 + a:queue slices 'queue' custom 1 "
						   "scope_queue lane 2\n");
	work(&fixture, DECODED_END, 130, 8, 1, "");
	CHECK_TEXT(track_fixture_output(&fixture), "130 #1 end 'x' depth 1 from 110\n");
}

TEST(slices_of_one_id_nest_and_threads_may_change)
{
	FIXTURE(track_fixture, fixture, NULL);

	work(&fixture, DECODED_BEGIN, 110, 7, 1, "x");
	work(&fixture, DECODED_BEGIN, 120, 8, 1, "y");
	work(&fixture, DECODED_INSTANT, 125, 9, 1, "i");
	track_fixture_output(&fixture);
	work(&fixture, DECODED_END, 130, 9, 1, "");
	work(&fixture, DECODED_END, 140, 9, 1, "");
	work(&fixture, DECODED_BEGIN, 150, 9, 2, "z");
	CHECK_TEXT(track_fixture_output(&fixture), "130 #1 end 'y' depth 2 from 120\n"
						   "140 #1 end 'x' depth 1 from 110\n"
						   "150 #1 begin 'z' depth 1\n");
}

/* Shows a record of a rule whose slices pair by id. */
static void rule_work(struct track_fixture *fixture, enum decoded_kind kind, int64_t time_ns,
		      uint64_t id, const char *name)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_QUEUE, kind, time_ns, 7);
	struct decoded_keys keys = { .is_async = true, .ids = { id } };

	decoded.scope_id.signed_number = 1;
	decoded.slice_name = text_of(name);
	decoded.slice_head = text_head(decoded.slice_name);
	decoded.track_head = text_head(decoded.track_name);
	decoded.keys = &keys;
	CHECK_NUMBER(tracks_observe_rule(fixture->tracks, &decoded, &fixture->error), 0);
}

static void endless_keep(void *context, const char *message)
{
	buffer_printf(context, "%s\n", message);
}

static void check_endless(struct track_fixture *fixture, const char *want)
{
	SCOPED_BUFFER(messages);
	const struct report report = { .message = endless_keep, .context = &messages };

	tracks_report_endless(fixture->tracks, "a.dat", &report);
	CHECK_TEXT(buffer_string(&messages), want);
}

TEST(a_slice_whose_id_begins_again_is_incomplete)
{
	FIXTURE(track_fixture, fixture, NULL);

	rule_work(&fixture, DECODED_BEGIN, 110, 1, "x");
	rule_work(&fixture, DECODED_BEGIN, 111, 2, "other");
	track_fixture_output(&fixture);
	check_endless(&fixture, "");
	rule_work(&fixture, DECODED_BEGIN, 900, 1, "y");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "900 #1 end 'x' depth 1 from 110 unfinished restarted\n"
		   "900 #1 begin 'y' depth 1\n");
	rule_work(&fixture, DECODED_END, 910, 1, "");
	CHECK_TEXT(track_fixture_output(&fixture), "910 #1 end 'y' depth 1 from 900\n");
	check_endless(&fixture, "a.dat: 1 begin of a:queue without an end, incomplete slices; "
				"record the ends, or pair by fields that both have\n");
}

TEST(ends_that_a_loss_explains_are_not_missing)
{
	const struct loss loss = { .cpu = 0, .from_ns = 200, .to_ns = 210, .count = 1 };
	FIXTURE(track_fixture, fixture, NULL);

	rule_work(&fixture, DECODED_BEGIN, 110, 1, "x");
	CHECK_NUMBER(tracks_lose(fixture.tracks, &loss, &fixture.error), 0);
	rule_work(&fixture, DECODED_BEGIN, 900, 1, "y");
	check_endless(&fixture, "");
}

TEST(begins_that_nest_without_limit_are_reported)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int i = 0; i < 32; i++)
		track_fixture_begin(&fixture, 110 + i, 7, "x");
	for (int i = 0; i < 34; i++)
		track_fixture_begin(&fixture, 150 + i, 8, "x");
	track_fixture_finish(&fixture, 200);
	check_endless(&fixture, "a.dat: 2 begins of a:work without an end, incomplete slices; "
				"record the ends, or pair by fields that both have\n");
}

TEST(requests_in_flight_continue_in_the_next_session)
{
	FIXTURE(track_fixture, fixture, NULL);

	work(&fixture, DECODED_BEGIN, 110, 7, 1, "x");
	work(&fixture, DECODED_BEGIN, 120, 7, 2, "y");
	work(&fixture, DECODED_END, 130, 7, 1, "");
	track_fixture_renew(&fixture, 140);
	track_fixture_output(&fixture);
	work(&fixture, DECODED_BEGIN, 150, 7, 3, "z");
	work(&fixture, DECODED_END, 160, 8, 2, "");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "150 #2 + a:queue slices 'queue' custom 1 scope_queue lane 1\n"
		   "150 #2 begin 'z' depth 1\n"
		   "160 #1 end 'y' depth 1 from 140 continued\n");
}

TEST(evicted_lanes_are_closed_and_used_again)
{
	struct tracks_settings settings = { .idle_max = 4 };
	FIXTURE(track_fixture, fixture, &settings);

	for (int id = 1; id <= 8; id++)
		work(&fixture, DECODED_BEGIN, 100 + id, 7, id, "x");
	for (int id = 1; id <= 8; id++)
		work(&fixture, DECODED_END, 200 + id, 7, id, "");
	/* Tracks of other tracepoints evict the lanes, the oldest first. */
	for (int tid = 1; tid <= 8; tid++)
		track_fixture_instant(&fixture, 300 + tid, tid, "i");
	track_fixture_output(&fixture);
	work(&fixture, DECODED_BEGIN, 400, 7, 1, "x");
	work(&fixture, DECODED_BEGIN, 410, 7, 2, "y");
	work(&fixture, DECODED_END, 420, 7, 1, "");
	work(&fixture, DECODED_END, 430, 7, 2, "");
	CHECK(strstr(track_fixture_output(&fixture), "420 #17 end 'x' depth 1 from 400\n"));
	track_fixture_finish(&fixture, 500);
}

TEST(outer_scopes_separate_tracks)
{
	struct decoded_keys keys = { .nr_outer = 1 };
	SCOPED(track_fixture) fixture;

	keys.outer[0] = (struct field){ text_of("scope_dev"), { .kind = VALUE_UNSIGNED } };
	track_fixture_init(&fixture, NULL);
	for (int device = 0; device < 3; device++) {
		struct decoded_event decoded =
			track_fixture_event(FIXTURE_QUEUE, DECODED_BEGIN, 110 + device, 7);

		keys.outer[0].value.unsigned_number = device % 2;
		decoded.slice_name = text_of("x");
		decoded.keys = &keys;
		CHECK_NUMBER(track_fixture_add(&fixture, &decoded), 0);
	}
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:queue slices 'queue' custom 7 scope_queue scope_dev=0\n"
		   "110 #1 begin 'x' depth 1\n"
		   "111 #2 + a:queue slices 'queue' custom 7 scope_queue scope_dev=1\n"
		   "111 #2 begin 'x' depth 1\n"
		   "112 #1 begin 'x' depth 2\n");
}
