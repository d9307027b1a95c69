// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the spool of a recording with a sideband instance. */
#include "fixtures/spool_fixture.h"

/* Begins with an instance and its sideband, both of three CPUs. */
static void spool_fixture_begin_double(struct spool_fixture *fixture,
				       struct spool_fixture *sideband, const char *mode)
{
	spool_fixture_prepare(fixture, true);
	*sideband = (struct spool_fixture){ 0 };
	snprintf(sideband->instance.path, sizeof(sideband->instance.path), "%s",
		 instance_directory(instance_companion(fixture->recorder, INSTANCE_SIDEBAND)));
	folder_add_text(&sideband->instance, "set_event", "task:task_rename\ndemo:job\n");
	instance_mark(sideband->instance.path);
	folder_add_text(&sideband->instance, "per_cpu/cpu0/trace_pipe_raw", "");
	folder_add_text(&sideband->instance, "per_cpu/cpu1/trace_pipe_raw", "");
	folder_add_text(&sideband->instance, "per_cpu/cpu33/trace_pipe_raw", "");
	folder_add_text(&fixture->instance, "events/task/task_rename/format",
			"name: task_rename\nID: 8\nformat:\n");
	CHECK_NUMBER(spool_new(&fixture->spool, output_path(fixture), &ourselves, &fixture->error),
		     0);
	CHECK_NUMBER(spool_begin(fixture->spool, fixture->recorder, buffer_mode_find(mode), NULL,
				 &fixture->error),
		     0);
	CHECK_TEXT(fixture->error.text, "");
}

TEST(the_sideband_is_read_in_any_mode_and_is_a_buffer_of_its_own)
{
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "circular");
	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&sideband, 0, 50);
	ADD_RECORDS(&sideband, 1, 150);
	statistics_add(&fixture, 0, "\noverrun: 3\n");
	statistics_add(&sideband, 0, "\noverrun: 7\n");
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(spool_size(fixture.spool), 2 * RAW_PAGE_SIZE);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(fixture.summary.lost, 3);
	CHECK_NUMBER(fixture.summary.lost_sideband, 7);
	CHECK_NUMBER(fixture.summary.begin_ns, 100);
	check_joined(&fixture, 3,
		     "cpu 0 at 50\ncpu 0 at 100\ncpu 1 at 150\ncpu 0 at 200\n"
		     "cpu 0 lost 3 from 200 to 1000000\n");
	check_span(&fixture, 100, 0);
	spool_fixture_end(&fixture);
}

static void check_records(const struct spool_fixture *fixture, const char *want)
{
	struct source_fixture reader = {
		.handler = { .context = &reader.log, .record = record_log, .loss = loss_log }
	};

	CHECK_NUMBER(source_file_open(&reader.source, output_path(fixture), NULL, &reader.error),
		     0);
	check_finish(&reader, 1000000, 0, want);
	source_close(reader.source);
	buffer_release(&reader.log);
}

static void tracepoints_log(const struct spool_fixture *fixture, struct buffer *out)
{
	struct tracepoint_visitor visitor = { .context = out, .visit = visit_log };
	struct error error = { 0 };
	struct source *source;

	CHECK_NUMBER(source_file_open(&source, output_path(fixture), NULL, &error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK(source_describe(source)->buffers == NULL);
	source_close(source);
}

TEST(the_sideband_is_saved_along_with_an_instance)
{
	struct buffer seen = { 0 };
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	spool_close(fixture.spool);
	folder_add_text(&fake_tracefs.top, "available_events", "demo:job\ntask:task_rename\n");
	folder_set_text(&fixture.instance, "per_cpu/cpu1/buffer_size_kb", "8\n");
	folder_set_text(&sideband.instance, "per_cpu/cpu0/buffer_size_kb", "8\n");
	ADD_RECORDS(&fixture, 1, 100);
	ADD_RECORDS(&sideband, 0, 50);
	CHECK_NUMBER(spool_save(output_path(&fixture), &ourselves, fixture.instance.path, false,
				&fixture.error),
		     0);
	CHECK_TEXT(fixture.error.text, "");
	tracepoints_log(&fixture, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:job task:task_rename ");
	check_records(&fixture, "cpu 0 at 50\ncpu 1 at 100\n");
	fixture.spool = NULL;
	buffer_release(&seen);
	spool_fixture_end(&fixture);
}

TEST(a_killed_recording_is_recovered_with_the_sideband)
{
	struct buffer seen = { 0 };
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	ADD_RECORDS(&sideband, 1, 150);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	spool_fixture_kill(&fixture);
	instance_close(fixture.recorder);
	spool_fixture_reopen(&fixture);
	CHECK_NUMBER(instance_adopt(&fixture.recorder, spool_instance(fixture.spool), NULL,
				    &fixture.error),
		     0);
	CHECK_NUMBER(spool_attach(fixture.spool, fixture.recorder, &fixture.error), 0);
	CHECK_NUMBER(truncate(folder_path(&sideband.instance, "per_cpu/cpu1/trace_pipe_raw"), 0),
		     0);
	ADD_RECORDS(&sideband, 1, 250);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 1 at 150\ncpu 1 at 250\n");
	tracepoints_log(&fixture, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:job task:task_rename ");
	buffer_release(&seen);
	spool_fixture_end(&fixture);
}

/* A removed instance does not prevent the rest. */
TEST(a_killed_recording_is_recovered_where_the_sideband_is_gone)
{
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	ADD_RECORDS(&sideband, 1, 50);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	spool_fixture_kill(&fixture);
	instance_close(fixture.recorder);
	CHECK_NUMBER(stale_remove(sideband.instance.path, &fixture.error), 0);
	spool_fixture_reopen(&fixture);
	CHECK_NUMBER(instance_adopt(&fixture.recorder, spool_instance(fixture.spool), NULL,
				    &fixture.error),
		     0);
	CHECK(!instance_companion(fixture.recorder, INSTANCE_SIDEBAND));
	CHECK_NUMBER(spool_attach(fixture.spool, fixture.recorder, &fixture.error), 0);
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	check_records(&fixture, "cpu 1 at 50\ncpu 0 at 100\n");
	spool_fixture_end(&fixture);
}

/* A concurrent export locks it for a while; nothing is given up because of that. */
TEST(what_somebody_looks_at_is_not_taken_for_gone)
{
	struct instance *other;
	struct spool_fixture fixture, sideband;
	struct buffer name = { 0 };

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	buffer_append_string(&name, instance_name(fixture.recorder));
	CHECK_NUMBER(instance_adopt(&other, buffer_string(&name), NULL, &fixture.error), -1);
	CHECK(strstr(fixture.error.text, " is in use by another ktrack") != NULL);
	fixture.error = (struct error){ 0 };
	instance_close(fixture.recorder);
	CHECK_NUMBER(instance_adopt(&fixture.recorder, buffer_string(&name), NULL, &fixture.error),
		     0);
	CHECK(fixture.recorder != NULL);
	buffer_release(&name);
	spool_fixture_end(&fixture);
}
