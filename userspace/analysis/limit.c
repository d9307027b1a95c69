// SPDX-License-Identifier: GPL-2.0-only
/* Parses limits, from their end: names may contain anything. */
#include "analysis/limit.h"

#include <stdio.h>

/* Limit of a number with its unit. */
#define VALUE_SIZE_MAX 40

static bool byte_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

struct text text_trim(struct text text)
{
	while (text.size > 0 && byte_is_blank(text.data[0])) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 && byte_is_blank(text.data[text.size - 1]))
		text.size--;
	return text;
}

bool limit_split(struct text text, struct limit_words *out)
{
	size_t place = text.size, behind;

	while (place > 0 && text.data[place - 1] != '<' && text.data[place - 1] != '>')
		place--;
	if (place == 0)
		return false;
	out->is_below = text.data[place - 1] == '<';
	out->allows_equal = place < text.size && text.data[place] == '=';
	behind = place + out->allows_equal;
	out->subject = text_trim((struct text){ text.data, place - 1 });
	out->value = text_trim((struct text){ text.data + behind, text.size - behind });
	return true;
}

bool limit_time_parse(struct text text, int64_t *out_ns)
{
	char value[VALUE_SIZE_MAX];
	struct error ignored = { 0 };
	char last = text.size > 0 ? text.data[text.size - 1] : '0';

	if (text.size >= sizeof(value) || (last >= '0' && last <= '9'))
		return false;
	snprintf(value, sizeof(value), "%.*s", (int)text.size, text.data);
	return time_duration_parse(value, out_ns, &ignored) == 0;
}
