// SPDX-License-Identifier: GPL-2.0-only
/* What the instance beside another one has, on its way to a trace.dat. */
#include "desk.h"

/* Begins with an instance beside the other, which two CPUs have. */
static void desk_begin_double(struct desk *desk, struct desk *beside, const char *mode)
{
	*desk = (struct desk){ 0 };
	*beside = (struct desk){ 0 };
	tracefs_begin();
	folder_add_text(&tracefs.top, "saved_cmdlines", "4194304 gone\n");
	folder_add_text(&tracefs.top, "events/task/task_rename/enable", "0");
	folder_new(&desk->output);
	desk->recorder = recorder_of(64);
	instance_prepare(desk);
	snprintf(beside->instance.path, sizeof(beside->instance.path), "%s",
		 recorder_directory(recorder_durable(desk->recorder)));
	folder_add_text(&beside->instance, "set_event", "task:task_rename\ndemo:work\n");
	instance_mark(beside->instance.path);
	folder_add_text(&beside->instance, "per_cpu/cpu0/trace_pipe_raw", "");
	folder_add_text(&beside->instance, "per_cpu/cpu1/trace_pipe_raw", "");
	folder_add_text(&beside->instance, "per_cpu/cpu33/trace_pipe_raw", "");
	folder_add_text(&desk->instance, "events/task/task_rename/format",
			"name: task_rename\nID: 8\nformat:\n");
	CHECK_NUMBER(parts_new(&desk->parts, output_path(desk), &ourselves, &desk->error), 0);
	CHECK_NUMBER(
		parts_begin(desk->parts, desk->recorder, recorder_mode_find(mode), &desk->error),
		0);
	CHECK_TEXT(desk->error.text, "");
}

TEST(what_is_beside_is_read_in_any_mode_and_is_a_buffer_of_its_own)
{
	struct desk desk, beside;

	desk_begin_double(&desk, &beside, "circular");
	ADD_RECORDS(&desk, 0, 100, 200);
	ADD_RECORDS(&beside, 0, 50);
	ADD_RECORDS(&beside, 1, 150);
	statistics_add(&desk, 0, "\noverrun: 3\n");
	statistics_add(&beside, 0, "\noverrun: 7\n");
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	CHECK_NUMBER(parts_size(desk.parts), 2 * SHEET_SIZE);
	desk_finish(&desk);
	CHECK_NUMBER(desk.summary.lost, 3);
	CHECK_NUMBER(desk.summary.lost_durable, 7);
	CHECK_NUMBER(desk.summary.begin_ns, 100);
	check_joined(&desk, 3,
		     "cpu 0 at 50\ncpu 0 at 100\ncpu 1 at 150\ncpu 0 at 200\n"
		     "cpu 0 lost 3 from 200 to 1000000\n");
	check_span(&desk, 100, 0);
	desk_end(&desk);
}

static void check_records(const struct desk *desk, const char *want)
{
	struct rig rig = { .handler = {
				   .context = &rig.log, .record = record_log, .loss = loss_log } };

	CHECK_NUMBER(source_file_open(&rig.source, output_path(desk), &rig.error), 0);
	check_finish(&rig, 1000000, 0, want);
	source_close(rig.source);
	buffer_release(&rig.log);
}

static void tracepoints_log(const struct desk *desk, struct buffer *out)
{
	struct source_visitor visitor = { .context = out, .visit = visit_log };
	struct error error = { 0 };
	struct source *source;

	CHECK_NUMBER(source_file_open(&source, output_path(desk), &error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK(source_describe(source)->buffers == NULL);
	source_close(source);
}

TEST(what_is_beside_is_saved_along_with_an_instance)
{
	struct buffer seen = { 0 };
	struct desk desk, beside;

	desk_begin_double(&desk, &beside, "streaming");
	parts_close(desk.parts);
	folder_add_text(&tracefs.top, "available_events", "demo:work\ntask:task_rename\n");
	folder_set_text(&desk.instance, "per_cpu/cpu1/buffer_size_kb", "8\n");
	folder_set_text(&beside.instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	ADD_RECORDS(&desk, 1, 100);
	ADD_RECORDS(&beside, 0, 50);
	CHECK_NUMBER(parts_save(output_path(&desk), &ourselves, desk.instance.path, &desk.error),
		     0);
	CHECK_TEXT(desk.error.text, "");
	tracepoints_log(&desk, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:work task:task_rename ");
	check_records(&desk, "cpu 0 at 50\ncpu 1 at 100\n");
	desk.parts = NULL;
	buffer_release(&seen);
	desk_end(&desk);
}

TEST(a_killed_recording_is_recovered_with_what_is_beside)
{
	struct buffer seen = { 0 };
	struct desk desk, beside;

	desk_begin_double(&desk, &beside, "streaming");
	ADD_RECORDS(&beside, 1, 150);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	desk_kill(&desk);
	recorder_leave(desk.recorder);
	desk_take_up(&desk);
	CHECK_NUMBER(recorder_adopt(&desk.recorder, parts_instance(desk.parts), &desk.error), 0);
	CHECK_NUMBER(parts_attach(desk.parts, desk.recorder, &desk.error), 0);
	CHECK_NUMBER(truncate(folder_path(&beside.instance, "per_cpu/cpu1/trace_pipe_raw"), 0), 0);
	ADD_RECORDS(&beside, 1, 250);
	desk_finish(&desk);
	check_joined(&desk, 0, "cpu 1 at 150\ncpu 1 at 250\n");
	tracepoints_log(&desk, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:work task:task_rename ");
	buffer_release(&seen);
	desk_end(&desk);
}

/* Whoever removed it does not keep us from the rest. */
TEST(a_killed_recording_is_recovered_where_what_was_beside_is_gone)
{
	struct desk desk, beside;

	desk_begin_double(&desk, &beside, "streaming");
	ADD_RECORDS(&beside, 1, 50);
	CHECK_NUMBER(parts_read(desk.parts, &desk.error), 0);
	desk_kill(&desk);
	recorder_leave(desk.recorder);
	CHECK_NUMBER(stale_remove(beside.instance.path, &desk.error), 0);
	desk_take_up(&desk);
	CHECK_NUMBER(recorder_adopt(&desk.recorder, parts_instance(desk.parts), &desk.error), 0);
	CHECK(!recorder_durable(desk.recorder));
	CHECK_NUMBER(parts_attach(desk.parts, desk.recorder, &desk.error), 0);
	ADD_RECORDS(&desk, 0, 100);
	desk_finish(&desk);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	check_records(&desk, "cpu 1 at 50\ncpu 0 at 100\n");
	desk_end(&desk);
}

/* Whoever exports it holds it for a while; nothing is given up for that. */
TEST(what_somebody_looks_at_is_not_taken_for_gone)
{
	struct recorder *other;
	struct desk desk, beside;
	struct buffer name = { 0 };

	desk_begin_double(&desk, &beside, "streaming");
	buffer_append_string(&name, recorder_name(desk.recorder));
	CHECK_NUMBER(recorder_adopt(&other, buffer_string(&name), &desk.error), -1);
	CHECK(strstr(desk.error.text, " is in use by another ktrack") != NULL);
	desk.error = (struct error){ 0 };
	recorder_leave(desk.recorder);
	CHECK_NUMBER(recorder_adopt(&desk.recorder, buffer_string(&name), &desk.error), 0);
	CHECK(desk.recorder != NULL);
	buffer_release(&name);
	desk_end(&desk);
}
