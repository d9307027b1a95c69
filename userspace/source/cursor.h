/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers and texts out of bytes in memory or in a file, which may lie about what follows. */
#ifndef SOURCE_CURSOR_H
#define SOURCE_CURSOR_H

#include <stdbool.h>

#include "base/base.h"
#include "source/window.h"

/**
 * struct cursor - a place in bytes that somebody else owns
 * @data: all bytes, if they are in memory
 * @window: otherwise the window of the file they are in; it moves with each read, so that a text
 * lasts until the next one
 * @size: where the bytes end
 * @offset: of the next byte; behind a read that did not fit, still where it began
 * @is_swapped: numbers are in the other byte order than this machine's
 * @is_over: a read did not fit; every read since then gave 0 or nothing
 */
struct cursor {
	const unsigned char *data;
	struct window *window;
	size_t size;
	size_t offset;
	bool is_swapped;
	bool is_over;
};

/** cursor_left - how many bytes follow */
size_t cursor_left(const struct cursor *cursor);

/** cursor_take - step over @size bytes; returns where they are, NULL where they are not there */
const unsigned char *cursor_take(struct cursor *cursor, uint64_t size);

/** cursor_skip - step over @size bytes without reading them */
void cursor_skip(struct cursor *cursor, uint64_t size);

/** cursor_u8, cursor_u16, cursor_u32, cursor_u64 - the next number */
uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);

/** cursor_text - the next @size bytes as a text */
struct text cursor_text(struct cursor *cursor, uint64_t size);

/** CURSOR_STRING_MAX - a longer string in a file is no string */
#define CURSOR_STRING_MAX 4096

/** cursor_string - the text up to the next NUL, which stands behind it; "" if there is no NUL */
struct text cursor_string(struct cursor *cursor);

/** cursor_part - a cursor of its own for the next @size bytes */
struct cursor cursor_part(struct cursor *cursor, uint64_t size);

/** cursor_expect - step over the bytes of @literal; returns whether they were there */
bool cursor_expect(struct cursor *cursor, struct text literal);

#endif
