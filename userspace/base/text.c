// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Hashes of texts, and UTF-8. */
#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t text_hash(struct text text)
{
	return XXH3_64bits(text.data, text.size);
}

/*
 * One row of Unicode's table 3-7: a sequence with a lead byte up to @last has @size bytes; the
 * second is @low to @high.
 */
struct utf8_row {
	unsigned char last, size, low, high;
};

static const struct utf8_row utf8_rows[] = {
	{ 0x7f, 1, 0x00, 0x00 }, { 0xc1, 0, 0x00, 0x00 }, { 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 3, 0xa0, 0xbf }, { 0xec, 3, 0x80, 0xbf }, { 0xed, 3, 0x80, 0x9f },
	{ 0xef, 3, 0x80, 0xbf }, { 0xf0, 4, 0x90, 0xbf }, { 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 4, 0x80, 0x8f }, { 0xff, 0, 0x00, 0x00 },
};

size_t utf8_sequence_size(struct text text)
{
	const unsigned char *bytes = (const unsigned char *)text.data;
	const struct utf8_row *row = utf8_rows;

	if (text.size == 0)
		return 0;
	while (bytes[0] > row->last)
		row++;
	if (row->size < 2)
		return row->size;
	if (text.size < row->size || bytes[1] < row->low || bytes[1] > row->high)
		return 0;
	for (size_t i = 2; i < row->size; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	}
	return row->size;
}

uint32_t utf8_value(struct text sequence)
{
	unsigned char first = sequence.data[0];
	uint32_t code = sequence.size == 1 ? first : first & (0x7f >> sequence.size);

	for (size_t i = 1; i < sequence.size; i++)
		code = code << 6 | (sequence.data[i] & 0x3f);
	return code;
}

/** struct code_range - code points, @last included */
struct code_range {
	uint32_t first, last;
};

bool utf8_is_control(uint32_t code)
{
	static const struct code_range controls[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		if (code >= controls[i].first && code <= controls[i].last)
			return true;
	}
	return false;
}

struct text text_take_line(struct text *text)
{
	const char *end = memchr(text->data, '\n', text->size);
	size_t size = end ? (size_t)(end - text->data) : text->size;
	struct text line = { text->data, size };

	*text = text_from(*text, end ? size + 1 : size);
	return line;
}

bool text_take_begin(struct text *text, const char *begin)
{
	struct text start = text_of(begin);

	if (!text_begins(*text, start))
		return false;
	*text = text_from(*text, start.size);
	return true;
}

bool text_take_item(struct text *list, struct text *item)
{
	const char *comma;

	if (!list->data)
		return false;
	comma = memchr(list->data, ',', list->size);
	*item = *list;
	*list = (struct text){ 0 };
	if (comma) {
		*list = (struct text){ comma + 1, item->data + item->size - comma - 1 };
		item->size = comma - item->data;
	}
	*item = text_trim(*item);
	return true;
}

int text_compare(struct text a, struct text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.data, b.data, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}
