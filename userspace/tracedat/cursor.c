// SPDX-License-Identifier: GPL-2.0-only
/* Checks every read against the end of the bytes. */
#include "tracedat/cursor.h"

#include <string.h>

size_t cursor_left(const struct cursor *cursor)
{
	return cursor->is_over ? 0 : cursor->size - cursor->offset;
}

static bool cursor_fits(struct cursor *cursor, uint64_t size)
{
	cursor->is_over |= size > cursor->size - cursor->offset;
	return !cursor->is_over;
}

/* Returns the next bytes, at most @size; @size becomes their number. */
static const unsigned char *cursor_peek(const struct cursor *cursor, size_t *size)
{
	if (cursor->window)
		return window_read(cursor->window, cursor->offset, cursor->size, size);
	return cursor->data ? cursor->data + cursor->offset : NULL;
}

const unsigned char *cursor_take(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes;
	size_t there = size;

	if (!cursor_fits(cursor, size))
		return NULL;
	bytes = cursor_peek(cursor, &there);
	if (!bytes || there < size) {
		cursor->is_over = true;
		return NULL;
	}
	cursor->offset += size;
	return bytes;
}

void cursor_skip(struct cursor *cursor, uint64_t size)
{
	if (cursor_fits(cursor, size))
		cursor->offset += size;
}

/* Copies @size bytes, or zeros if there are less. */
static void cursor_copy(struct cursor *cursor, void *out, size_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	if (bytes)
		memcpy(out, bytes, size);
	else
		memset(out, 0, size);
}

uint8_t cursor_u8(struct cursor *cursor)
{
	uint8_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return number;
}

uint16_t cursor_u16(struct cursor *cursor)
{
	uint16_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap16(number) : number;
}

uint32_t cursor_u32(struct cursor *cursor)
{
	uint32_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap32(number) : number;
}

uint64_t cursor_u64(struct cursor *cursor)
{
	uint64_t number;

	cursor_copy(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap64(number) : number;
}

struct text cursor_text(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	return (struct text){ .data = bytes ? (const char *)bytes : "", .size = bytes ? size : 0 };
}

/* The size of the next string without its NUL, or of all bytes if it has none. */
static size_t cursor_string_size(const struct cursor *cursor)
{
	size_t size = cursor_left(cursor);
	const unsigned char *bytes;

	if (cursor->window && size > CURSOR_STRING_MAX)
		size = CURSOR_STRING_MAX;
	if (size == 0)
		return 0;
	bytes = cursor_peek(cursor, &size);
	return bytes ? strnlen((const char *)bytes, size) : size;
}

struct text cursor_string(struct cursor *cursor)
{
	struct text text = cursor_text(cursor, (uint64_t)cursor_string_size(cursor) + 1);

	if (text.size > 0 && text.data[text.size - 1] != '\0') {
		cursor->offset -= text.size;
		cursor->is_over = true;
		return (struct text){ .data = "" };
	}
	text.size -= text.size > 0;
	return text;
}

struct cursor cursor_part(struct cursor *cursor, uint64_t size)
{
	struct cursor part = *cursor;

	cursor_skip(cursor, size);
	part.is_over = cursor->is_over;
	part.size = cursor->offset;
	return part;
}

bool cursor_expect(struct cursor *cursor, struct text literal)
{
	struct cursor before = *cursor;

	if (text_equals(cursor_text(cursor, literal.size), literal))
		return true;
	*cursor = before;
	cursor->is_over = true;
	return false;
}
