// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of trace.dat files in which one statement contradicts another: all records that can be
 * found are read, and the contradiction is reported.
 */
#include "source/source.h"

#include "dat.h"
#include "scribe.h"
#include "tap.h"

#define RECORDS_IN_SHEET 4
#define RECORDS_OF_CPU (DAT_SHEETS * RECORDS_IN_SHEET)
#define RECORDS (DAT_BUFFERS * DAT_CPUS * RECORDS_OF_CPU)

static struct dat dat;
static struct scratch scratch;

static int record_count(void *context, const struct record *record, struct error *error)
{
	(void)error;
	source_note_unknown(*(struct source **)context, record);
	return 0;
}

static int loss_pass(void *context, const struct source_loss *loss, struct error *error)
{
	(void)context;
	(void)loss;
	(void)error;
	return 0;
}

static int format_pass(void *context, const struct source_tracepoint *tracepoint,
		       struct error *error)
{
	(void)context;
	(void)tracepoint;
	(void)error;
	return 0;
}

/* Counts records through the log that a scribe keeps. */
static int lines_count(const struct buffer *log)
{
	int nr_lines = 0;

	for (size_t i = 0; i < log->size; i++)
		nr_lines += log->data[i] == '\n';
	return nr_lines;
}

/* Reads a file; the damage has to contain @want, NULL for none, after so many lines at least. */
static void check_bytes(const struct buffer *bytes, const char *want, int nr_lines)
{
	struct source_visitor visitor = { .visit = format_pass };
	struct scribe scribe = { 0 };
	struct error error = { 0 };
	struct source *source;
	const char *damage;

	scratch_write(&scratch, bytes->data, bytes->size);
	if (!CHECK_NUMBER(source_file_open(&source, scratch.path, &error), 0)) {
		printf("# %s\n", error.text);
		return;
	}
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK_NUMBER(scribe_take(&scribe, source, &error), 0);
	damage = source_damage(source);
	if (!CHECK(want ? damage && strstr(damage, want) : !damage))
		printf("# want: %s\n# damage: %s\n", want ? want : "none",
		       damage ? damage : "none");
	CHECK(!damage || scratch_is_blamed(&scratch, damage, SIZE_MAX));
	if (!CHECK(lines_count(&scribe.log) >= nr_lines))
		printf("# %d lines\n", lines_count(&scribe.log));
	scribe_release(&scribe);
	source_close(source);
}

/* The file of @dat, in which a number @behind what @find has is replaced. */
static void check_patched(const void *find, size_t find_size, ssize_t behind, uint64_t number,
			  size_t size, const char *want, int nr_lines)
{
	struct buffer bytes = { 0 };
	char *at;

	dat_begin(&dat);
	dat_write(&bytes, &dat);
	at = memmem(bytes.data, bytes.size, find, find_size);
	if (CHECK(at != NULL))
		memcpy(at + behind, &number, size);
	check_bytes(&bytes, want, nr_lines);
	buffer_release(&bytes);
}

static void check_sound(void)
{
	check_patched("tracing", 7, 0, 't', 1, NULL, RECORDS);
}

TEST(sound_files_contradict_nothing)
{
	static const char *const compressions[] = { "none", "none", "zstd", "zlib" };

	scratch_new(&scratch);
	for (int i = 0; i < 4; i++) {
		dat = dat_small;
		dat.version = i ? 7 : 6;
		dat.compression = compressions[i];
		dat.is_swapped = i & 1;
		check_sound();
	}
	scratch_remove(&scratch);
}

/* The first buffer's option: no name, a clock, the size of sub-buffers, and rows of CPUs. */
#define FIRST "\0mono"
#define FIRST_SUB_BUFFER_SIZE sizeof(FIRST)
#define FIRST_NR_CPUS (FIRST_SUB_BUFFER_SIZE + 4)
#define FIRST_CPU (FIRST_NR_CPUS + 4)
#define FIRST_SIZE (FIRST_CPU + 12)
#define SECOND_CPU (FIRST_CPU + 20)

static void check_first(size_t behind, uint64_t number, size_t size, const char *want, int nr_lines)
{
	check_patched(FIRST, sizeof(FIRST), behind, number, size, want, nr_lines);
}

TEST(areas_that_leave_out_records_are_reported)
{
	static const char *const compressions[] = { "none", "zstd" };

	scratch_new(&scratch);
	for (int i = 0; i < 2; i++) {
		dat = dat_small;
		dat.compression = compressions[i];
		check_first(FIRST_SIZE, 0, 8, "belongs to no cpu", RECORDS - RECORDS_OF_CPU);
		check_first(FIRST_NR_CPUS, 1, 4, "contradicts its content",
			    RECORDS - RECORDS_OF_CPU);
		check_first(SECOND_CPU, 0, 4, "a cpu twice", RECORDS - RECORDS_OF_CPU);
	}
	dat = dat_small;
	check_first(FIRST_SIZE, 96, 8, "within a sub-buffer", RECORDS - 6);
	check_first(FIRST_SIZE, 64, 8, "belongs to no cpu", RECORDS - 8);
	scratch_remove(&scratch);
}

/* The second buffer's name and clock, and behind them the rows of its CPUs. */
#define OTHER "other\0mono"
#define OTHER_OFFSET (sizeof(OTHER) + 12)
#define ROW_SIZE 20

