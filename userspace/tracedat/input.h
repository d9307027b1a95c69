/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that is read by offset, the copy of a pipe, and a window that moves over the file. */
#ifndef TRACEDAT_INPUT_H
#define TRACEDAT_INPUT_H

#include <stddef.h>

#include "base/base.h"

/**
 * struct input - an open file
 * @fd: -1 if there is none
 * @size: at open; it may change later
 * @progress: counts what is read, NULL for nothing
 */
struct input {
	int fd;
	uint64_t size;
	struct byte_progress *progress;
};

/** INPUT_NONE - no open file */
#define INPUT_NONE ((struct input){ .fd = -1 })

/**
 * input_open - open the file at @path, or standard input if that is "-"
 * @progress: counts the bytes of a pipe, NULL for none
 *
 * A pipe is copied to an unnamed temporary file first. Returns 0, or -1 with @error.
 */
int input_open(struct input *input, const char *path, struct byte_progress *progress,
	       struct error *error);

/** input_name - name of the file at @path in errors */
const char *input_name(const char *path);

void input_close(struct input *input);

/**
 * input_read - read up to @size bytes at @offset
 *
 * Returns the number of bytes; if that is less than @size, errno is 0 at the end of the file, and
 * the reason otherwise.
 */
size_t input_read(const struct input *input, void *out, size_t size, uint64_t offset);

/** INPUT_COPY_MAX - limit of a copy */
#define INPUT_COPY_MAX (UINT64_C(16) << 30)

/**
 * input_copy - copy all bytes of @fd to an unnamed temporary file
 * @name: of @fd in errors
 * @limit: more bytes are an error
 * @progress: counts the bytes, NULL for none
 *
 * Stops after the first bytes if they do not begin a trace.dat, so that endless other input is
 * refused at once. Returns a descriptor, or -1 with @error.
 */
int input_copy(int fd, const char *name, uint64_t limit, struct byte_progress *progress,
	       struct error *error);

/** WINDOW_SIZE - default of struct window.ahead */
#define WINDOW_SIZE 65536

/** WINDOW_SIZE_MAX - limit of window_read() */
#define WINDOW_SIZE_MAX (16 << 20)

/**
 * struct window - bytes of a file
 * @ahead: bytes to read at once, if the file has more than requested
 * @begin: offset of @bytes in the file
 * @filled: valid bytes, of @capacity
 */
struct window {
	const struct input *input;
	size_t ahead;
	unsigned char *bytes;
	uint64_t begin;
	size_t filled;
	size_t capacity;
};

/**
 * window_read - move the window to @offset; nothing from @end on is read
 * @size: requested bytes; becomes their number, less if the file is shorter or memory runs out
 *
 * Returns the bytes, valid until the next call; errno is as input_read() leaves it.
 */
const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end,
				 size_t *size);

void window_release(struct window *window);

#endif
