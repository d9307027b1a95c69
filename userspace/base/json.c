// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* JSON strings of any bytes. */
#include "base/json.h"

#include "base/word.h"

/* Of the characters that ASCII lacks. */
#define FIRST_PRINTABLE 0xa0

static const char short_escapes[0x60] = {
	['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r',
	['\t'] = 't', ['\f'] = 'f',  ['\b'] = 'b',
};

static bool json_is_literal(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static void json_append_escape(struct buffer *buffer, unsigned char byte)
{
	char escape = byte < sizeof(short_escapes) ? short_escapes[byte] : '\0';

	if (escape) {
		buffer_append(buffer, (char[]){ '\\', escape }, 2);
		return;
	}
	buffer_printf(buffer, "\\u%04x", byte);
}

/* Appends a character that is escaped or has several bytes; returns its size in @rest. */
static size_t json_append_special(struct buffer *buffer, struct text rest)
{
	size_t size = utf8_sequence_size(rest);

	if (size == 0) {
		buffer_append_string(buffer, "\xef\xbf\xbd");
		return 1;
	}
	/* A terminal takes the control characters above 0x7f for begins of its own commands. */
	if (size == 2 && utf8_value((struct text){ rest.data, size }) < FIRST_PRINTABLE)
		buffer_printf(buffer, "\\u%04x", utf8_value((struct text){ rest.data, size }));
	else if (size > 1)
		buffer_append(buffer, rest.data, size);
	else
		json_append_escape(buffer, rest.data[0]);
	return size;
}

size_t json_append_character(struct buffer *buffer, struct text text)
{
	if (!json_is_literal(text.data[0]))
		return json_append_special(buffer, text);
	buffer_append_char(buffer, text.data[0]);
	return 1;
}

/* Whether none of eight bytes is a control character, a quote, a backslash, or above 0x7f. */
static bool json_is_literal_word(uint64_t word)
{
	return !word_test(word | word_below(word, 0x20) | word_equal(word, '"') |
			  word_equal(word, '\\'));
}

/* Copies 4 to 7 bytes as two halves that may overlap; returns false if one needs an escape. */
static bool json_copy_few(char *out, const char *data, size_t size)
{
	uint32_t halves[2];
	uint64_t word;

	memcpy(&halves[0], data, sizeof(halves[0]));
	memcpy(&halves[1], data + size - sizeof(halves[1]), sizeof(halves[1]));
	word = halves[0] | (uint64_t)halves[1] << 32;
	if (!json_is_literal_word(word))
		return false;
	memcpy(out, &halves[0], sizeof(halves[0]));
	memcpy(out + size - sizeof(halves[1]), &halves[1], sizeof(halves[1]));
	return true;
}

/* Copies the last word, which may overlap the previous one; returns false if it needs an escape. */
static bool json_copy_last(char *out, struct text text)
{
	size_t place = text.size - WORD_SIZE;
	uint64_t word = word_load(text.data + place);

	if (!json_is_literal_word(word))
		return false;
	memcpy(out + place, &word, WORD_SIZE);
	return true;
}

/* Copies bytes up to the first that needs an escape; returns their number. */
static size_t json_copy_literal(char *out, struct text text)
{
	size_t done = 0;

	for (; text.size - done >= WORD_SIZE; done += WORD_SIZE) {
		uint64_t word = word_load(text.data + done);

		if (!json_is_literal_word(word))
			break;
		memcpy(out + done, &word, WORD_SIZE);
	}
	if (done > 0 && text.size - done < WORD_SIZE && json_copy_last(out, text))
		return text.size;
	if (text.size >= WORD_SIZE / 2 && text.size < WORD_SIZE &&
	    json_copy_few(out, text.data, text.size))
		return text.size;
	for (; done < text.size && json_is_literal(text.data[done]); done++)
		out[done] = text.data[done];
	return done;
}

char *json_put_string(char *out, struct text text)
{
	out = put_char(out, '"');
	return json_copy_literal(out, text) == text.size ? put_char(out + text.size, '"') : NULL;
}

/* Appends bytes up to the first that needs an escape; returns their number. */
static size_t json_append_literal(struct buffer *buffer, struct text text)
{
	char *space = buffer_reserve(buffer, text.size);
	size_t size = space ? json_copy_literal(space, text) : text.size;

	buffer->size += space ? size : 0;
	return size;
}

void json_append_string(struct buffer *buffer, struct text text)
{
	size_t done;

	buffer_append_char(buffer, '"');
	done = json_append_literal(buffer, text);
	while (done < text.size) {
		done += json_append_special(buffer,
					    (struct text){ text.data + done, text.size - done });
		done += json_append_literal(buffer,
					    (struct text){ text.data + done, text.size - done });
	}
	buffer_append_char(buffer, '"');
}

void json_append_member(struct buffer *buffer, struct text name, bool *first)
{
	if (!*first)
		buffer_append_char(buffer, ',');
	*first = false;
	json_append_string(buffer, name);
	buffer_append_char(buffer, ':');
}
