// SPDX-License-Identifier: GPL-2.0-only
/* Compresses an output with zstd while it is written. */
#include "sink/compressor.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "sink/sink.h"

#define BLOCK_SIZE (64 * 1024)

/*
 * A flushed block can be read at once, but decoders report an incomplete frame. Frames of this age
 * or size are completed at the next flush: after SIGKILL, only the newest lines are in a frame
 * without an end.
 */
#define FRAME_AGE_NS NS_PER_S
#define FRAME_SIZE (1024 * 1024)

/* clang-format off */
#define ZSTD_FUNCTIONS(apply)                                                   \
	apply(ZSTD_createCCtx) apply(ZSTD_CCtx_setParameter)                    \
		apply(ZSTD_compressStream2) apply(ZSTD_freeCCtx) apply(ZSTD_isError)
/* clang-format on */

/**
 * struct compressor - libzstd, and the file
 * @context: of libzstd
 * @name: of the file
 * @frame_size: bytes in the open frame
 * @frame_ns: when it began, on the monotonic clock
 * @has_frame: a frame was written, or is open
 * @has_failed: what is in the file is no frame
 */
struct compressor {
	void *handle;
	ZSTD_FUNCTIONS(LIBRARY_MEMBER)
	ZSTD_CCtx *context;
	const char *name;
	int fd;
	struct file_wait wait;
	size_t frame_size;
	int64_t frame_ns;
	bool has_frame;
	bool has_failed;
	char block[BLOCK_SIZE];
};

static int compressor_load(struct compressor *api, struct error *error)
{
	const struct library_function functions[] = { ZSTD_FUNCTIONS(LIBRARY_FUNCTION) };

	if (library_load(&api->handle, "libzstd.so.1", "libzstd (Debian's package libzstd1)",
			 functions, sizeof(functions) / sizeof(functions[0]), error) < 0)
		return -1;
	api->context = api->ZSTD_createCCtx();
	if (!api->context ||
	    api->ZSTD_isError(api->ZSTD_CCtx_setParameter(api->context, ZSTD_c_checksumFlag, 1)))
		return error_set(error, "out of memory");
	return 0;
}

int compressor_new(const struct sink_settings *settings, struct compressor **out,
		   struct error *error)
{
	struct compressor *compressor;

	*out = NULL;
	if (!settings->is_compressed)
		return 0;
	if (settings->is_appending && zstd_frames_check(settings->fd, settings->name, error) < 0)
		return -1;
	compressor = calloc(1, sizeof(*compressor));
	if (!compressor)
		return error_set(error, "out of memory");
	compressor->name = settings->name;
	compressor->fd = settings->fd;
	compressor->wait = settings->wait;
	if (compressor_load(compressor, error) < 0) {
		compressor_free(compressor);
		return -1;
	}
	*out = compressor;
	return 0;
}

static int compressor_fail(struct compressor *compressor, int number)
{
	compressor->has_failed = true;
	errno = number;
	return -1;
}

/* Compresses, and writes the compressed blocks. */
static int compressor_run(struct compressor *compressor, struct text data,
			  ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = { .src = data.data, .size = data.size };
	size_t left;

	if (compressor->has_failed)
		return compressor_fail(compressor, EIO);
	do {
		ZSTD_outBuffer out = { .dst = compressor->block, .size = BLOCK_SIZE };

		left = compressor->ZSTD_compressStream2(compressor->context, &out, &in, directive);
		if (compressor->ZSTD_isError(left))
			return compressor_fail(compressor, ENOMEM);
		if (file_write_all(compressor->fd, compressor->block, out.pos, &compressor->wait) <
		    0)
			return compressor_fail(compressor, errno);
	} while (directive == ZSTD_e_continue ? in.pos < in.size : left > 0);
	return 0;
}

int compressor_write(struct compressor *compressor, const char *data, size_t size)
{
	if (compressor->frame_size == 0)
		compressor->frame_ns = time_now_ns(CLOCK_MONOTONIC);
	compressor->frame_size += size;
	compressor->has_frame |= size > 0;
	return compressor_run(compressor, (struct text){ .data = data, .size = size },
			      ZSTD_e_continue);
}

/* Writes all that the library holds. */
static int compressor_drain(struct compressor *compressor, ZSTD_EndDirective directive,
			    struct error *error)
{
	if (compressor_run(compressor, (struct text){ 0 }, directive) == 0)
		return 0;
	if (errno == ECANCELED)
		return error_set(error, "cannot write to %s: nobody reads it", compressor->name);
	return error_set_system(error, errno, "cannot write to %s", compressor->name);
}

static int frame_end(struct compressor *compressor, struct error *error)
{
	compressor->frame_size = 0;
	compressor->has_frame = true;
	return compressor_drain(compressor, ZSTD_e_end, error);
}

int compressor_flush(struct compressor *compressor, struct error *error)
{
	if (!compressor || compressor->frame_size == 0)
		return 0;
	if (compressor->frame_size >= FRAME_SIZE ||
	    time_now_ns(CLOCK_MONOTONIC) - compressor->frame_ns >= FRAME_AGE_NS)
		return frame_end(compressor, error);
	return compressor_drain(compressor, ZSTD_e_flush, error);
}

/* An output without a byte gets an empty frame: a file without any is no zstd file. */
int compressor_end(struct compressor *compressor, struct error *error)
{
	if (!compressor || (compressor->frame_size == 0 && compressor->has_frame))
		return 0;
	return frame_end(compressor, error);
}

void compressor_free(struct compressor *compressor)
{
	struct error ignored = { 0 };

	if (!compressor)
		return;
	if (compressor->frame_size > 0 && !compressor->has_failed)
		frame_end(compressor, &ignored);
	if (compressor->context)
		compressor->ZSTD_freeCCtx(compressor->context);
	library_release(compressor->handle);
	free(compressor);
}
