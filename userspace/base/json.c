// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* JSON strings of any bytes. */
#include "base/json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends a character that is escaped or has several bytes; returns its size in @rest. */
static size_t json_append_special(struct buffer *buffer, struct text rest)
{
	size_t size = utf8_sequence_size(rest);
	unsigned char byte = rest.data[0];

	if (size == 0) {
		buffer_append_string(buffer, "\xef\xbf\xbd");
		return 1;
	}
	/* A terminal takes the control characters above 0x7f for begins of its own commands. */
	if (size == 2 && utf8_value((struct text){ rest.data, size }) < FIRST_PRINTABLE)
		buffer_printf(buffer, "\\u%04x", utf8_value((struct text){ rest.data, size }));
	else if (size > 1)
		buffer_append(buffer, rest.data, size);
	else if (byte < sizeof(short_escapes) && short_escapes[byte])
		buffer_append(buffer, (char[]){ '\\', short_escapes[byte] }, 2);
	else
		buffer_printf(buffer, "\\u%04x", byte);
	return size;
}

bool json_is_plain(struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (!json_is_literal(text.data[i]))
			return false;
	}
	return true;
}

/* Appends the first character of @text, escaped; returns its size there. */
static size_t json_append_character(struct buffer *buffer, struct text text)
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

/* Copies eight bytes unless one needs an escape. */
static bool json_copy_word(char *out, const char *data)
{
	uint64_t word = word_load(data);

	if (!json_is_literal_word(word))
		return false;
	memcpy(out, &word, WORD_SIZE);
	return true;
}

/* Copies bytes up to the first that needs an escape; returns their number. */
static size_t json_copy_literal(char *out, struct text text)
{
	size_t done = 0, last = text.size - WORD_SIZE;

	while (text.size - done >= WORD_SIZE && json_copy_word(out + done, text.data + done))
		done += WORD_SIZE;
	/* The last word may overlap the previous one. */
	if (done > 0 && text.size - done < WORD_SIZE &&
	    json_copy_word(out + last, text.data + last))
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
		done += json_append_special(buffer, text_from(text, done));
		done += json_append_literal(buffer, text_from(text, done));
	}
	buffer_append_char(buffer, '"');
}

void json_append_member(struct buffer *buffer, struct text name, bool *first)
{
	char *space = buffer_reserve(buffer, name.size + strlen(",\"\":"));
	char *end = space;

	if (!space)
		return;
	if (!*first)
		end = put_char(end, ',');
	buffer->size = end - buffer->data;
	*first = false;
	end = json_put_string(end, name);
	if (end)
		buffer_end_put(buffer, put_char(end, ':'));
	else {
		json_append_string(buffer, name);
		buffer_append_char(buffer, ':');
	}
}

/* Checks ready-made JSON and writes it on one line. */

/* Bounds the recursion of readers. */
#define DEPTH_MAX 128
/* "\\uXXXX" */
#define UNIT_SIZE 6

/** struct scan - a text that is being checked */
struct scan {
	struct buffer *out;
	struct text rest;	 /* not read yet */
	char closers[DEPTH_MAX]; /* the closing brackets of the @depth open objects and arrays */
	unsigned int depth;
};

/* The next byte, or NUL at the end; JSON has no NUL outside of strings. */
static char peek(const struct scan *scan)
{
	return scan->rest.size > 0 ? scan->rest.data[0] : '\0';
}

static void skip(struct scan *scan, size_t size)
{
	scan->rest = text_from(scan->rest, size);
}

static void copy(struct scan *scan, size_t size)
{
	buffer_append(scan->out, scan->rest.data, size);
	skip(scan, size);
}

static void skip_blanks(struct scan *scan)
{
	while (scan->rest.size > 0 && memchr(" \t\r\n", scan->rest.data[0], 4))
		skip(scan, 1);
}

static bool take(struct scan *scan, char byte)
{
	if (peek(scan) != byte)
		return false;
	copy(scan, 1);
	return true;
}

static bool word_take(struct scan *scan, const char *word)
{
	size_t size = strlen(word);

	if (scan->rest.size < size || memcmp(scan->rest.data, word, size) != 0)
		return false;
	copy(scan, size);
	return true;
}

