// SPDX-License-Identifier: GPL-2.0-only
/* Comma-separated values. */
#include "sink/csv.h"

/* Returns the size of the character at the begin of a text. */
static size_t csv_character_append(struct buffer *out, struct text text)
{
	size_t size = utf8_sequence_size(text);
	uint32_t code;

	if (size == 0) {
		buffer_printf(out, "\\x%02x", (unsigned char)text.data[0]);
		return 1;
	}
	code = utf8_value((struct text){ text.data, size });
	if (utf8_is_control(code))
		buffer_printf(out, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
	else if (code == '"')
		buffer_append_string(out, "\"\"");
	else
		buffer_append(out, text.data, size);
	return size;
}

void csv_append_text(struct buffer *out, struct text text)
{
	bool is_formula = text.size > 0 && strchr("=+-@", text.data[0]);
	bool has_quotes = memchr(text.data, ',', text.size) || memchr(text.data, '"', text.size);

	if (has_quotes)
		buffer_append_char(out, '"');
	if (is_formula)
		buffer_append_char(out, '\'');
	while (text.size > 0) {
		size_t size = csv_character_append(out, text);

		text = (struct text){ text.data + size, text.size - size };
	}
	if (has_quotes)
		buffer_append_char(out, '"');
}
