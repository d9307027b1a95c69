/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The pieces of JSON that need care: strings, and values that others made. The rest is punctuation,
 * which callers write themselves.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"

/**
 * json_append_string - add @text as a JSON string, quotes included
 *
 * Escapes are those of git's trace2 (quote, backslash, \n \r \t \f \b, other control characters as
 * \u00xx in lower case, nothing else). Bytes that are no well-formed UTF-8 become U+FFFD, one for
 * each byte, so that the line stays JSON whatever a driver put into a name; git would copy them.
 */
void json_append_string(struct buffer *buffer, struct text text);

/**
 * json_put_string - put @text as a JSON string, quotes included, where nothing in it is to be
 * escaped
 * @out: room as for the put functions
 *
 * Returns where to go on, or NULL where @text is for json_append_string().
 */
char *json_put_string(char *out, struct text text);

/**
 * json_append_character - add the first character of a text that is not empty, as it stands in a
 * JSON string
 *
 * Returns how many bytes it took.
 */
size_t json_append_character(struct buffer *buffer, struct text text);

/**
 * json_append_value - add a JSON value that somebody else made, without blanks between its parts
 *
 * In its strings, control characters are escaped and bytes that are no UTF-8 become U+FFFD, so what
 * is added is on one line. Returns 0, or -1 where @text is no JSON or nests too deeply; nothing is
 * added then.
 */
int json_append_value(struct buffer *buffer, struct text text);

/**
 * json_append_member - add ["," before all but the first] "name": to an object that is being
 * written
 * @first: whether nothing stands in the object yet; set to false
 */
void json_append_member(struct buffer *buffer, struct text name, bool *first);

#endif