static bool digits_take(struct scan *scan)
{
	size_t size = 0;

	while (size < scan->rest.size && isdigit((unsigned char)scan->rest.data[size]))
		size++;
	copy(scan, size);
	return size > 0;
}

static bool json_number_copy(struct scan *scan)
{
	take(scan, '-');
	if ((!take(scan, '0') && !digits_take(scan)) || (take(scan, '.') && !digits_take(scan)))
		return false;
	if (!take(scan, 'e') && !take(scan, 'E'))
		return true;
	if (!take(scan, '+'))
		take(scan, '-');
	return digits_take(scan);
}

/* The code unit of "\uXXXX" at @offset; -1 if there is none. */
static long unit_at(const struct scan *scan, size_t offset)
{
	char digits[UNIT_SIZE - 1] = "";

	if (scan->rest.size < offset + UNIT_SIZE || memcmp(scan->rest.data + offset, "\\u", 2) != 0)
		return -1;
	memcpy(digits, scan->rest.data + offset + 2, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") < 4)
		return -1;
	return strtol(digits, NULL, 16);
}

/* Unpaired surrogates are no characters; some readers reject them. */
static bool unit_take(struct scan *scan)
{
	long unit = unit_at(scan, 0);
	long next = unit_at(scan, UNIT_SIZE);

	if (unit < 0)
		return false;
	if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
		copy(scan, 2 * UNIT_SIZE);
	} else if (unit >= 0xd800 && unit < 0xe000) {
		buffer_append_string(scan->out, "\\ufffd");
		skip(scan, UNIT_SIZE);
	} else {
		copy(scan, UNIT_SIZE);
	}
	return true;
}

/* Bytes that JSON does not have in strings are escaped, as in strings that are made here. */
static bool string_take(struct scan *scan)
{
	if (!take(scan, '"'))
		return false;
	while (scan->rest.size > 0 && scan->rest.data[0] != '"') {
		if (scan->rest.data[0] != '\\') {
			skip(scan, json_append_character(scan->out, scan->rest));
			continue;
		}
		if (scan->rest.size < 2 || !memchr("\"\\/bfnrtu", scan->rest.data[1], 9))
			return false;
		if (scan->rest.data[1] != 'u')
			copy(scan, 2);
		else if (!unit_take(scan))
			return false;
	}
	return take(scan, '"');
}

static bool scalar_take(struct scan *scan)
{
	switch (peek(scan)) {
	case '"':
		return string_take(scan);
	case 't':
		return word_take(scan, "true");
	case 'f':
		return word_take(scan, "false");
	case 'n':
		return word_take(scan, "null");
	default:
		return json_number_copy(scan);
	}
}

/* Closes objects and arrays that end here; returns whether another value follows. */
static bool containers_close(struct scan *scan)
{
	for (skip_blanks(scan); scan->depth > 0; skip_blanks(scan)) {
		if (!take(scan, scan->closers[scan->depth - 1]))
			return take(scan, ',');
		scan->depth--;
	}
	return false;
}

/* A value, or the beginning of one up to its first scalar. */
static bool value_begin(struct scan *scan)
{
	for (;;) {
		skip_blanks(scan);
		/* The values of an object have names. */
		if (scan->depth > 0 && scan->closers[scan->depth - 1] == '}') {
			if (!string_take(scan))
				return false;
			skip_blanks(scan);
			if (!take(scan, ':'))
				return false;
			skip_blanks(scan);
		}
		if (peek(scan) != '{' && peek(scan) != '[')
			return scalar_take(scan);
		if (scan->depth == DEPTH_MAX)
			return false;
		scan->closers[scan->depth++] = peek(scan) == '{' ? '}' : ']';
		copy(scan, 1);
		skip_blanks(scan);
		if (peek(scan) == scan->closers[scan->depth - 1])
			return true;
	}
}

int json_append_value(struct buffer *buffer, struct text text)
{
	struct scan scan = { .out = buffer, .rest = text };
	size_t size = buffer->size;
	bool is_value;

	do {
		is_value = value_begin(&scan);
	} while (is_value && containers_close(&scan));
	if (is_value && scan.depth == 0 && scan.rest.size == 0)
		return 0;
	buffer->size = size;
	return -1;
}
