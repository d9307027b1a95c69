/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Growable bytes whose failure sticks: append often, ask once. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/put.h"
#include "base/text.h"

/**
 * struct buffer - bytes that grow at their end
 * @data: the bytes, not NUL-terminated; NULL before the first append
 * @size: how many there are
 * @capacity: how many fit without growing
 * @failed: memory ran out once; every append since then did nothing
 *
 * A zeroed struct is an empty buffer. buffer_release() gives its memory back and zeroes it.
 */
struct buffer {
	char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

/** buffer_release - give the memory back; fine on a zeroed buffer */
void buffer_release(struct buffer *buffer);

/** buffer_clear - forget the bytes and the failure, keep the memory */
static inline void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->failed = false;
}

/**
 * buffer_seal - let PUT_SLACK bytes behind the bytes be readable, for put_block(), until the next
 * append
 */
void buffer_seal(struct buffer *buffer);

/**
 * buffer_trim - give back the memory that the sealed bytes do not need; for what is kept long and
 * grows no more
 */
void buffer_trim(struct buffer *buffer);

/** buffer_grow - more room, for buffer_reserve(); returns false where there is none */
bool buffer_grow(struct buffer *buffer, size_t size);

/**
 * buffer_reserve - room for @size more bytes
 *
 * Returns where they go (the caller writes there and then adds to @buffer->size), or NULL after a
 * failure.
 */
hot_inline char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (buffer->failed)
		return NULL;
	if (buffer->capacity - buffer->size < size && !buffer_grow(buffer, size))
		return NULL;
	return buffer->data + buffer->size;
}

/**
 * buffer_reserve_put - room for @size more bytes and what put functions need behind them
 *
 * Returns as buffer_reserve(); buffer_end_put() then takes what was put there.
 */
hot_inline char *buffer_reserve_put(struct buffer *buffer, size_t size)
{
	return buffer_reserve(buffer, size + PUT_SLACK);
}

/** buffer_end_put - the bytes end at @end now */
hot_inline void buffer_end_put(struct buffer *buffer, const char *end)
{
	buffer->size = end - buffer->data;
}

/** buffer_append - add @size bytes */
static inline void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
	char *room = buffer_reserve(buffer, size);

	if (!room || size == 0)
		return;
	memcpy(room, data, size);
	buffer->size += size;
}

/** buffer_append_string - add the bytes of a C string */
static inline void buffer_append_string(struct buffer *buffer, const char *string)
{
	buffer_append(buffer, string, strlen(string));
}

/** buffer_append_char - add one byte */
static inline void buffer_append_char(struct buffer *buffer, char byte)
{
	buffer_append(buffer, &byte, 1);
}

/** buffer_append_unsigned - add a number in decimal */
void buffer_append_unsigned(struct buffer *buffer, uint64_t number);

/** buffer_append_signed - add a number in decimal, with a minus sign where it is negative */
void buffer_append_signed(struct buffer *buffer, int64_t number);

/**
 * buffer_append_decimal - add @number / 10^@decimals with exactly @decimals digits after the point,
 * cut, not rounded
 * @number: for example nanoseconds, with nine decimals seconds
 * @decimals: 1 to 9
 */
void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals);

/** buffer_append_seconds - add nanoseconds as put_seconds() does */
void buffer_append_seconds(struct buffer *buffer, int64_t ns, unsigned int decimals);

/** buffer_printf - add formatted text */
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** buffer_text - the bytes as a text, borrowed until the next append */
struct text buffer_text(const struct buffer *buffer);

/**
 * buffer_string - the bytes as a C string
 *
 * Returns a NUL-terminated string that lives until the next append, "" after a failure.
 */
const char *buffer_string(struct buffer *buffer);

#endif
