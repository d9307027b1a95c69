// SPDX-License-Identifier: GPL-2.0-only
/* Encodes base64. */
#include "sink/html/base64.h"

const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *group_put(char *at, const unsigned char *bytes, size_t size)
{
	uint32_t bits = (uint32_t)bytes[0] << 16;

	if (size > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (size > 2)
		bits |= bytes[2];
	*at++ = base64_letters[bits >> 18];
	*at++ = base64_letters[bits >> 12 & 63];
	*at++ = size > 1 ? base64_letters[bits >> 6 & 63] : '=';
	*at++ = size > 2 ? base64_letters[bits & 63] : '=';
	return at;
}

void base64_append(struct buffer *out, struct text bytes)
{
	const unsigned char *from = (const unsigned char *)bytes.data;
	char *at = buffer_reserve(out, (bytes.size + 2) / 3 * 4);

	if (!at)
		return;
	for (size_t i = 0; i < bytes.size; i += 3)
		at = group_put(at, from + i, bytes.size - i);
	out->size = at - out->data;
}
