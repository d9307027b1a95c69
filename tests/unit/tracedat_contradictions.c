// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of trace.dat files in which one statement contradicts another: all records that can be
 * found are read, and the contradiction is reported.
 */
#include "source/source.h"

#include "fixtures/trace_dat.h"
#include "fixtures/source_log.h"
#include "fixtures/tap.h"

#define RECORDS_IN_RAW_PAGE 4
#define RECORDS_OF_CPU (DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE)
#define RECORDS (DAT_BUFFERS * DAT_CPUS * RECORDS_OF_CPU)

/* The reader's limit. */
#define BUFFERS_MAX 4096

static struct trace_dat dat;
static struct scratch scratch;

static int record_count(void *context, const struct record *record, struct error *error)
{
	uint16_t id;

	(void)error;
	if (record_id(record, false, &id))
		source_note_unknown(*(struct source **)context, id, record);
	return 0;
}

static int loss_pass(void *context, const struct loss *loss, struct error *error)
{
	(void)context;
	(void)loss;
	(void)error;
	return 0;
}

static int format_pass(void *context, const struct tracepoint *tracepoint, struct error *error)
{
	(void)context;
	(void)tracepoint;
	(void)error;
	return 0;
}

/* Counts records through the log that a log keeps. */
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
	struct tracepoint_visitor visitor = { .visit = format_pass };
	struct source_log log = { 0 };
	struct error error = { 0 };
	struct source *source;
	const char *damage;

	scratch_write(&scratch, bytes->data, bytes->size);
	if (!CHECK_NUMBER(source_file_open(&source, scratch.path, NULL, &error), 0)) {
		printf("# %s\n", error.text);
		return;
	}
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK_NUMBER(source_log_read(&log, source, &error), 0);
	damage = source_damage(source);
	if (!CHECK(want ? damage && strstr(damage, want) : !damage))
		printf("# want: %s\n# damage: %s\n", want ? want : "none",
		       damage ? damage : "none");
	CHECK(!damage || scratch_is_blamed(&scratch, damage, SIZE_MAX));
	if (!CHECK(lines_count(&log.text) >= nr_lines))
		printf("# %d lines\n", lines_count(&log.text));
	source_log_release(&log);
	source_close(source);
}

/* The file of @dat, in which a number @behind what @find has is replaced. */
static void check_patched(const void *find, size_t find_size, ssize_t behind, uint64_t number,
			  size_t size, const char *want, int nr_lines)
{
	SCOPED_BUFFER(bytes);

	trace_dat_patch(&bytes, &dat, find, find_size, behind, number, size);
	check_bytes(&bytes, want, nr_lines);
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
		dat = trace_dat_small;
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
		dat = trace_dat_small;
		dat.compression = compressions[i];
		check_first(FIRST_SIZE, 0, 8, "belong to no cpu", RECORDS - RECORDS_OF_CPU);
		check_first(FIRST_NR_CPUS, 1, 4, "contradicts its content",
			    RECORDS - RECORDS_OF_CPU);
		check_first(SECOND_CPU, 0, 4, "a cpu twice", RECORDS - RECORDS_OF_CPU);
	}
	dat = trace_dat_small;
	check_first(FIRST_SIZE, 96, 8, "within a sub-buffer", RECORDS - 6);
	check_first(FIRST_SIZE, 64, 8, "belong to no cpu", RECORDS - 8);
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
	dat = trace_dat_small;
	dat.statistics = statistics;
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	at = memmem(bytes.data, bytes.size, OTHER, sizeof(OTHER));
	if (CHECK(at != NULL))
		memcpy(at + OTHER_OFFSET + ROW_SIZE, at + OTHER_OFFSET, sizeof(uint64_t));
	/* The other problem is the records that now belong to no cpu. */
	check_bytes(&bytes, "(and 1 more)", RECORDS - RECORDS_OF_CPU);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

/* The last section of options: its size, the option of the second buffer, and the end. */
#define LAST_SIZE 8
#define LAST_OPTION_HEAD 6
#define LAST_END_SIZE 14

