// SPDX-License-Identifier: GPL-2.0-only
/* Raw records on their way from ring buffers to a trace.dat, which is read again. */
#include "desk.h"

TEST(records_of_all_cpus_are_in_one_file)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 0, 100, 200);
	ADD_RECORDS(&desk, 33, 150);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	CHECK_NUMBER(parts_size(desk.parts), 2 * SHEET_SIZE);
	ADD_RECORDS(&desk, 0, 300);
	desk_finish(&desk);
	check_joined(&desk, 0, "cpu 0 at 100\ncpu 33 at 150\ncpu 0 at 200\ncpu 0 at 300\n");
	desk_end(&desk);
}

/* That is how a file is which cannot be spliced to. */
TEST(a_filesystem_that_wants_copies_gets_them)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	fcntl(desk.parts->list[0].fd, F_SETFL, O_APPEND);
	ADD_RECORDS(&desk, 0, 100, 200);
	ADD_RECORDS(&desk, 0, 300);
	desk_finish(&desk);
	check_joined(&desk, 0, "cpu 0 at 100\ncpu 0 at 200\ncpu 0 at 300\n");
	desk_end(&desk);
}

/* What was there stays until there is something whole to take its place. */
TEST(a_file_is_replaced_only_by_a_whole_one)
{
	struct desk desk;
	struct buffer held = { 0 };

	desk_begin(&desk, "streaming");
	folder_add_text(&desk.output, "trace.dat", "precious");
	ADD_RECORDS(&desk, 0, 100);
	desk_finish(&desk);
	CHECK_NUMBER(file_read(output_path(&desk), &held), 0);
	CHECK_TEXT(buffer_string(&held), "precious");
	check_joined(&desk, 0, "cpu 0 at 100\n");
	buffer_release(&held);
	desk_end(&desk);
}

TEST(the_file_has_the_formats_of_what_is_enabled_and_names_of_threads)
{
	struct buffer seen = { 0 };
	struct source_visitor visitor = { .context = &seen, .visit = visit_log };
	struct source_task task;
	struct source *source;
	struct desk desk;

	desk_begin(&desk, "streaming");
	desk_finish(&desk);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&desk), &desk.error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &desk.error), 0);
	CHECK_TEXT(buffer_string(&seen), "demo:work ");
	source_find_task(source, 4194304, &task);
	CHECK_TEXT(task.comm, "gone");
	source_find_task(source, getpid(), &task);
	CHECK_TEXT(task.comm, program_invocation_short_name);
	source_close(source);
	buffer_release(&seen);
	desk_end(&desk);
}

TEST(what_the_kernel_counts_is_in_the_file)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 0, 100);
	statistics_add(&desk, 0, "\noverrun: 0\ndropped events: 3\n");
	statistics_add(&desk, 1, "\ncommit overrun: 2\n");
	desk_finish(&desk);
	CHECK_NUMBER(desk.summary.lost, 5);
	CHECK(!desk.summary.has_begin && !desk.summary.has_end);
	check_joined(&desk, 3, "cpu 0 at 100\ncpu 0 lost 3 from 100 to 1000000\n");
	desk_end(&desk);
}

/* What was moved after that may show another clock. */
TEST(what_was_moved_since_the_last_look_can_be_taken_back)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 0, 100);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	parts_keep(desk.parts);
	CHECK_NUMBER(parts_rewind(desk.parts, &desk.error), 0);
	ADD_RECORDS(&desk, 0, 150);
	ADD_RECORDS(&desk, 1, 160);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	CHECK_NUMBER(parts_rewind(desk.parts, &desk.error), 0);
	ADD_RECORDS(&desk, 1, 200);
	desk_finish(&desk);
	check_joined(&desk, 0, "cpu 0 at 100\ncpu 1 at 200\n");
	desk_end(&desk);
}

/* A thread that has ended since had a name and a process when recording began. */
TEST(names_and_processes_that_were_there_in_the_beginning_stay)
{
	struct source_task task;
	struct source *source;
	struct desk desk;

	desk_begin(&desk, "streaming");
	folder_set_text(&tracefs.top, "saved_cmdlines", "4194303 later\n");
	folder_set_text(&tracefs.top, "saved_tgids", "");
	desk_finish(&desk);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&desk), &desk.error), 0);
	source_find_task(source, 4194304, &task);
	CHECK_TEXT(task.comm, "gone");
	CHECK_NUMBER(task.tgid, 4194000);
	source_find_task(source, 4194303, &task);
	CHECK_TEXT(task.comm, "later");
	CHECK_NUMBER(task.tgid, 0);
	source_find_task(source, syscall(SYS_gettid), &task);
	CHECK_NUMBER(task.tgid, getpid());
	source_close(source);
	desk_end(&desk);
}

