/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pieces of text that somebody else owns, and what UTF-8 allows in them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct text - bytes owned elsewhere, without a terminating NUL, of any encoding
 */
struct text {
	const char *data;
	size_t size;
};

/** text_of - the bytes of a C string, which stays the owner */
static inline struct text text_of(const char *string)
{
	return (struct text){ .data = string, .size = strlen(string) };
}

/** text_equals - whether two texts hold the same bytes */
static inline bool text_equals(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/** text_hash - a 64-bit hash of the bytes, the same on every machine */
uint64_t text_hash(struct text text);

/**
 * utf8_sequence_size - the size of the well-formed UTF-8 sequence at the start of a text
 *
 * Returns 1 to 4, or 0 where the bytes are no well-formed sequence (overlong forms, surrogates and
 * values above U+10FFFF are not well-formed: Unicode, table 3-7) or where the text is empty.
 */
size_t utf8_sequence_size(struct text text);

#endif