/* A stream without data is sorted in before the two that begin at one place. */
TEST(areas_at_one_place_are_reported_once)
{
	static const char *const statistics[] = { "CPU: 5\nin flight: unknown\n", NULL };
	struct buffer bytes = { 0 };
	char *at;

	scratch_new(&scratch);
	dat = dat_small;
	dat.statistics = statistics;
	dat_begin(&dat);
	dat_write(&bytes, &dat);
	at = memmem(bytes.data, bytes.size, OTHER, sizeof(OTHER));
	if (CHECK(at != NULL))
		memcpy(at + OTHER_OFFSET + ROW_SIZE, at + OTHER_OFFSET, sizeof(uint64_t));
	/* The other problem is the records that now belong to no cpu. */
	check_bytes(&bytes, "(and 1 more)", RECORDS - RECORDS_OF_CPU);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

TEST(a_bit_of_a_name_that_is_another_is_reported)
{
	scratch_new(&scratch);
	for (int bit = 0; bit < 8; bit++) {
		dat = dat_small;
		check_first(0, 1 << bit, 1, "contradicts its content", RECORDS / 2);
	}
	scratch_remove(&scratch);
}

TEST(another_size_of_sub_buffers_is_reported)
{
	scratch_new(&scratch);
	dat = dat_small;
	check_first(FIRST_SUB_BUFFER_SIZE, 192, 4, "size that header_page states", RECORDS / 2);
	check_first(FIRST_SUB_BUFFER_SIZE, 128, 4, "within a sub-buffer", RECORDS / 2);
	dat.version = 6;
	/* Behind the magic, the version, the byte order and the size of longs. */
	check_patched("tracing6", 8, 11, 192, 4, "size that header_page states", 4);
	scratch_remove(&scratch);
}

TEST(version_6_with_a_cpu_less_or_an_area_less_is_reported)
{
	scratch_new(&scratch);
	dat = dat_small;
	dat.version = 6;
	check_patched("options  ", 10, -4, 1, 4, "belongs to no cpu", RECORDS / 2);
	check_patched("flyrecord", 10, 10 + 8, 0, 8, "belongs to no cpu", RECORDS - RECORDS_OF_CPU);
	check_patched("flyrecord", 10, 10 + 8, 64, 8, "belongs to no cpu", RECORDS - 8);
	scratch_remove(&scratch);
}

TEST(a_format_with_a_hole_is_reported_with_its_name)
{
	scratch_new(&scratch);
	for (int version = 6; version <= 7; version++) {
		dat = dat_small;
		dat.version = version;
		check_patched("format:", 7, 3, 0, 1, "the format of demo:word is damaged", RECORDS);
		check_patched("\nID: 7", 6, 2, 'X', 1, "the format of demo:word is damaged",
			      RECORDS);
		check_patched("name: word", 10, 1, 0, 1, "the format of demo:(no name) is damaged",
			      RECORDS);
	}
	scratch_remove(&scratch);
}

/* Reads the file of @dat, whose statistics count so much. */
static void check_statistics(const char *writer, const char *statistics, const char *want)
{
	const char *const texts[] = { statistics, NULL };

	dat = dat_small;
	dat.writer = writer;
	dat.statistics = texts;
	check_patched("tracing", 7, 0, 't', 1, want, RECORDS);
}

TEST(statistics_of_ktrack_count_no_more_than_there_is)
{
	scratch_new(&scratch);
	check_statistics("ktrack 1", "CPU: 0\nread events: 12\n", NULL);
	check_statistics("ktrack 1", "CPU: 0\nread events: 13\n", "1 record of cpu 0 is missing");
	check_statistics("ktrack 1", "CPU: 0\nread events: 14\n", "2 records of cpu 0 are missing");
	check_statistics("3.1.6", "CPU: 0\nread events: 13\n", NULL);
	check_statistics(NULL, "CPU: 0\nread events: 13\n", NULL);
	check_statistics("ktrack 1", "CPU: 0\nread events: 13\nin flight: 1\n", NULL);
	check_statistics("ktrack 1", "CPU: 0\nread events: 13\nin flight: unknown\n", NULL);
	check_statistics(NULL, "Buffer: nobody's\nCPU: 0\nread events: 1\n",
			 "a buffer it does not have");
	check_statistics(NULL, "Buffer: other\nCPU: 0\nread events: 1\n", NULL);
	scratch_remove(&scratch);
}

TEST(options_that_end_early_are_reported)
{
	struct buffer bytes = { 0 };

	scratch_new(&scratch);
	dat = dat_small;
	dat_begin(&dat);
	dat_write(&bytes, &dat);
	/* The last option ends the file: two bytes of id, four of size, and eight. */
	bytes.data[bytes.size - 12] = 4;
	check_bytes(&bytes, "options end before their section does", RECORDS);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

TEST(records_of_ids_without_a_format_are_counted)
{
	struct source *source;
	struct source_handler handler = { .context = &source,
					  .record = record_count,
					  .loss = loss_pass };
	struct source_visitor visitor = { .visit = format_pass };
	struct error error = { 0 };
	struct buffer bytes = { 0 };
	uint64_t lost;

	scratch_new(&scratch);
	dat = dat_small;
	dat_begin(&dat);
	dat_write(&bytes, &dat);
	scratch_write(&scratch, bytes.data, bytes.size);
	CHECK_NUMBER(source_file_open(&source, scratch.path, &error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK_NUMBER(source_finish(source, 9999, &handler, &lost, &error), 0);
	/* The ids below 20 are ftrace's own. */
	CHECK(strstr(source_damage(source), "records have no format: 1 of id 600, 1 of id 300, "));
	CHECK(strstr(source_damage(source), "1 of id 302, 36 of other ids; at offset "));
	source_close(source);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}
