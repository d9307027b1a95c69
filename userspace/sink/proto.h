/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Appends protocol buffers to a buffer. It is our own because generated code (nanopb, protobuf-c)
 * builds each message in memory first, and is larger than these functions.
 */
#ifndef SINK_PROTO_H
#define SINK_PROTO_H

#include "base/base.h"

enum proto_wire {
	PROTO_NUMBER = 0,
	PROTO_64_BITS = 1,
	PROTO_SIZED = 2,
};

/** PROTO_NUMBER_MAX - bytes of the longest varint */
#define PROTO_NUMBER_MAX 10

/** proto_put_number - put a varint; returns its end */
hot_inline char *proto_put_number(char *at, uint64_t number)
{
	while (number >= 0x80) {
		*at++ = (char)(number | 0x80);
		number >>= 7;
	}
	*at++ = (char)number;
	return at;
}

/** proto_put_tag - put the tag of a field; returns its end */
hot_inline char *proto_put_tag(char *at, unsigned int field, enum proto_wire wire)
{
	return proto_put_number(at, (uint64_t)field << 3 | wire);
}

/** proto_append_number - append a varint without a tag */
void proto_append_number(struct buffer *out, uint64_t number);
/** proto_number - field @field of any unsigned type, or an enum or bool */
void proto_number(struct buffer *out, unsigned int field, uint64_t number);
/** proto_signed - of type int64 or int32, which take ten bytes if they are negative */
void proto_signed(struct buffer *out, unsigned int field, int64_t number);
/** proto_fixed - of type fixed64 */
void proto_fixed(struct buffer *out, unsigned int field, uint64_t number);
/** proto_double - of type double */
void proto_double(struct buffer *out, unsigned int field, double number);
/** proto_append_text - append a text, of which each byte that is no well-formed UTF-8 is U+FFFD */
void proto_append_text(struct buffer *out, struct text text);
/** proto_text - of type string, by proto_append_text() */
void proto_text(struct buffer *out, unsigned int field, struct text text);
/** proto_begin - begin a nested message with one byte of size; returns proto_end()'s argument */
size_t proto_begin(struct buffer *out, unsigned int field);
/** proto_end_long - proto_end() of a message whose size takes more than one byte */
void proto_end_long(struct buffer *out, size_t begin);

/** proto_end - end a message; inner messages end before outer ones */
hot_inline void proto_end(struct buffer *out, size_t begin)
{
	size_t size = out->size - begin;

	if (size < 0x80 && !out->failed)
		out->data[begin - 1] = (char)size;
	else
		proto_end_long(out, begin);
}

#endif
