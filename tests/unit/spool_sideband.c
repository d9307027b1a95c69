// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the spool of a recording with companions of its instance. */
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
	spool_fixture_release(&fixture);
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
	source_close(source);
}

TEST(the_sideband_is_saved_along_with_an_instance)
{
	SCOPED_BUFFER(seen);
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
	spool_fixture_release(&fixture);
}

/* Another process takes over what a killed one left; @gone: a companion's directory that is
 * removed. */
static void recording_adopt(struct spool_fixture *fixture, const char *gone)
{
	spool_fixture_kill(fixture);
	instance_close(fixture->recorder);
	if (gone)
		CHECK_NUMBER(stale_remove(gone, &fixture->error), 0);
	spool_fixture_reopen(fixture);
	CHECK_NUMBER(instance_adopt(&fixture->recorder, spool_instance(fixture->spool), NULL,
				    &fixture->error),
		     0);
	CHECK_NUMBER(spool_attach(fixture->spool, fixture->recorder, &fixture->error), 0);
}

TEST(a_killed_recording_is_recovered_with_the_sideband)
{
	SCOPED_BUFFER(seen);
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	ADD_RECORDS(&sideband, 1, 150);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	recording_adopt(&fixture, NULL);
	CHECK_NUMBER(truncate(folder_path(&sideband.instance, "per_cpu/cpu1/trace_pipe_raw"), 0),
		     0);
	ADD_RECORDS(&sideband, 1, 250);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 1 at 150\ncpu 1 at 250\n");
	tracepoints_log(&fixture, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:job task:task_rename ");
	spool_fixture_release(&fixture);
}

/* A removed instance does not prevent the rest. */
TEST(a_killed_recording_is_recovered_where_the_sideband_is_gone)
{
	struct spool_fixture fixture, sideband;

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	ADD_RECORDS(&sideband, 1, 50);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	recording_adopt(&fixture, sideband.instance.path);
	CHECK(!instance_companion(fixture.recorder, INSTANCE_SIDEBAND));
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	check_records(&fixture, "cpu 1 at 50\ncpu 0 at 100\n");
	spool_fixture_release(&fixture);
}

/* A concurrent export locks it for a while; nothing is given up because of that. */
TEST(what_somebody_looks_at_is_not_taken_for_gone)
{
	struct instance *other;
	struct spool_fixture fixture, sideband;
	SCOPED_BUFFER(name);

	spool_fixture_begin_double(&fixture, &sideband, "streaming");
	buffer_append_string(&name, instance_name(fixture.recorder));
	CHECK_NUMBER(instance_adopt(&other, buffer_string(&name), NULL, &fixture.error), -1);
	CHECK(strstr(fixture.error.text, " is in use by another ktrack") != NULL);
	fixture.error = (struct error){ 0 };
	instance_close(fixture.recorder);
	CHECK_NUMBER(instance_adopt(&fixture.recorder, buffer_string(&name), NULL, &fixture.error),
		     0);
	CHECK(fixture.recorder != NULL);
	spool_fixture_release(&fixture);
}

/* An instance and that of the convention, both of three CPUs. */
static void spool_fixture_begin_convention(struct spool_fixture *fixture, struct spool_fixture *own,
					   const char *mode)
{
	struct instance_settings settings = settings_of(64);

	settings.mode = buffer_mode_find(mode);
	settings.convention_kib = 64;
	*fixture = *own = (struct spool_fixture){ 0 };
	fake_tracefs_begin();
	folder_new(&fixture->output);
	fixture->recorder = recorder_as(&settings);
	own->recorder = instance_companion(fixture->recorder, INSTANCE_CONVENTION);
	instance_prepare(fixture);
	instance_prepare(own);
	folder_set_text(&own->instance, "set_event", "demo:io\n");
	folder_add_text(&fixture->instance, "events/demo/io/format", "name: io\nID: 8\nformat:\n");
	instance_mark(own->instance.path);
	CHECK_NUMBER(spool_new(&fixture->spool, output_path(fixture), &ourselves, &fixture->error),
		     0);
	CHECK_NUMBER(spool_begin(fixture->spool, fixture->recorder, settings.mode, NULL,
				 &fixture->error),
		     0);
	CHECK_TEXT(fixture->error.text, "");
}

static int numbers_log(void *context, const struct record *record, struct error *error)
{
	(void)error;
	buffer_printf(context, "%u at %lld ", record->buffer, (long long)record->time_ns);
	return 0;
}

static int numbers_lost_log(void *context, const struct loss *loss, struct error *error)
{
	(void)error;
	buffer_printf(context, "%u lost %lld ", loss->buffer, (long long)loss->count);
	return 0;
}

/* Makes the file, and checks which buffers its records and losses are of. */
static void check_buffers(struct spool_fixture *fixture, const char *want)
{
	SCOPED_BUFFER(log);
	const struct source_handler handler = { .context = &log,
						.record = numbers_log,
						.loss = numbers_lost_log };
	struct source *source;
	uint64_t lost;

	CHECK_NUMBER(spool_join(fixture->spool, &fixture->error), 0);
	CHECK_NUMBER(source_file_open(&source, output_path(fixture), NULL, &fixture->error), 0);
	CHECK_NUMBER(source_describe(source)->nr_buffers, 2);
	CHECK_NUMBER(source_describe(source)->convention_buffer, 1);
	CHECK_TEXT(source_describe(source)->buffers[1], "convention");
	CHECK_NUMBER(source_finish(source, 1000, &handler, &lost, &fixture->error), 0);
	CHECK_TEXT(buffer_string(&log), want);
	CHECK(source_damage(source) == NULL);
	source_close(source);
}

TEST(the_conventions_records_and_losses_are_a_buffer_of_the_file)
{
	struct spool_fixture fixture, own;
	SCOPED_BUFFER(seen);

	spool_fixture_begin_convention(&fixture, &own, "streaming");
	ADD_RECORDS(&fixture, 0, 100, 300);
	ADD_RECORDS(&own, 0, 200);
	ADD_RECORDS(&own, 1, 400);
	statistics_add(&fixture, 0, "\noverrun: 3\n");
	statistics_add(&own, 1, "\noverrun: 7\n");
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(fixture.summary.lost, 10);
	CHECK_NUMBER(fixture.summary.lost_convention, 7);
	CHECK_NUMBER(fixture.summary.lost_sideband, 0);
	check_buffers(&fixture, "0 at 100 1 at 200 0 at 300 1 at 400 0 lost 3 1 lost 7 ");
	tracepoints_log(&fixture, &seen);
	CHECK_TEXT(buffer_string(&seen), "demo:io demo:job ");
	spool_fixture_release(&fixture);
}

TEST(the_conventions_buffer_is_read_at_the_end_like_the_first)
{
	struct spool_fixture fixture, own;

	spool_fixture_begin_convention(&fixture, &own, "circular");
	ADD_RECORDS(&own, 0, 200);
	statistics_add(&own, 0, "\noverrun: 7\n");
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(spool_size(fixture.spool), 0);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_size(fixture.spool), RAW_PAGE_SIZE);
	CHECK(fixture.summary.has_begin);
	CHECK_NUMBER(fixture.summary.begin_ns, 200);
	spool_fixture_release(&fixture);
}

TEST(a_killed_recording_is_recovered_with_the_conventions_buffer)
{
	struct spool_fixture fixture, own;

	spool_fixture_begin_convention(&fixture, &own, "streaming");
	ADD_RECORDS(&own, 1, 150);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	recording_adopt(&fixture, NULL);
	CHECK_NUMBER(truncate(folder_path(&own.instance, "per_cpu/cpu1/trace_pipe_raw"), 0), 0);
	ADD_RECORDS(&fixture, 0, 100);
	ADD_RECORDS(&own, 1, 250);
	spool_fixture_finish(&fixture);
	check_buffers(&fixture, "0 at 100 1 at 150 1 at 250 ");
	spool_fixture_release(&fixture);
}

TEST(what_the_conventions_instance_took_along_is_lost)
{
	struct spool_fixture fixture, own;

	spool_fixture_begin_convention(&fixture, &own, "streaming");
	ADD_RECORDS(&own, 1, 150);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	recording_adopt(&fixture, own.instance.path);
	CHECK(!instance_companion(fixture.recorder, INSTANCE_CONVENTION));
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	check_buffers(&fixture, "0 at 100 1 at 150 1 lost -1 1 lost -1 1 lost -1 ");
	spool_fixture_release(&fixture);
}
