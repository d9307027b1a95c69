// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the track room: who is asked for names of tasks, when, and what becomes of the answers.
 */
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "stage.h"
#include "tap.h"
#include "track/state.h"

#define TASKS_KNOWN 99

/* Knows every task up to TASKS_KNOWN; @context counts the questions. */
static void task_find(void *context, int tid, int *tgid, char *comm, size_t comm_size)
{
	++*(int *)context;
	if (tid > TASKS_KNOWN)
		return;
	*tgid = tid / 10 * 10;
	snprintf(comm, comm_size, "task-%d", tid);
}

/* A begin with a scope of its own. */
static void begin_in(struct stage *stage, enum stage_tracepoint tracepoint, int64_t scope_id)
{
	struct observation observation = stage_observation(tracepoint, OBSERVATION_BEGIN, 110, 7);

	observation.scope_id.signed_number = scope_id;
	observation.slice_name = text_of("x");
	CHECK_NUMBER(stage_observe(stage, &observation), 0);
}

TEST(tasks_are_asked_for_once_where_the_scope_is_a_task)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	struct stage stage;

	stage_init(&stage, &settings);
	stage_instant(&stage, 110, 57, "x");
	stage_instant(&stage, 110, 57, "x");
	stage_instant(&stage, 110, 100, "x");
	begin_in(&stage, STAGE_JOB, 60);
	CHECK_TEXT(stage_told(&stage),
		   "110 #1 + a:work slices 'work' tid 57 of 50 'task-57'\n"
		   "110 #1 instant 'x' depth 0 outer 110\n"
		   "110 #1 instant 'x' depth 0 outer 110\n"
		   "110 #2 + a:work slices 'work' tid 100\n"
		   "110 #2 instant 'x' depth 0 outer 110\n"
		   "110 #3 + a:job slices 'job' tgid 60 scope_tgid of 60 'task-60'\n"
		   "110 #3 begin 'x' depth 1\n");
	CHECK_NUMBER(nr_asked, 3);
	begin_in(&stage, STAGE_TICK, 1);
	begin_in(&stage, STAGE_QUEUE, 1);
	begin_in(&stage, STAGE_JOB, -1);
	begin_in(&stage, STAGE_JOB, INT64_C(1) << 32 | 61);
	stage_instant(&stage, 110, 0, "idle");
	CHECK_NUMBER(nr_asked, 3);
	stage_release(&stage);
}

static int observe_queue(struct stage *stage, enum observation_kind kind, int tid)
{
	struct observation observation = stage_observation(STAGE_QUEUE, kind, 110, tid);

	observation.cpu = 3;
	observation.scope_id.signed_number = 1;
	observation.slice_name = text_of("x");
	return stage_observe(stage, &observation);
}

static void check_writers(bool has_comm, const char *want)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find,
					    .context = &nr_asked,
					    .has_comm = has_comm };
	struct stage stage;

	stage_init(&stage, &settings);
	stage.shows_writer = true;
	CHECK_NUMBER(observe_queue(&stage, OBSERVATION_BEGIN, 57), 0);
	CHECK_NUMBER(observe_queue(&stage, OBSERVATION_BEGIN, 100), 0);
	stage_told(&stage);
	CHECK_NUMBER(observe_queue(&stage, OBSERVATION_INSTANT, 57), 0);
	CHECK_NUMBER(observe_queue(&stage, OBSERVATION_END, 100), 0);
	CHECK_TEXT(stage_told(&stage), want);
	CHECK_NUMBER(nr_asked, has_comm ? 2 : 0);
	stage_finish(&stage, 200);
	CHECK(strstr(stage_told(&stage),
		     "200 #1 end 'x' depth 1 from 110 unfinished by -1 on -1 ''\n") != NULL);
	stage_release(&stage);
}

TEST(records_say_who_wrote_them_and_by_name_where_that_is_asked_for)
{
	check_writers(false, "110 #1 instant 'x' depth 2 outer 110 by 57 on 3 ''\n"
			     "110 #1 end 'x' depth 2 from 110 by 100 on 3 ''\n");
	check_writers(true, "110 #1 instant 'x' depth 2 outer 110 by 57 on 3 'task-57'\n"
			    "110 #1 end 'x' depth 2 from 110 by 100 on 3 ''\n");
}

TEST(a_bounded_number_of_tasks_is_remembered)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	struct tasks tasks = { 0 };

	for (int tid = 1; tid <= 40000; tid++)
		tasks_get(&tasks, &settings, tid);
	CHECK_NUMBER(nr_asked, 40000);
	CHECK(tasks.map.size < 35000);
	CHECK_NUMBER(tasks_get(&tasks, &settings, 40000)->tid, 40000);
	CHECK_NUMBER(nr_asked, 40000);
	CHECK_TEXT(tasks_get(&tasks, &settings, 1)->comm, "task-1");
	CHECK_NUMBER(nr_asked, 40001);
	tasks_release(&tasks);
}

