/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The pieces of JSON that need care: strings. The rest is punctuation, which callers write
 * themselves.
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
 * json_append_member - add ["," before all but the first] "name": to an object that is being
 * written
 * @first: whether nothing stands in the object yet; set to false
 */
void json_append_member(struct buffer *buffer, struct text name, bool *first);

#endif
