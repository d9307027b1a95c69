/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Text escaping for NORMAL and PERF. */
#ifndef TRACE2_ESCAPE_H
#define TRACE2_ESCAPE_H

#include "base/base.h"

/**
 * escape_append, escape_append_string - append any bytes so that they stay on their line
 *
 * Characters of utf8_is_control() become \n, \t, \r, \x1b or \u202e; bytes that are not UTF-8
 * become U+FFFD. Nothing else changes, not even backslashes. git copies all bytes.
 */
void escape_append(struct buffer *line, struct text text);
void escape_append_string(struct buffer *line, const char *string);

/**
 * escape_append_word - append a word, in single quotes if git quotes it for a shell
 */
void escape_append_word(struct buffer *line, const char *word);

/** escape_append_words - append an array that ends with NULL, separated by blanks */
void escape_append_words(struct buffer *line, char *const *words);

/** ESCAPED_BAR - replaces "|" in columns, which end with a bar */
#define ESCAPED_BAR "\\x7c"

/**
 * column_append - append a column, padded to @width, and cut at a character to @width_max
 * @text: escaped; "|" becomes ESCAPED_BAR
 */
void column_append(struct buffer *line, struct text text, size_t width, size_t width_max);

/** blanks_append - append blanks until @line has @size bytes */
void blanks_append(struct buffer *line, size_t size);

/**
 * seconds_append_right - append seconds with @decimals, right-aligned in @width
 * @time_ns: cut to @decimals
 */
void seconds_append_right(struct buffer *line, int64_t time_ns, unsigned int decimals,
			  size_t width);

/**
 * text_cut - the longest prefix of @text with at most @size_max bytes and whole characters
 */
struct text text_cut(struct text text, size_t size_max);

#endif