TEST(tasks_that_have_tracks_are_not_forgotten)
{
	struct tracks_settings settings = { 0 };
	struct tasks tasks = { 0 };
	struct track tracks[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		struct task *task = tasks_get(&tasks, &settings, 8);

		task_set_comm(task, text_of("kept"));
		track_join(&tracks[i], task);
	}
	for (int tid = 100; tid <= 80000; tid++)
		tasks_get(&tasks, &settings, tid);
	CHECK(tasks.map.size < 35000);
	CHECK_TEXT(tasks_find(&tasks, 8)->comm, "kept");
	CHECK(tasks_find(&tasks, 8)->tracks == &tracks[1]);
	track_part(&tracks[1]);
	CHECK(tasks_find(&tasks, 8)->tracks == &tracks[0]);
	track_part(&tracks[0]);
	track_part(&tracks[0]);
	CHECK(tasks_find(&tasks, 8)->tracks == NULL);
	tasks_release(&tasks);
}

TEST(without_anybody_to_ask_nobody_is_known)
{
	struct tracks_settings settings = { 0 };
	struct tasks tasks = { 0 };

	CHECK_TEXT(tasks_get(&tasks, &settings, 1)->comm, "");
	tasks_release(&tasks);
}

static void learn(struct stage *stage, enum task_change_kind kind, int64_t time_ns, int tid,
		  const char *comm)
{
	struct task_change change = {
		.kind = kind, .time_ns = time_ns, .tid = tid, .old_tid = tid, .comm = text_of(comm)
	};

	CHECK_NUMBER(tracks_learn(stage->tracks, &change, &stage->error), 0);
}

TEST(what_the_trace_told_is_not_asked_for)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	struct stage stage;

	stage_init(&stage, &settings);
	learn(&stage, TASK_CHANGE_NAMED, 105, 57, "told");
	stage_instant(&stage, 110, 57, "x");
	CHECK_TEXT(stage_told(&stage), "110 #1 + a:work slices 'work' tid 57 of 50 'told'\n"
				       "110 #1 instant 'x' depth 0 outer 110\n");
	learn(&stage, TASK_CHANGE_GONE, 120, 57, "told");
	stage_instant(&stage, 130, 57, "x");
	CHECK_TEXT(stage_told(&stage), "120 #1 -\n"
				       "130 #2 + a:work slices 'work' tid 57 of 50 'task-57'\n"
				       "130 #2 instant 'x' depth 0 outer 130\n");
	CHECK_NUMBER(nr_asked, 2);
	stage_release(&stage);
}

TEST(a_change_that_ends_nothing_does_not_move_time)
{
	struct stage stage;

	stage_init(&stage, NULL);
	stage_begin(&stage, 110, 7, "a");
	learn(&stage, TASK_CHANGE_BORN, 500, 8, "other");
	learn(&stage, TASK_CHANGE_NAMED, 500, 7, "new");
	learn(&stage, TASK_CHANGE_EXITED, 500, 7, "new");
	stage_told(&stage);
	stage_end(&stage, 120, 7);
	CHECK_TEXT(stage_told(&stage), "120 #1 end 'a' depth 1 from 110\n120 #1 -\n");
	stage_release(&stage);
}

TEST(a_thread_is_renamed_only_if_it_has_tracks_with_its_old_name)
{
	struct stage stage;

	stage_init(&stage, NULL);
	learn(&stage, TASK_CHANGE_NAMED, 101, 7, "sh");
	learn(&stage, TASK_CHANGE_NAMED, 102, 7, "bash");
	stage_instant(&stage, 110, 7, "x");
	stage_begin(&stage, 110, 8, "y");
	learn(&stage, TASK_CHANGE_NAMED, 120, 7, "bash");
	learn(&stage, TASK_CHANGE_NAMED, 121, 7, "true");
	learn(&stage, TASK_CHANGE_NAMED, 122, 8, "worker");
	stage_instant(&stage, 130, 7, "x");
	learn(&stage, TASK_CHANGE_GONE, 140, 7, "true");
	stage_told(&stage);
	stage_finish(&stage, 200);
	CHECK(strstr(stage_told(&stage), " 0 retired, 0 other, 2 renamed\n") != NULL);
	stage_release(&stage);
}

/* Tasks come and go at random, with tracks that have open slices or none. */
TEST(whatever_becomes_of_tasks_every_track_ends_once)
{
	struct tracks_settings settings = { .idle_max = 5 };
	struct dice dice = { .state = 5 };
	struct stage stage;

	stage_init(&stage, &settings);
	for (int i = 0; i < 20000; i++) {
		static const char *const comms[] = { "a", "b", "c" };
		int tid = 1 + dice_below(&dice, 9);

		switch (dice_below(&dice, 4)) {
		case 0:
			stage_begin(&stage, 110 + i, tid, "x");
			break;
		case 1:
			stage_end(&stage, 110 + i, tid);
			break;
		case 2:
			begin_in(&stage, STAGE_JOB, tid);
			break;
		default:
			learn(&stage, dice_below(&dice, TASK_CHANGE_GONE + 1), 110 + i, tid,
			      comms[dice_below(&dice, 3)]);
		}
		buffer_clear(&stage.told);
	}
	stage_finish(&stage, 50000);
	CHECK(strstr(stage_told(&stage), "finish") != NULL);
	stage_release(&stage);
}
