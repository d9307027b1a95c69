/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copies strings into records and limits their length. */
#ifndef KTRACK_TEXT_H
#define KTRACK_TEXT_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>

#include "fields.h"

/*
 * For kernels that make the compiler clear every uninitialized variable, which is useless here.
 */
#if __has_attribute(__uninitialized__) && !defined(__CHECKER__)
#define __KTRACK_UNSET			__attribute__((__uninitialized__))
#else
#define __KTRACK_UNSET
#endif

/*
 * The length at which a string of more than KTRACK_STRING_MAX bytes is cut: never inside a
 * UTF-8 character. Reads only bytes that may be kept: a character's first byte has its length.
 * Other text is cut at the limit.
 */
static noinline notrace __maybe_unused size_t ktrack_text_cut(const char *text)
{
	size_t first = KTRACK_STRING_MAX - 1, size;

	while (first > KTRACK_STRING_MAX - 4 && (text[first] & 0xc0) == 0x80)
		first--;
	size = 1 + ((text[first] & 0xc0) == 0xc0) + ((text[first] & 0xe0) == 0xe0) +
	       ((text[first] & 0xf0) == 0xf0);
	return first + size > KTRACK_STRING_MAX ? first : KTRACK_STRING_MAX;
}

/* The length in bytes of @text in a record. */
static __always_inline size_t ktrack_text_length(const char *text)
{
	size_t len;

	text = text ?: KTRACK_STRING_NULL;
	len = strlen(text);
	if (len > KTRACK_STRING_MAX)
		len = ktrack_text_cut(text);
	return len;
}

/*
 * The size in bytes of @text and its NUL in a record. The compiler does not learn its range: it
 * would keep the size in a register of its own, next to the field that contains it.
 */
static __always_inline size_t ktrack_text_size(const char *text)
{
	size_t len = ktrack_text_length(text);

	OPTIMIZER_HIDE_VAR(len);
	return len + 1;
}

/* The same of an array of @max bytes. */
static __always_inline size_t ktrack_array_size(const char *text, size_t max)
{
	size_t len;

	text = text ?: KTRACK_STRING_NULL;
	len = strnlen(text, max);
	if (len > KTRACK_STRING_MAX)
		len = ktrack_text_cut(text);
	OPTIMIZER_HIDE_VAR(len);
	return len + 1;
}

/* Copies @size bytes, or zeros for NULL. */
static __always_inline void ktrack_bytes_copy(u8 *to, const void *from, size_t size)
{
	if (from)
		memcpy(to, from, size);
	else
		memset(to, 0, size);
}

/*
 * Fills the @size bytes that ktrack_text_size() returned. The string may have changed since: no
 * more than the reserved bytes is written.
 */
static __always_inline void ktrack_text_copy(char *to, const char *text, size_t size)
{
	memcpy(to, text ?: KTRACK_STRING_NULL, size - 1);
	to[size - 1] = '\0';
}

/* Copies a string to a buffer of KTRACK_STRING_MAX + 1 bytes, as a record has it. */
static __always_inline const char *ktrack_text_keep(char *to, const char *text)
{
	ktrack_text_copy(to, text, ktrack_text_length(text) + 1);
	return to;
}

#endif
