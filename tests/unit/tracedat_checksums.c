// SPDX-License-Identifier: GPL-2.0-only
/* Checksums of recordings that ktrack wrote: damage is found wherever it is. */
#include "tracedat/file.h"

#include "fixtures/source_log.h"
#include "fixtures/spool_fixture.h"

/* Every so many bytes are damaged once; all of them in the checksums. */
#define STEP 13

#define ALL_RECORDS "cpu 0 at 100\ncpu 0 at 200\ncpu 1 at 250\ncpu 0 at 300\ncpu 0 at 400\n"

/* The bytes of a recording with two sub-buffers of CPU 0 and one of CPU 1. */
static void recording_make(struct buffer *out)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100, 200);
	CHECK_NUMBER(spool_read(fixture.spool, &fixture.error), 0);
	ADD_RECORDS(&fixture, 0, 300, 400);
	ADD_RECORDS(&fixture, 1, 250);
	spool_fixture_finish(&fixture);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	CHECK_NUMBER(file_read(output_path(&fixture), out), 0);
}

static struct checksums_trailer *trailer_of(const struct buffer *bytes)
{
	return (struct checksums_trailer *)(bytes->data + bytes->size -
					    sizeof(struct checksums_trailer));
}

/* Reads all of a file: appends records, losses and damage, or the reason not to read it. */
static void recording_log(const char *path, struct buffer *log)
{
	struct source_handler handler = { .context = log, .record = record_log, .loss = loss_log };
	struct error error = { 0 };
	struct source *source;
	uint64_t lost;

	if (source_file_open(&source, path, NULL, &error) < 0) {
		buffer_append_string(log, error.text);
		return;
	}
	CHECK_NUMBER(source_finish(source, 1000, &handler, &lost, &error), 0);
	if (source_damage(source))
		buffer_append_string(log, source_damage(source));
	source_close(source);
}

/* What the bytes are read as; the name of the file is left out. @want may contain the offset. */
static void check_log(const struct buffer *bytes, const char *want, unsigned long offset)
{
	struct buffer log = { 0 }, wanted = { 0 };
	struct scratch scratch;
	char *path;

	scratch_new(&scratch);
	scratch_write(&scratch, bytes->data, bytes->size);
	recording_log(scratch.path, &log);
	path = strstr(buffer_string(&log), scratch.path);
	if (path)
		memmove(path, path + strlen(scratch.path), strlen(path + strlen(scratch.path)) + 1);
	buffer_printf(&wanted, want, offset);
	CHECK_TEXT(buffer_string(&log), buffer_string(&wanted));
	buffer_release(&wanted);
	buffer_release(&log);
	scratch_remove(&scratch);
}

/* Damage of the file, or the reason not to read it, is reported. */
static bool damage_is_reported(const struct scratch *scratch)
{
	struct buffer log = { 0 };
	bool is_reported;

	recording_log(scratch->path, &log);
	is_reported = strstr(buffer_string(&log), scratch->path) != NULL;
	buffer_release(&log);
	return is_reported;
}

TEST(a_sound_recording_has_no_damage)
{
	SCOPED_BUFFER(bytes);

	recording_make(&bytes);
	CHECK(memcmp(trailer_of(&bytes)->magic, CHECKSUMS_MAGIC, CHECKSUMS_MAGIC_SIZE) == 0);
	check_log(&bytes, ALL_RECORDS, 0);
}

TEST(a_bit_that_changes_is_reported_wherever_it_is)
{
	SCOPED_BUFFER(bytes);
	struct scratch scratch;
	size_t at, covered;

	recording_make(&bytes);
	covered = trailer_of(&bytes)->covered;
	scratch_new(&scratch);
	for (at = 0; at < bytes.size; at += at < covered ? STEP : 1) {
		bytes.data[at] ^= 1 << at % 8;
		scratch_write(&scratch, bytes.data, bytes.size);
		bytes.data[at] ^= 1 << at % 8;
		if (!CHECK(damage_is_reported(&scratch))) {
			printf("# byte %zu\n", at);
			break;
		}
	}
	CHECK(at >= bytes.size);
	scratch_remove(&scratch);
}

TEST(a_file_that_ends_early_is_reported_wherever_it_ends)
{
	SCOPED_BUFFER(bytes);
	struct scratch scratch;
	size_t size, covered;

	recording_make(&bytes);
	covered = trailer_of(&bytes)->covered;
	scratch_new(&scratch);
	scratch_write(&scratch, bytes.data, bytes.size);
	for (size = bytes.size - 1; size > 0; size -= size > covered || size < STEP ? 1 : STEP) {
		if (ftruncate(scratch.fd, size) < 0 || !CHECK(damage_is_reported(&scratch))) {
			printf("# cut to %zu\n", size);
			break;
		}
	}
	CHECK_NUMBER(size, 0);
	scratch_remove(&scratch);
}

