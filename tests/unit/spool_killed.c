// SPDX-License-Identifier: GPL-2.0-only
/* Parts of recordings that were killed at moments when there is nothing, or not all, to be had. */
#include "fixtures/spool_fixture.h"

static void folder_new_parts(const struct spool_fixture *fixture, const char *file)
{
	folder_add_text(&fixture->output, file, "some of it");
}

static int spool_try(struct spool_fixture *fixture)
{
	return spool_open(&fixture->spool, output_path(fixture), &ourselves, &fixture->error);
}

/* A fixture without spool. */
static void spool_fixture_begin_empty(struct spool_fixture *fixture)
{
	*fixture = (struct spool_fixture){ 0 };
	folder_new(&fixture->output);
}

TEST(what_was_killed_before_it_began_is_removed)
{
	struct spool_fixture fixture;

	spool_fixture_begin_empty(&fixture);
	folder_new_parts(&fixture, "trace.dat.spool/cpu0");
	folder_new_parts(&fixture, "trace.dat.spool/formats.new");
	CHECK_NUMBER(spool_try(&fixture), -1);
	CHECK(strstr(fixture.error.text, ".spool: no records, removed; "));
	CHECK(!output_has(&fixture, "trace.dat.spool"));
	folder_remove(&fixture.output);
}

TEST(what_was_killed_when_the_file_was_whole_leaves_it_alone)
{
	struct buffer held = { 0 };
	struct spool_fixture fixture;

	spool_fixture_begin_empty(&fixture);
	folder_new_parts(&fixture, "trace.dat.spool/sideband1");
	folder_new_parts(&fixture, "trace.dat.spool/options");
	folder_add_text(&fixture.output, "trace.dat", "precious");
	CHECK_NUMBER(spool_try(&fixture), 1);
	CHECK(!fixture.spool);
	CHECK(!output_has(&fixture, "trace.dat.spool"));
	CHECK_NUMBER(file_read(output_path(&fixture), &held), 0);
	CHECK_TEXT(buffer_string(&held), "precious");
	buffer_release(&held);
	folder_remove(&fixture.output);
}

TEST(the_next_recording_takes_the_place_of_one_that_has_nothing)
{
	struct spool_fixture fixture;

	spool_fixture_begin_empty(&fixture);
	folder_new_parts(&fixture, "trace.dat.spool/cpu0");
	CHECK_NUMBER(spool_new(&fixture.spool, output_path(&fixture), &ourselves, &fixture.error),
		     0);
	CHECK_TEXT(fixture.error.text, "");
	CHECK(!output_has(&fixture, "trace.dat.spool/cpu0"));
	spool_close(fixture.spool);
	folder_remove(&fixture.output);
}

TEST(a_folder_of_somebody_elses_is_left_alone)
{
	static const char *const names[] = { "notes",	     "cpu",	  "cpu0x",
					     "cpu0.new.txt", "instances", "formats.old",
					     "trace.dat.1" };
	SCOPED_BUFFER(name);
	struct spool_fixture fixture;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		spool_fixture_begin_empty(&fixture);
		buffer_clear(&name);
		buffer_printf(&name, "trace.dat.spool/%s", names[i]);
		folder_new_parts(&fixture, buffer_string(&name));
		CHECK_NUMBER(spool_try(&fixture), -1);
		CHECK(strstr(fixture.error.text, ": contains files that are not ktrack's") != NULL);
		CHECK_NUMBER(spool_new(&fixture.spool, output_path(&fixture), &ourselves,
				       &fixture.error),
			     -1);
		CHECK(strstr(fixture.error.text, ": contains files that are not ktrack's") != NULL);
		CHECK(output_has(&fixture, buffer_string(&name)));
		folder_remove(&fixture.output);
	}
}

TEST(names_of_instances_may_have_blanks_and_be_long)
{
	static const char name[] = "my instance, which has a name that is longer than sixty-three "
				   "characters are";
	SCOPED_BUFFER(text);
	SCOPED_BUFFER(other);
	FIXTURE(spool_fixture, fixture, "oneshot");

	spool_fixture_kill(&fixture);
	CHECK_NUMBER(file_read(folder_path(&fixture.output, "trace.dat.spool/instance"), &text), 0);
	buffer_printf(&other, "%s%s", name, strchr(buffer_string(&text), '\n'));
	CHECK_NUMBER(unlink(folder_path(&fixture.output, "trace.dat.spool/instance")), 0);
	folder_add_text(&fixture.output, "trace.dat.spool/instance", buffer_string(&other));
	spool_fixture_reopen(&fixture);
	CHECK_TEXT(spool_instance(fixture.spool), name);
	CHECK(fixture.spool->origin.mode == buffer_mode_find("oneshot"));
}

static int constant_note(void *context, const struct record *record, struct error *error)
{
	(void)error;
	CHECK(constants_find(record->constants, 0x1000, context));
	return 0;
}

/* The file is at the top level; a recording has the strings with the formats. */
TEST(a_recording_has_the_strings_of_the_kernel)
{
	SCOPED(spool_fixture) fixture;
	struct error error = { 0 };
	struct source *source;
	struct text found = { 0 };
	const struct source_handler handler = { .context = &found, .record = constant_note };
	uint64_t lost;

	spool_fixture_prepare(&fixture, false);
	folder_add_text(&fake_tracefs.top, "printk_formats", "0x1000 : \"Start\"\n");
	CHECK_NUMBER(spool_new(&fixture.spool, output_path(&fixture), &ourselves, &error), 0);
	CHECK_NUMBER(spool_begin(fixture.spool, fixture.recorder, buffer_mode_find("streaming"),
				 NULL, &error),
		     0);
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	check_joined(&fixture, 0, "cpu 0 at 100\n");
	CHECK_NUMBER(source_file_open(&source, output_path(&fixture), NULL, &error), 0);
	CHECK_NUMBER(source_finish(source, 1000000, &handler, &lost, &error), 0);
	CHECK(text_equals(found, text_of("Start")));
	source_close(source);
}
