/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Strings on their way into a record: how long they may be, and how they are copied. */
#ifndef KTRACK_TEXT_H
#define KTRACK_TEXT_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "fields.h"

/*
 * The length at which a string of more than KTRACK_STRING_MAX bytes is cut: never inside a
 * UTF-8 character. A character has at most three continuation bytes; where more follow one
 * another the string isn't UTF-8, and is cut at the limit.
 */
static noinline notrace __cold __maybe_unused size_t ktrack_text_cut(const char *text)
{
	size_t len;

	for (len = KTRACK_STRING_MAX; len > KTRACK_STRING_MAX - 4; len--)
		if ((text[len] & 0xc0) != 0x80)
			return len;
	return KTRACK_STRING_MAX;
}

/* How many bytes a record needs for @text and its NUL. */
static __always_inline size_t ktrack_text_size(const char *text)
{
	size_t len;

	if (!text)
		return sizeof(KTRACK_STRING_NULL);
	len = strlen(text);
	if (unlikely(len > KTRACK_STRING_MAX))
		len = ktrack_text_cut(text);
	return len + 1;
}

/*
 * Fills the @size bytes that ktrack_text_size() asked for. The string may have changed since
 * then: what is copied is bounded by what was reserved.
 */
static __always_inline void ktrack_text_copy(char *to, const char *text, size_t size)
{
	memcpy(to, text ?: KTRACK_STRING_NULL, size - 1);
	to[size - 1] = '\0';
}

#endif
