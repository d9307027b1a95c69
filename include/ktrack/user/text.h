/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Strings of records: their length is limited, and they are copied.
 *
 * checkpatch reports CONSTANT_COMPARISON, FUNCTION_WITHOUT_ARGS, SPACING: it takes C++ for C.
 */
#ifndef KTRACK_USER_TEXT_H
#define KTRACK_USER_TEXT_H

#pragma GCC system_header

#include <string.h>

#include "state.h"

/* The longest string in a record, in bytes without its NUL. */
#define KTRACK_STRING_MAX	127

/* The text that replaces a NULL string in a record. */
#define KTRACK_STRING_NULL	"(null)"

/*
 * ktrack_user_string - a string as calls take it. In C++ that may be a std::string or a
 * std::string_view, too, or what has their data() and size(): in @size is its length, or
 * KTRACK_USER_TO_NUL.
 */
#ifdef __cplusplus
#define KTRACK_USER_TO_NUL	((size_t)-1)

extern "C++" {
struct ktrack_user_string {
	const char *data;
	size_t size;

	ktrack_user_string() = default;
	ktrack_user_string(const char *text) : data(text), size(KTRACK_USER_TO_NUL)
	{
	}
	template <typename T>
	ktrack_user_string(const T &text, decltype((const char *)text.data()) = nullptr)
		: data(text.data()), size(text.size())
	{
	}
};

/* What KTRACK_STATIC() makes of a string. */
struct ktrack_user_static {
	const char *text;

	operator ktrack_user_string() const
	{
		return text;
	}
};

template <typename T> struct ktrack_user_kept {
	enum { is_static = 0 };
};
template <> struct ktrack_user_kept<ktrack_user_static> {
	enum { is_static = 1 };
};

static inline const char *ktrack_user_text(const ktrack_user_string &string)
{
	return string.data ? string.data : KTRACK_STRING_NULL;
}
}
#else
#define ktrack_user_string	const char *

static inline const char *ktrack_user_text(const char *string)
{
	return string ? string : KTRACK_STRING_NULL;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

__KTRACK_ONE size_t ktrack_user3_cut(const char *text);

/* The length at which a longer string is cut: never inside a UTF-8 character. */
size_t ktrack_user3_cut(const char *text)
{
	size_t first = KTRACK_STRING_MAX - 1, size;

	while (first > KTRACK_STRING_MAX - 4 && (text[first] & 0xc0) == 0x80)
		first--;
	size = 1 + ((text[first] & 0xc0) == 0xc0) + ((text[first] & 0xe0) == 0xe0) +
	       ((text[first] & 0xf0) == 0xf0);
	return first + size > KTRACK_STRING_MAX ? first : KTRACK_STRING_MAX;
}

static inline size_t ktrack_user_limit(const char *text, size_t length)
{
	return length > KTRACK_STRING_MAX ? ktrack_user3_cut(text) : length;
}

/* The length in a record of @text of a string; a constant if the string is one. */
#ifdef __cplusplus
static inline size_t ktrack_user_length(const char *text, const ktrack_user_string &string)
{
	if (string.size == KTRACK_USER_TO_NUL || !string.data)
		return ktrack_user_limit(text, strlen(text));
	return ktrack_user_limit(text, string.size);
}
#else
static inline size_t ktrack_user_length(const char *text, const char *string)
{
	(void)string;
	return ktrack_user_limit(text, strlen(text));
}
#endif

/* The same of an array of @size bytes. */
static inline size_t ktrack_user_array_length(const char *text, const char *array, size_t size)
{
	return ktrack_user_limit(text, array ? strnlen(text, size) : strlen(text));
}

/* Copies @length bytes to @at, and returns the field that refers to them. A zero follows. */
static inline uint32_t ktrack_user_put(struct ktrack_user_record *record, uint32_t *at,
				       const char *text, size_t length)
{
	uint32_t field = ((uint32_t)length + 1) << 16 | (*at - KTRACK_USER_STORED);

	memcpy((char *)record + *at, text, length);
	*at += (uint32_t)length + 1;
	return field;
}

/* Copies a string to KTRACK_STRING_MAX + 1 bytes, as a record has it. */
static inline const char *ktrack_user_keep(char *to, ktrack_user_string string)
{
	const char *text = ktrack_user_text(string);
	size_t length = ktrack_user_length(text, string);

	memcpy(to, text, length);
	to[length] = '\0';
	return to;
}

#ifdef __cplusplus
}
#endif

#endif
