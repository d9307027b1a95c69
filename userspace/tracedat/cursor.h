/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads numbers and texts from untrusted bytes in memory or in a file. */
#ifndef TRACEDAT_CURSOR_H
#define TRACEDAT_CURSOR_H

#include <stdbool.h>

#include "base/base.h"
#include "tracedat/input.h"

/**
 * struct cursor - a position in borrowed bytes
 * @data: all bytes, if they are in memory
 * @window: otherwise the window of their file; a text is valid until the next read
 * @size: end of the bytes
 * @offset: of the next byte; a read that did not fit does not change it
 * @is_swapped: numbers are in the other byte order than this machine's
 * @is_over: a read did not fit; all later reads return 0 or nothing
 */
struct cursor {
	const unsigned char *data;
	struct window *window;
	size_t size;
	size_t offset;
	bool is_swapped;
	bool is_over;
};

/** cursor_left - number of bytes that follow */
size_t cursor_left(const struct cursor *cursor);

/** cursor_take - read @size bytes; returns NULL if there are less */
const unsigned char *cursor_take(struct cursor *cursor, uint64_t size);

/** cursor_skip - skip @size bytes without reading them */
void cursor_skip(struct cursor *cursor, uint64_t size);

/** cursor_u8, cursor_u16, cursor_u32, cursor_u64 - the next number */
uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);

/** cursor_text - read @size bytes as a text */
struct text cursor_text(struct cursor *cursor, uint64_t size);

/** CURSOR_STRING_MAX - limit of strings in a file */
#define CURSOR_STRING_MAX 4096

/** cursor_string - read a text and the NUL behind it; "" if there is no NUL */
struct text cursor_string(struct cursor *cursor);

/** cursor_part - skip @size bytes; returns a cursor for them */
struct cursor cursor_part(struct cursor *cursor, uint64_t size);

/** cursor_expect - skip the bytes of @literal; returns whether they were there */
bool cursor_expect(struct cursor *cursor, struct text literal);

#endif
