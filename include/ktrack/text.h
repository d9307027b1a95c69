/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Strings on their way into a record: how long they may be, and how they are copied. */
#ifndef KTRACK_TEXT_H
#define KTRACK_TEXT_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "fields.h"

/*
 * Where the compiler is told to clear every variable that is left unset, which for ours would
 * be work for nothing.
 */
#if __has_attribute(__uninitialized__) && !defined(__CHECKER__)
#define __KTRACK_UNSET			__attribute__((__uninitialized__))
#else
#define __KTRACK_UNSET
#endif

/*
 * The length at which a string of more than KTRACK_STRING_MAX bytes is cut: never inside a
 * UTF-8 character. Looks only at what is kept at most: a character's first byte says how long
 * it is. What isn't UTF-8 is cut at the limit.
 */
static noinline notrace __cold __maybe_unused size_t ktrack_text_cut(const char *text)
{
	size_t first = KTRACK_STRING_MAX - 1, size;

	while (first > KTRACK_STRING_MAX - 4 && (text[first] & 0xc0) == 0x80)
		first--;
	size = 1 + ((text[first] & 0xc0) == 0xc0) + ((text[first] & 0xe0) == 0xe0) +
	       ((text[first] & 0xf0) == 0xf0);
	return first + size > KTRACK_STRING_MAX ? first : KTRACK_STRING_MAX;
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
