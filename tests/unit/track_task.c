// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the track module: who is asked for names of tasks, when, and what becomes of the
 * answers.
 */
#include <stdio.h>
#include <string.h>

#include "fixtures/random.h"
#include "fixtures/track_fixture.h"
#include "fixtures/tap.h"

#define TASKS_KNOWN 99

/* Has every task up to TASKS_KNOWN; @context counts the questions. */
static void task_find(void *context, int tid, struct thread_identity *out)
{
	++*(int *)context;
	if (tid > TASKS_KNOWN)
		return;
	out->tgid = tid / 10 * 10;
	snprintf(out->comm, sizeof(out->comm), "task-%d", tid);
}

/* A begin with a scope of its own. */
static void begin_in(struct track_fixture *fixture, enum track_fixture_tracepoint tracepoint,
		     int64_t scope_id)
{
	struct decoded_event decoded = track_fixture_event(tracepoint, DECODED_BEGIN, 110, 7);

	decoded.scope_id.signed_number = scope_id;
	decoded.slice_name = text_of("x");
	CHECK_NUMBER(track_fixture_add(fixture, &decoded), 0);
}

TEST(tasks_are_asked_for_once_where_the_scope_is_a_task)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	FIXTURE(track_fixture, fixture, &settings);

	track_fixture_instant(&fixture, 110, 57, "x");
	track_fixture_instant(&fixture, 110, 57, "x");
	track_fixture_instant(&fixture, 110, 100, "x");
	begin_in(&fixture, FIXTURE_JOB, 60);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 57 of 50 'task-57'\n"
		   "110 #1 instant 'x' depth 0 outer 110\n"
		   "110 #1 instant 'x' depth 0 outer 110\n"
		   "110 #2 + a:work slices 'work' tid 100\n"
		   "110 #2 instant 'x' depth 0 outer 110\n"
		   "110 #3 + a:job slices 'job' tgid 60 scope_tgid of 60 'task-60'\n"
		   "110 #3 begin 'x' depth 1\n");
	/* Also for process 50, of which no thread but 57 has records. */
	CHECK_NUMBER(nr_asked, 4);
	track_fixture_count(&fixture, 110, 57, 1);
	begin_in(&fixture, FIXTURE_TICK, 1);
	begin_in(&fixture, FIXTURE_QUEUE, 1);
	begin_in(&fixture, FIXTURE_JOB, -1);
	begin_in(&fixture, FIXTURE_JOB, INT64_C(1) << 32 | 61);
	track_fixture_instant(&fixture, 110, 0, "idle");
	CHECK_NUMBER(nr_asked, 4);
}

static int observe_queue(struct track_fixture *fixture, enum decoded_kind kind, int tid)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_QUEUE, kind, 110, tid);

	decoded.cpu = 3;
	decoded.scope_id.signed_number = 1;
	decoded.slice_name = text_of("x");
	return track_fixture_add(fixture, &decoded);
}

static void check_writers(bool has_comm, const char *want)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find,
					    .context = &nr_asked,
					    .has_comm = has_comm };
	FIXTURE(track_fixture, fixture, &settings);

	fixture.shows_writer = true;
	CHECK_NUMBER(observe_queue(&fixture, DECODED_BEGIN, 57), 0);
	CHECK_NUMBER(observe_queue(&fixture, DECODED_BEGIN, 100), 0);
	track_fixture_output(&fixture);
	CHECK_NUMBER(observe_queue(&fixture, DECODED_INSTANT, 57), 0);
	CHECK_NUMBER(observe_queue(&fixture, DECODED_END, 100), 0);
	CHECK_TEXT(track_fixture_output(&fixture), want);
	CHECK_NUMBER(nr_asked, has_comm ? 2 : 0);
	track_fixture_finish(&fixture, 200);
	CHECK(strstr(track_fixture_output(&fixture),
		     "200 #1 end 'x' depth 1 from 110 unfinished by -1 on -1 ''\n") != NULL);
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
	FIXTURE(track_fixture, fixture, &settings);

	for (int tid = 1; tid <= 40000; tid++)
		tracks_comm(fixture.tracks, tid);
	CHECK_NUMBER(nr_asked, 40000);
	CHECK_TEXT(tracks_comm(fixture.tracks, 40000), "");
	CHECK_NUMBER(nr_asked, 40000);
	CHECK_TEXT(tracks_comm(fixture.tracks, 1), "task-1");
	CHECK_NUMBER(nr_asked, 40001);
}

static void learn(struct track_fixture *fixture, enum task_change_kind kind, int64_t time_ns,
		  int tid, const char *comm)
{
	struct task_change change = {
		.kind = kind, .time_ns = time_ns, .tid = tid, .old_tid = tid, .comm = text_of(comm)
	};

	if (kind == TASK_CHANGE_MOVED)
		change.cgroup = change.comm;
	CHECK_NUMBER(tracks_learn(fixture->tracks, &change, &fixture->error), 0);
}

