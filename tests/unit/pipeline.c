// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the rooms put together: what a source delivers, and what the timeline is told of it. */
#include "cli/pipeline.h"

#include "format.h"
#include "stage.h"
#include "tap.h"

/* Both tracepoints have ids of their own, and fields that take 16 bytes. */
#define WORK_ID 40
#define LOAD_ID 41
#define RECORD_SIZE 16

/** struct plant - a pipeline whose timeline ends on a stage */
struct plant {
	struct stage stage;
	struct pipeline pipeline;
	struct source_handler handler;
};

static void plant_init(struct plant *plant, const char *const *buffers)
{
	struct tracks_settings settings = { .buffers = buffers };
	struct convention *convention = convention_new(false);

	*plant = (struct plant){ 0 };
	stage_init(&plant->stage, &settings);
	plant->pipeline.tracks = plant->stage.tracks;
	plant->stage.tracks = NULL;
	plant->pipeline.buffers = buffers;
	plant->pipeline.filter.start_ns = STAGE_START_NS;
	plant->pipeline.convention = convention;
	CHECK(convention_add_text(convention, "a", FORMAT("work", 40, SLICE_FIELDS)) != NULL);
	CHECK(convention_add_text(convention, "a",
				  FORMAT("load", 41, FIELD("s64 counter_value", 8, 8, 1))) != NULL);
	plant->handler = pipeline_handler(&plant->pipeline);
}

static void plant_release(struct plant *plant)
{
	pipeline_release(&plant->pipeline);
	stage_release(&plant->stage);
}

static void deliver(struct plant *plant, const struct draft *draft, int64_t time_ns, int cpu,
		    unsigned int buffer)
{
	struct record record = {
		.time_ns = time_ns,
		.cpu = cpu,
		.buffer = buffer,
		.data = draft->bytes,
		.size = draft->size,
	};

	CHECK_NUMBER(plant->handler.record(plant->handler.context, &record, &plant->stage.error),
		     0);
}

static void deliver_slice(struct plant *plant, int64_t time_ns, int cpu, int pid, char type,
			  const char *name)
{
	struct draft draft;

	draft_begin(&draft, WORK_ID, pid, RECORD_SIZE);
	draft_number(&draft, 8, 1, type);
	draft_text(&draft, 12, name);
	deliver(plant, &draft, time_ns, cpu, 0);
}

static void deliver_sample(struct plant *plant, int64_t time_ns, unsigned int buffer, int64_t value)
{
	struct draft draft;

	draft_begin(&draft, LOAD_ID, 7, RECORD_SIZE);
	draft_number(&draft, 8, 8, value);
	deliver(plant, &draft, time_ns, 0, buffer);
}

TEST(records_become_track_events)
{
	struct plant plant;

	plant_init(&plant, NULL);
	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	deliver_slice(&plant, 115, 1, 7, 'I', "half");
	deliver_sample(&plant, 117, 0, -3);
	deliver_slice(&plant, 120, 1, 7, 'E', "");
	CHECK_TEXT(stage_told(&plant.stage), "110 #1 + a:work slices 'work' tid 7\n"
					     "110 #1 begin 'read' depth 1\n"
					     "115 #1 instant 'half' depth 1 outer 110\n"
					     "117 #2 + a:load counter 'load' tid 7\n"
					     "117 #2 -3 depth 0 outer 117\n"
					     "120 #1 end 'read' depth 1 from 110\n");
	plant_release(&plant);
}

TEST(records_of_other_tracepoints_are_passed_over)
{
	struct draft draft;
	struct plant plant;

	plant_init(&plant, NULL);
	draft_begin(&draft, 42, 7, RECORD_SIZE);
	deliver(&plant, &draft, 110, 0, 0);
	draft.size = 1;
	deliver(&plant, &draft, 110, 0, 0);
	draft.size = 0;
	deliver(&plant, &draft, 110, 0, 0);
	CHECK_TEXT(stage_told(&plant.stage), "");
	plant_release(&plant);
}

TEST(records_that_cannot_be_read_are_malformed)
{
	struct draft draft;
	struct plant plant;

	plant_init(&plant, NULL);
	deliver_slice(&plant, 110, 0, 7, 'X', "read");
	draft_begin(&draft, LOAD_ID, 7, RECORD_SIZE);
	draft.size = 15;
	deliver(&plant, &draft, 120, 0, 0);
	CHECK_TEXT(stage_told(&plant.stage), "110 malformed a:work: unknown track_event_type\n"
					     "120 malformed a:load: unreadable counter_value\n");
	plant_release(&plant);
}

