/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Growable bytes whose failure sticks: append often, ask once. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
void buffer_clear(struct buffer *buffer);

/**
 * buffer_trim - give back the memory that the bytes do not need; for what is kept long and grows
 * no more
 */
void buffer_trim(struct buffer *buffer);

/**
 * buffer_reserve - room for @size more bytes
 *
 * Returns where they go (the caller writes there and then adds to @buffer->size), or NULL after a
 * failure.
 */
char *buffer_reserve(struct buffer *buffer, size_t size);

/** buffer_append - add @size bytes */
void buffer_append(struct buffer *buffer, const void *data, size_t size);

/** buffer_append_string - add the bytes of a C string */
void buffer_append_string(struct buffer *buffer, const char *string);

/** buffer_append_char - add one byte */
void buffer_append_char(struct buffer *buffer, char byte);

/** buffer_append_unsigned - add a number in decimal */
void buffer_append_unsigned(struct buffer *buffer, uint64_t number);

/** buffer_append_signed - add a number in decimal, with a minus sign where it is negative */
void buffer_append_signed(struct buffer *buffer, int64_t number);

/**
 * buffer_append_decimal - add @number / 10^@decimals with exactly @decimals digits after the point,
 * cut, not rounded
 * @number: for example nanoseconds, with nine decimals seconds
 * @decimals: 1 to 18
 */
void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals);

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
