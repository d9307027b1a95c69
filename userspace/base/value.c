// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Values as JSON and as text. */
#include "base/value.h"

#include "base/json.h"

#define JSON_NUMBER_MAX (INT64_C(1) << 53)

static void append_hexadecimal(struct buffer *buffer, struct text bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.size; i++) {
		unsigned char byte = bytes.data[i];

		buffer_append(buffer, (char[]){ digits[byte >> 4], digits[byte & 15] }, 2);
	}
}

void value_append_text(struct buffer *buffer, const struct value *value)
{
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
	case VALUE_TEXT:
		buffer_append(buffer, value->text.data, value->text.size);
		break;
	case VALUE_BYTES:
	case VALUE_KIND_COUNT:
		append_hexadecimal(buffer, value->text);
		break;
	}
}

static bool is_quoted_in_json(const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		return value->signed_number > JSON_NUMBER_MAX ||
		       value->signed_number < -JSON_NUMBER_MAX;
	case VALUE_UNSIGNED:
		return value->unsigned_number > JSON_NUMBER_MAX;
	case VALUE_BOOLEAN:
		return false;
	default:
		return true;
	}
}

void value_append_json(struct buffer *buffer, const struct value *value)
{
	if (value->kind == VALUE_TEXT) {
		json_append_string(buffer, value->text);
		return;
	}
	if (is_quoted_in_json(value)) {
		buffer_append_char(buffer, '"');
		value_append_text(buffer, value);
		buffer_append_char(buffer, '"');
		return;
	}
	value_append_text(buffer, value);
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
