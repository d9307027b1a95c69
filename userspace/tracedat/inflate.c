// SPDX-License-Identifier: GPL-2.0-only
/* Decompresses blocks with zstd and zlib. */
#include "tracedat/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "tracedat/tracedat.h"

/**
 * struct inflate_algorithm - a compression algorithm
 * @open: prepare the state; returns -1 with @error
 * @run: decompress to exactly @size bytes
 * @release: free the state
 */
struct inflate_algorithm {
	const char *name;
	int (*open)(struct inflater *inflater, struct error *error);
	bool (*run)(struct inflater *inflater, struct text block, void *out, size_t size);
	void (*release)(struct inflater *inflater);
};

#define ZSTD_FUNCTIONS(apply) apply(ZSTD_createDCtx) apply(ZSTD_decompressDCtx) apply(ZSTD_freeDCtx)

/** struct zstd_state - libzstd, and its state */
struct zstd_state {
	void *handle;
	ZSTD_FUNCTIONS(LIBRARY_MEMBER)
	ZSTD_DCtx *context;
};

static int zstd_load(struct zstd_state *api, struct error *error)
{
	const struct library_function functions[] = { ZSTD_FUNCTIONS(LIBRARY_FUNCTION) };

	return library_load(&api->handle, "libzstd.so.1", "libzstd (Debian's package libzstd1)",
			    functions, sizeof(functions) / sizeof(functions[0]), error);
}

static int zstd_open(struct inflater *inflater, struct error *error)
{
	struct zstd_state *zstd = calloc(1, sizeof(*zstd));

	inflater->state = zstd;
	if (!zstd)
		return error_set(error, "out of memory");
	if (zstd_load(zstd, error) < 0)
		return -1;
	zstd->context = zstd->ZSTD_createDCtx();
	return zstd->context ? 0 : error_set(error, "out of memory");
}

static bool zstd_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	const struct zstd_state *zstd = inflater->state;

	return zstd->ZSTD_decompressDCtx(zstd->context, out, size, block.data, block.size) == size;
}

static void zstd_release(struct inflater *inflater)
{
	struct zstd_state *zstd = inflater->state;

	if (zstd && zstd->context)
		zstd->ZSTD_freeDCtx(zstd->context);
	if (zstd)
		library_release(zstd->handle);
	free(zstd);
}

static bool zlib_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	uLongf inflated = size;

	(void)inflater;
	return uncompress(out, &inflated, (const Bytef *)block.data, block.size) == Z_OK &&
	       inflated == size;
}

static const struct inflate_algorithm algorithms[] = {
	{ .name = "none" },
	{ .name = "zlib", .run = zlib_run },
	{ .name = "zstd", .open = zstd_open, .run = zstd_run, .release = zstd_release },
};

int inflater_init(struct inflater *inflater, struct text name, struct error *error)
{
	*inflater = (struct inflater){ 0 };
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (text_equals(name, text_of(algorithms[i].name)))
			inflater->algorithm = &algorithms[i];
	}
	if (!inflater->algorithm)
		return error_set(error, "its compression algorithm is not supported");
	return inflater->algorithm->open ? inflater->algorithm->open(inflater, error) : 0;
}

void inflater_release(struct inflater *inflater)
{
	if (inflater->algorithm && inflater->algorithm->release)
		inflater->algorithm->release(inflater);
	*inflater = (struct inflater){ 0 };
}

bool inflater_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	return inflater->algorithm && inflater->algorithm->run &&
	       inflater->algorithm->run(inflater, block, out, size);
}

/* Reads small files that gzip compressed. */

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
