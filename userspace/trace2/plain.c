// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Text in lines for people: one line and one column each, whatever bytes it has. */
#include "trace2/plain.h"

#include <ctype.h>
#include <string.h>

static bool is_copied(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

static void control_append(struct buffer *line, unsigned char byte)
{
	static const char letters[] = { ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };

	if (byte < sizeof(letters) && letters[byte])
		buffer_append(line, (char[]){ '\\', letters[byte] }, 2);
	else
		buffer_printf(line, "\\x%02x", byte);
}

/* Adds what is not simply copied; returns how many bytes it took. */
static size_t special_append(struct buffer *line, struct text rest)
{
	const unsigned char *bytes = (const unsigned char *)rest.data;
	size_t size = utf8_sequence_size(rest);
	uint32_t code = size > 0 ? utf8_value((struct text){ rest.data, size }) : 0;

	if (size == 0) {
		buffer_append_string(line, "\xef\xbf\xbd");
		return 1;
	}
	if (size == 1)
		control_append(line, bytes[0]);
	else if (utf8_is_control(code))
		buffer_printf(line, "\\u%04x", code);
	else
		buffer_append(line, rest.data, size);
	return size;
}

/* As is_copied(), for eight bytes. */
static bool is_copied_word(uint64_t word)
{
	return !word_test(word | word_below(word, 0x20) | word_equal(word, 0x7f));
}

static size_t copied_run(struct text text)
{
	size_t run = 0;

	while (text.size - run >= WORD_SIZE && is_copied_word(word_load(text.data + run)))
		run += WORD_SIZE;
	while (run < text.size && is_copied(text.data[run]))
		run++;
	return run;
}

void plain_append(struct buffer *line, struct text text)
{
	while (text.size > 0) {
		size_t done = copied_run(text);

		buffer_append(line, text.data, done);
		if (done < text.size)
			done += special_append(line,
					       (struct text){ text.data + done, text.size - done });
		text = (struct text){ text.data + done, text.size - done };
	}
}

void plain_append_string(struct buffer *line, const char *string)
{
	plain_append(line, text_of(string));
}

static bool needs_quotes(const char *word)
{
	if (!*word)
		return true;
	for (; *word; word++) {
		bool is_ascii = (unsigned char)*word < 0x80;

		if (!is_ascii || (!isalnum((unsigned char)*word) && !strchr("+,-./:=@_^", *word)))
			return true;
	}
	return false;
}

void plain_append_word(struct buffer *line, const char *word)
{
	if (!needs_quotes(word)) {
		buffer_append_string(line, word);
		return;
	}
	buffer_append_char(line, '\'');
	while (*word) {
		size_t run = strcspn(word, "'!");

		plain_append(line, (struct text){ .data = word, .size = run });
		word += run;
		if (!*word)
			break;
		buffer_append(line, (char[]){ '\'', '\\', *word++, '\'' }, 4);
	}
	buffer_append_char(line, '\'');
}

void plain_append_words(struct buffer *line, char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		if (i > 0)
			buffer_append_char(line, ' ');
		plain_append_word(line, words[i]);
	}
}

struct text text_cut(struct text text, size_t size_max)
{
	if (text.size <= size_max)
		return text;
	text.size = size_max;
	while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xc0) == 0x80)
		text.size--;
	return text;
}

static void bars_escape(struct buffer *line, struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '|')
			buffer_append_string(line, PLAIN_BAR);
		else
			buffer_append_char(line, text.data[i]);
	}
}

void plain_append_cell(struct buffer *line, struct text text, size_t width, size_t width_max)
{
	size_t start = line->size;

	text = text_cut(text, width_max);
	if (text.size > 0 && memchr(text.data, '|', text.size))
		bars_escape(line, text);
	else
		buffer_append(line, text.data, text.size);
	plain_append_blanks(line, start + width);
}

void plain_append_blanks(struct buffer *line, size_t size)
{
	char *room;

	if (size <= line->size)
		return;
	room = buffer_reserve(line, size - line->size);
	if (!room)
		return;
	memset(room, ' ', size - line->size);
	line->size = size;
}

void plain_append_seconds(struct buffer *line, int64_t time_ns, unsigned int decimals, size_t width)
{
	size_t start = line->size, size, blanks;

	buffer_append_seconds(line, time_ns, decimals);
	size = line->size - start;
	if (line->failed || size >= width)
		return;
	blanks = width - size;
	plain_append_blanks(line, start + width);
	if (line->failed)
		return;
	memmove(line->data + start + blanks, line->data + start, size);
	memset(line->data + start, ' ', blanks);
}
