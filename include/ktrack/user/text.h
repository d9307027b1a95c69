/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Strings of records: their length is limited, and they are copied. */
#ifndef KTRACK_USER_TEXT_H
#define KTRACK_USER_TEXT_H

#include <string.h>

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest string in a record, in bytes without its NUL. */
#define KTRACK_STRING_MAX	127

/* The text that replaces a NULL string in a record. */
#define KTRACK_STRING_NULL	"(null)"

__KTRACK_ONE size_t ktrack_user1_cut(const char *text);

/* The length at which a longer string is cut: never inside a UTF-8 character. */
size_t ktrack_user1_cut(const char *text)
{
	size_t first = KTRACK_STRING_MAX - 1, size;

	while (first > KTRACK_STRING_MAX - 4 && (text[first] & 0xc0) == 0x80)
		first--;
	size = 1 + ((text[first] & 0xc0) == 0xc0) + ((text[first] & 0xe0) == 0xe0) +
	       ((text[first] & 0xf0) == 0xf0);
	return first + size > KTRACK_STRING_MAX ? first : KTRACK_STRING_MAX;
}

static inline const char *ktrack_user_text(const char *text)
{
	return text ? text : KTRACK_STRING_NULL;
}

/* The length of @text in a record; a constant if @text is one. */
static inline size_t ktrack_user_length(const char *text)
{
	size_t length = strlen(text);

	return length > KTRACK_STRING_MAX ? ktrack_user1_cut(text) : length;
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

#ifdef __cplusplus
}
#endif

#endif
