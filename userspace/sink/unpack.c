// SPDX-License-Identifier: GPL-2.0-only
/* Unpacks a step at a time, so that nobody's word is taken for the size. */
#include "sink/unpack.h"

#include <zlib.h>
#include <zstd.h>

#define STEP_SIZE (64 * 1024)

static bool zlib_run(z_stream *stream, struct buffer *out, size_t most)
{
	size_t before = out->size;
	int status = Z_OK;

	while (status == Z_OK && out->size - before <= most) {
		char *room = buffer_reserve(out, STEP_SIZE);

		if (!room)
			return false;
		stream->next_out = (Bytef *)room;
		stream->avail_out = STEP_SIZE;
		status = inflate(stream, Z_NO_FLUSH);
		out->size += STEP_SIZE - stream->avail_out;
	}
	return status == Z_STREAM_END && out->size - before <= most;
}

bool unpack_zlib(struct buffer *out, struct text packed, size_t most)
{
	z_stream stream = { .next_in = (Bytef *)packed.data, .avail_in = (uInt)packed.size };
	bool is_whole;

	if (packed.size > UINT32_MAX || inflateInit(&stream) != Z_OK)
		return false;
	is_whole = zlib_run(&stream, out, most);
	inflateEnd(&stream);
	return is_whole;
}

static bool zstd_run(ZSTD_DStream *stream, struct buffer *out, struct text packed, size_t most)
{
	ZSTD_inBuffer in = { .src = packed.data, .size = packed.size };
	size_t before = out->size, left = 1;

	while (left > 0 && out->size - before <= most) {
		ZSTD_outBuffer step = { .dst = buffer_reserve(out, STEP_SIZE), .size = STEP_SIZE };

		if (!step.dst)
			return false;
		left = ZSTD_decompressStream(stream, &step, &in);
		out->size += step.pos;
		if (ZSTD_isError(left) || (left > 0 && in.pos == in.size && step.pos < step.size))
			return false;
	}
	return left == 0 && out->size - before <= most;
}

bool unpack_zstd(struct buffer *out, struct text packed, size_t most)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	bool is_whole = stream && zstd_run(stream, out, packed, most);

	ZSTD_freeDStream(stream);
	return is_whole;
}
