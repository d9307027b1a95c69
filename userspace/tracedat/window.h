/* SPDX-License-Identifier: GPL-2.0-only */
/* A window of a file in memory, which is mostly read forwards. */
#ifndef TRACEDAT_WINDOW_H
#define TRACEDAT_WINDOW_H

#include "tracedat/input.h"

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
