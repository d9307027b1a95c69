// SPDX-License-Identifier: GPL-2.0-only
/* Reads small files that gzip compressed. */
#include <errno.h>
#include <zlib.h>

#include "tracedat/tracedat.h"

#define BLOCK_SIZE 65536

/* zlib's largest window, and headers of gzip. */
#define WINDOW_BITS (15 + 16)

/* Returns -1 if the data is damaged, incomplete, or larger than @size_max. */
static int stream_inflate(z_stream *stream, size_t size_max, struct buffer *out)
{
	unsigned char block[BLOCK_SIZE];
	int status;

	do {
		stream->next_out = block;
		stream->avail_out = sizeof(block);
		status = inflate(stream, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END)
			return -1;
		buffer_append(out, (char *)block, sizeof(block) - stream->avail_out);
		if (out->failed || out->size > size_max)
			return -1;
	} while (status != Z_STREAM_END);
	return 0;
}

int gzip_read(const char *path, size_t size_max, struct buffer *out)
{
	struct buffer packed = { 0 };
	z_stream stream = { 0 };
	int status = file_read_up_to(path, size_max, &packed);

	if (status == 0) {
		stream.next_in = (unsigned char *)packed.data;
		stream.avail_in = packed.size;
		status = inflateInit2(&stream, WINDOW_BITS) == Z_OK
				 ? stream_inflate(&stream, size_max, out)
				 : -1;
		inflateEnd(&stream);
		if (status < 0)
			errno = EINVAL;
	}
	buffer_release(&packed);
	return status;
}
