/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of a file that is in memory while it is read from begin to end. */
#ifndef SOURCE_WINDOW_H
#define SOURCE_WINDOW_H

#include "source/input.h"

/** WINDOW_SIZE - how much is usually read at once */
#define WINDOW_SIZE 65536

/** WINDOW_SIZE_MAX - the most that can be asked for at once */
#define WINDOW_SIZE_MAX (16 << 20)

/**
 * struct window - bytes of a file
 * @ahead: how much is read at once, if more is there than was asked for
 * @begin: where @bytes are in the file
 * @filled: how many of them are valid, of @capacity
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
 * window_read - let the bytes at @offset be in memory, and nothing from @end on
 * @size: how many; becomes how many there are, less than that if the file is shorter or memory
 * runs out
 *
 * Returns the bytes, valid until the next call; errno is as input_read() leaves it.
 */
const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end,
				 size_t *size);

void window_release(struct window *window);

#endif
