/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bytes into room that was reserved before: what lines are made of that are written by the million.
 *
 * Each function takes where to write and returns where to go on. Nothing here asks whether there is
 * room: the caller has seen to it that there is, and PUT_SLACK bytes more, because whole blocks are
 * cheaper to copy than the right number of bytes.
 */
#ifndef BASE_PUT_H
#define BASE_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
#include "base/word.h"

/** PUT_SLACK - how far behind what they put these functions may write, and put_block() may read */
#define PUT_SLACK 32

/** PUT_NUMBER_MAX - room for any number below */
#define PUT_NUMBER_MAX 32

/** put_triples - "000" to "999": three digits at a time make a number */
extern const char put_triples[1000][4];

/** PUT_LITERAL - put the bytes of a string literal */
#define PUT_LITERAL(out, literal) put_bytes((out), (literal), sizeof(literal) - 1)

/** put_bytes - put @size bytes; best where @size is a constant, or large */
hot_inline char *put_bytes(char *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

/** put_slack - put PUT_SLACK bytes, at once where the code around it is for machines that can */
hot_inline void put_slack(char *out, const void *data)
{
#ifdef __AVX2__
	uint64_t __attribute__((vector_size(PUT_SLACK))) block;

	memcpy(&block, data, sizeof(block));
	memcpy(out, &block, sizeof(block));
#else
	memcpy(out, data, PUT_SLACK);
#endif
}

/** put_block - put @size bytes, behind which PUT_SLACK more can be read */
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
 * put_blocks - put_block() of what mostly takes @usual blocks
 * @usual: a constant, 1 to 3
 */
hot_inline char *put_blocks(char *out, const char *data, size_t size, const size_t usual)
{
	if (__builtin_expect(size - (usual - 1) * PUT_SLACK > PUT_SLACK, 0))
		return put_block(out, data, size);
	put_slack(out, data);
	if (usual > 1)
		put_slack(out + PUT_SLACK, data + PUT_SLACK);
	if (usual > 2)
		put_slack(out + 2 * PUT_SLACK, data + 2 * PUT_SLACK);
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
		memset(out, ' ', PUT_SLACK);
		out += PUT_SLACK;
	} while (out < end);
	return end;
}

/** put_three, put_six, put_nine - put so many digits of a number that has no more */
hot_inline char *put_three(char *out, unsigned int number)
{
	memcpy(out, put_triples[number], sizeof(put_triples[0]));
	return out + 3;
}

hot_inline char *put_six(char *out, unsigned int number)
{
	return put_three(put_three(out, number / 1000), number % 1000);
}

hot_inline char *put_nine(char *out, unsigned int number)
{
	return put_six(put_three(out, number / 1000000), number % 1000000);
}

/** put_large - put a number from 1000 on in decimal */
char *put_large(char *out, uint64_t number);

/** PUT_SHORT_LIMIT - numbers below it are short */
#define PUT_SHORT_LIMIT 1000

/** put_short - put a number below PUT_SHORT_LIMIT in decimal */
hot_inline char *put_short(char *out, unsigned int number)
{
	if (number < 10)
		return put_char(out, '0' + number);
	if (number >= 100)
		return put_three(out, number);
	return put_bytes(out, put_triples[number] + 1, 2);
}

/** DIGITS_LIMIT - digits_of() takes numbers below it, which are two short ones */
#define DIGITS_LIMIT 1000000

/**
 * struct digits - a number in decimal, to be put more than once
 * @word: the digits as they stand in memory
 * @size: how many there are
 */
struct digits {
	uint64_t word;
	size_t size;
};

/** digits_of - a number below DIGITS_LIMIT in decimal */
hot_inline struct digits digits_of(unsigned int number)
{
	const uint64_t last = word_load("\0\0\0\0\0\1\0");
	uint32_t first, second;
	uint64_t six;
	size_t zeros;

	memcpy(&first, put_triples[number / 1000], sizeof(first));
	memcpy(&second, put_triples[number % 1000], sizeof(second));
	six = word_of_half(first) | word_push(word_of_half(second), 3);
	zeros = word_find_other((six ^ WORD_OF('0')) | last);
	return (struct digits){ .word = word_drop(six, zeros), .size = 6 - zeros };
}

/** put_digits - put what digits_of() made */
hot_inline char *put_digits(char *out, struct digits digits)
{
	memcpy(out, &digits.word, sizeof(digits.word));
	return out + digits.size;
}

/** put_unsigned - put a number in decimal */
hot_inline char *put_unsigned(char *out, uint64_t number)
{
	return number < PUT_SHORT_LIMIT ? put_short(out, number) : put_large(out, number);
}

/** put_signed - put a number in decimal, with a minus sign where it is negative */
hot_inline char *put_signed(char *out, int64_t number)
{
	if (number >= 0)
		return put_unsigned(out, number);
	return put_unsigned(put_char(out, '-'), -(uint64_t)number);
}

/** put_decimal - put @number / 10^@decimals with so many digits after the point, 1 to 9 */
char *put_decimal(char *out, int64_t number, unsigned int decimals);

/** put_long_seconds - put_seconds() of a second or more, or less than none */
char *put_long_seconds(char *out, int64_t ns, unsigned int decimals);

/**
 * put_seconds - put nanoseconds as seconds
 * @decimals: 6 or 9; what six do not show is cut
 */
hot_inline char *put_seconds(char *out, int64_t ns, unsigned int decimals)
{
	if ((uint64_t)ns >= 1000000000)
		return put_long_seconds(out, ns, decimals);
	out = PUT_LITERAL(out, "0.");
	put_nine(out, ns);
	return out + decimals;
}

/** put_seconds_right - the same behind blanks, where it has less than @width places, at most 32 */
hot_inline char *put_seconds_right(char *out, int64_t ns, unsigned int decimals, size_t width)
{
	size_t size = put_seconds(out, ns, decimals) - out;

	if (size >= width)
		return out + size;
	memmove(out + width - size, out, PUT_NUMBER_MAX);
	memset(out, ' ', width - size);
	return out + width;
}

#endif
