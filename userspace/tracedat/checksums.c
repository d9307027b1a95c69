// SPDX-License-Identifier: GPL-2.0-only
/* Finds the checksums of a file, and compares them. */
#include "tracedat/file.h"

#include <errno.h>
#include <string.h>

/* No machine has other pages. */
#define PAGE_SIZE_MIN 512
#define PAGE_SIZE_MAX (1 << 20)
#define SUM_SIZE sizeof(uint64_t)

/* The number of checksums. */
static uint64_t table_length(uint64_t covered, uint32_t page_size)
{
	return covered / page_size + (covered % page_size != 0);
}

/* Reads the numbers in either byte order; returns whether the order is not this machine's. */
static bool trailer_parse(struct checksums_trailer *trailer)
{
	struct cursor cursor = { .data = (const unsigned char *)trailer,
				 .size = sizeof(*trailer),
				 .offset = CHECKSUMS_MAGIC_SIZE };

	cursor.is_swapped = trailer->version == __builtin_bswap32(CHECKSUMS_VERSION);
	trailer->version = cursor_u32(&cursor);
	trailer->page_size = cursor_u32(&cursor);
	trailer->covered = cursor_u64(&cursor);
	trailer->head_size = cursor_u64(&cursor);
	trailer->table = cursor_u64(&cursor);
	trailer->own = cursor_u64(&cursor);
	return cursor.is_swapped;
}

/* Whether the trailer has the file's sizes, and the table its checksum. */
static bool table_is_sound(const struct checksums_trailer *trailer, const struct input *input)
{
	struct window window = { .input = input, .ahead = CHECKSUMS_BLOCK_SIZE };
	uint64_t end = input->size - sizeof(*trailer), at = trailer->covered, sum = 0;

	if (trailer->page_size < PAGE_SIZE_MIN || trailer->page_size > PAGE_SIZE_MAX ||
	    at > input->size || trailer->head_size > at ||
	    table_length(at, trailer->page_size) * SUM_SIZE + sizeof(*trailer) != input->size - at)
		return false;
	while (at < end) {
		uint64_t left = end - at;
		size_t want = left < CHECKSUMS_BLOCK_SIZE ? left : CHECKSUMS_BLOCK_SIZE;
		size_t size = want;
		const unsigned char *bytes = window_read(&window, at, end, &size);

		if (size < want)
			break;
		sum = checksum_chain(sum, bytes, size);
		at += size;
	}
	window_release(&window);
	return at == end && sum == trailer->table;
}

enum checksums_state checksums_open(struct checksums *checksums, const struct input *input)
{
	struct checksums_trailer trailer;
	uint64_t own;
	bool is_swapped;

	*checksums = (struct checksums){ 0 };
	if (input->size < sizeof(trailer) ||
	    input_read(input, &trailer, sizeof(trailer), input->size - sizeof(trailer)) <
		    sizeof(trailer) ||
	    memcmp(trailer.magic, CHECKSUMS_MAGIC, CHECKSUMS_MAGIC_SIZE) != 0)
		return CHECKSUMS_ABSENT;
	own = checksum_of(&trailer, offsetof(struct checksums_trailer, own));
	is_swapped = trailer_parse(&trailer);
	if (own != trailer.own)
		return CHECKSUMS_DAMAGED;
	if (trailer.version != CHECKSUMS_VERSION)
		return CHECKSUMS_NEWER;
	if (!table_is_sound(&trailer, input))
		return CHECKSUMS_DAMAGED;
	*checksums = (struct checksums){
		.is_swapped = is_swapped,
		.page_size = trailer.page_size,
		.covered = trailer.covered,
		.head_size = trailer.head_size,
	};
	return CHECKSUMS_PRESENT;
}

static bool page_matches(const struct checksums *checksums, struct window *table, uint64_t number,
			 const unsigned char *bytes, size_t size)
{
	uint64_t end = checksums->covered +
		       table_length(checksums->covered, checksums->page_size) * SUM_SIZE;
	size_t there = SUM_SIZE;
	const unsigned char *place = window_read(table, checksums->covered + number * SUM_SIZE, end,
						 &there);
	uint64_t sum;

	if (there < SUM_SIZE)
		return false;
	memcpy(&sum, place, sizeof(sum));
	if (checksums->is_swapped)
		sum = __builtin_bswap64(sum);
	return sum == checksum_of(bytes, size);
}

bool checksums_match(const struct checksums *checksums, struct window *table, uint64_t offset,
		     const unsigned char *bytes, size_t size)
{
	size_t page_size = checksums->page_size;
	uint64_t end = offset + size;

	if (page_size == 0 || offset % page_size != 0 || end > checksums->covered)
		return true;
	while (offset < end) {
		uint64_t left = end - offset;
		size_t part = left < page_size ? left : page_size;

		/* A part of a page has no checksum, unless it ends the file. */
		if (part < page_size && end < checksums->covered)
			return true;
		if (!page_matches(checksums, table, offset / page_size, bytes, part))
			return false;
		bytes += part;
		offset += part;
	}
	return true;
}