TEST(records_before_and_behind_a_damaged_sub_buffer_are_read)
{
	SCOPED_BUFFER(bytes);
	size_t begin;

	recording_make(&bytes);
	begin = trailer_of(&bytes)->head_size;
	/* A value that the structure of the file does not show. */
	bytes.data[begin + RAW_PAGE_SIZE + 2000] ^= 1;
	check_log(&bytes,
		  "cpu 0 at 100\ncpu 0 at 200\ncpu 1 at 250\n"
		  "cpu 0 lost -1 from 200 to 1000\n"
		  ": a sub-buffer is damaged: its checksum differs; at offset %lu",
		  begin + RAW_PAGE_SIZE);
	bytes.data[begin + 2000] ^= 1;
	bytes.data[begin + RAW_PAGE_SIZE + 2000] ^= 1;
	check_log(&bytes,
		  "cpu 0 lost -1 from 0 to 300\ncpu 1 at 250\ncpu 0 at 300\ncpu 0 at 400\n"
		  ": a sub-buffer is damaged: its checksum differs; at offset %lu",
		  begin);
}

TEST(sub_buffers_that_changed_places_are_reported)
{
	SCOPED_BUFFER(bytes);
	char page[RAW_PAGE_SIZE];
	char *first;

	recording_make(&bytes);
	first = bytes.data + trailer_of(&bytes)->head_size;
	memcpy(page, first, RAW_PAGE_SIZE);
	memmove(first, first + RAW_PAGE_SIZE, RAW_PAGE_SIZE);
	memcpy(first + RAW_PAGE_SIZE, page, RAW_PAGE_SIZE);
	check_log(&bytes,
		  "cpu 1 at 250\ncpu 0 lost -1 from 0 to 1000\n"
		  ": a sub-buffer is damaged: its checksum differs; at offset %lu "
		  "(and 1 more)",
		  first - bytes.data);
}

TEST(checksums_that_are_missing_or_damaged_are_reported)
{
	SCOPED_BUFFER(bytes);
	struct checksums_trailer *trailer;
	size_t at;

	recording_make(&bytes);
	trailer = trailer_of(&bytes);
	at = (char *)trailer - bytes.data;
	trailer->table ^= 1;
	check_log(&bytes, ALL_RECORDS ": its checksums are damaged; at offset %lu (and 1 more)",
		  at);
	trailer->table ^= 1;
	trailer->version++;
	trailer->own = checksum_of(trailer, offsetof(struct checksums_trailer, own));
	check_log(&bytes,
		  ALL_RECORDS ": its checksums are of a newer ktrack; at offset %lu (and 1 more)",
		  at);
	bytes.size = trailer->covered;
	check_log(&bytes,
		  ALL_RECORDS ": its checksums are missing: it was cut short, or another "
			      "program rewrote it; at offset %lu",
		  bytes.size);
}

#define COVERED 8192
#define TABLE_MAX 256

/* What a file of zeros, a table of zeros and a trailer are; @trailer->table is what is wrong. */
static enum checksums_state zeros_open(struct checksums_trailer trailer, size_t table_size)
{
	char bytes[COVERED + TABLE_MAX + sizeof(trailer)] = { 0 };
	struct input input = { .size = COVERED + table_size + sizeof(trailer) };
	enum checksums_state state;
	struct checksums checksums;
	struct scratch scratch;

	memcpy(trailer.magic, CHECKSUMS_MAGIC, CHECKSUMS_MAGIC_SIZE);
	trailer.version = CHECKSUMS_VERSION;
	trailer.table ^= checksum_chain(0, bytes, table_size);
	trailer.own = checksum_of(&trailer, offsetof(struct checksums_trailer, own));
	memcpy(bytes + COVERED + table_size, &trailer, sizeof(trailer));
	scratch_new(&scratch);
	scratch_write(&scratch, bytes, input.size);
	input.fd = scratch.fd;
	state = checksums_open(&checksums, &input);
	CHECK(state == CHECKSUMS_PRESENT || checksums.page_size == 0);
	scratch_remove(&scratch);
	return state;
}

static enum checksums_state trailer_open(uint32_t page_size, uint64_t covered, size_t table_size)
{
	return zeros_open((struct checksums_trailer){ .page_size = page_size, .covered = covered },
			  table_size);
}