/* Whoever reads may have lost the right to go there, or somebody gave the folder another name. */
TEST(once_it_has_begun_neither_folder_is_found_by_its_path)
{
	struct desk desk;
	struct folder away, instance_away;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 0, 100);
	statistics_add(&desk, 0, "\ndropped events: 3\n");
	folder_new(&away);
	strcpy(instance_away.path, folder_path(&tracefs.top, "away"));
	CHECK_NUMBER(rename(desk.output.path, away.path), 0);
	CHECK_NUMBER(rename(desk.instance.path, instance_away.path), 0);
	desk_finish(&desk);
	CHECK_NUMBER(desk.summary.lost, 3);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	parts_close(desk.parts);
	desk.parts = NULL;
	desk.output = away;
	CHECK(output_has(&desk, "trace.dat"));
	CHECK(!output_has(&desk, "trace.dat.parts"));
	desk_end(&desk);
}

TEST(oneshot_is_complete_up_to_the_earliest_last_record_of_those_that_dropped)
{
	struct desk desk;

	desk_begin(&desk, "oneshot");
	ADD_RECORDS(&desk, 0, 100, 200);
	ADD_RECORDS(&desk, 0, 300, 400);
	ADD_RECORDS(&desk, 1, 150, 250);
	ADD_RECORDS(&desk, 33, 170);
	statistics_add(&desk, 0, "\ndropped events: 3\n");
	statistics_add(&desk, 1, "\ndropped events: 1\n");
	desk_finish(&desk);
	CHECK(desk.summary.has_end && !desk.summary.has_begin);
	CHECK_NUMBER(desk.summary.end_ns, 250);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	check_span(&desk, 0, 250);
	desk_end(&desk);
}

TEST(circular_is_complete_from_the_latest_first_record_of_those_that_overwrote)
{
	struct desk desk;

	desk_begin(&desk, "circular");
	ADD_RECORDS(&desk, 0, 100, 200);
	ADD_RECORDS(&desk, 1, 150, 250);
	ADD_RECORDS(&desk, 33, 170);
	statistics_add(&desk, 0, "\noverrun: 3\n");
	statistics_add(&desk, 1, "\noverrun: 1\ncommit overrun: 1\n");
	statistics_add(&desk, 33, "\noverrun: 0\n");
	desk_finish(&desk);
	CHECK(desk.summary.has_begin && !desk.summary.has_end);
	CHECK_NUMBER(desk.summary.begin_ns, 150);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	check_span(&desk, 150, 0);
	desk_end(&desk);
}

/* Where the instance has gone, nobody knows how much went with it. */
TEST(parts_of_a_killed_recording_become_a_file)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 1, 100, 200);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	desk_kill(&desk);
	folder_add_text(&desk.output, "trace.dat.parts/cpu1", "half a sub-buffer");
	desk_take_up(&desk);
	CHECK_TEXT(parts_instance(desk.parts), recorder_name(desk.recorder));
	check_joined(&desk, 0,
		     "cpu 1 at 100\ncpu 1 at 200\ncpu 0 lost -1 from 0 to 1000000\n"
		     "cpu 1 lost -1 from 200 to 1000000\ncpu 33 lost -1 from 0 to 1000000\n");
	desk_end(&desk);
}

/* What was lost when the kernel emptied them is in nobody's statistics. */
TEST(emptied_buffers_have_lost_an_unknown_number)
{
	static const char want[] =
		"cpu 1 at 100\ncpu 0 lost -1 from 0 to 1000000\n"
		"cpu 1 lost -1 from 100 to 1000000\ncpu 33 lost -1 from 0 to 1000000\n";

	for (int is_killed = 0; is_killed < 2; is_killed++) {
		struct desk desk;

		desk_begin(&desk, "streaming");
		ADD_RECORDS(&desk, 1, 100);
		CHECK_NUMBER(parts_tear(desk.parts, desk.recorder, &desk.error), 0);
		CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
		if (is_killed) {
			desk_kill(&desk);
			desk_take_up(&desk);
			CHECK_TEXT(parts_instance(desk.parts), recorder_name(desk.recorder));
			CHECK_NUMBER(parts_attach(desk.parts, desk.recorder, &desk.error), 0);
			CHECK_NUMBER(
				truncate(folder_path(&desk.instance, "per_cpu/cpu1/trace_pipe_raw"),
					 0),
				0);
		}
		desk_finish(&desk);
		check_joined(&desk, 0, want);
		desk_end(&desk);
	}
}

