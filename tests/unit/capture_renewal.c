// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sessions that follow one another: when they end, and what the next one is. */
#include "capture/run.h"

#include <stdlib.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

#define START_NS 1000

static struct renewal renewal_of(int64_t every_ns)
{
	struct renewal renewal = { .every_ns = every_ns };

	renewal_begin(&renewal, START_NS);
	return renewal;
}

TEST(a_session_ends_when_it_has_lasted_its_time)
{
	struct renewal once = renewal_of(0), often = renewal_of(100), never = renewal_of(INT64_MAX);

	CHECK(!renewal_is_due(&once, INT64_MAX));
	CHECK(!renewal_is_due(&often, 1099));
	CHECK(renewal_is_due(&often, 1100));
	CHECK(!renewal_is_due(&never, INT64_MAX - 1));
}

/** struct scene - a recording with one session that goes to a file */
struct scene {
	struct folder folder;
	struct output_settings settings;
	struct outputs outputs;
	struct renewal renewal;
	struct pipeline pipeline;
	struct recording recording;
	struct error error;
};

static size_t event_number(void)
{
	return sink_kind_number("event");
}

static void scene_init(struct scene *scene)
{
	static char *argv[] = { (char *)"ktrack", NULL };
	static const struct tracks_settings settings;

	*scene = (struct scene){
		.recording = { .command = "stream",
			       .argv = argv,
			       .source = "",
			       .id = "",
			       .clock = "",
			       .time_source = "",
			       .kernel = "",
			       .start_ns = START_NS },
		.renewal = { .every_ns = 100, .outputs = &scene->outputs },
	};
	folder_new(&scene->folder);
	scene->settings.targets[event_number()] = strdup(folder_path(&scene->folder, "out"));
	outputs_init(&scene->outputs, &scene->settings, NULL);
	scene->renewal.identity = (struct identity){ strdup("parent/own"), strdup("stream") };
	scene->pipeline.tracks = tracks_new(&settings, &scene->pipeline.timeline, START_NS);
	renewal_begin(&scene->renewal, START_NS);
	CHECK_NUMBER(outputs_open(&scene->outputs, &scene->pipeline.timeline,
				  &scene->renewal.identity, &scene->error),
		     0);
	CHECK_NUMBER(timeline_open(&scene->pipeline.timeline, &scene->recording, &scene->error), 0);
}

static void scene_release(struct scene *scene)
{
	free((char *)scene->settings.targets[event_number()]);
	pipeline_release(&scene->pipeline);
	identity_release(&scene->renewal.identity);
	outputs_release(&scene->outputs);
	folder_remove(&scene->folder);
}

static void renew(struct scene *scene, int64_t now_ns)
{
	CHECK_NUMBER(renewal_run(&scene->renewal, &scene->pipeline, &scene->recording, now_ns, 0,
				 &scene->error),
		     0);
	CHECK_NUMBER(timeline_flush(&scene->pipeline.timeline, &scene->error), 0);
}

TEST(moments_that_have_passed_are_passed_over)
{
	FIXTURE(scene, scene);

	renew(&scene, 1350);
	CHECK(!renewal_is_due(&scene.renewal, 1399));
	CHECK(renewal_is_due(&scene.renewal, 1400));
	CHECK_NUMBER(scene.recording.start_ns, 1350);
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int found = 0;

	for (; (text = strstr(text, what)); text++)
		found++;
	return found;
}

TEST(the_next_session_is_another_one_of_the_same_parent)
{
	SCOPED_BUFFER(content);
	const char *text;
	FIXTURE(scene, scene);

	scene.pipeline.lost = 5;
	renew(&scene, 1100);
	scene.pipeline.lost = 12;
	renew(&scene, 1200);
	CHECK_NUMBER(file_read(scene.settings.targets[event_number()], &content), 0);
	text = buffer_string(&content);
	CHECK_NUMBER(count(text, "\"event\":\"version\""), 3);
	CHECK_NUMBER(count(text, "\"event\":\"atexit\""), 2);
	CHECK_NUMBER(count(text, "\"event\":\"version\",\"sid\":\"parent/own\""), 1);
	CHECK_NUMBER(count(text, "\"event\":\"version\",\"sid\":\"parent/2"), 2);
	CHECK_NUMBER(count(text, "\"lost_records\",\"count\":5}"), 1);
	CHECK_NUMBER(count(text, "\"lost_records\",\"count\":7}"), 1);
}
