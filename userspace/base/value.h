/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Typed values with names: the extra fields of records. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/buffer.h"

enum value_kind {
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_BOOLEAN,
	VALUE_TEXT,
	VALUE_BYTES,
	VALUE_KIND_COUNT
};

/** struct value - a number, a boolean, a text or opaque bytes; texts and bytes are borrowed */
struct value {
	enum value_kind kind;
	union {
		int64_t signed_number;
		uint64_t unsigned_number;
		bool boolean;
		struct text text;
	};
};

/** struct field - a value and its name */
struct field {
	struct text name;
	struct value value;
};

/**
 * value_append_json - append @value as JSON
 *
 * Numbers beyond 2^53 become strings, because many readers use doubles; opaque bytes become strings
 * of hexadecimal digits.
 */
void value_append_json(struct buffer *buffer, const struct value *value);

/**
 * value_append_text - append @value: numbers in decimal, texts unchanged, opaque bytes in
 * hexadecimal
 */
void value_append_text(struct buffer *buffer, const struct value *value);

/** fields_append_text - append "name=value name=value" */
void fields_append_text(struct buffer *buffer, const struct field *fields, size_t nr_fields);

#endif