/* Reads what was written, because records are moved without a copy in this process. */

/* A multiple of the page size. */
#define READ_SIZE 65536

/* Adds all pages up to @end, of which the last may be shorter. */
static int bytes_add(struct checksums_writer *writer, uint64_t end)
{
	unsigned char bytes[READ_SIZE];

	while (writer->covered < end) {
		uint64_t left = end - writer->covered;
		ssize_t size = left < READ_SIZE ? left : READ_SIZE;
		ssize_t done = file_read_block(writer->fd, bytes, size, writer->covered);

		if (done >= 0 && done < size)
			errno = EIO;
		if (done < size)
			return -1;
		for (size_t at = 0; at < (size_t)size; at += writer->page_size) {
			size_t part = size - at < writer->page_size ? size - at : writer->page_size;
			uint64_t sum = checksum_of(bytes + at, part);

			buffer_append(&writer->table, &sum, sizeof(sum));
		}
		writer->covered += size;
	}
	return 0;
}

int checksums_add(struct checksums_writer *writer, uint64_t end)
{
	return bytes_add(writer, end - end % writer->page_size);
}

int checksums_finish(struct checksums_writer *writer, uint64_t head_size, uint64_t end)
{
	struct checksums_trailer trailer = {
		.version = CHECKSUMS_VERSION,
		.page_size = writer->page_size,
		.covered = end,
		.head_size = head_size,
	};

	if (bytes_add(writer, end) < 0)
		return -1;
	memcpy(trailer.magic, CHECKSUMS_MAGIC, CHECKSUMS_MAGIC_SIZE);
	for (size_t at = 0; at < writer->table.size; at += CHECKSUMS_BLOCK_SIZE) {
		size_t left = writer->table.size - at;

		trailer.table = checksum_chain(trailer.table, writer->table.data + at,
					       left < CHECKSUMS_BLOCK_SIZE ? left
									   : CHECKSUMS_BLOCK_SIZE);
	}
	trailer.own = checksum_of(&trailer, offsetof(struct checksums_trailer, own));
	buffer_append(&writer->table, &trailer, sizeof(trailer));
	if (writer->table.failed) {
		errno = ENOMEM;
		return -1;
	}
	return file_write_all(writer->fd, writer->table.data, writer->table.size, NULL);
}

/* Verifies the checksums of a file: everything before the records at once, records as they are
 * read. */

/* Bytes before the records are verified in steps of this size. */
#define STEP_SIZE WINDOW_SIZE

static void head_verify(struct trace_file *file)
{
	struct window table = { .input = &file->input, .ahead = CHECKSUMS_AHEAD };
	size_t page_size = file->checksums.page_size;
	uint64_t end = file->checksums.head_size;
	size_t step = page_size > STEP_SIZE ? page_size : STEP_SIZE / page_size * page_size;
	size_t size;

	for (uint64_t offset = 0; offset < end; offset += size) {
		const unsigned char *bytes;

		size = end - offset < step ? end - offset : step;
		bytes = window_read(&file->window, offset, end, &size);
		if (size == 0)
			break;
		for (size_t at = 0; at < size; at += page_size) {
			size_t part = size - at < page_size ? size - at : page_size;

			if (!checksums_match(&file->checksums, &table, offset + at, bytes + at,
					     part))
				trace_file_report(
					file, offset + at,
					"these bytes are damaged: their checksum differs");
		}
	}
	window_release(&table);
}

void trace_file_open_checksums(struct trace_file *file)
{
	uint64_t end = file->input.size - sizeof(struct checksums_trailer);

	file->checksums_state = checksums_open(&file->checksums, &file->input);
	if (file->checksums_state == CHECKSUMS_DAMAGED)
		trace_file_report(file, end, "its checksums are damaged");
	if (file->checksums_state == CHECKSUMS_NEWER)
		trace_file_report(file, end, "its checksums are of a newer ktrack");
	if (file->checksums_state == CHECKSUMS_PRESENT) {
		trace_file_cover(file, file->checksums.covered, file->input.size);
		head_verify(file);
	}
}

void trace_file_miss_checksums(struct trace_file *file)
{
	/* Programs that convert the file to version 7 keep the option. */
	if (file->options.has_checksums && !file->has_sections &&
	    file->checksums_state == CHECKSUMS_ABSENT)
		trace_file_report(file, file->input.size,
				  "its checksums are missing: it was cut short, or another program "
				  "rewrote it");
}

bool trace_stream_verify(struct stream *stream, size_t size)
{
	struct trace_stream *own = stream->own;

	if (checksums_match(&own->file->checksums, &own->table, own->offset, stream->bytes, size))
		return true;
	trace_file_report(own->file, own->offset, "a sub-buffer is damaged: its checksum differs");
	stream->is_behind_gap = true;
	stream->gap_count = LOSS_COUNT_UNKNOWN;
	stream->has_uncounted = true;
	return false;
}
