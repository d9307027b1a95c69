// SPDX-License-Identifier: GPL-2.0-only
/* A recording in a buffer that survives a restart: what is kept, and what becomes of it. */
#include "fixtures/spool_fixture.h"

/* Watches the instance of the fixture. */
static void boot_fixture_begin(struct spool_fixture *fixture)
{
	spool_fixture_prepare(fixture, false);
	folder_add_text(&fixture->instance, "events/ftrace/print/format",
			"name: print\nID: 5\nformat:\n");
	CHECK_NUMBER(spool_new_boot(&fixture->spool, output_path(fixture), fixture->instance.path,
				    &fixture->error),
		     0);
	CHECK_TEXT(fixture->error.text, "");
}

static void boot_fixture_keep(struct spool_fixture *fixture)
{
	CHECK_NUMBER(spool_keep_boot(fixture->spool, "durable", text_of("0,1"), &fixture->error),
		     0);
	CHECK_NUMBER(spool_refresh_boot(fixture->spool, &fixture->error), 0);
	CHECK_TEXT(fixture->error.text, "");
}

static void size_set(const struct spool_fixture *fixture, int cpu, const char *kib)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/buffer_size_kb", cpu);
	unlink(folder_path(&fixture->instance, name));
	file_add(fixture, cpu, "buffer_size_kb", kib, strlen(kib));
}

static void check_about(const struct spool_fixture *fixture, bool is_one, bool is_current,
			bool is_read)
{
	struct spool_boot about;

	spool_describe_boot(fixture->spool, &about);
	CHECK_NUMBER(about.is_one, is_one);
	CHECK_NUMBER(about.is_current, is_current);
	CHECK_NUMBER(about.is_read, is_read);
	CHECK(about.text == about.text_now);
}

/* The restart: ktrack is gone, and another one finds the folder and the buffer. */
static void boot_fixture_finish(struct spool_fixture *fixture, struct spool_boot_end *end)
{
	spool_close(fixture->spool);
	spool_fixture_reopen(fixture);
	check_about(fixture, true, true, false);
	CHECK_NUMBER(
		spool_finish_boot(fixture->spool, fixture->instance.path, end, &fixture->error), 0);
	CHECK_TEXT(fixture->error.text, "");
}

TEST(a_folder_that_is_not_kept_ends_with_its_watch)
{
	SCOPED(spool_fixture) fixture;

	boot_fixture_begin(&fixture);
	check_about(&fixture, false, false, false);
	boot_fixture_keep(&fixture);
	CHECK(output_has(&fixture, "trace.dat.spool"));
	spool_drop_boot(fixture.spool);
	spool_close(fixture.spool);
	fixture.spool = NULL;
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}

TEST(the_records_of_the_buffer_become_a_file)
{
	SCOPED(spool_fixture) fixture;
	struct spool_boot_end end;

	boot_fixture_begin(&fixture);
	boot_fixture_keep(&fixture);
	size_set(&fixture, 0, "64");
	size_set(&fixture, 1, "64");
	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 1, 150);
	boot_fixture_finish(&fixture, &end);
	CHECK_NUMBER(end.nr_records, 3);
	CHECK(!end.is_full);
	CHECK_TEXT(buffer_string(&end.rejected), "");
	buffer_release(&end.rejected);
	/* Killed here, another one makes the file of the folder. */
	spool_close(fixture.spool);
	spool_fixture_reopen(&fixture);
	check_about(&fixture, true, false, true);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 1 at 150\ncpu 0 at 200\n");
}

TEST(a_cpu_whose_buffer_the_kernel_rejected_is_lost)
{
	SCOPED(spool_fixture) fixture;
	struct spool_boot_end end;

	boot_fixture_begin(&fixture);
	boot_fixture_keep(&fixture);
	size_set(&fixture, 0, "64");
	ADD_RECORDS(&fixture, 0, 100, 200);
	boot_fixture_finish(&fixture, &end);
	CHECK_NUMBER(end.nr_records, 2);
	CHECK_TEXT(buffer_string(&end.rejected), "1");
	buffer_release(&end.rejected);
	check_joined(&fixture, 0, "cpu 0 at 100\ncpu 0 at 200\ncpu 1 lost -1 from 0 to 1000000\n");
}

TEST(a_full_buffer_is_complete_from_its_first_record)
{
	SCOPED(spool_fixture) fixture;
	struct spool_boot_end end;

	boot_fixture_begin(&fixture);
	boot_fixture_keep(&fixture);
	size_set(&fixture, 0, "16");
	size_set(&fixture, 1, "64");
	ADD_RECORDS(&fixture, 0, 100, 200);
	ADD_RECORDS(&fixture, 1, 50);
	boot_fixture_finish(&fixture, &end);
	CHECK(end.is_full);
	CHECK_NUMBER(end.from_ns, 100);
	buffer_release(&end.rejected);
	check_joined(&fixture, 0,
		     "cpu 0 lost -1 from 0 to 100\ncpu 1 at 50\ncpu 0 at 100\ncpu 0 at 200\n");
}

TEST(an_instance_without_its_files_is_an_error)
{
	SCOPED(spool_fixture) fixture;

	spool_fixture_prepare(&fixture, false);
	CHECK_NUMBER(
		spool_new_boot(&fixture.spool, output_path(&fixture), "/nowhere", &fixture.error),
		-1);
	CHECK(fixture.error.text[0]);
	CHECK(!fixture.spool);
	CHECK(!output_has(&fixture, "trace.dat.spool"));
}
