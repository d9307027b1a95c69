/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Borrowed text, and UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
#include "base/word.h"

/** struct text - borrowed bytes of any encoding, not NUL-terminated */
struct text {
	const char *data;
	size_t size;
};

/** text_of - the bytes of a C string */
static inline struct text text_of(const char *string)
{
	return (struct text){ .data = string, .size = strlen(string) };
}

/** text_from - a text without its first @size bytes, which it has */
static inline struct text text_from(struct text text, size_t size)
{
	return (struct text){ text.data + size, text.size - size };
}

/** text_trim - a text without the spaces and tabs at its ends */
static inline struct text text_trim(struct text text)
{
	while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 &&
	       (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
		text.size--;
	return text;
}

/** text_take_begin - remove @begin from a text; returns false if the text has another begin */
bool text_take_begin(struct text *text, const char *begin);
/** text_take_line - remove the first line from a text; returns it without its newline */
struct text text_take_line(struct text *text);

/**
 * text_take_item - remove the first item from a comma-separated list
 * @item: receives it, without the spaces around it; may be empty
 *
 * Returns false behind the last item: then @list has no data.
 */
bool text_take_item(struct text *list, struct text *item);

/** few_bytes_equal - whether at most 8 bytes are equal; compares halves that may overlap */
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
 * bytes_equal_from - whether the bytes from @begin to @size are equal; faster than memcmp() for
 * names
 * @size: more than WORD_SIZE
 *
 * The last word that is compared may overlap the previous one.
 */
hot_inline bool bytes_equal_from(const char *a, const char *b, size_t begin, size_t size)
{
	for (size_t i = begin; i + WORD_SIZE < size; i += WORD_SIZE) {
		if (word_load(a + i) != word_load(b + i))
			return false;
	}
	return word_load(a + size - WORD_SIZE) == word_load(b + size - WORD_SIZE);
}

/** text_equals - whether two texts have the same bytes */
hot_inline bool text_equals(struct text a, struct text b)
{
	if (a.size != b.size)
		return false;
	return a.size <= WORD_SIZE ? few_bytes_equal(a.data, b.data, a.size)
				   : bytes_equal_from(a.data, b.data, 0, a.size);
}

/** text_begins - whether a text begins with the bytes of another one */
static inline bool text_begins(struct text text, struct text start)
{
	return text.size >= start.size && memcmp(text.data, start.data, start.size) == 0;
}

/** text_compare - the order of the bytes: below, above or equal to 0 */
int text_compare(struct text a, struct text b);

/** text_head - the first 8 bytes of a text as a word, padded with zeros */
static inline uint64_t text_head(struct text text)
{
	char bytes[WORD_SIZE] = { 0 };
	size_t half = WORD_SIZE / 2;

	if (text.size >= WORD_SIZE)
		return word_load(text.data);
	/* Two halves that may overlap. */
	if (text.size >= half) {
		memcpy(bytes + text.size - half, text.data + text.size - half, half);
		memcpy(bytes, text.data, half);
		return word_load(bytes);
	}
	for (size_t i = 0; i < text.size; i++)
		bytes[i] = text.data[i];
	return word_load(bytes);
}

/** text_equals_behind - text_equals() of two texts with equal text_head() */
hot_inline bool text_equals_behind(struct text a, struct text b)
{
	return a.size == b.size &&
	       likely(a.size <= WORD_SIZE || bytes_equal_from(a.data, b.data, WORD_SIZE, a.size));
}

/** text_glance - a weak hash of a text and its text_head(), for small caches */
hot_inline uint64_t text_glance(struct text text, uint64_t head)
{
	if (text.size > WORD_SIZE)
		head += word_load(text.data + text.size - WORD_SIZE) * 3;
	return head + text.size;
}

/** text_hash - a 64-bit hash that is the same on every machine; tables use hash_text() */
uint64_t text_hash(struct text text);

/**
 * utf8_sequence_size - the size of the UTF-8 sequence at the start of a text
 *
 * Returns 1 to 4, or 0 if the text is empty or the sequence is not well-formed (Unicode, table 3-7:
 * overlong forms, surrogates and values above U+10FFFF are not).
 */
size_t utf8_sequence_size(struct text text);

/** utf8_value - the code point of one well-formed sequence */
uint32_t utf8_value(struct text sequence);

/**
 * utf8_is_control - whether a character affects a terminal or the text around it
 *
 * Control characters, line and paragraph separators, and characters without a width that change
 * direction or joining (Bidi_Control, zero width, byte order marks). Printed unescaped, they make
 * one name look like another.
 */
bool utf8_is_control(uint32_t code);

#endif
