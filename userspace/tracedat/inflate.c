// SPDX-License-Identifier: GPL-2.0-only
/* Decompresses blocks with zstd and zlib. */
#include "tracedat/inflate.h"

#include <zlib.h>
#include <zstd.h>

/**
 * struct inflate_algorithm - a compression algorithm
 * @run: decompress to exactly @size bytes
 * @release: free the state
 */
struct inflate_algorithm {
	const char *name;
	bool (*run)(struct inflater *inflater, struct text block, void *out, size_t size);
	void (*release)(struct inflater *inflater);
};

static bool zstd_run(struct inflater *inflater, struct text block, void *out, size_t size)
{
	if (!inflater->state)
		inflater->state = ZSTD_createDCtx();
	return inflater->state &&
	       ZSTD_decompressDCtx(inflater->state, out, size, block.data, block.size) == size;
}

static void zstd_release(struct inflater *inflater)
{
	ZSTD_freeDCtx(inflater->state);
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
	{ .name = "zstd", .run = zstd_run, .release = zstd_release },
};

bool inflater_init(struct inflater *inflater, struct text name)
{
	*inflater = (struct inflater){ 0 };
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (text_equals(name, text_of(algorithms[i].name)))
			inflater->algorithm = &algorithms[i];
	}
	return inflater->algorithm != NULL;
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
