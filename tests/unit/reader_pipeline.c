// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the modules put together: what a source delivers, and what the timeline receives.
 */
#include "reader/reader.h"

#include "fixtures/event_builder.h"
#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

/* Both tracepoints have ids of their own, and fields that take 16 bytes. */
#define WORK_ID 40
#define LOAD_ID 41
#define RECORD_SIZE 16

/** struct plant - a pipeline whose timeline ends on a fixture */
struct plant {
	struct track_fixture fixture;
	struct pipeline pipeline;
	struct source_handler handler;
};

static void plant_init(struct plant *plant, const char *const *buffers)
{
	struct tracks_settings settings = { .buffers = buffers };
	struct convention *convention = convention_new(false);

	*plant = (struct plant){ 0 };
	track_fixture_init(&plant->fixture, &settings);
	plant->pipeline.tracks = plant->fixture.tracks;
	plant->fixture.tracks = NULL;
	plant->pipeline.buffers = buffers;
	plant->pipeline.convention = convention;
	CHECK(convention_add_text(convention, "a", FORMAT("work", 40, SLICE_FIELDS)) != NULL);
	CHECK(convention_add_text(convention, "a",
				  FORMAT("load", 41, FIELD("s64 counter_value", 8, 8, 1))) != NULL);
	plant->handler = pipeline_handler(&plant->pipeline);
}

static void plant_release(struct plant *plant)
{
	pipeline_release(&plant->pipeline);
	track_fixture_release(&plant->fixture);
}

static void deliver(struct plant *plant, const struct event_builder *builder, int64_t time_ns,
		    int cpu, unsigned int buffer)
{
	struct record record = {
		.time_ns = time_ns,
		.cpu = cpu,
		.buffer = buffer,
		.data = builder->bytes,
		.size = builder->size,
	};

	CHECK_NUMBER(plant->handler.record(plant->handler.context, &record, &plant->fixture.error),
		     0);
}

static void deliver_slice(struct plant *plant, int64_t time_ns, int cpu, int pid, char type,
			  const char *name)
{
	struct event_builder builder;

	event_builder_begin(&builder, WORK_ID, pid, RECORD_SIZE);
	event_builder_number(&builder, 8, 1, type);
	event_builder_text(&builder, 12, name);
	deliver(plant, &builder, time_ns, cpu, 0);
}

static void deliver_sample(struct plant *plant, int64_t time_ns, unsigned int buffer, int64_t value)
{
	struct event_builder builder;

	event_builder_begin(&builder, LOAD_ID, 7, RECORD_SIZE);
	event_builder_number(&builder, 8, 8, value);
	deliver(plant, &builder, time_ns, 0, buffer);
}

TEST(records_become_track_events)
{
	FIXTURE(plant, plant, NULL);

	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	deliver_slice(&plant, 115, 1, 7, 'I', "half");
	deliver_sample(&plant, 117, 0, -3);
	deliver_slice(&plant, 120, 1, 7, 'E', "");
	CHECK_TEXT(track_fixture_output(&plant.fixture), "110 #1 + a:work slices 'work' tid 7\n"
							 "110 #1 begin 'read' depth 1\n"
							 "115 #1 instant 'half' depth 1 outer 110\n"
							 "117 #2 + a:load counter 'load' tid 7\n"
							 "117 #2 -3 depth 0 outer 117\n"
							 "120 #1 end 'read' depth 1 from 110\n");
}

TEST(records_of_other_tracepoints_are_passed_over)
{
	struct event_builder builder;
	FIXTURE(plant, plant, NULL);

	event_builder_begin(&builder, 42, 7, RECORD_SIZE);
	deliver(&plant, &builder, 110, 0, 0);
	builder.size = 1;
	deliver(&plant, &builder, 110, 0, 0);
	builder.size = 0;
	deliver(&plant, &builder, 110, 0, 0);
	CHECK_TEXT(track_fixture_output(&plant.fixture), "");
}

TEST(records_that_cannot_be_read_are_malformed)
{
	struct event_builder builder;
	FIXTURE(plant, plant, NULL);

	deliver_slice(&plant, 110, 0, 7, 'X', "read");
	event_builder_begin(&builder, LOAD_ID, 7, RECORD_SIZE);
	builder.size = 15;
	deliver(&plant, &builder, 120, 0, 0);
	CHECK_TEXT(track_fixture_output(&plant.fixture),
		   "110 malformed a:work: unknown track_event_type\n"
		   "120 malformed a:load: unreadable counter_value\n");
}

