// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sections, names and values as git reads them in its own files. */
#include "trace2/config_line.h"

#include <ctype.h>
#include <string.h>

static bool is_blank(char byte)
{
	return isspace((unsigned char)byte);
}

static bool is_in_name(char byte)
{
	return isalnum((unsigned char)byte) || byte == '-';
}

/* What a backslash makes of @byte; NUL where it makes nothing of it. */
static char escape_value(char byte)
{
	switch (byte) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '\\':
	case '"':
		return byte;
	default:
		return '\0';
	}
}

/* Blanks count only when something follows them. */
static void byte_append(struct buffer *value, struct value_state *state, char byte)
{
	buffer_append_char(value, byte);
	state->nr_blanks = !state->is_quoted && is_blank(byte) ? state->nr_blanks + 1 : 0;
}

static void escape_append(struct buffer *value, struct value_state *state, char byte)
{
	buffer_append_char(value, byte);
	state->nr_blanks = 0;
}

static enum value_result value_end(struct buffer *value, const struct value_state *state)
{
	if (state->is_quoted)
		return VALUE_BROKEN;
	value->size -= state->nr_blanks < value->size ? state->nr_blanks : value->size;
	return VALUE_ENDS;
}

enum value_result value_append(struct buffer *value, struct value_state *state, const char *line)
{
	for (; *line; line++) {
		if (!state->is_quoted && (*line == ';' || *line == '#'))
			break;
		if (*line == '"') {
			state->is_quoted = !state->is_quoted;
			state->nr_blanks = 0;
		} else if (*line == '\\') {
			if (!*++line)
				return VALUE_CONTINUES;
			if (!escape_value(*line))
				return VALUE_BROKEN;
			escape_append(value, state, escape_value(*line));
		} else if (state->is_quoted || value->size > 0 || !is_blank(*line)) {
			byte_append(value, state, *line);
		}
	}
	return value_end(value, state);
}

size_t name_size(const char *line)
{
	size_t size = 0;

	if (!isalpha((unsigned char)line[0]))
		return 0;
	while (is_in_name(line[size]))
		size++;
	return size;
}

/* Two" from behind the quote before it. */
static bool subsection_append(struct buffer *key, const char *text)
{
	buffer_append_char(key, '.');
	for (; *text != '"'; text++) {
		if (*text == '\\')
			text++;
		if (!*text)
			return false;
		buffer_append_char(key, *text);
	}
	return !text[1];
}

bool section_append(struct buffer *key, const char *section)
{
	size_t size = 0;

	for (; is_in_name(section[size]) || section[size] == '.'; size++)
		buffer_append_char(key, tolower((unsigned char)section[size]));
	if (size == 0 || !section[size])
		return size > 0;
	if (!is_blank(section[size]))
		return false;
	while (is_blank(section[size]))
		size++;
	return section[size] == '"' && subsection_append(key, section + size + 1);
}