TEST(a_loss_is_told_and_reaches_the_tracks)
{
	struct source_loss loss = {
		.cpu = 3, .from_ns = 120, .to_ns = 130, .count = SOURCE_COUNT_UNKNOWN
	};
	struct plant plant;

	plant_init(&plant, NULL);
	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	stage_told(&plant.stage);
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.stage.error), 0);
	deliver_slice(&plant, 140, 0, 7, 'E', "");
	CHECK_TEXT(stage_told(&plant.stage),
		   "120 lost -1 on 3\n140 #1 end 'read' depth 1 from 110 suspect\n");
	plant_release(&plant);
}

TEST(buffers_keep_their_records_and_losses_apart)
{
	static const char *const buffers[] = { "", "second" };
	struct source_loss loss = { .buffer = 1, .from_ns = 120, .to_ns = 130, .count = 1 };
	struct plant plant;

	plant_init(&plant, buffers);
	deliver_sample(&plant, 110, 1, 1);
	deliver_sample(&plant, 110, 0, 2);
	deliver_slice(&plant, 111, 0, 7, 'B', "read");
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.stage.error), 0);
	deliver_slice(&plant, 140, 0, 7, 'E', "");
	CHECK_TEXT(stage_told(&plant.stage), "110 #1 + a:load counter 'load' tid 7 in 'second'\n"
					     "110 #1 1 depth 0 outer 110\n"
					     "110 #2 + a:load counter 'load' tid 7 in ''\n"
					     "110 #2 2 depth 0 outer 110\n"
					     "111 #3 + a:work slices 'work' tid 7 in ''\n"
					     "111 #3 begin 'read' depth 1\n"
					     "120 lost 1 on 0 in 'second'\n"
					     "140 #3 end 'read' depth 1 from 111\n");
	plant_release(&plant);
}

TEST(what_is_not_wanted_never_comes_to_the_tracks)
{
	struct plant plant;

	plant_init(&plant, NULL);
	plant.pipeline.filter =
		(struct filter){ .has_cpu = true, .cpu = 1, .start_ns = STAGE_START_NS };
	deliver_slice(&plant, 110, 0, 7, 'B', "read");
	deliver_slice(&plant, 110, 0, 7, 'X', "read");
	plant.pipeline.filter =
		(struct filter){ .has_pid = true, .pid = 8, .start_ns = STAGE_START_NS };
	deliver_slice(&plant, 111, 0, 7, 'B', "read");
	plant.pipeline.filter = (struct filter){ .track = "other", .start_ns = STAGE_START_NS };
	deliver_slice(&plant, 112, 0, 7, 'B', "read");
	CHECK_TEXT(stage_told(&plant.stage), "");
	plant_release(&plant);
}

static void check_loss(const struct filter *filter, const char *want)
{
	static const char *const buffers[] = { "", "second" };
	struct source_loss loss = {
		.buffer = 1, .cpu = 3, .from_ns = 120, .to_ns = 130, .count = 5
	};
	struct plant plant;

	plant_init(&plant, buffers);
	plant.pipeline.filter = *filter;
	plant.pipeline.filter.start_ns = STAGE_START_NS;
	CHECK_NUMBER(plant.handler.loss(plant.handler.context, &loss, &plant.stage.error), 0);
	CHECK_TEXT(stage_told(&plant.stage), want);
	CHECK_NUMBER(plant.pipeline.lost, *want ? 5 : 0);
	CHECK(plant.pipeline.has_lost == !!*want);
	CHECK(plant.handler.wants(plant.handler.context, 3, 1) ==
	      (!!*want || filter->from_ns > 0 || filter->to_ns > 0));
	plant_release(&plant);
}

TEST(losses_of_what_is_not_wanted_are_not_told)
{
	static const char told[] = "120 lost 5 on 3 in 'second'\n";

	check_loss(&(struct filter){ 0 }, told);
	check_loss(&(struct filter){ .has_cpu = true, .cpu = 3 }, told);
	check_loss(&(struct filter){ .has_cpu = true, .cpu = 2 }, "");
	check_loss(&(struct filter){ .buffer = "second" }, told);
	check_loss(&(struct filter){ .buffer = "" }, "");
	check_loss(&(struct filter){ .from_ns = 30, .to_ns = 40 }, told);
	check_loss(&(struct filter){ .from_ns = 31 }, "");
	check_loss(&(struct filter){ .to_ns = 20 }, told);
	check_loss(&(struct filter){ .to_ns = 19 }, "");
}

TEST(a_failure_of_an_output_reaches_the_source)
{
	struct record record = { .time_ns = 110 };
	struct draft draft;
	struct plant plant;

	plant_init(&plant, NULL);
	plant.stage.fails_after = 1;
	draft_begin(&draft, LOAD_ID, 7, RECORD_SIZE);
	record.data = draft.bytes;
	record.size = RECORD_SIZE;
	CHECK_NUMBER(plant.handler.record(plant.handler.context, &record, &plant.stage.error), -1);
	CHECK_TEXT(plant.stage.error.text, "the notebook is full");
	plant_release(&plant);
}
