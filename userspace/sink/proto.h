/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the wire form of protocol buffers to the end of a buffer: numbers, texts, messages in
 * messages.
 */
#ifndef SINK_PROTO_H
#define SINK_PROTO_H

#include "base/base.h"

/** proto_append_number - a varint without a field number, as it stands in lengths */
void proto_append_number(struct buffer *out, uint64_t number);

/** proto_number - field @field of any unsigned type, or an enum or bool */
void proto_number(struct buffer *out, unsigned int field, uint64_t number);

/** proto_signed - of type int64 or int32, which take ten bytes where they are negative */
void proto_signed(struct buffer *out, unsigned int field, int64_t number);

/** proto_double - of type double */
void proto_double(struct buffer *out, unsigned int field, double number);

/** proto_text - of type string: bytes that are no well-formed UTF-8 become U+FFFD, one for each */
void proto_text(struct buffer *out, unsigned int field, struct text text);

/** proto_copy - fields that were encoded before */
void proto_copy(struct buffer *out, struct text fields);

/**
 * proto_begin - begin a message in a message
 *
 * Returns what proto_end() wants to know.
 */
size_t proto_begin(struct buffer *out, unsigned int field);

/** proto_end - it has all its fields; inner messages end before outer ones */
void proto_end(struct buffer *out, size_t begin);

#endif
