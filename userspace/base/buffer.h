/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Growable bytes with a sticky failure: append often, check @failed once.
 *
 * Our own, because no library that the C library's users have lets a caller write into reserved
 * memory and report failure at the end.
 */
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
 * @size: number of bytes
 * @capacity: allocated bytes; one more than are used, for buffer_string()
 * @failed: memory ran out; later appends do nothing
 *
 * A zeroed struct is an empty buffer. buffer_release() frees its memory and zeroes it.
 */
struct buffer {
	char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

/** buffer_release - free the memory and zero the struct */
void buffer_release(struct buffer *buffer);

/** buffer_clear - drop the bytes and the failure, keep the memory */
static inline void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->failed = false;
}

/** buffer_seal - make PUT_SLACK bytes behind the end readable, for put_block(); lost on append */
void buffer_seal(struct buffer *buffer);

/** buffer_trim - shrink the memory of a sealed buffer that will not grow any more */
void buffer_trim(struct buffer *buffer);

/** buffer_grow - make @size bytes fit, for buffer_reserve(); returns false if memory ran out */
bool buffer_grow(struct buffer *buffer, size_t size);

/**
 * buffer_reserve - make @size more bytes fit
 *
 * Returns the end of the bytes, or NULL after a failure. The caller writes there and adds to
 * @buffer->size.
 */
hot_inline char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (unlikely(buffer->failed))
		return NULL;
	if (unlikely(buffer->capacity - buffer->size <= size) && !buffer_grow(buffer, size))
		return NULL;
	return buffer->data + buffer->size;
}

/**
 * buffer_reserve_put - buffer_reserve() for put functions, with PUT_SLACK bytes behind
 *
 * Call buffer_end_put() afterwards.
 */
hot_inline char *buffer_reserve_put(struct buffer *buffer, size_t size)
{
	return buffer_reserve(buffer, size + PUT_SLACK);
}

/** buffer_end_put - set the end of the bytes to @end, which a put function returned */
hot_inline void buffer_end_put(struct buffer *buffer, const char *end)
{
	buffer->size = end - buffer->data;
}

/** buffer_append - append @size bytes */
static inline void buffer_append(struct buffer *buffer, const void *data, size_t size)
{
	char *space = buffer_reserve(buffer, size);

	if (!space || size == 0)
		return;
	memcpy(space, data, size);
	buffer->size += size;
}

/** buffer_append_string - append a C string */
static inline void buffer_append_string(struct buffer *buffer, const char *string)
{
	buffer_append(buffer, string, strlen(string));
}

/** buffer_append_char - append one byte */
static inline void buffer_append_char(struct buffer *buffer, char byte)
{
	buffer_append(buffer, &byte, 1);
}

/** buffer_append_unsigned, buffer_append_signed - append a number in decimal */
void buffer_append_unsigned(struct buffer *buffer, uint64_t number);
void buffer_append_signed(struct buffer *buffer, int64_t number);

/** buffer_append_hex - append a number in hexadecimal: "0x1f" */
void buffer_append_hex(struct buffer *buffer, uint64_t number);

/**
 * buffer_append_decimal - append @number / 10^@decimals with @decimals digits after the point
 * @number: for example nanoseconds: nine decimals make seconds
 * @decimals: 1 to 9
 */
void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals);

/** buffer_append_seconds - append nanoseconds as put_seconds() does */
void buffer_append_seconds(struct buffer *buffer, int64_t ns, unsigned int decimals);

/** buffer_printf - append formatted text */
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** buffer_text - the bytes as a text; valid until the next append */
struct text buffer_text(const struct buffer *buffer);

/**
 * buffer_string - the bytes as a C string, "" after a failure; valid until the next append
 *
 * It needs no memory, so that @failed can be checked before.
 */
const char *buffer_string(struct buffer *buffer);

/** buffer_append_word - append a word as a shell reads it: quoted if it has to be */
void buffer_append_word(struct buffer *buffer, const char *word);

/** buffer_append_count - append a number and a noun, with an "s" unless the number is 1 */
void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun);

/** buffer_append_grouped - append a number with grouped digits: "12,034" */
void buffer_append_grouped(struct buffer *buffer, uint64_t count);

/** buffer_append_duration - append nanoseconds with three digits and a unit: "1.60us" */
void buffer_append_duration(struct buffer *buffer, int64_t ns);

#endif
