/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Eight bytes processed as one number, in either byte order. */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WORD_SIZE 8

/** WORD_OF - a word whose eight bytes are all @byte */
#define WORD_OF(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t word_load(const char *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/*
 * If no byte of a word is above 0x7f, subtracting @limit from each byte sets the highest bit of
 * those below it. A borrow may reach the next byte, but the answer is yes then anyway.
 */

/** word_below - sets the highest bit of some byte if any byte is below @limit, at most 0x80 */
static inline uint64_t word_below(uint64_t word, unsigned char limit)
{
	return word - WORD_OF(limit);
}

/** word_equal - the same for bytes that are @byte, which is below 0x80 */
static inline uint64_t word_equal(uint64_t word, unsigned char byte)
{
	return (word ^ WORD_OF(byte)) - WORD_OF(1);
}

/** word_test - whether the highest bit of any byte is set */
static inline bool word_test(uint64_t word)
{
	return word & WORD_OF(0x80);
}

/** word_keep - the first @size bytes of a word, padded with zeros */
static inline uint64_t word_keep(uint64_t word, size_t size)
{
	unsigned int bits = 8 * size;

	if (size >= WORD_SIZE)
		return word;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return word & ((UINT64_C(1) << bits) - 1);
#else
	return word & ~(UINT64_MAX >> bits);
#endif
}

/** word_drop - a word without its first @size bytes, fewer than all, padded with zeros */
static inline uint64_t word_drop(uint64_t word, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return word >> 8 * size;
#else
	return word << 8 * size;
#endif
}

/** word_find_zero - the index of the first byte that is 0; WORD_SIZE if none is */
static inline size_t word_find_zero(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t zeros = (word - WORD_OF(1)) & ~word & WORD_OF(0x80);

	return zeros ? (unsigned int)__builtin_ctzll(zeros) / 8 : WORD_SIZE;
#else
	size_t place = 0;

	while (place < WORD_SIZE && ((const char *)&word)[place])
		place++;
	return place;
#endif
}

#endif
