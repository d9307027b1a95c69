/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * JSON strings, and checks of ready-made JSON. Callers write the punctuation.
 *
 * Our own, because lines must have git's escapes byte by byte, and because a string of most lines
 * is copied eight bytes at a time; libraries build a tree first.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"

/**
 * json_append_string - append @text as a JSON string, quotes included
 *
 * Escapes are those of git's trace2 (quote, backslash, \n \r \t \f \b, other control characters as
 * \u00xx in lower case, nothing else). Each byte that is not well-formed UTF-8 becomes U+FFFD,
 * because drivers may put any bytes into names; git copies them.
 */
void json_append_string(struct buffer *buffer, struct text text);

/** json_put_string - put @text as a JSON string; NULL if it needs json_append_string() */
char *json_put_string(char *out, struct text text);
/** json_is_plain - whether a string of these bytes needs no escapes */
bool json_is_plain(struct text text);

/**
 * json_append_value - append ready-made JSON on one line, without white space
 *
 * Control characters in its strings are escaped; bytes that are not UTF-8 become U+FFFD. Returns 0,
 * or -1 if @text is not JSON or nests too deeply; nothing is appended then.
 */
int json_append_value(struct buffer *buffer, struct text text);

/**
 * json_append_member - append the name of an object's member, after "," unless it is the first
 * @first: whether the object is empty; set to false
 */
void json_append_member(struct buffer *buffer, struct text name, bool *first);

/** json_append_text, json_append_number, json_append_flag - append a member with its value */
static inline void json_append_text(struct buffer *buffer, const char *name, struct text text,
				    bool *first)
{
	json_append_member(buffer, text_of(name), first);
	json_append_string(buffer, text);
}

static inline void json_append_number(struct buffer *buffer, const char *name, int64_t number,
				      bool *first)
{
	json_append_member(buffer, text_of(name), first);
	buffer_append_signed(buffer, number);
}

static inline void json_append_flag(struct buffer *buffer, const char *name, bool flag, bool *first)
{
	json_append_member(buffer, text_of(name), first);
	buffer_append_string(buffer, flag ? "true" : "false");
}

#endif
