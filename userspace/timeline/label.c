// SPDX-License-Identifier: GPL-2.0-only
/* Splits lines of labels, which may be those of a hostile file. */
#include "timeline/timeline.h"

#include <string.h>

bool recording_take_label(struct text *rest, struct text *key, struct text *value)
{
	while (rest->size > 0) {
		struct text line = text_take_line(rest);
		const char *equals = memchr(line.data, '=', line.size);

		if (!equals || equals == line.data)
			continue;
		*key = (struct text){ line.data, equals - line.data };
		*value = (struct text){ equals + 1, line.data + line.size - equals - 1 };
		return true;
	}
	return false;
}
