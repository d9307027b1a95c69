// SPDX-License-Identifier: GPL-2.0-only
/* Tests of decompression: of sound, cut, changed and endless input. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "fixtures/tap.h"
#include "sink/compression.h"

#define CONTENT_SIZE 200000

static char content[CONTENT_SIZE];
static char compressed[CONTENT_SIZE];

static void content_fill(void)
{
	for (size_t i = 0; i < CONTENT_SIZE; i++)
		content[i] = "abcd"[i * i / 7 % 4];
}

static struct text zlib_make(void)
{
	uLongf size = sizeof(compressed);

	content_fill();
	if (compress((Bytef *)compressed, &size, (const Bytef *)content, CONTENT_SIZE) != Z_OK)
		abort();
	return (struct text){ compressed, size };
}

static struct text zstd_make(void)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t size;

	content_fill();
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(context, compressed, sizeof(compressed), content, CONTENT_SIZE);
	if (ZSTD_isError(size))
		abort();
	ZSTD_freeCCtx(context);
	return (struct text){ compressed, size };
}

static bool zstd_read(struct buffer *out, struct text input, size_t most)
{
	struct error error = { 0 };
	bool is_whole = decompress_zstd(out, input, most, &error);

	CHECK_TEXT(error.text, "");
	return is_whole;
}

static void input_check(struct text input, size_t most,
			bool (*decompress)(struct buffer *, struct text, size_t), bool want)
{
	SCOPED_BUFFER(out);

	buffer_append_string(&out, "before");
	CHECK_NUMBER(decompress(&out, input, most), want);
	if (want) {
		CHECK_NUMBER(out.size, strlen("before") + CONTENT_SIZE);
		CHECK(memcmp(out.data + strlen("before"), content, CONTENT_SIZE) == 0);
	}
	/* One step more than the limit at most. */
	CHECK(out.size <= strlen("before") + most + (64 << 10));
}

static void all_check(struct text (*make)(void),
		      bool (*decompress)(struct buffer *, struct text, size_t))
{
	struct text input = make(), cut = input;

	input_check(input, CONTENT_SIZE, decompress, true);
	input_check(input, CONTENT_SIZE - 1, decompress, false);
	input_check(input, 0, decompress, false);
	for (cut.size = 0; cut.size < input.size; cut.size += 1 + input.size / 50)
		input_check(cut, CONTENT_SIZE, decompress, false);
	for (size_t i = 0; i < input.size; i += 1 + input.size / 50) {
		compressed[i] ^= 0xff;
		input_check(input, CONTENT_SIZE, decompress, false);
		compressed[i] ^= 0xff;
	}
	input_check(input, CONTENT_SIZE, decompress, true);
}

TEST(zlib_streams_are_whole_or_refused)
{
	all_check(zlib_make, decompress_zlib);
}

TEST(zstd_frames_are_whole_or_refused)
{
	all_check(zstd_make, zstd_read);
}
