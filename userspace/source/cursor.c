// SPDX-License-Identifier: GPL-2.0-only
/* Reads numbers and texts, and nothing outside of the bytes given. */
#include "source/cursor.h"

#include <string.h>

size_t cursor_left(const struct cursor *cursor)
{
	return cursor->is_over ? 0 : cursor->size - cursor->offset;
}

const unsigned char *cursor_take(struct cursor *cursor, uint64_t size)
{
	size_t offset = cursor->offset;

	if (cursor->is_over || !cursor->data || size > cursor->size - offset) {
		cursor->is_over = true;
		return NULL;
	}
	cursor->offset += size;
	return cursor->data + offset;
}

/* The next @size bytes as they are in memory; zeros where they are not there. */
static void bytes_read(struct cursor *cursor, void *out, size_t size)
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

	bytes_read(cursor, &number, sizeof(number));
	return number;
}

uint16_t cursor_u16(struct cursor *cursor)
{
	uint16_t number;

	bytes_read(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap16(number) : number;
}

uint32_t cursor_u32(struct cursor *cursor)
{
	uint32_t number;

	bytes_read(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap32(number) : number;
}

uint64_t cursor_u64(struct cursor *cursor)
{
	uint64_t number;

	bytes_read(cursor, &number, sizeof(number));
	return cursor->is_swapped ? __builtin_bswap64(number) : number;
}

struct text cursor_text(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	return (struct text){ .data = bytes ? (const char *)bytes : "", .size = bytes ? size : 0 };
}

struct text cursor_string(struct cursor *cursor)
{
	size_t left = cursor_left(cursor);
	size_t size = left > 0 ? strnlen((const char *)cursor->data + cursor->offset, left) : 0;
	struct text text = cursor_text(cursor, (uint64_t)size + 1);

	text.size -= text.size > 0;
	return text;
}

struct cursor cursor_part(struct cursor *cursor, uint64_t size)
{
	const unsigned char *bytes = cursor_take(cursor, size);

	return (struct cursor){
		.data = bytes ? bytes : cursor->data,
		.size = bytes ? size : 0,
		.is_swapped = cursor->is_swapped,
		.is_over = !bytes,
	};
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
