// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compresses outputs with zstd; decompresses step by step, because sizes in the input cannot be
 * trusted.
 */
#include "sink/compression.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "sink/sink.h"

#define MAGIC UINT32_C(0xfd2fb528)
#define SKIPPABLE_MAGIC UINT32_C(0x184d2a50)
#define SKIPPABLE_MASK UINT32_C(0xfffffff0)
#define CHECKSUM_SIZE 4
#define BLOCK_RLE 1
#define BLOCK_RESERVED 3

/** enum frames_state - what a file ends with */
enum frames_state {
	FRAMES_COMPLETE,
	FRAMES_INCOMPLETE,
	FRAMES_NONE,
};

/** struct frames - a file, and the offset up to which it was walked */
struct frames {
	int fd;
	uint64_t offset;
	uint64_t size;
};

/* A little-endian number of up to 4 bytes, which the walk passes. */
static bool frame_number_take(struct frames *frames, unsigned int size, uint32_t *number)
{
	unsigned char bytes[4];

	if (file_read_block(frames->fd, (char *)bytes, size, frames->offset) != (ssize_t)size)
		return false;
	*number = 0;
	for (unsigned int i = 0; i < size; i++)
		*number |= (uint32_t)bytes[i] << 8 * i;
	frames->offset += size;
	return true;
}

static bool bytes_pass(struct frames *frames, uint64_t size)
{
	if (size > frames->size - frames->offset)
		return false;
	frames->offset += size;
	return true;
}

/* Passes the blocks of a frame; returns FRAMES_NONE if they are none. */
static enum frames_state blocks_pass(struct frames *frames)
{
	uint32_t header;

	do {
		unsigned int kind;

		if (!frame_number_take(frames, 3, &header))
			return FRAMES_INCOMPLETE;
		kind = header >> 1 & 3;
		if (kind == BLOCK_RESERVED)
			return FRAMES_NONE;
		if (!bytes_pass(frames, kind == BLOCK_RLE ? 1 : header >> 3))
			return FRAMES_INCOMPLETE;
	} while (!(header & 1));
	return FRAMES_COMPLETE;
}

/* The descriptor has the sizes of the fields that follow it. */
static enum frames_state frame_pass(struct frames *frames)
{
	static const unsigned int dictionary_sizes[] = { 0, 1, 2, 4 };
	static const unsigned int content_sizes[] = { 0, 2, 4, 8 };
	uint32_t descriptor;
	unsigned int size;
	enum frames_state state;
	bool is_single;

	if (!frame_number_take(frames, 1, &descriptor))
		return FRAMES_INCOMPLETE;
	is_single = descriptor & 0x20;
	size = is_single ? 0 : 1;
	size += dictionary_sizes[descriptor & 3] + content_sizes[descriptor >> 6];
	size += is_single && descriptor >> 6 == 0;
	if (!bytes_pass(frames, size))
		return FRAMES_INCOMPLETE;
	state = blocks_pass(frames);
	if (state == FRAMES_COMPLETE && descriptor & 4 && !bytes_pass(frames, CHECKSUM_SIZE))
		return FRAMES_INCOMPLETE;
	return state;
}

static enum frames_state frames_walk(struct frames *frames)
{
	while (frames->offset < frames->size) {
		enum frames_state state = FRAMES_INCOMPLETE;
		uint32_t magic, size;

		if (!frame_number_take(frames, 4, &magic))
			return frames->offset == 0 ? FRAMES_NONE : FRAMES_INCOMPLETE;
		if (magic == MAGIC)
			state = frame_pass(frames);
		else if ((magic & SKIPPABLE_MASK) != SKIPPABLE_MAGIC)
			state = FRAMES_NONE;
		else if (frame_number_take(frames, 4, &size) && bytes_pass(frames, size))
			state = FRAMES_COMPLETE;
		if (state != FRAMES_COMPLETE)
			return state;
	}
	return FRAMES_COMPLETE;
}

