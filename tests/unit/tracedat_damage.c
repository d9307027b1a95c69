// SPDX-License-Identifier: GPL-2.0-only
/* Tests of trace.dat files that are cut short, lie, or are something else. */
#include "source/source.h"

#include "fixtures/trace_dat.h"
#include "fixtures/source_log.h"
#include "fixtures/tap.h"

#define RECORDS_IN_RAW_PAGE 4
#define RECORD_SIZE 8

static struct trace_dat dat;
static struct scratch scratch;

/**
 * struct count - how many records came of each CPU
 * @has_strange: one was not the next that this CPU has
 * @nr_losses: of unknown size
 */
struct count {
	int of[DAT_BUFFERS][DAT_CPUS];
	int all;
	bool has_strange;
	int nr_losses;
};

static int count_record(void *context, const struct record *record, struct error *error)
{
	struct count *count = context;
	int *nr = &count->of[record->buffer][record->cpu];
	int raw_page = (record->buffer * DAT_CPUS + record->cpu) * DAT_RAW_PAGES +
		       *nr / RECORDS_IN_RAW_PAGE;
	uint32_t word;

	(void)error;
	memcpy(&word, record->data, sizeof(word));
	count->has_strange |= record->size != sizeof(word) ||
			      word != 100U * raw_page + *nr % RECORDS_IN_RAW_PAGE;
	++*nr;
	count->all++;
	return 0;
}

static int count_loss(void *context, const struct loss *loss, struct error *error)
{
	struct count *count = context;

	(void)error;
	count->nr_losses += loss->count < 0;
	return 0;
}

/* Reads a source and counts; returns what source_damage() then says. */
static const char *count_take(struct count *count, struct source *source)
{
	struct source_handler handler = { .context = count,
					  .record = count_record,
					  .loss = count_loss };
	struct error error = { 0 };
	uint64_t lost;

	*count = (struct count){ 0 };
	CHECK_NUMBER(source_finish(source, 9999, &handler, &lost, &error), 0);
	CHECK(!count->has_strange);
	return source_damage(source);
}

/* How many records of an uncompressed file are whole where only @size bytes of it are left. */
static int whole_records(const struct buffer *bytes, size_t size)
{
	const struct raw_page *raw_pages = &dat.raw_pages[0][0][0];
	int nr_records = 0;

	for (int i = 0; i < DAT_BUFFERS * DAT_CPUS * DAT_RAW_PAGES; i++) {
		const char *at = memmem(bytes->data, bytes->size, raw_pages[i].bytes,
					dat.sub_buffer_size);
		size_t begin = at - bytes->data + 8 + dat.long_size;

		for (int record = 1; record <= RECORDS_IN_RAW_PAGE; record++)
			nr_records += begin + RECORD_SIZE * record <= size;
	}
	return nr_records;
}

static bool complaint_is_right(const char *text, size_t size)
{
	return scratch_is_blamed(&scratch, text, size);
}

/* Opens the rest of a file; returns the number of its records. */
static int cut_take(size_t size)
{
	struct error error = { 0 };
	struct source *source;
	struct count count;
	const char *damage;

	if (source_file_open(&source, scratch.path, NULL, &error) < 0) {
		CHECK(complaint_is_right(error.text, size));
		return 0;
	}
	damage = count_take(&count, source);
	if (!CHECK(damage && complaint_is_right(damage, size)))
		printf("# cut to %zu: %s\n", size, damage ? damage : "none");
	source_close(source);
	return count.all;
}

