// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values as JSON and as text. */
#include "base/value.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

static void append_hexadecimal(struct buffer *buffer, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char byte = bytes.data[i];

		buffer_append(buffer, (char[]){ digits[byte >> 4], digits[byte & 15] }, 2);
	}
}

/* Digits that any double keeps, and digits that tell it from all others. */
#define DIGITS_MIN 15
#define DIGITS_MAX 17

const char *floating_text(char text[FLOATING_TEXT_MAX], double number)
{
	if (__builtin_isnan(number))
		return "NaN";
	if (__builtin_isinf(number))
		return number > 0 ? "Infinity" : "-Infinity";
	for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
		snprintf(text, FLOATING_TEXT_MAX, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	return text;
}

void value_append_text(struct buffer *buffer, const struct value *value)
{
	char text[FLOATING_TEXT_MAX];

	switch (value->kind) {
	case VALUE_SIGNED:
		buffer_append_signed(buffer, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		buffer_append_unsigned(buffer, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		buffer_append_string(buffer, value->boolean ? "true" : "false");
		break;
	case VALUE_FLOATING:
		buffer_append_string(buffer, floating_text(text, value->floating));
		break;
	case VALUE_TEXT:
		buffer_append(buffer, value->text.data, value->text.size);
		break;
	case VALUE_BYTES:
	case VALUE_KIND_COUNT:
		append_hexadecimal(buffer, value->text);
		break;
	}
}

void value_append_json(struct buffer *buffer, const struct value *value)
{
	char *space = buffer_reserve_put(buffer, PUT_NUMBER_MAX);
	char *end = space ? value_put_json(space, value) : space;

	if (end || !space) {
		buffer->size += end - space;
		return;
	}
	if (value->kind == VALUE_TEXT) {
		json_append_string(buffer, value->text);
		return;
	}
	if (value->kind != VALUE_FLOATING || !value_is_finite(value)) {
		buffer_append_char(buffer, '"');
		value_append_text(buffer, value);
		buffer_append_char(buffer, '"');
		return;
	}
	value_append_text(buffer, value);
}

static bool value_is_less(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_FLOATING)
		return a->floating < b->floating;
	return a->kind == VALUE_SIGNED ? a->signed_number < b->signed_number
				       : a->unsigned_number < b->unsigned_number;
}

double value_floating(const struct value *value)
{
	if (value->kind == VALUE_FLOATING)
		return value->floating;
	return value->kind == VALUE_SIGNED ? (double)value->signed_number
					   : (double)value->unsigned_number;
}

void value_range_add(struct value *min, struct value *max, const struct value *value)
{
	bool is_first = min->kind == VALUE_FLOATING && __builtin_isnan(min->floating);

	if (is_first || value_is_less(value, min))
		*min = *value;
	if (is_first || value_is_less(max, value))
		*max = *value;
}

void fields_append_text(struct buffer *buffer, const struct field *fields, size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++) {
		if (i > 0)
			buffer_append_char(buffer, ' ');
		buffer_append(buffer, fields[i].name.data, fields[i].name.size);
		buffer_append_char(buffer, '=');
		value_append_text(buffer, &fields[i].value);
	}
}
