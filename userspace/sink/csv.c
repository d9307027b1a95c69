// SPDX-License-Identifier: GPL-2.0-only
/* Comma-separated values. */
#include "sink/csv.h"

void csv_append_text(struct buffer *out, struct text text)
{
	bool is_plain = true;

	for (size_t i = 0; i < text.size; i++)
		is_plain &= !strchr(",\"\r\n", text.data[i]);
	if (is_plain) {
		buffer_append(out, text.data, text.size);
		return;
	}
	buffer_append_char(out, '"');
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '"')
			buffer_append_char(out, '"');
		buffer_append_char(out, text.data[i]);
	}
	buffer_append_char(out, '"');
}
