/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Typed values with a name: what a record says beyond its well-known fields. */
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

/**
 * struct value - a number, a truth, a text or opaque bytes; texts and bytes are borrowed
 */
struct value {
	enum value_kind kind;
	union {
		int64_t signed_number;
		uint64_t unsigned_number;
		bool boolean;
		struct text text;
	};
};

/** struct field - a value and the name it has in its record */
struct field {
	struct text name;
	struct value value;
};

/**
 * value_append_json - add @value as JSON
 *
 * Numbers beyond 2^53 become strings, because readers that hold numbers as doubles would lose
 * digits; opaque bytes become a string of hexadecimal digits.
 */
void value_append_json(struct buffer *buffer, const struct value *value);

/**
 * value_append_text - add @value for people: numbers in decimal, texts as they are, opaque bytes
 * in hexadecimal
 */
void value_append_text(struct buffer *buffer, const struct value *value);

/** fields_append_json - add an object of all @nr_fields fields, "{}" where there are none */
void fields_append_json(struct buffer *buffer, const struct field *fields, size_t nr_fields);

/** fields_append_text - add "name=value name=value" */
void fields_append_text(struct buffer *buffer, const struct field *fields, size_t nr_fields);

#endif
