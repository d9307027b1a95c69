// SPDX-License-Identifier: GPL-2.0-only
/* Verifies the checksums of a file: everything before the records at once, records as they are
 * read. */
#include "tracedat/file_stream.h"
#include "tracedat/layout.h"

/* Bytes before the records are verified in steps of this size. */
#define STEP_SIZE WINDOW_SIZE

/* Verifies each page of some bytes at @offset. */
static void pages_verify(struct trace_file *file, struct window *table, uint64_t offset,
			 const unsigned char *bytes, size_t size)
{
	size_t page_size = file->checksums.page_size;

	for (size_t at = 0; at < size; at += page_size) {
		size_t part = size - at < page_size ? size - at : page_size;

		if (!checksums_match(&file->checksums, table, offset + at, bytes + at, part))
			trace_file_report(file, offset + at,
					  "these bytes are damaged: their checksum differs");
	}
}

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
		pages_verify(file, &table, offset, bytes, size);
	}
	window_release(&table);
}

void trace_file_open_checksums(struct trace_file *file)
{
	const struct checksums *checksums = &file->checksums;
	uint64_t end = file->input.size - sizeof(struct checksums_trailer);

	file->checksums_state = checksums_open(&file->checksums, &file->input);
	if (file->checksums_state == CHECKSUMS_DAMAGED)
		trace_file_report(file, end, "its checksums are damaged");
	if (file->checksums_state == CHECKSUMS_NEWER)
		trace_file_report(file, end, "its checksums are of a newer ktrack");
	if (file->checksums_state == CHECKSUMS_PRESENT) {
		trace_file_cover(file, checksums->covered, file->input.size);
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
