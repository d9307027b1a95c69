// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* JSON strings out of any bytes. */
#include "base/json.h"

#include "base/word.h"

static const char short_escapes[0x60] = {
	['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r',
	['\t'] = 't', ['\f'] = 'f',  ['\b'] = 'b',
};

static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

static void append_escape(struct buffer *buffer, unsigned char byte)
{
	char escape = byte < sizeof(short_escapes) ? short_escapes[byte] : '\0';

	if (escape) {
		buffer_append(buffer, (char[]){ '\\', escape }, 2);
		return;
	}
	buffer_printf(buffer, "\\u%04x", byte);
}

/* Adds what cannot be copied as it is, or a multi-byte sequence; returns how many bytes it took. */
static size_t append_special(struct buffer *buffer, struct text rest)
{
	size_t size = utf8_sequence_size(rest);

	if (size == 0) {
		buffer_append_string(buffer, "\xef\xbf\xbd");
		return 1;
	}
	if (size > 1)
		buffer_append(buffer, rest.data, size);
	else
		append_escape(buffer, rest.data[0]);
	return size;
}

size_t json_append_character(struct buffer *buffer, struct text text)
{
	if (!is_plain(text.data[0]))
		return append_special(buffer, text);
	buffer_append_char(buffer, text.data[0]);
	return 1;
}

/* Eight bytes are plain unless one is a control character, a quote, a backslash, or from 0x80 on.
 */
static bool is_plain_word(uint64_t word)
{
	return !word_test(word | word_below(word, 0x20) | word_equal(word, '"') |
			  word_equal(word, '\\'));
}

/* Copies 4 to 7 bytes, by halves of a word that may overlap, unless one of them is not plain. */
static bool few_copy(char *out, const char *data, size_t size)
{
	uint32_t halves[2];
	uint64_t word;

	memcpy(&halves[0], data, sizeof(halves[0]));
	memcpy(&halves[1], data + size - sizeof(halves[1]), sizeof(halves[1]));
	word = halves[0] | (uint64_t)halves[1] << 32;
	if (!is_plain_word(word))
		return false;
	memcpy(out, &halves[0], sizeof(halves[0]));
	memcpy(out + size - sizeof(halves[1]), &halves[1], sizeof(halves[1]));
	return true;
}

/* Copies the last word, which may overlap the one before, unless one of its bytes is not plain. */
static bool last_copy(char *out, struct text text)
{
	size_t place = text.size - WORD_SIZE;
	uint64_t word = word_load(text.data + place);

	if (!is_plain_word(word))
		return false;
	memcpy(out + place, &word, WORD_SIZE);
	return true;
}

/* Copies bytes up to the first that is not plain; returns how many. */
static size_t plain_copy(char *out, struct text text)
{
	size_t done = 0;

	for (; text.size - done >= WORD_SIZE; done += WORD_SIZE) {
		uint64_t word = word_load(text.data + done);

		if (!is_plain_word(word))
			break;
		memcpy(out + done, &word, WORD_SIZE);
	}
	if (done > 0 && text.size - done < WORD_SIZE && last_copy(out, text))
		return text.size;
	if (text.size >= WORD_SIZE / 2 && text.size < WORD_SIZE &&
	    few_copy(out, text.data, text.size))
		return text.size;
	for (; done < text.size && is_plain(text.data[done]); done++)
		out[done] = text.data[done];
	return done;
}

char *json_put_string(char *out, struct text text)
{
	out = put_char(out, '"');
	return plain_copy(out, text) == text.size ? put_char(out + text.size, '"') : NULL;
}

/* What most strings are: nothing in it is special. */
static size_t append_plain(struct buffer *buffer, struct text text)
{
	char *room = buffer_reserve(buffer, text.size);
	size_t size = room ? plain_copy(room, text) : text.size;

	buffer->size += room ? size : 0;
	return size;
}

void json_append_string(struct buffer *buffer, struct text text)
{
	size_t done;

	buffer_append_char(buffer, '"');
	done = append_plain(buffer, text);
	while (done < text.size) {
		done += append_special(buffer, (struct text){ text.data + done, text.size - done });
		done += append_plain(buffer, (struct text){ text.data + done, text.size - done });
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
