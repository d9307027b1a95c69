// SPDX-License-Identifier: GPL-2.0-only
/* Values of OTLP in its JSON form. */
#include "sink/otlp/json.h"

#include "sink/html/base64.h"

void otlp_append_separator(struct buffer *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '[' && out->data[out->size - 1] != '{')
		buffer_append_char(out, ',');
}

static void otlp_key_append(struct buffer *out, const char *prefix, struct text key)
{
	size_t quote;

	if (!prefix[0]) {
		json_append_string(out, key);
		return;
	}
	/* The opening quote of the key is overwritten with the last character of the prefix. */
	buffer_append_char(out, '"');
	buffer_append(out, prefix, strlen(prefix) - 1);
	quote = out->size;
	json_append_string(out, key);
	if (!out->failed)
		out->data[quote] = prefix[strlen(prefix) - 1];
}

void otlp_append_key(struct buffer *out, const char *prefix, struct text key)
{
	otlp_append_separator(out);
	buffer_append_string(out, "{\"key\":");
	otlp_key_append(out, prefix, key);
	buffer_append_string(out, ",\"value\":");
}

static void otlp_number_append(struct buffer *out, int64_t number)
{
	buffer_append_string(out, "{\"intValue\":\"");
	buffer_append_signed(out, number);
	buffer_append_string(out, "\"}");
}

static void otlp_text_append(struct buffer *out, struct text text)
{
	buffer_append_string(out, "{\"stringValue\":");
	json_append_string(out, text);
	buffer_append_char(out, '}');
}

/* OTLP has no unsigned numbers. */
static void otlp_unsigned_append(struct buffer *out, uint64_t number)
{
	if (number <= INT64_MAX) {
		otlp_number_append(out, (int64_t)number);
		return;
	}
	buffer_append_string(out, "{\"stringValue\":\"");
	buffer_append_unsigned(out, number);
	buffer_append_string(out, "\"}");
}

static void otlp_value_append(struct buffer *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		otlp_number_append(out, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		otlp_unsigned_append(out, value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		buffer_append_string(out, value->boolean ? "{\"boolValue\":true}"
							 : "{\"boolValue\":false}");
		break;
	case VALUE_FLOATING:
		buffer_append_string(out, "{\"doubleValue\":");
		value_append_json(out, value);
		buffer_append_char(out, '}');
		break;
	case VALUE_BYTES:
		buffer_append_string(out, "{\"bytesValue\":\"");
		base64_append(out, value->text);
		buffer_append_string(out, "\"}");
		break;
	default:
		otlp_text_append(out, value->text);
	}
}

void otlp_append_value(struct buffer *out, const struct value *value)
{
	otlp_value_append(out, value);
	buffer_append_char(out, '}');
}

void otlp_append_text(struct buffer *out, const char *key, struct text text)
{
	otlp_append_key(out, "", text_of(key));
	otlp_text_append(out, text);
	buffer_append_char(out, '}');
}

void otlp_append_number(struct buffer *out, const char *key, int64_t number)
{
	otlp_append_key(out, "", text_of(key));
	otlp_number_append(out, number);
	buffer_append_char(out, '}');
}

void otlp_append_true(struct buffer *out, const char *key)
{
	otlp_append_key(out, "", text_of(key));
	buffer_append_string(out, "{\"boolValue\":true}}");
}

void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields)
{
	for (size_t i = 0; i < nr_fields; i++) {
		otlp_append_key(out, prefix, fields[i].name);
		otlp_append_value(out, &fields[i].value);
	}
}

void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns)
{
	otlp_append_separator(out);
	buffer_append_char(out, '"');
	buffer_append_string(out, member);
	buffer_append_string(out, "\":\"");
	buffer_append_unsigned(out, wall_ns > 0 ? (uint64_t)wall_ns : 0);
	buffer_append_char(out, '"');
}