TEST(tasks_that_have_tracks_are_not_forgotten)
{
	FIXTURE(track_fixture, fixture, NULL);

	for (int tid = 8; tid < 10; tid++) {
		learn(&fixture, TASK_CHANGE_NAMED, 101, tid, "kept");
		track_fixture_instant(&fixture, 110, tid, "x");
	}
	learn(&fixture, TASK_CHANGE_GONE, 120, 9, "kept");
	for (int tid = 100; tid <= 80000; tid++)
		CHECK_TEXT(tracks_comm(fixture.tracks, tid), "");
	CHECK_TEXT(tracks_comm(fixture.tracks, 8), "kept");
	CHECK_TEXT(tracks_comm(fixture.tracks, 9), "");
}

TEST(what_the_trace_reported_is_not_asked_for)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	FIXTURE(track_fixture, fixture, &settings);

	learn(&fixture, TASK_CHANGE_NAMED, 105, 57, "reported");
	track_fixture_instant(&fixture, 110, 57, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 57 of 50 'reported'\n"
		   "110 #1 instant 'x' depth 0 outer 110\n");
	learn(&fixture, TASK_CHANGE_GONE, 120, 57, "reported");
	track_fixture_instant(&fixture, 130, 57, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "120 #1 -\n"
		   "130 #2 + a:work slices 'work' tid 57 of 50 'task-57'\n"
		   "130 #2 instant 'x' depth 0 outer 130\n");
	/* For 57 twice: its process, and its name once it is gone; for process 50 by each track. */
	CHECK_NUMBER(nr_asked, 4);
}

TEST(a_change_that_ends_nothing_does_not_move_time)
{
	FIXTURE(track_fixture, fixture, NULL);

	track_fixture_begin(&fixture, 110, 7, "a");
	learn(&fixture, TASK_CHANGE_BORN, 500, 8, "other");
	learn(&fixture, TASK_CHANGE_NAMED, 500, 7, "new");
	learn(&fixture, TASK_CHANGE_EXITED, 500, 7, "new");
	track_fixture_output(&fixture);
	track_fixture_end(&fixture, 120, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "120 #1 end 'a' depth 1 from 110\n120 #1 -\n");
}

/* The kernel frees a thread late: by then another one may have its number. */
TEST(a_thread_that_was_born_again_outlives_its_predecessor)
{
	FIXTURE(track_fixture, fixture, NULL);

	learn(&fixture, TASK_CHANGE_BORN, 101, 7, "first");
	learn(&fixture, TASK_CHANGE_EXITED, 110, 7, "first");
	learn(&fixture, TASK_CHANGE_BORN, 120, 7, "second");
	track_fixture_begin(&fixture, 130, 7, "a");
	learn(&fixture, TASK_CHANGE_GONE, 140, 7, "first");
	track_fixture_output(&fixture);
	track_fixture_end(&fixture, 150, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "150 #1 end 'a' depth 1 from 130\n");
}

TEST(a_thread_is_renamed_only_if_it_has_tracks_with_its_old_name)
{
	FIXTURE(track_fixture, fixture, NULL);

	learn(&fixture, TASK_CHANGE_NAMED, 101, 7, "sh");
	learn(&fixture, TASK_CHANGE_NAMED, 102, 7, "bash");
	track_fixture_instant(&fixture, 110, 7, "x");
	track_fixture_begin(&fixture, 110, 8, "y");
	learn(&fixture, TASK_CHANGE_NAMED, 120, 7, "bash");
	learn(&fixture, TASK_CHANGE_NAMED, 121, 7, "true");
	learn(&fixture, TASK_CHANGE_NAMED, 122, 8, "worker");
	track_fixture_instant(&fixture, 130, 7, "x");
	learn(&fixture, TASK_CHANGE_GONE, 140, 7, "true");
	track_fixture_output(&fixture);
	track_fixture_finish(&fixture, 200);
	CHECK(strstr(track_fixture_output(&fixture), " 0 retired, 0 other, 2 renamed\n") != NULL);
}