static void check_cuts(bool is_exact)
{
	struct buffer bytes = { 0 };
	int before = DAT_BUFFERS * DAT_CPUS * DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE;

	scratch_new(&scratch);
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	scratch_write(&scratch, bytes.data, bytes.size);
	for (size_t size = bytes.size; size-- > 0;) {
		int nr_records;

		if (ftruncate(scratch.fd, size) < 0)
			break;
		nr_records = cut_take(size);
		if (!CHECK(nr_records <= before) ||
		    (is_exact && nr_records > 0 &&
		     !CHECK_NUMBER(nr_records, whole_records(&bytes, size)))) {
			printf("# cut to %zu\n", size);
			break;
		}
		before = nr_records;
	}
	CHECK_NUMBER(before, 0);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

TEST(version_6_cut_anywhere_gives_every_record_that_is_whole)
{
	dat = trace_dat_small;
	dat.version = 6;
	check_cuts(true);
	dat.is_swapped = true;
	dat.long_size = 4;
	check_cuts(true);
}

TEST(version_7_cut_anywhere_gives_what_its_options_still_name)
{
	dat = trace_dat_small;
	check_cuts(false);
	dat.compression = "zstd";
	check_cuts(false);
	dat.compression = "zlib";
	dat.is_swapped = true;
	check_cuts(false);
}

static struct error refusal;

/* Writes the file, with one number in it replaced; opens it, or leaves why not in @refusal. */
static struct source *patched_open(const void *find, size_t find_size, size_t behind,
				   uint64_t number, size_t size)
{
	struct buffer bytes = { 0 };
	struct source *source;

	trace_dat_patch(&bytes, &dat, find, find_size, behind, number, size);
	scratch_write(&scratch, bytes.data, bytes.size);
	refusal = (struct error){ 0 };
	if (source_file_open(&source, scratch.path, NULL, &refusal) < 0)
		CHECK(complaint_is_right(refusal.text, bytes.size));
	buffer_release(&bytes);
	return source;
}

/*
 * The option of the second buffer: its name, its clock, then the size of its sub-buffers, and rows
 * of CPUs.
 */
#define SECOND "other\0mono"
#define SECOND_SUB_BUFFER_SIZE sizeof(SECOND)
#define SECOND_NR_CPUS (SECOND_SUB_BUFFER_SIZE + 4)
#define SECOND_CPU (SECOND_NR_CPUS + 4)
#define SECOND_OFFSET (SECOND_CPU + 4)
#define SECOND_SIZE (SECOND_OFFSET + 8)

/*
 * A lie about the second buffer: the first is whole all the same, and of CPU 0 of the second come
 * so many.
 */
static void check_lie(size_t behind, uint64_t number, size_t size, int want, bool is_gap,
		      const char *what)
{
	struct source *source = patched_open(SECOND, sizeof(SECOND), behind, number, size);
	struct count count;
	const char *damage;

	if (!CHECK(source != NULL))
		return;
	damage = count_take(&count, source);
	CHECK_NUMBER(count.of[0][0] + count.of[0][1], 2 * DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
	CHECK_NUMBER(count.of[1][0], want);
	CHECK_NUMBER(count.nr_losses, is_gap);
	if (!CHECK(damage && strstr(damage, what)))
		printf("# damage: %s\n", damage ? damage : "none");
	source_close(source);
}

TEST(sizes_and_places_that_lie_end_the_stream_that_they_are_about)
{
	scratch_new(&scratch);
	dat = trace_dat_small;
	check_lie(SECOND_OFFSET, 1 << 30, 8, 0, true, "cut short");
	check_lie(SECOND_OFFSET, UINT64_MAX, 8, 0, true, "cut short");
	check_lie(SECOND_SIZE, UINT64_MAX - 63, 8, DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE, true,
		  "overlap");
	check_lie(SECOND_CPU, UINT32_MAX, 4, 0, false, "no cpu with this number");
	check_lie(SECOND_SUB_BUFFER_SIZE, UINT32_MAX, 4, 0, false,
		  "sub-buffers cannot have this size");
	check_lie(SECOND_SUB_BUFFER_SIZE, 1, 4, 0, false, "sub-buffers cannot have this size");
	scratch_remove(&scratch);
}

TEST(chunks_that_lie_end_the_stream_that_they_are_of)
{
	static const char magic[] = "\x28\xb5\x2f\xfd";

	scratch_new(&scratch);
	dat = trace_dat_small;
	dat.compression = "zstd";
	check_lie(SECOND_OFFSET, 1, 8, 0, true, "chunk");
	/* The first frame in the file is that of a section: its size, its content. */
	for (int i = 0; i < 2; i++) {
		struct source *source = patched_open(magic, 4, i ? (size_t)-4 : 4, UINT32_MAX, 4);

		CHECK(source == NULL);
		CHECK(strstr(refusal.text, i ? "claims a size that cannot be" : "damaged") != NULL);
		source_close(source);
	}
	scratch_remove(&scratch);
}

TEST(a_chunk_that_gives_less_than_it_claims_is_damaged)
{
	static const char *const compressions[] = { "zlib", "zstd" };
	struct buffer last = { 0 };

	scratch_new(&scratch);
	for (int i = 0; i < 2; i++) {
		struct source *source;
		struct count count;

		dat = trace_dat_small;
		dat.compression = compressions[i];
		dat.nr_raw_pages_in_chunk = 1;
		trace_dat_begin(&dat);
		buffer_clear(&last);
		trace_dat_compress(&last, &dat, dat.raw_pages[1][0][1].bytes, dat.sub_buffer_size);
		source = patched_open(last.data, last.size, 4, dat.sub_buffer_size + 1, 4);
		CHECK(strstr(count_take(&count, source), "chunk is damaged") != NULL);
		CHECK_NUMBER(count.of[1][0], RECORDS_IN_RAW_PAGE);
		CHECK_NUMBER(count.of[1][1], DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
		source_close(source);
	}
	buffer_release(&last);
	scratch_remove(&scratch);
}

TEST(an_area_that_claims_too_much_gives_all_its_chunks_and_is_reported)
{
	struct source *source;
	struct count count;
	const char *damage;

	scratch_new(&scratch);
	dat = trace_dat_small;
	dat.compression = "zstd";
	source = patched_open(SECOND, sizeof(SECOND), SECOND_SIZE, UINT64_MAX, 8);
	damage = count_take(&count, source);
	CHECK(damage && strstr(damage, "overlap"));
	CHECK_NUMBER(count.all, DAT_BUFFERS * DAT_CPUS * DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
	CHECK_NUMBER(count.nr_losses, 0);
	source_close(source);
	scratch_remove(&scratch);
}

/*
 * One number in the second sub-buffer of CPU 0 of the second buffer lies: the stream ends with it.
 */
static void check_sub_buffer(size_t behind, uint64_t number, size_t size, int want)
{
	struct source *source;
	struct count count;
	const char *damage;

	trace_dat_begin(&dat);
	source = patched_open(dat.raw_pages[1][0][1].bytes, dat.sub_buffer_size, behind, number,
			      size);
	damage = count_take(&count, source);
	CHECK(damage && strstr(damage, "a sub-buffer is damaged"));
	CHECK_NUMBER(count.of[1][0], want);
	CHECK_NUMBER(count.all - want, 3 * DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
	CHECK_NUMBER(count.nr_losses, 1);
	source_close(source);
}

TEST(a_damaged_sub_buffer_ends_its_stream_whatever_the_statistics_say)
{
	static const char *const statistics[] = { "Buffer: other", "CPU: 0\noverrun: 3\n", NULL };

	scratch_new(&scratch);
	for (int i = 0; i < 2; i++) {
		dat = trace_dat_small;
		dat.statistics = i ? statistics : NULL;
		check_sub_buffer(8, 4000, 8, 2 * RECORDS_IN_RAW_PAGE);
		check_sub_buffer(0, INT64_MAX, 8, RECORDS_IN_RAW_PAGE);
		check_sub_buffer(0, RECORD_TIME_LIMIT, 8, RECORDS_IN_RAW_PAGE);
		check_sub_buffer(16, 28, 4, RECORDS_IN_RAW_PAGE);
	}
	scratch_remove(&scratch);
}

TEST(a_section_of_another_kind_than_its_option_says_is_missing)
{
	struct source *source;
	struct thread_identity task;
	struct count count;
	const char *damage;
	struct buffer head = { 0 };

	scratch_new(&scratch);
	dat = trace_dat_small;
	buffer_append(&head, "\x15\0\0\0\0\0\0\0", 8);
	source = patched_open(head.data, head.size, 0, 20, 2);
	source_find_task(source, 7, &task);
	CHECK_TEXT(task.comm, "");
	damage = count_take(&count, source);
	CHECK(damage && strstr(damage, "a section is missing"));
	CHECK_NUMBER(count.all, DAT_BUFFERS * DAT_CPUS * DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
	source_close(source);
	buffer_release(&head);
	scratch_remove(&scratch);
}

TEST(options_in_a_circle_come_to_an_end)
{
	struct buffer bytes = { 0 };
	struct error error = { 0 };
	struct source *source;
	struct count count;
	uint64_t first;

	scratch_new(&scratch);
	dat = trace_dat_small;
	trace_dat_begin(&dat);
	trace_dat_write(&bytes, &dat);
	/* The file ends with where the next section of options is. */
	memcpy(&first, memmem(bytes.data, 64, "none\0001.0", 9) + 9, sizeof(first));
	memcpy(bytes.data + bytes.size - sizeof(first), &first, sizeof(first));
	scratch_write(&scratch, bytes.data, bytes.size);
	if (CHECK_NUMBER(source_file_open(&source, scratch.path, NULL, &error), 0)) {
		CHECK(strstr(count_take(&count, source), "options have no end") != NULL);
		CHECK_NUMBER(count.of[1][1], DAT_RAW_PAGES * RECORDS_IN_RAW_PAGE);
		CHECK_NUMBER(source_describe(source)->nr_buffers, DAT_BUFFERS);
	}
	source_close(source);
	buffer_release(&bytes);
	scratch_remove(&scratch);
}

static void check_refused(const char *bytes, size_t size, const char *want)
{
	struct error error = { 0 };
	struct source *source;

	scratch_write(&scratch, bytes, size);
	CHECK_NUMBER(source_file_open(&source, scratch.path, NULL, &error), -1);
	CHECK(source == NULL);
	CHECK(complaint_is_right(error.text, size));
	CHECK_TEXT(error.text[0] ? strchr(error.text, ':') + 2 : "", want);
}

#define REMEDY "name a recording of ktrack or trace-cmd"

#define REFUSED(bytes, want) check_refused(bytes, sizeof(bytes) - 1, want)

TEST(what_is_no_trace_dat_is_refused_in_one_line)
{
	struct error error = { 0 };
	struct source *source;

	scratch_new(&scratch);
	REFUSED("", "empty, not a trace.dat; " REMEDY);
	REFUSED("#!/bin/sh\nexit 1\n", "not a trace.dat; " REMEDY);
	REFUSED("\x1f", "not a trace.dat; " REMEDY);
	REFUSED("\x1f\x8b\x08\x00\x00", "its compressed data (gzip) is damaged or cut short; zcat "
					"writes what is left of it");
	REFUSED("\x28\xb5\x2f\xfd\x04", "its compressed data (zstd) is damaged or cut short; zstdcat "
					"writes what is left of it");
	REFUSED("\xfd\x37zXZ\0", "its compressed data (xz) is damaged or cut short; xzcat writes "
				"what is left of it");
	REFUSED("BZh9", "compressed by bzip2, not a trace.dat; run bunzip2 first");
	REFUSED("PERFILE2garbage", "a perf.data, not a trace.dat; 'perf script -i' prints it");
	REFUSED("PK\x03\x04\x14", "a zip archive, not a trace.dat; unpack it with unzip, and name a "
				"recording in it");
	REFUSED("version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
		"a pointer of Git LFS, not a trace.dat; 'git lfs pull' in its repository gets the "
		"file");
	REFUSED("/* CTF 1.8 */\n", "the metadata of a CTF trace, as of LTTng, not a trace.dat; "
				   "babeltrace2 and Trace Compass read its folder");
	REFUSED("\xc1\x1f\xfc\xc1\0", "a stream of a CTF trace, as of LTTng, not a trace.dat; "
					"babeltrace2 and Trace Compass read its folder");
	REFUSED("\xd4\xc3\xb2\xa1\2\0\4\0",
		"a network capture (pcap), not a trace.dat; open it in wireshark");
	REFUSED("\x7f\x45LF\2\1",
		"an ELF file (a program, a module or a core), not a trace.dat; " REMEDY);
	REFUSED("\x0a\x1f\x3a\x08\x50\x01",
		"a Perfetto trace, not a trace.dat; open it in ui.perfetto.dev");
	REFUSED("\nname: io\n", "not a trace.dat; " REMEDY);
	REFUSED("\n/* begins with an empty line */\n", "not a trace.dat; " REMEDY);
	REFUSED("\x17\x08\x44tracing", "its header is cut short; at offset 10");
	REFUSED("\x17\x08\x44tracing8\0\0\10\0\20\0\0",
		"its version of the format is neither 6 nor 7; at offset 10");
	REFUSED("\x17\x08\x44tracing7\0\0\10\0\20\0\0lzma\0001\0\0\0\0\0\0\0\0\0",
		"its compression algorithm is not supported; at offset 33");
	REFUSED("\x17\x08\x44tracing7\0\0\10\0\20\0\0none\0\0\0\0\0\0\0\0\0\0",
		"its options name no records; at offset 0");
	REFUSED("\x17\x08\x44tracing6\0\0\10\0\20\0\0header_page",
		"it does not state the layout of its records; at offset 18");
	scratch_remove(&scratch);
	CHECK_NUMBER(source_file_open(&source, "/nonexistent/trace.dat", NULL, &error), -1);
	CHECK_TEXT(error.text, "cannot open /nonexistent/trace.dat: No such file or directory");
	error = (struct error){ 0 };
	CHECK_NUMBER(source_file_open(&source, "/", NULL, &error), -1);
	CHECK_TEXT(error.text, "/: a directory, not a trace.dat; name a file in it");
}
