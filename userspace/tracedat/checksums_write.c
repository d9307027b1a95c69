// SPDX-License-Identifier: GPL-2.0-only
/* Reads what was written, because records are moved without a copy in this process. */
#include <errno.h>
#include <string.h>

#include "tracedat/checksums.h"

/* A multiple of the page size. */
#define READ_SIZE 65536

static void pages_add(struct checksums_writer *writer, const unsigned char *bytes, size_t size)
{
	while (size > 0) {
		size_t part = size < writer->page_size ? size : writer->page_size;
		uint64_t sum = checksum_of(bytes, part);

		buffer_append(&writer->table, &sum, sizeof(sum));
		writer->covered += part;
		bytes += part;
		size -= part;
	}
}

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
		pages_add(writer, bytes, size);
	}
	return 0;
}

int checksums_add(struct checksums_writer *writer, uint64_t end)
{
	return bytes_add(writer, end - end % writer->page_size);
}

static uint64_t table_chain(const struct buffer *table)
{
	uint64_t sum = 0;

	for (size_t at = 0; at < table->size; at += CHECKSUMS_BLOCK_SIZE) {
		size_t left = table->size - at;

		sum = checksum_chain(sum, table->data + at,
				     left < CHECKSUMS_BLOCK_SIZE ? left : CHECKSUMS_BLOCK_SIZE);
	}
	return sum;
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
	trailer.table = table_chain(&writer->table);
	trailer.own = checksum_of(&trailer, offsetof(struct checksums_trailer, own));
	buffer_append(&writer->table, &trailer, sizeof(trailer));
	if (writer->table.failed) {
		errno = ENOMEM;
		return -1;
	}
	return file_write_all(writer->fd, writer->table.data, writer->table.size, NULL);
}