TEST(a_loss_is_reported_and_reaches_the_tracks)
{
	struct loss loss = { .cpu = 3, .from_ns = 120, .to_ns = 130, .count = LOSS_COUNT_UNKNOWN };
	FIXTURE(plant, plant, NULL);

	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	track_fixture_output(&plant.fixture);
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.fixture.error), 0);
	deliver_slice(&plant, 140, 0, 7, 'E', "");
	CHECK_TEXT(track_fixture_output(&plant.fixture),
		   "120 lost -1 on 3\n140 #1 end 'read' depth 1 from 110 suspect\n");
}

TEST(buffers_keep_their_records_and_losses_apart)
{
	static const char *const buffers[] = { "", "second" };
	struct loss loss = { .buffer = 1, .from_ns = 120, .to_ns = 130, .count = 1 };
	FIXTURE(plant, plant, buffers);

	deliver_sample(&plant, 110, 1, 1);
	deliver_sample(&plant, 110, 0, 2);
	deliver_slice(&plant, 111, 0, 7, 'B', "read");
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.fixture.error), 0);
	deliver_slice(&plant, 140, 0, 7, 'E', "");
	CHECK_TEXT(track_fixture_output(&plant.fixture),
		   "110 #1 + a:load counter 'load' tid 7 in 'second'\n"
		   "110 #1 1 depth 0 outer 110\n"
		   "110 #2 + a:load counter 'load' tid 7 in ''\n"
		   "110 #2 2 depth 0 outer 110\n"
		   "111 #3 + a:work slices 'work' tid 7 in ''\n"
		   "111 #3 begin 'read' depth 1\n"
		   "120 lost 1 on 0 in 'second'\n"
		   "140 #3 end 'read' depth 1 from 111\n");
}

TEST(what_is_not_wanted_never_comes_to_the_tracks)
{
	FIXTURE(plant, plant, NULL);

	plant.pipeline.filter =
		(struct filter){ .has_cpu = true, .cpu = 1 };
	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	deliver_slice(&plant, 110, 0, 7, 'X', "read");
	plant.pipeline.filter =
		(struct filter){ .has_pid = true, .pid = 8 };
	deliver_slice(&plant, 111, 0, 7, 'B', "read");
	plant.pipeline.filter = (struct filter){ .track = "other" };
	deliver_slice(&plant, 112, 0, 7, 'B', "read");
	CHECK_TEXT(track_fixture_output(&plant.fixture), "");
}

static void check_loss(const struct filter *filter, const char *want)
{
	static const char *const buffers[] = { "", "second" };
	struct loss loss = { .buffer = 1, .cpu = 3, .from_ns = 120, .to_ns = 130, .count = 5 };
	FIXTURE(plant, plant, buffers);

	plant.pipeline.filter = *filter;
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.fixture.error), 0);
	CHECK_TEXT(track_fixture_output(&plant.fixture), want);
	CHECK_NUMBER(plant.pipeline.lost, *want ? 5 : 0);
	CHECK(plant.pipeline.has_lost == !!*want);
	CHECK(plant.handler.wants(plant.handler.context, 3, 1) == !!*want);
}

TEST(losses_of_what_is_not_wanted_are_not_reported)
{
	static const char reported[] = "120 lost 5 on 3 in 'second'\n";

	check_loss(&(struct filter){ 0 }, reported);
	check_loss(&(struct filter){ .has_cpu = true, .cpu = 3 }, reported);
	check_loss(&(struct filter){ .has_cpu = true, .cpu = 2 }, "");
	check_loss(&(struct filter){ .buffer = "second" }, reported);
	check_loss(&(struct filter){ .buffer = "" }, "");
}

TEST(a_failure_of_an_output_reaches_the_source)
{
	struct record record = { .time_ns = 110 };
	struct event_builder builder;
	FIXTURE(plant, plant, NULL);

	plant.fixture.fails_after = 1;
	event_builder_begin(&builder, LOAD_ID, 7, RECORD_SIZE);
	record.data = builder.bytes;
	record.size = RECORD_SIZE;
	CHECK_NUMBER(plant.handler.record(plant.handler.context, &record, &plant.fixture.error),
		     -1);
	CHECK_TEXT(plant.fixture.error.text, "the notebook is full");
}
