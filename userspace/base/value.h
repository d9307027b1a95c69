/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Typed values with names: the extra fields of records. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/buffer.h"

enum value_kind {
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_BOOLEAN,
	VALUE_FLOATING,
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
		double floating;
		struct text text;
	};
};

/**
 * struct field - a value and its name
 * @is_plain: the name is known to need no escapes in JSON
 */
struct field {
	struct text name;
	struct value value;
	bool is_plain;
};

/** value_is_json_number - whether a value is a number in JSON; larger integers are strings */
hot_inline bool value_is_json_number(const struct value *value)
{
	const uint64_t limit = UINT64_C(1) << 53;

	if (value->kind != VALUE_SIGNED && value->kind != VALUE_UNSIGNED)
		return false;
	return value->unsigned_number <= limit ||
	       (value->kind == VALUE_SIGNED && value->unsigned_number >= -limit);
}

/**
 * value_append_json - append @value as JSON
 *
 * Integers beyond 2^53 become strings, because many readers use doubles; opaque bytes become
 * strings of hexadecimal digits. JSON has no number for "NaN", "Infinity" and "-Infinity": as in
 * the JSON of protocol buffers, they are strings.
 */
void value_append_json(struct buffer *buffer, const struct value *value);

/** value_put_json - put an integer or a boolean as JSON; NULL for others */
hot_inline char *value_put_json(char *out, const struct value *value)
{
	if (likely(value_is_json_number(value)))
		return put_signed(out, value->signed_number);
	if (value->kind == VALUE_BOOLEAN)
		return value->boolean ? PUT_LITERAL(out, "true") : PUT_LITERAL(out, "false");
	if (value->kind != VALUE_SIGNED && value->kind != VALUE_UNSIGNED)
		return NULL;
	out = put_char(out, '"');
	out = value->kind == VALUE_SIGNED ? put_signed(out, value->signed_number)
					  : put_unsigned(out, value->unsigned_number);
	return put_char(out, '"');
}

/** FLOATING_TEXT_MAX - size of the text of any double, with its NUL */
#define FLOATING_TEXT_MAX 32

/**
 * floating_text - a double as text, in @text or constant
 *
 * It has the fewest digits, 15 to 17, that are read as the same number, or is "NaN", "Infinity" or
 * "-Infinity".
 */
const char *floating_text(char text[FLOATING_TEXT_MAX], double number);

/**
 * value_append_text - append @value: numbers in decimal, texts unchanged, opaque bytes in
 * hexadecimal, a VALUE_FLOATING as its floating_text()
 */
void value_append_text(struct buffer *buffer, const struct value *value);

/** value_is_finite - whether @value is not a VALUE_FLOATING that is infinite or no number */
static inline bool value_is_finite(const struct value *value)
{
	return value->kind != VALUE_FLOATING || __builtin_isfinite(value->floating);
}

/** value_floating - @value, which is a number, as the nearest double */
double value_floating(const struct value *value);
/** value_range_add - extend a range to @value, of its kind; "NaN" is in none, unless all are */
void value_range_add(struct value *min, struct value *max, const struct value *value);
/** fields_append_text - append "name=value name=value" */
void fields_append_text(struct buffer *buffer, const struct field *fields, size_t nr_fields);

#endif
