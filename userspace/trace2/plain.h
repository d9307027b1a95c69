/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Text in the lines for people, NORMAL's and PERF's. */
#ifndef TRACE2_PLAIN_H
#define TRACE2_PLAIN_H

#include "base/base.h"

/**
 * plain_append - add a text of any bytes so that it stays on its line
 *
 * Control characters, and what else utf8_is_control() lists, become \n, \t, \r, \x1b or \u202e;
 * bytes that are not UTF-8 become U+FFFD. git copies all of them. Nothing else is changed, not even
 * backslashes.
 */
void plain_append(struct buffer *line, struct text text);
void plain_append_string(struct buffer *line, const char *string);

/**
 * plain_append_word - add a word as git quotes it for people: in single quotes unless a shell
 * reads it the same without
 */
void plain_append_word(struct buffer *line, const char *word);

/** plain_append_words - add all of an array that ends with NULL, a blank between two */
void plain_append_words(struct buffer *line, char *const *words);

/** PLAIN_BAR - what stands for a "|" where bars end columns */
#define PLAIN_BAR "\\x7c"

/**
 * plain_append_cell - add a column: filled up with blanks, cut at a character where it is longer
 * than @width_max
 * @text: what plain_append() made; a "|" in it, which ends columns, becomes PLAIN_BAR
 */
void plain_append_cell(struct buffer *line, struct text text, size_t width, size_t width_max);

/** plain_append_blanks - add blanks until the line has grown to @size bytes */
void plain_append_blanks(struct buffer *line, size_t size);

/**
 * plain_append_seconds - add seconds with @decimals, in at least @width places
 * @time_ns: what the decimals do not show is cut
 */
void plain_append_seconds(struct buffer *line, int64_t time_ns, unsigned int decimals,
			  size_t width);

/**
 * text_cut - the longest beginning of @text that has at most @size_max bytes and whole characters
 */
struct text text_cut(struct text text, size_t size_max);

#endif