/*
 * Writes the file of @dat with @nr_copies more options of its second buffer. The copies refer to
 * the same areas of @nr_cpus CPUs.
 */
static void write_copies(struct buffer *bytes, uint32_t nr_cpus, size_t nr_copies)
{
	struct buffer option = { 0 };
	unsigned char *head, *end;
	uint32_t option_size;
	uint64_t section_size;

	trace_dat_begin(&dat);
	trace_dat_write(bytes, &dat);
	/* The option starts with the offset of the records. */
	head = memmem(bytes->data, bytes->size, OTHER, sizeof(OTHER));
	if (!CHECK(head != NULL))
		return;
	head -= sizeof(uint64_t) + LAST_OPTION_HEAD;
	end = (unsigned char *)bytes->data + bytes->size - LAST_END_SIZE;
	buffer_append(&option, head, end - head - (DAT_CPUS - nr_cpus) * ROW_SIZE);
	option_size = option.size - LAST_OPTION_HEAD;
	memcpy(option.data + 2, &option_size, sizeof(option_size));
	memcpy(option.data + LAST_OPTION_HEAD + 8 + sizeof(OTHER) + 4, &nr_cpus, sizeof(nr_cpus));
	section_size = end - head + nr_copies * option.size + LAST_END_SIZE;
	memcpy(head - LAST_SIZE, &section_size, sizeof(section_size));
	bytes->size -= LAST_END_SIZE;
	for (size_t i = 0; i < nr_copies; i++)
		buffer_append(bytes, option.data, option.size);
	/* The end: id 0, 8 bytes, no further section. */
	buffer_append(bytes, "\0\0\x08\0\0\0\0\0\0\0\0\0\0", LAST_END_SIZE);
	buffer_release(&option);
}

static void check_copies(uint32_t nr_cpus, size_t nr_copies, const char *want)
{
	SCOPED_BUFFER(bytes);

	write_copies(&bytes, nr_cpus, nr_copies);
	check_bytes(&bytes, want, RECORDS / 2);
}

TEST(more_buffers_than_the_limit_are_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	check_copies(0, BUFFERS_MAX - DAT_BUFFERS, NULL);
	check_copies(0, BUFFERS_MAX - DAT_BUFFERS + 1, "more buffers than there can be");
	scratch_remove(&scratch);
}

/* Each copy refers to 3 KiB of records with an option of 80 bytes. */
TEST(more_records_than_the_file_can_hold_are_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	dat.sub_buffer_size = 512;
	check_copies(DAT_CPUS, 2, "the records of several cpus overlap");
	check_copies(DAT_CPUS, 64, "more records than it can hold");
	scratch_remove(&scratch);
}

/* The other problems are what is read of it instead, and the records that now belong to no cpu. */
TEST(areas_that_overlap_another_part_are_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	check_first(FIRST_CPU + 4, 200, 8, "(and 2 more)", RECORDS - RECORDS_OF_CPU);
	scratch_remove(&scratch);
}

TEST(a_bit_of_a_name_that_is_another_is_reported)
{
	scratch_new(&scratch);
	for (int bit = 0; bit < 8; bit++) {
		dat = trace_dat_small;
		check_first(0, 1 << bit, 1, "contradicts its content", RECORDS / 2);
	}
	scratch_remove(&scratch);
}

TEST(another_size_of_sub_buffers_is_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
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
	dat = trace_dat_small;
	dat.version = 6;
	check_patched("options  ", 10, -4, 1, 4, "belong to no cpu", RECORDS / 2);
	check_patched("flyrecord", 10, 10 + 8, 0, 8, "belong to no cpu", RECORDS - RECORDS_OF_CPU);
	check_patched("flyrecord", 10, 10 + 8, 64, 8, "belong to no cpu", RECORDS - 8);
	scratch_remove(&scratch);
}

TEST(a_buffer_of_version_6_whose_name_has_no_end_is_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	dat.version = 6;
	check_patched("other", 6, 5, 'X', 1, "an option of a buffer is damaged", RECORDS / 2);
	scratch_remove(&scratch);
}