TEST(the_threads_of_a_process_are_in_the_cgroup_to_which_it_was_moved)
{
	int nr_asked = 0;
	struct tracks_settings settings = { .find_task = task_find, .context = &nr_asked };
	FIXTURE(track_fixture, fixture, &settings);

	/* 57 is a thread of 50, which has no track. */
	track_fixture_begin(&fixture, 110, 57, "a");
	learn(&fixture, TASK_CHANGE_MOVED, 120, 50, "/b");
	track_fixture_begin(&fixture, 130, 57, "nested");
	track_fixture_end(&fixture, 140, 57);
	CHECK_TEXT(track_fixture_output(&fixture),
		   "110 #1 + a:work slices 'work' tid 57 of 50 'task-57'\n"
		   "110 #1 begin 'a' depth 1\n130 #1 begin 'nested' depth 2\n"
		   "140 #1 end 'nested' depth 2 from 130\n");
	track_fixture_end(&fixture, 150, 57);
	CHECK_TEXT(track_fixture_output(&fixture), "150 #1 end 'a' depth 1 from 110\n150 #1 -\n");
	track_fixture_instant(&fixture, 160, 57, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "160 #2 + a:work slices 'work' tid 57 of 50 'task-57' below '/b'\n"
		   "160 #2 instant 'x' depth 0 outer 160\n");
	learn(&fixture, TASK_CHANGE_MOVED, 170, 50, "/b");
	CHECK_TEXT(track_fixture_output(&fixture), "");
	learn(&fixture, TASK_CHANGE_MOVED, 170, 50, "/");
	CHECK_TEXT(track_fixture_output(&fixture), "170 #2 -\n");
	track_fixture_instant(&fixture, 180, 57, "x");
	CHECK_TEXT(track_fixture_output(&fixture),
		   "180 #3 + a:work slices 'work' tid 57 of 50 'task-57'\n"
		   "180 #3 instant 'x' depth 0 outer 180\n");
}

TEST(a_thread_that_is_moved_and_renamed_gets_one_new_track)
{
	FIXTURE(track_fixture, fixture, NULL);

	learn(&fixture, TASK_CHANGE_NAMED, 101, 7, "sh");
	track_fixture_begin(&fixture, 110, 7, "a");
	learn(&fixture, TASK_CHANGE_MOVED, 120, 7, "/b");
	learn(&fixture, TASK_CHANGE_NAMED, 130, 7, "other");
	learn(&fixture, TASK_CHANGE_NAMED, 140, 7, "sh");
	track_fixture_output(&fixture);
	track_fixture_end(&fixture, 150, 7);
	CHECK_TEXT(track_fixture_output(&fixture), "150 #1 end 'a' depth 1 from 110\n150 #1 -\n");
}

/* That of an event that @tid writes now. */
static const char *cgroup_of(struct track_fixture *fixture, int tid)
{
	struct decoded_event decoded = track_fixture_event(FIXTURE_WORK, DECODED_BEGIN, 140, tid);
	static char path[16];
	SCOPED_BUFFER(out);

	CHECK(tracks_find_cgroup(fixture->tracks, &decoded, &out));
	snprintf(path, sizeof(path), "%s", buffer_string(&out));
	return path;
}

TEST(the_cgroup_of_a_process_without_tracks_is_not_forgotten)
{
	size_t nr_known = 0;
	FIXTURE(track_fixture, fixture, NULL);

	learn(&fixture, TASK_CHANGE_MOVED, 110, 7, "/b");
	learn(&fixture, TASK_CHANGE_MOVED, 110, 8, "/b");
	learn(&fixture, TASK_CHANGE_EXITED, 111, 8, "");
	for (int tid = 100000; tid < 120000; tid++)
		learn(&fixture, TASK_CHANGE_NAMED, 120, tid, "a");
	CHECK_TEXT(cgroup_of(&fixture, 7), "/b");
	CHECK_TEXT(cgroup_of(&fixture, 8), "");
	/* Nor is memory without a limit. */
	for (int tid = 1000; tid < 40000; tid++)
		learn(&fixture, TASK_CHANGE_MOVED, 130, tid, "/c");
	for (int tid = 1000; tid < 40000; tid++)
		nr_known += strcmp(cgroup_of(&fixture, tid), "/c") == 0;
	CHECK(nr_known > 0 && nr_known <= 8192);
}

/* Tasks start and end at random, with tracks that have open slices or none. */
TEST(whatever_becomes_of_tasks_every_track_ends_once)
{
	struct tracks_settings settings = { .idle_max = 5 };
	struct random random = { .state = 5 };
	FIXTURE(track_fixture, fixture, &settings);

	for (int i = 0; i < 20000; i++) {
		static const char *const comms[] = { "a", "b", "c" };
		int tid = 1 + random_below(&random, 9);

		switch (random_below(&random, 4)) {
		case 0:
			track_fixture_begin(&fixture, 110 + i, tid, "x");
			break;
		case 1:
			track_fixture_end(&fixture, 110 + i, tid);
			break;
		case 2:
			begin_in(&fixture, FIXTURE_JOB, tid);
			break;
		default:
			learn(&fixture, random_below(&random, TASK_CHANGE_GONE + 1), 110 + i, tid,
			      comms[random_below(&random, 3)]);
		}
		buffer_clear(&fixture.output);
	}
	track_fixture_finish(&fixture, 50000);
	CHECK(strstr(track_fixture_output(&fixture), "finish") != NULL);
}
