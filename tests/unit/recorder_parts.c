// SPDX-License-Identifier: GPL-2.0-only
/* Raw records on their way from ring buffers to a trace.dat, which is read again. */
#define SHEET_SIZE 4096
#include "recorder/parts.h"

#include "instance.h"
#include "tracefs.h"

static const struct parts_owner ourselves;

/** struct desk - an instance, a file that is to be, and the parts of it */
struct desk {
	struct recorder *recorder;
	struct folder instance;
	struct folder output;
	struct parts *parts;
	struct parts_summary summary;
	struct error error;
};

static const char *output_path(const struct desk *desk)
{
	return folder_path(&desk->output, "trace.dat");
}

static bool output_has(const struct desk *desk, const char *name)
{
	return access(folder_path(&desk->output, name), F_OK) == 0;
}

static void file_add(const struct desk *desk, int cpu, const char *file, const void *data,
		     size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/%s", cpu, file);
	folder_add(&desk->instance, name, data, size);
}

static void statistics_add(const struct desk *desk, int cpu, const char *text)
{
	file_add(desk, cpu, "stats", text, strlen(text));
}

/* Adds a sub-buffer with records at these times, which a 0 ends. */
static void sheet_add(const struct desk *desk, int cpu, const uint64_t *times)
{
	struct sheet sheet;

	sheet_begin(&sheet, times[0]);
	for (; *times; times++)
		sheet_at(&sheet, *times, 0);
	sheet_end(&sheet);
	file_add(desk, cpu, "trace_pipe_raw", sheet.bytes, SHEET_SIZE);
}

#define ADD_RECORDS(desk, cpu, ...) sheet_add(desk, cpu, (const uint64_t[]){ __VA_ARGS__, 0 })

static void instance_prepare(struct desk *desk)
{
	static const char *const files[][2] = {
		{ "set_event", "demo:work\nother:thing:mod:none\n" },
		{ "trace_clock", "local [boot]\n" },
		{ "events/header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
					"\tfield: local_t commit;\toffset:8;\tsize:8;\n"
					"\tfield: char data;\toffset:16;\tsize:4080;\n" },
		{ "events/header_event", "# none" },
		{ "events/demo/work/format", "name: work\nID: 7\nformat:\n" },
		{ "per_cpu/cpu0/trace_pipe_raw", "" },
		{ "per_cpu/cpu1/trace_pipe_raw", "" },
		{ "per_cpu/cpu33/trace_pipe_raw", "" },
	};

	snprintf(desk->instance.path, sizeof(desk->instance.path), "%s",
		 recorder_directory(desk->recorder));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		folder_add_text(&desk->instance, files[i][0], files[i][1]);
}

static void desk_begin(struct desk *desk, const char *mode)
{
	*desk = (struct desk){ 0 };
	tracefs_begin();
	folder_add_text(&tracefs.top, "saved_cmdlines", "4194304 gone\n");
	folder_new(&desk->output);
	desk->recorder = recorder_of(64);
	instance_prepare(desk);
	CHECK_NUMBER(parts_new(&desk->parts, output_path(desk), &ourselves, &desk->error), 0);
	CHECK_NUMBER(
		parts_begin(desk->parts, desk->recorder, recorder_mode_find(mode), &desk->error),
		0);
	CHECK_TEXT(desk->error.text, "");
}

static void desk_end(struct desk *desk)
{
	parts_close(desk->parts);
	CHECK_NUMBER(recorder_close(desk->recorder, &desk->error), 0);
	folder_remove(&desk->output);
	tracefs_end();
}

/* What happens to the parts of a ktrack that is killed. */
static void desk_kill(struct desk *desk)
{
	desk->parts->is_kept = true;
	parts_close(desk->parts);
	desk->parts = NULL;
}

static void desk_take_up(struct desk *desk)
{
	CHECK_NUMBER(parts_open(&desk->parts, output_path(desk), &ourselves, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
}

static void desk_finish(struct desk *desk)
{
	CHECK_NUMBER(parts_finish(desk->parts, desk->recorder, &desk->summary, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
}

/* Makes the file, and checks what it says of records and of losses. */
static void check_joined(struct desk *desk, uint64_t want_lost, const char *want)
{
	struct rig rig = { .handler = {
				   .context = &rig.log, .record = record_log, .loss = loss_log } };

	CHECK_NUMBER(parts_join(desk->parts, &desk->error), 0);
	CHECK_TEXT(desk->error.text, "");
	parts_close(desk->parts);
	desk->parts = NULL;
	CHECK(!output_has(desk, "trace.dat.parts"));
	CHECK_NUMBER(source_file_open(&rig.source, output_path(desk), &rig.error), 0);
	check_finish(&rig, 1000000, want_lost, want);
	CHECK(source_damage(rig.source) == NULL);
	CHECK_TEXT(source_describe(rig.source)->clock, "boot");
	CHECK_TEXT(source_describe(rig.source)->time_source, "date");
	CHECK_NUMBER(source_describe(rig.source)->nr_cpus, 34);
	source_close(rig.source);
	buffer_release(&rig.log);
}

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

static int visit_log(void *context, const struct source_tracepoint *tracepoint, struct error *error)
{
	(void)error;
	buffer_printf(context, "%s:%s ", tracepoint->system, tracepoint->name);
	return 0;
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
	desk_end(&desk);
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

/* A thread that has ended since had a name when recording began. */
TEST(names_that_were_there_in_the_beginning_stay)
{
	struct source_task task;
	struct source *source;
	struct desk desk;

	desk_begin(&desk, "streaming");
	CHECK_NUMBER(unlink(folder_path(&tracefs.top, "saved_cmdlines")), 0);
	folder_add_text(&tracefs.top, "saved_cmdlines", "4194303 later\n");
	desk_finish(&desk);
	CHECK_NUMBER(parts_join(desk.parts, &desk.error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(&desk), &desk.error), 0);
	source_find_task(source, 4194304, &task);
	CHECK_TEXT(task.comm, "gone");
	source_find_task(source, 4194303, &task);
	CHECK_TEXT(task.comm, "later");
	source_close(source);
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
	statistics_add(&desk, 1, "\noverrun: 1\n");
	desk_finish(&desk);
	CHECK(desk.summary.has_begin && !desk.summary.has_end);
	CHECK_NUMBER(desk.summary.begin_ns, 150);
	desk_end(&desk);
}

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
	check_joined(&desk, 0, "cpu 1 at 100\ncpu 1 at 200\n");
	desk_end(&desk);
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
	parts_abandon(desk.parts, desk.recorder);
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
	folder_add_text(&desk.instance, "per_cpu/cpu1/buffer_size_kb", "8\n");
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
