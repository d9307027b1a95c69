/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Pieces of text that somebody else owns, and what UTF-8 allows in them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
#include "base/word.h"

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

/** few_bytes_equal - whether at most 8 bytes are the same; the second half may overlap the first */
hot_inline bool few_bytes_equal(const char *a, const char *b, size_t size)
{
	uint32_t first_a, first_b, last_a, last_b;

	if (size < sizeof(first_a)) {
		for (size_t i = 0; i < size; i++) {
			if (a[i] != b[i])
				return false;
		}
		return true;
	}
	memcpy(&first_a, a, sizeof(first_a));
	memcpy(&first_b, b, sizeof(first_b));
	memcpy(&last_a, a + size - sizeof(last_a), sizeof(last_a));
	memcpy(&last_b, b + size - sizeof(last_b), sizeof(last_b));
	return first_a == first_b && last_a == last_b;
}

/**
 * bytes_equal - whether @size bytes are the same; no call for the few that a name has
 *
 * The last word of bytes may overlap the one before.
 */
hot_inline bool bytes_equal(const char *a, const char *b, size_t size)
{
	if (size <= WORD_SIZE)
		return few_bytes_equal(a, b, size);
	for (size_t i = 0; i + WORD_SIZE < size; i += WORD_SIZE) {
		if (word_load(a + i) != word_load(b + i))
			return false;
	}
	return word_load(a + size - WORD_SIZE) == word_load(b + size - WORD_SIZE);
}

/** text_equals - whether two texts hold the same bytes */
hot_inline bool text_equals(struct text a, struct text b)
{
	return a.size == b.size && bytes_equal(a.data, b.data, a.size);
}

/** text_head - the first bytes of a text as a word, with zeros behind its end */
static inline uint64_t text_head(struct text text)
{
	uint64_t word = 0;

	if (text.size > 0)
		memcpy(&word, text.data, text.size < WORD_SIZE ? text.size : WORD_SIZE);
	return word;
}

/** text_equals_behind - text_equals() of two texts that have the same text_head() */
hot_inline bool text_equals_behind(struct text a, struct text b)
{
	return a.size == b.size && (a.size <= WORD_SIZE || bytes_equal(a.data, b.data, a.size));
}

/**
 * text_glance - a number that tells most texts of a few apart, made of their heads, sizes and ends;
 * for where a hash of all bytes would be too dear
 */
hot_inline uint64_t text_glance(struct text text, uint64_t head)
{
	if (text.size > WORD_SIZE)
		head += word_load(text.data + text.size - WORD_SIZE) * 3;
	return head + text.size;
}

/** text_hash - a 64-bit hash of the bytes, the same on every machine; tables need hash_text() */
uint64_t text_hash(struct text text);

/**
 * utf8_sequence_size - the size of the well-formed UTF-8 sequence at the start of a text
 *
 * Returns 1 to 4, or 0 where the bytes are no well-formed sequence (overlong forms, surrogates and
 * values above U+10FFFF are not well-formed: Unicode, table 3-7) or where the text is empty.
 */
size_t utf8_sequence_size(struct text text);

/** utf8_value - the code point of one well-formed sequence, as utf8_sequence_size() delimits it */
uint32_t utf8_value(struct text sequence);

/**
 * utf8_is_control - whether a character would act on a terminal or on the text around it
 *
 * These are the control characters, the line and paragraph separators, and characters without a
 * width that change the direction or the joining of their neighbors (Unicode's Bidi_Control, zero
 * width and byte order marks): printed as they are, they let a name look like another.
 */
bool utf8_is_control(uint32_t code);

#endif