TEST(more_cpus_than_an_option_states_are_reported)
{
	scratch_new(&scratch);
	for (int nr_cpus = 1; nr_cpus <= 3; nr_cpus++) {
		dat = trace_dat_small;
		dat.nr_cpus = nr_cpus;
		check_patched("tracing", 7, 0, 't', 1,
			      nr_cpus < DAT_CPUS ? "it has more cpus than it states" : NULL,
			      RECORDS);
	}
	scratch_remove(&scratch);
}

TEST(a_section_that_is_longer_than_its_compressed_content_is_reported)
{
	/* The formats of events: id 18, compressed, no title; then comes the size. */
	static const char head[] = "\x12\0\1\0\0\0\0";
	struct buffer bytes = { 0 };
	char *at;

	scratch_new(&scratch);
	dat = trace_dat_small;
	dat.compression = "zstd";
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	at = memmem(bytes.data, bytes.size, head, sizeof(head));
	if (CHECK(at != NULL))
		at[sizeof(head)]++;
	check_bytes(&bytes, "longer than its compressed content", RECORDS);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

TEST(numbers_of_formats_and_sizes_of_names_that_do_not_fit_are_reported)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	check_patched("demo", 5, 5, 2, 4, "event formats are missing", RECORDS);
	check_patched("demo", 5, 5, 0, 4, "event formats contradicts their number", RECORDS);
	check_patched("7 seven", 7, -8, 10000, 8, "names of threads are missing", RECORDS);
	scratch_remove(&scratch);
}

TEST(a_format_with_a_hole_is_reported_with_its_name)
{
	scratch_new(&scratch);
	for (int version = 6; version <= 7; version++) {
		dat = trace_dat_small;
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

	dat = trace_dat_small;
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

TEST(statistics_of_more_cpus_than_there_can_be_are_reported)
{
	struct buffer text = { 0 };

	scratch_new(&scratch);
	for (int row = 0; row < 65536; row++)
		buffer_printf(&text, "CPU: %d\n", row % DAT_CPUS);
	check_statistics(NULL, buffer_string(&text), NULL);
	buffer_append_string(&text, "CPU: 0\n");
	check_statistics(NULL, buffer_string(&text), "statistics of more cpus than there can be");
	buffer_release(&text);
	scratch_remove(&scratch);
}

TEST(options_that_end_early_are_reported)
{
	struct buffer bytes = { 0 };

	scratch_new(&scratch);
	dat = trace_dat_small;
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	/* The last option ends the file: two bytes of id, four of size, and eight. */
	bytes.data[bytes.size - 12] = 4;
	check_bytes(&bytes, "options end before their section does", RECORDS);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

/* An option is an id, a size, and the offset of its section. */
TEST(sections_that_no_option_names_are_reported)
{
	char option[] = { 0, 0, 8, 0, 0, 0 };

	scratch_new(&scratch);
	dat = trace_dat_small;
	for (char id = 17; id <= 21; id++) {
		option[0] = id;
		if (id != 20)
			check_patched(option, sizeof(option), 0, 999, 2, "belong to no cpu", 0);
	}
	scratch_remove(&scratch);
}

TEST(records_of_ids_without_a_format_are_counted)
{
	struct source *source;
	struct source_handler handler = { .context = &source,
					  .record = record_count,
					  .loss = loss_pass };
	struct tracepoint_visitor visitor = { .visit = format_pass };
	struct error error = { 0 };
	struct buffer bytes = { 0 };
	uint64_t lost;

	scratch_new(&scratch);
	dat = trace_dat_small;
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	scratch_write(&scratch, bytes.data, bytes.size);
	CHECK_NUMBER(source_file_open(&source, scratch.path, NULL, &error), 0);
	CHECK_NUMBER(source_visit(source, &visitor, &error), 0);
	CHECK_NUMBER(source_finish(source, 9999, &handler, &lost, &error), 0);
	/* The ids below 20 are ftrace's own. */
	CHECK(strstr(source_damage(source), "records have no format: 1 of id 600, 1 of id 300, "));
	CHECK(strstr(source_damage(source), "1 of id 302, 36 of other ids; at offset "));
	source_close(source);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}
