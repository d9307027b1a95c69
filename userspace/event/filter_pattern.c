// SPDX-License-Identifier: GPL-2.0-only
/* Patterns of event filters, compared as the kernel does. */
#include <ctype.h>
#include <string.h>

#include "event/filter_program.h"

static struct text pattern_cut(struct text text, size_t nr_begin, size_t nr_end)
{
	return (struct text){ .data = text.data + nr_begin, .size = text.size - nr_begin - nr_end };
}

/* Asterisks at the ends only are searches for the text between them. */
static enum filter_pattern_kind pattern_kind(struct text text)
{
	enum filter_pattern_kind kind = FILTER_PATTERN_EQUAL;

	if (text.size > 0 && isdigit((unsigned char)*text.data))
		return FILTER_PATTERN_EQUAL;
	for (size_t i = 0; i < text.size; i++) {
		if (strchr("[?\\", text.data[i]))
			return FILTER_PATTERN_GLOB;
		if (text.data[i] != '*')
			continue;
		if (i == 0)
			kind = FILTER_PATTERN_END;
		else if (i < text.size - 1)
			return FILTER_PATTERN_GLOB;
		else
			kind = kind == FILTER_PATTERN_END ? FILTER_PATTERN_MIDDLE
							  : FILTER_PATTERN_BEGIN;
	}
	return kind;
}

struct filter_pattern filter_pattern_of(struct text text, bool *is_inverted)
{
	struct filter_pattern pattern;

	*is_inverted = text.size > 0 && *text.data == '!';
	if (*is_inverted)
		text = pattern_cut(text, 1, 0);
	pattern.kind = pattern_kind(text);
	if (pattern.kind == FILTER_PATTERN_BEGIN)
		text = pattern_cut(text, 0, 1);
	else if (pattern.kind == FILTER_PATTERN_MIDDLE)
		text = pattern_cut(text, 1, 1);
	else if (pattern.kind == FILTER_PATTERN_END)
		text = pattern_cut(text, 1, 0);
	pattern.text = text;
	return pattern;
}

/* The byte at @i; NUL behind the end. */
static unsigned char byte_at(struct text text, size_t i)
{
	return i < text.size ? text.data[i] : '\0';
}

/**
 * struct glob - a comparison in progress
 * @at: next byte of the pattern
 * @back: byte behind its last asterisk, 0 if there was none
 */
struct glob {
	struct text pattern;
	size_t at;
	size_t back;
};

/* Whether a class contains @byte. Returns -1 if the class has no end. */
static int glob_match_class(struct glob *glob, unsigned char byte)
{
	bool is_inverted = byte_at(glob->pattern, glob->at) == '!', is_found = false;
	size_t at = glob->at + is_inverted;
	unsigned char first = byte_at(glob->pattern, at++), last;

	do {
		last = first;
		if (byte_at(glob->pattern, at) == '-' && byte_at(glob->pattern, at + 1) != ']') {
			last = byte_at(glob->pattern, at + 1);
			at += 2;
		}
		if (first == '\0' || last == '\0')
			return -1;
		is_found |= first <= byte && byte <= last;
		first = byte_at(glob->pattern, at++);
	} while (first != ']');
	if (is_found != is_inverted)
		glob->at = at;
	return is_found != is_inverted;
}

/* Whether the next part of the pattern, which is no asterisk, matches @byte. */
static bool glob_match_byte(struct glob *glob, unsigned char byte)
{
	unsigned char want = byte_at(glob->pattern, glob->at++);
	int result;

	if (want == '?')
		return byte != '\0';
	if (want == '[') {
		result = glob_match_class(glob, byte);
		if (result >= 0)
			return result;
	}
	if (want == '\\')
		want = byte_at(glob->pattern, glob->at++);
	return byte == want;
}

/* Both end together, or the rest of the text is retried behind the last asterisk. */
static bool glob_matches(struct text pattern, struct text text)
{
	struct glob glob = { .pattern = pattern };
	size_t at = 0, back = 0;

	for (;;) {
		unsigned char byte = byte_at(text, at);

		if (byte_at(pattern, glob.at) == '*') {
			glob.back = ++glob.at;
			back = at;
			if (glob.at >= pattern.size)
				return true;
			continue;
		}
		if (glob_match_byte(&glob, byte)) {
			if (byte == '\0' && glob.at > pattern.size)
				return true;
			at++;
			continue;
		}
		if (byte == '\0' || glob.back == 0)
			return false;
		glob.at = glob.back;
		at = ++back;
	}
}

bool filter_pattern_matches(const struct filter_pattern *pattern, struct text field)
{
	struct text want = pattern->text;
	size_t size = field.size;

	switch (pattern->kind) {
	case FILTER_PATTERN_GLOB:
		return glob_matches(want, field);
	case FILTER_PATTERN_MIDDLE:
		return memmem(field.data, size, want.data, want.size) != NULL;
	case FILTER_PATTERN_END:
		return size > want.size &&
		       memcmp(field.data + size - 1 - want.size, want.data, want.size) == 0;
	case FILTER_PATTERN_BEGIN:
		return size >= want.size && memcmp(field.data, want.data, want.size) == 0;
	case FILTER_PATTERN_EQUAL:
		break;
	}
	return strnlen(field.data, size) == want.size &&
	       memcmp(field.data, want.data, want.size) == 0;
}
