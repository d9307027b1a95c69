// SPDX-License-Identifier: GPL-2.0-only
/* Decompresses step by step, because sizes in the input cannot be trusted. */
#include "sink/decompress.h"

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#define STEP_SIZE (64 * 1024)

static bool zlib_decompress(z_stream *stream, struct buffer *out, size_t most)
{
	size_t before = out->size;
	int status = Z_OK;

	while (status == Z_OK && out->size - before <= most) {
		char *step = buffer_reserve(out, STEP_SIZE);

		if (!step)
			return false;
		stream->next_out = (Bytef *)step;
		stream->avail_out = STEP_SIZE;
		status = inflate(stream, Z_NO_FLUSH);
		out->size += STEP_SIZE - stream->avail_out;
	}
	return status == Z_STREAM_END && out->size - before <= most;
}

bool decompress_zlib(struct buffer *out, struct text compressed, size_t most)
{
	z_stream stream = { .next_in = (const Bytef *)compressed.data,
			    .avail_in = (uInt)compressed.size };
	bool is_whole;

	if (compressed.size > UINT32_MAX || inflateInit(&stream) != Z_OK)
		return false;
	is_whole = zlib_decompress(&stream, out, most);
	inflateEnd(&stream);
	return is_whole;
}

#define ZSTD_FUNCTIONS(apply)                                                          \
	apply(ZSTD_createDStream) apply(ZSTD_decompressStream) apply(ZSTD_freeDStream) \
		apply(ZSTD_isError)

/** struct zstd_api - libzstd */
struct zstd_api {
	void *handle;
	ZSTD_FUNCTIONS(LIBRARY_MEMBER)
};

static int zstd_api_load(struct zstd_api *api, struct error *error)
{
	const struct library_function functions[] = { ZSTD_FUNCTIONS(LIBRARY_FUNCTION) };

	return library_load(&api->handle, "libzstd.so.1", "libzstd (Debian's package libzstd1)",
			    functions, sizeof(functions) / sizeof(functions[0]), error);
}

static bool zstd_decompress(const struct zstd_api *api, ZSTD_DStream *stream, struct buffer *out,
			    struct text compressed, size_t most)
{
	ZSTD_inBuffer in = { .src = compressed.data, .size = compressed.size };
	size_t before = out->size, left = 1;

	while (left > 0 && out->size - before <= most) {
		ZSTD_outBuffer step = { .dst = buffer_reserve(out, STEP_SIZE), .size = STEP_SIZE };

		if (!step.dst)
			return false;
		left = api->ZSTD_decompressStream(stream, &step, &in);
		out->size += step.pos;
		if (api->ZSTD_isError(left) ||
		    (left > 0 && in.pos == in.size && step.pos < step.size))
			return false;
	}
	return left == 0 && out->size - before <= most;
}

bool decompress_zstd(struct buffer *out, struct text compressed, size_t most, struct error *error)
{
	struct zstd_api api;
	bool is_whole = zstd_api_load(&api, error) == 0;

	if (is_whole) {
		ZSTD_DStream *stream = api.ZSTD_createDStream();

		is_whole = stream && zstd_decompress(&api, stream, out, compressed, most);
		api.ZSTD_freeDStream(stream);
	}
	library_release(api.handle);
	return is_whole;
}
