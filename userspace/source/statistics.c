// SPDX-License-Identifier: GPL-2.0-only
/* Reads per_cpu/cpuN/stats: lines of "name: number". */
#include "source/statistics.h"

#include <stdlib.h>
#include <string.h>

static const char *const lost_names[] = { "overrun", "commit overrun", "dropped events" };

static bool is_lost_name(struct text name)
{
	for (size_t i = 0; i < sizeof(lost_names) / sizeof(lost_names[0]); i++) {
		if (text_equals(name, text_of(lost_names[i])))
			return true;
	}
	return false;
}

static uint64_t digits_parse(const char *digit, const char *end)
{
	uint64_t number = 0;

	while (digit < end && *digit == ' ')
		digit++;
	for (; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		number = number * 10 + (*digit - '0');
	return number;
}

uint64_t statistics_lost(struct text text)
{
	const char *line = text.data;
	const char *text_end = text.data + text.size;
	uint64_t lost = 0;

	while (line < text_end) {
		const char *end = memchr(line, '\n', text_end - line);
		const char *colon;

		if (!end)
			end = text_end;
		colon = memchr(line, ':', end - line);
		if (colon && is_lost_name((struct text){ line, colon - line }))
			lost += digits_parse(colon + 1, end);
		line = end + 1;
	}
	return lost;
}
