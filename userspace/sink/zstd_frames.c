// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks the frames of a file (RFC 8878) without decompressing them: a frame that is appended behind
 * an incomplete one cannot be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink/compressor.h"

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

/* The output itself is open for writing only. */
static int frames_open(struct frames *frames, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	frames->fd = open(path, O_RDONLY | O_CLOEXEC);
	return frames->fd;
}

int zstd_frames_check(int fd, const char *name, struct error *error)
{
	struct frames frames = { 0 };
	enum frames_state state;
	struct stat about;

	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
		return 0;
	if (frames_open(&frames, fd) < 0)
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