int zstd_frames_check(int fd, const char *name, struct error *error)
{
	struct frames frames = { 0 };
	enum frames_state state;
	struct stat about;
	char path[64];

	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
		return 0;
	/* The output itself is open for writing only. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	frames.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (frames.fd < 0)
		return error_set_system(error, errno, "cannot append to %s", name);
	frames.size = about.st_size;
	state = frames_walk(&frames);
	close(frames.fd);
	if (state == FRAMES_COMPLETE)
		return 0;
	if (state == FRAMES_NONE)
		return error_set(error, "%s: not compressed with zstd; write to another file",
				 name);
	return error_set(error,
			 "%s: its last frame is incomplete; write to another file, and read this "
			 "one with 'zstd -dc'",
			 name);
}

#define BLOCK_SIZE (64 * 1024)

/*
 * A flushed block can be read at once, but decoders report an incomplete frame. Frames of this age
 * or size are completed at the next flush: after SIGKILL, only the newest lines are in a frame
 * without an end.
 */
#define FRAME_AGE_NS NS_PER_S
#define FRAME_SIZE (1024 * 1024)
/* clang-format off */
#define ZSTD_FUNCTIONS(apply)                                                                     \
	apply(ZSTD_createCCtx) apply(ZSTD_CCtx_setParameter)                                      \
		apply(ZSTD_compressStream2) apply(ZSTD_freeCCtx) apply(ZSTD_createDStream)        \
		apply(ZSTD_decompressStream) apply(ZSTD_freeDStream) apply(ZSTD_isError)
/* clang-format on */

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

struct compressor {
	struct zstd_api api;
	ZSTD_CCtx *context;
	const char *name;
	int fd;
	struct file_wait wait;
	size_t frame_size; /* bytes in the open frame */
	int64_t frame_ns;  /* when it began, on the monotonic clock */
	bool has_frame;	   /* a frame was written, or is open */
	bool has_failed;   /* what is in the file is no frame */
	char block[BLOCK_SIZE];
};

static int compressor_fail(struct compressor *compressor, int number)
{
	compressor->has_failed = true;
	errno = number;
	return -1;
}

static int compressor_run(struct compressor *compressor, struct text data,
			  ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = { .src = data.data, .size = data.size };
	size_t left;

	if (compressor->has_failed)
		return compressor_fail(compressor, EIO);
	do {
		ZSTD_outBuffer out = { .dst = compressor->block, .size = BLOCK_SIZE };

		left = compressor->api.ZSTD_compressStream2(compressor->context, &out, &in,
							    directive);
		if (compressor->api.ZSTD_isError(left))
			return compressor_fail(compressor, ENOMEM);
		if (file_write_all(compressor->fd, compressor->block, out.pos, &compressor->wait) <
		    0)
			return compressor_fail(compressor, errno);
	} while (directive == ZSTD_e_continue ? in.pos < in.size : left > 0);
	return 0;
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

void compressor_free(struct compressor *compressor)
{
	struct error ignored = { 0 };

	if (!compressor)
		return;
	if (compressor->frame_size > 0 && !compressor->has_failed)
		frame_end(compressor, &ignored);
	if (compressor->context)
		compressor->api.ZSTD_freeCCtx(compressor->context);
	library_release(compressor->api.handle);
	free(compressor);
}

int compressor_new(const struct sink_settings *settings, struct compressor **out,
		   struct error *error)
{
	struct compressor *compressor;
	struct zstd_api *api;

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
	api = &compressor->api;
	if (zstd_api_load(api, error) == 0) {
		compressor->context = api->ZSTD_createCCtx();
		if (compressor->context && !api->ZSTD_isError(api->ZSTD_CCtx_setParameter(
						   compressor->context, ZSTD_c_checksumFlag, 1))) {
			*out = compressor;
			return 0;
		}
		error_set(error, "out of memory");
	}
	compressor_free(compressor);
	return -1;
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

#define STEP_SIZE (64 * 1024)

bool decompress_zlib(struct buffer *out, struct text compressed, size_t most)
{
	z_stream stream = { .next_in = (const Bytef *)compressed.data,
			    .avail_in = (uInt)compressed.size };
	size_t before = out->size;
	int status = Z_OK;

	if (compressed.size > UINT32_MAX || inflateInit(&stream) != Z_OK)
		return false;
	while (status == Z_OK && out->size - before <= most) {
		stream.next_out = (Bytef *)buffer_reserve(out, STEP_SIZE);
		stream.avail_out = STEP_SIZE;
		if (!stream.next_out)
			break;
		status = inflate(&stream, Z_NO_FLUSH);
		out->size += STEP_SIZE - stream.avail_out;
	}
	inflateEnd(&stream);
	return status == Z_STREAM_END && out->size - before <= most;
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