TEST(what_left_the_buffers_but_reached_no_file_is_counted)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 1, 100, 200);
	statistics_add(&desk, 1, "\nread events: 9\n");
	desk_kill(&desk);
	desk_take_up(&desk);
	CHECK_NUMBER(parts_attach(desk.parts, desk.recorder, &desk.error), 0);
	desk_finish(&desk);
	CHECK_NUMBER(desk.summary.lost, 7);
	check_joined(&desk, 7, "cpu 1 at 100\ncpu 1 at 200\ncpu 1 lost 7 from 200 to 1000000\n");
	desk_end(&desk);
}

TEST(what_moving_left_behind_is_counted_where_it_failed)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	ADD_RECORDS(&desk, 0, 100);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	statistics_add(&desk, 0, "\nread events: 4\nentries: 5\n");
	CHECK_NUMBER(parts_fail(desk.parts, ENOSPC, "cpu0", &desk.error), -1);
	parts_abandon(desk.parts);
	parts_close(desk.parts);
	desk.error = (struct error){ 0 };
	desk_take_up(&desk);
	CHECK_TEXT(parts_instance(desk.parts), "");
	check_joined(&desk, 8, "cpu 0 at 100\ncpu 0 lost 8 from 100 to 1000000\n");
	desk_end(&desk);
}

TEST(what_somebody_elses_instance_holds_is_saved)
{
	struct rig rig = { .handler = {
				   .context = &rig.log, .record = record_log, .loss = loss_log } };
	struct desk desk;

	desk_begin(&desk, "streaming");
	parts_close(desk.parts);
	desk.parts = NULL;
	folder_add_text(&tracefs.top, "available_events", "demo:work\n");
	folder_set_text(&desk.instance, "per_cpu/cpu1/buffer_size_kb", "8\n");
	for (int i = 1; i <= 9; i++)
		ADD_RECORDS(&desk, 1, 100 * i);
	CHECK_NUMBER(parts_save(output_path(&desk), &ourselves, desk.instance.path, &desk.error),
		     0);
	CHECK_TEXT(desk.error.text, "");
	CHECK(!output_has(&desk, "trace.dat.parts"));
	CHECK_NUMBER(source_file_open(&rig.source, output_path(&desk), &rig.error), 0);
	/* No more than the buffer can hold: writers may be faster than we are. */
	check_finish(&rig, 1000000, 0,
		     "cpu 1 at 100\ncpu 1 at 200\ncpu 1 at 300\ncpu 1 at 400\ncpu 1 at 500\n");
	source_close(rig.source);
	buffer_release(&rig.log);
	folder_add_text(&desk.instance, "buffer_subbuf_size_kb", "8\n");
	CHECK_NUMBER(parts_save(output_path(&desk), &ourselves, desk.instance.path, &desk.error),
		     -1);
	CHECK(strstr(desk.error.text, "which cannot be saved"));
	desk_end(&desk);
}

static void check_refused(struct desk *desk, const char *format)
{
	struct parts *parts;
	struct error error = { 0 };
	char want[512];

	snprintf(want, sizeof(want), format, output_path(desk), output_path(desk));
	CHECK_NUMBER(parts_new(&parts, output_path(desk), &ourselves, &error), -1);
	CHECK_TEXT(error.text, want);
	CHECK(parts == NULL);
}

TEST(nobody_records_over_the_parts_of_another)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	check_refused(&desk, "%s.parts is in use by another ktrack");
	desk_kill(&desk);
	check_refused(&desk, "%s.parts holds what a killed ktrack recorded; 'ktrack recover %s' "
			     "makes a trace.dat of it");
	CHECK(output_has(&desk, "trace.dat.parts/formats"));
	desk_end(&desk);
}

TEST(a_recording_that_was_not_begun_leaves_nothing)
{
	struct desk desk;

	desk_begin(&desk, "streaming");
	parts_close(desk.parts);
	desk.parts = NULL;
	CHECK(!output_has(&desk, "trace.dat.parts"));
	folder_make(&desk.output, "trace.dat");
	check_refused(&desk, "%s is no ordinary file; records go to one only");
	CHECK(!output_has(&desk, "trace.dat.parts"));
	desk_end(&desk);
}