/* Sizes that a file cannot have are not used. */
TEST(a_trailer_that_lies_is_damaged)
{
	struct checksums_trailer other = { .page_size = 4096, .covered = COVERED };

	CHECK_NUMBER(zeros_open(other, 16), CHECKSUMS_PRESENT);
	CHECK_NUMBER(trailer_open(512, COVERED, 128), CHECKSUMS_PRESENT);
	CHECK_NUMBER(trailer_open(1 << 20, COVERED, 8), CHECKSUMS_PRESENT);
	CHECK_NUMBER(trailer_open(0, COVERED, 16), CHECKSUMS_DAMAGED);
	CHECK_NUMBER(trailer_open(256, COVERED, 256), CHECKSUMS_DAMAGED);
	CHECK_NUMBER(trailer_open(1 << 21, COVERED, 8), CHECKSUMS_DAMAGED);
	CHECK_NUMBER(trailer_open(4096, UINT64_MAX, 16), CHECKSUMS_DAMAGED);
	CHECK_NUMBER(trailer_open(4096, COVERED / 2, 16), CHECKSUMS_DAMAGED);
	other.head_size = COVERED + 1;
	CHECK_NUMBER(zeros_open(other, 16), CHECKSUMS_DAMAGED);
	other.head_size = 0;
	other.table = 1;
	CHECK_NUMBER(zeros_open(other, 16), CHECKSUMS_DAMAGED);
}

static void checksums_swap(struct buffer *bytes)
{
	struct checksums_trailer *trailer = trailer_of(bytes);
	uint64_t *table = (uint64_t *)(bytes->data + trailer->covered);

	while (table < (uint64_t *)trailer) {
		*table = __builtin_bswap64(*table);
		table++;
	}
	trailer->table =
		__builtin_bswap64(checksum_chain(0, bytes->data + trailer->covered,
						 (char *)trailer - bytes->data - trailer->covered));
	trailer->version = __builtin_bswap32(trailer->version);
	trailer->page_size = __builtin_bswap32(trailer->page_size);
	trailer->covered = __builtin_bswap64(trailer->covered);
	trailer->head_size = __builtin_bswap64(trailer->head_size);
	trailer->own =
		__builtin_bswap64(checksum_of(trailer, offsetof(struct checksums_trailer, own)));
}

TEST(checksums_of_the_other_byte_order_are_read)
{
	SCOPED_BUFFER(bytes);
	size_t begin;

	recording_make(&bytes);
	begin = trailer_of(&bytes)->head_size;
	checksums_swap(&bytes);
	check_log(&bytes, ALL_RECORDS, 0);
	bytes.data[begin + 2000] ^= 1;
	check_log(&bytes,
		  "cpu 0 lost -1 from 0 to 300\ncpu 1 at 250\ncpu 0 at 300\ncpu 0 at 400\n"
		  ": a sub-buffer is damaged: its checksum differs; at offset %lu",
		  begin);
}

/* The last page of a file may be shorter, and sub-buffers may be larger than pages. */
TEST(pages_of_every_size_are_compared)
{
	unsigned char bytes[3000];
	struct checksums_writer writer = { .page_size = 1024 };
	struct window table = { .ahead = CHECKSUMS_AHEAD };
	struct checksums checksums;
	struct scratch scratch;
	struct input input;

	memset(bytes, 7, sizeof(bytes));
	scratch_new(&scratch);
	writer.fd = open(scratch.path, O_RDWR | O_CLOEXEC);
	CHECK_NUMBER(file_write_all(writer.fd, (char *)bytes, sizeof(bytes), NULL), 0);
	CHECK_NUMBER(checksums_add(&writer, 1500), 0);
	CHECK_NUMBER(writer.covered, 1024);
	CHECK_NUMBER(checksums_finish(&writer, 1024, sizeof(bytes)), 0);
	input = (struct input){ .fd = writer.fd, .size = lseek(writer.fd, 0, SEEK_END) };
	table.input = &input;
	CHECK_NUMBER(checksums_open(&checksums, &input), CHECKSUMS_PRESENT);
	CHECK(checksums_match(&checksums, &table, 0, bytes, sizeof(bytes)));
	CHECK(checksums_match(&checksums, &table, 2048, bytes, 952));
	CHECK(checksums_match(&checksums, &table, 1024, bytes, 2048 - 1024));
	bytes[2999] = 8;
	CHECK(!checksums_match(&checksums, &table, 0, bytes, sizeof(bytes)));
	CHECK(!checksums_match(&checksums, &table, 1024, bytes + 1024, sizeof(bytes) - 1024));
	CHECK(checksums_match(&checksums, &table, 0, bytes, 2048));
	/* Bytes that have no checksum of their own. */
	CHECK(checksums_match(&checksums, &table, 2048, bytes + 2048, 900));
	CHECK(checksums_match(&checksums, &table, 2047, bytes + 2047, 953));
	CHECK_NUMBER(checksums_finish(&writer, 0, 1 << 20), -1);
	window_release(&table);
	buffer_release(&writer.table);
	file_close(writer.fd);
	scratch_remove(&scratch);
}

TEST(all_variants_of_the_checksum_agree)
{
	unsigned char bytes[5000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * i;
	for (size_t size = 0; size < sizeof(bytes); size++) {
		struct text text = { .data = (char *)bytes, .size = size };

		if (!CHECK(checksum_of(bytes, size) == text_hash(text)) ||
		    !CHECK(checksum_chain(0, bytes, size) == text_hash(text)))
			break;
	}
}
