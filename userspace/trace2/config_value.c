// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Parses git's booleans. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace2/config.h"

/* The factor of a unit behind a number; 0 if it is malformed. */
static long long unit_parse(const char *text)
{
	static const char units[] = "kmg";
	const char *unit = *text ? strchr(units, tolower((unsigned char)*text)) : NULL;

	if (!*text)
		return 1;
	return unit && !text[1] ? 1ll << 10 * (unit - units + 1) : 0;
}

/* An int of git: decimal, octal or hexadecimal, with k, m or g behind it. */
static int boolean_number_parse(const char *value, bool *out)
{
	long long number, unit;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 0);
	unit = unit_parse(end);
	if (end == value || errno || unit == 0)
		return -1;
	if (number > INT_MAX / unit || number < INT_MIN / unit)
		return -1;
	*out = number != 0;
	return 0;
}

int boolean_parse(const char *value, bool *out)
{
	static const char *const words[2][3] = { { "false", "no", "off" },
						 { "true", "yes", "on" } };

	for (int truth = 0; truth < 2; truth++) {
		for (int i = 0; i < 3; i++) {
			if (strcasecmp(value, words[truth][i]) != 0)
				continue;
			*out = truth;
			return 0;
		}
	}
	return boolean_number_parse(value, out);
}
