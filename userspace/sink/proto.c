// SPDX-License-Identifier: GPL-2.0-only
/* Encodes protocol buffers. The size of a message precedes it, and is set at its end. */
#include "sink/proto.h"

#include <endian.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

void proto_append_number(struct buffer *out, uint64_t number)
{
	char *at = buffer_reserve(out, PROTO_NUMBER_MAX);

	if (at)
		out->size = proto_put_number(at, number) - out->data;
}

void proto_number(struct buffer *out, unsigned int field, uint64_t number)
{
	char *at = buffer_reserve(out, 2 * PROTO_NUMBER_MAX);

	if (!at)
		return;
	at = proto_put_tag(at, field, PROTO_NUMBER);
	out->size = proto_put_number(at, number) - out->data;
}

void proto_signed(struct buffer *out, unsigned int field, int64_t number)
{
	proto_number(out, field, (uint64_t)number);
}

void proto_fixed(struct buffer *out, unsigned int field, uint64_t number)
{
	uint64_t bits = htole64(number);

	proto_append_number(out, (uint64_t)field << 3 | PROTO_64_BITS);
	buffer_append(out, &bits, sizeof(bits));
}

void proto_double(struct buffer *out, unsigned int field, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	proto_fixed(out, field, bits);
}

void proto_append_text(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);

		if (size > 0)
			buffer_append(out, text.data, size);
		else
			buffer_append_string(out, REPLACEMENT);
		size += size == 0;
		text = (struct text){ .data = text.data + size, .size = text.size - size };
	}
}

static bool is_ascii(struct text text)
{
	unsigned char bits = 0;

	for (size_t i = 0; i < text.size; i++)
		bits |= (unsigned char)text.data[i];
	return bits < 0x80;
}

void proto_text(struct buffer *out, unsigned int field, struct text text)
{
	size_t begin;

	if (is_ascii(text)) {
		proto_append_number(out, (uint64_t)field << 3 | PROTO_SIZED);
		proto_append_number(out, text.size);
		buffer_append(out, text.data, text.size);
		return;
	}
	begin = proto_begin(out, field);
	proto_append_text(out, text);
	proto_end(out, begin);
}

size_t proto_begin(struct buffer *out, unsigned int field)
{
	proto_append_number(out, (uint64_t)field << 3 | PROTO_SIZED);
	buffer_append_char(out, 0);
	return out->size;
}

void proto_end_long(struct buffer *out, size_t begin)
{
	size_t size = out->size - begin;
	char length[PROTO_NUMBER_MAX];
	size_t length_size = proto_put_number(length, size) - length;

	if (!buffer_reserve(out, length_size - 1))
		return;
	memmove(out->data + begin + length_size - 1, out->data + begin, size);
	memcpy(out->data + begin - 1, length, length_size);
	out->size += length_size - 1;
}
