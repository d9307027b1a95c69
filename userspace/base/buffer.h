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

#include "base/inline.h"
#include "base/text.h"
#include "base/word.h"

/*
 * Put functions: they write bytes and numbers into reserved memory, take the position and return
 * the end.
 *
 * They check no bounds. The caller reserves the memory and PUT_SLACK bytes more, because copies of
 * whole blocks take fewer instructions than copies of an exact size. Our own, because printf()
 * parses its format for each line.
 */

/** PUT_SLACK - bytes behind the end that put functions may write, and put_block() may read */
#define PUT_SLACK 32
/** PUT_NUMBER_MAX - fits any number that a function below puts */
#define PUT_NUMBER_MAX 32

/** put_triples - "000" to "999" */
extern const char put_triples[1000][4];

/** put_blank_block - blanks */
extern const char put_blank_block[PUT_SLACK + 1];

/** PUT_LITERAL - put the bytes of a string literal */
#define PUT_LITERAL(out, literal) put_bytes((out), (literal), sizeof(literal) - 1)

/** put_bytes - put @size bytes; fast if @size is a constant or large */
hot_inline char *put_bytes(char *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

/** put_slack - put PUT_SLACK bytes; one copy in functions that are compiled for wide registers */
hot_inline void put_slack(char *out, const void *data)
{
	uint64_t __attribute__((vector_size(PUT_SLACK))) block;

	memcpy(&block, data, sizeof(block));
	memcpy(out, &block, sizeof(block));
}

/** put_text - put @size bytes, no other; for small sizes that are no constant */
hot_inline char *put_text(char *out, const char *data, size_t size)
{
	char *end = out + size;
	const size_t half = WORD_SIZE / 2;

	if (size > 4 * PUT_SLACK)
		return put_bytes(out, data, size);
	if (size >= PUT_SLACK) {
		for (size_t i = 0; i + PUT_SLACK < size; i += PUT_SLACK)
			put_slack(out + i, data + i);
		put_slack(end - PUT_SLACK, data + size - PUT_SLACK);
	} else if (size >= 2 * WORD_SIZE) {
		put_bytes(out, data, 2 * WORD_SIZE);
		put_bytes(end - 2 * WORD_SIZE, data + size - 2 * WORD_SIZE, 2 * WORD_SIZE);
	} else if (size >= WORD_SIZE) {
		put_bytes(out, data, WORD_SIZE);
		put_bytes(end - WORD_SIZE, data + size - WORD_SIZE, WORD_SIZE);
	} else if (size >= half) {
		put_bytes(out, data, half);
		put_bytes(end - half, data + size - half, half);
	} else {
		for (size_t i = 0; i < size; i++)
			out[i] = data[i];
	}
	return end;
}

/** put_block - put @size bytes of a sealed buffer, see buffer_seal() */
hot_inline char *put_block(char *out, const char *data, size_t size)
{
	char *end = out + size;

	do {
		put_slack(out, data);
		out += PUT_SLACK;
		data += PUT_SLACK;
	} while (out < end);
	return end;
}

/**
 * put_blocks - put_block() without a loop, for data that mostly takes @usual blocks
 * @usual: a constant, 1 to 3
 *
 * May write up to @usual blocks, however small @size is.
 */
hot_inline char *put_blocks(char *out, const char *data, size_t size, const size_t usual)
{
	if (unlikely(size - (usual - 1) * PUT_SLACK > PUT_SLACK))
		return put_block(out, data, size);
	for (size_t i = 0; i < usual; i++)
		put_slack(out + i * PUT_SLACK, data + i * PUT_SLACK);
	return out + size;
}

/** put_char - put one byte */
hot_inline char *put_char(char *out, char byte)
{
	*out = byte;
	return out + 1;
}

/** put_blanks - put @size blanks */
hot_inline char *put_blanks(char *out, size_t size)
{
	char *end = out + size;

	do {
		put_slack(out, put_blank_block);
		out += PUT_SLACK;
	} while (out < end);
	return end;
}

/** put_three, put_six - put a number with that many digits, which are enough */
hot_inline char *put_three(char *out, unsigned int number)
{
	memcpy(out, put_triples[number], sizeof(put_triples[0]));
	return out + 3;
}

hot_inline char *put_six(char *out, unsigned int number)
{
	return put_three(put_three(out, number / 1000), number % 1000);
}

/** PUT_NINE_BITS - bits of the fraction with which put_nine_part() divides by 1000000 */
#define PUT_NINE_BITS 50

/**
 * put_nine_part - put the first @size digits of a number below 1000000000, 6 or 9 of them
 *
 * One multiplication divides; each further three digits are the integer part of 1000 times the
 * fraction. It is exact: the error is below 2^30 / 2^50, less than one millionth.
 */
hot_inline char *put_nine_part(char *out, unsigned int number, const unsigned int size)
{
	const uint64_t mask = (UINT64_C(1) << PUT_NINE_BITS) - 1;
	uint64_t rest = number * ((UINT64_C(1) << PUT_NINE_BITS) / 1000000 + 1);

	out = put_three(out, rest >> PUT_NINE_BITS);
	rest = (rest & mask) * 1000;
	out = put_three(out, rest >> PUT_NINE_BITS);
	if (size == 6)
		return out;
	return put_three(out, (rest & mask) * 1000 >> PUT_NINE_BITS);
}

/** put_nine - put a number below 1000000000 with nine digits */
hot_inline char *put_nine(char *out, unsigned int number)
{
	return put_nine_part(out, number, 9);
}

/** PUT_SHORT_LIMIT, PUT_MEDIUM_LIMIT - the limits of put_short() and put_medium(), exclusive */
#define PUT_SHORT_LIMIT 1000
#define PUT_MEDIUM_LIMIT 1000000

/** put_large - put a number of at least PUT_MEDIUM_LIMIT in decimal */
char *put_large(char *out, uint64_t number);

/** put_short - put a number below PUT_SHORT_LIMIT in decimal */
hot_inline char *put_short(char *out, unsigned int number)
{
	if (number < 10)
		return put_char(out, '0' + number);
	if (number >= 100)
		return put_three(out, number);
	return put_bytes(out, put_triples[number] + 1, 2);
}

/** put_medium - put a number from PUT_SHORT_LIMIT to PUT_MEDIUM_LIMIT in decimal */
hot_inline char *put_medium(char *out, unsigned int number)
{
	return put_three(put_short(out, number / 1000), number % 1000);
}

/** put_unsigned - put a number in decimal */
hot_inline char *put_unsigned(char *out, uint64_t number)
{
	if (likely(number < PUT_SHORT_LIMIT))
		return put_short(out, number);
	return number < PUT_MEDIUM_LIMIT ? put_medium(out, number) : put_large(out, number);
}

/** put_signed - put a signed number in decimal */
hot_inline char *put_signed(char *out, int64_t number)
{
	if (number >= 0)
		return put_unsigned(out, number);
	return put_unsigned(put_char(out, '-'), -(uint64_t)number);
}

/** put_hex - put a number in hexadecimal: "0x1f" */
char *put_hex(char *out, uint64_t number);
/** put_long_seconds - put_seconds() of at least a second, or of a negative time */
char *put_long_seconds(char *out, int64_t ns, unsigned int decimals);

/** put_fraction - put nanoseconds below a second as put_seconds() does */
hot_inline char *put_fraction(char *out, uint32_t ns, unsigned int decimals)
{
	out = PUT_LITERAL(out, "0.");
	put_nine(out, ns);
	return out + decimals;
}

/** put_seconds - put nanoseconds as seconds; @decimals: 6 or 9; further digits are cut */
hot_inline char *put_seconds(char *out, int64_t ns, unsigned int decimals)
{
	return (uint64_t)ns < 1000000000 ? put_fraction(out, ns, decimals)
					 : put_long_seconds(out, ns, decimals);
}

/** put_seconds_right - put_seconds() right-aligned in @width bytes, at most PUT_SLACK */
hot_inline char *put_seconds_right(char *out, int64_t ns, unsigned int decimals, size_t width)
{
	size_t size = 2 + decimals;

	put_slack(out, put_blank_block);
	if ((uint64_t)ns >= 1000000000) {
		char number[PUT_NUMBER_MAX + PUT_SLACK];

		size = put_long_seconds(number, ns, decimals) - number;
		out += width > size ? width - size : 0;
		put_slack(out, number);
		return out + size;
	}
	return put_fraction(out + (width > size ? width - size : 0), ns, decimals);
}

/**
 * struct buffer - bytes that grow at their end
 *
 * A zeroed struct is an empty buffer. buffer_release() frees its memory and zeroes it.
 */
struct buffer {
	char *data; /* the bytes, not NUL-terminated; NULL before the first append */
	size_t size;
	size_t capacity; /* allocated bytes; one more than are used, for buffer_string() */
	bool failed;	 /* memory ran out; later appends do nothing */
};

/** buffer_release - free the memory and zero the struct */
void buffer_release(struct buffer *buffer);
/** SCOPED_BUFFER - an empty buffer, released at the end of its block, which keeps errno */
#define SCOPED_BUFFER(name) struct buffer name __attribute__((cleanup(buffer_release))) = { 0 }

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

/** buffer_reserve - the end of the bytes, where @size more fit; NULL after a failure */
hot_inline char *buffer_reserve(struct buffer *buffer, size_t size)
{
	if (unlikely(buffer->failed))
		return NULL;
	if (unlikely(buffer->capacity - buffer->size <= size) && !buffer_grow(buffer, size))
		return NULL;
	return buffer->data + buffer->size;
}

/** buffer_reserve_put - buffer_reserve() for put functions and buffer_end_put() */
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
/** buffer_append_decimal - append @number / 10^@decimals, with @decimals digits, 1 to 9 */
void buffer_append_decimal(struct buffer *buffer, int64_t number, unsigned int decimals);
/** buffer_append_seconds - append nanoseconds as put_seconds() does */
void buffer_append_seconds(struct buffer *buffer, int64_t ns, unsigned int decimals);
/** buffer_printf - append formatted text */
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** buffer_text - the bytes as a text; valid until the next append */
struct text buffer_text(const struct buffer *buffer);
/** buffer_string - the bytes as a C string until the next append; "" after a failure */
const char *buffer_string(struct buffer *buffer);
/** buffer_append_printable - append a text; control characters, and what is no UTF-8, become '?' */
void buffer_append_printable(struct buffer *buffer, struct text text);
/** buffer_append_word - append a word as a shell reads it: quoted if it has to be */
void buffer_append_word(struct buffer *buffer, const char *word);
/** buffer_append_count - append a number and a noun, with an "s" unless the number is 1 */
void buffer_append_count(struct buffer *buffer, uint64_t count, const char *noun);
/** buffer_append_grouped - append a number with grouped digits: "12,034" */
void buffer_append_grouped(struct buffer *buffer, uint64_t count);
/** buffer_append_duration - append nanoseconds with three digits and a unit: "1.60us" */
void buffer_append_duration(struct buffer *buffer, int64_t ns);

#endif
