// SPDX-License-Identifier: GPL-2.0-only
/* Adds rows to a database. */
#include "sink/sqlite/database.h"

#define REPLACEMENT "\xef\xbf\xbd"

void row_add_null(struct database_row *row)
{
	if (row->database->api.bind_null(row->statement, ++row->index) != SQLITE_OK)
		row->failed = true;
}

static bool text_is_ascii(struct text text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = text.data[i];

		if (byte == 0 || byte >= 0x80)
			return false;
	}
	return true;
}

/* SQLite accepts any bytes as text, but its functions and other programs do not. */
static struct text text_mend(struct buffer *out, struct text text)
{
	buffer_clear(out);
	while (text.size > 0) {
		size_t size = *text.data ? utf8_sequence_size(text) : 0;

		if (size > 0)
			buffer_append(out, text.data, size);
		else
			buffer_append_string(out, REPLACEMENT);
		text.data += size > 0 ? size : 1;
		text.size -= size > 0 ? size : 1;
	}
	return buffer_text(out);
}

void row_add_text(struct database_row *row, struct text text)
{
	const struct sqlite_api *api = &row->database->api;
	void (*lifetime)(void *) = SQLITE_STATIC;
	const char *data;

	if (!text_is_ascii(text)) {
		text = text_mend(&row->database->text, text);
		row->failed |= row->database->text.failed;
		lifetime = SQLITE_TRANSIENT;
	}
	/* No data would be NULL. */
	data = text.data ? text.data : "";
	if (api->bind_text(row->statement, ++row->index, data, text.size, lifetime) != SQLITE_OK)
		row->failed = true;
}

void row_add_string(struct database_row *row, const char *string)
{
	if (string)
		row_add_text(row, text_of(string));
	else
		row_add_null(row);
}

/* A text that is made of a value is copied by SQLite. */
static void row_add_made(struct database_row *row, const struct value *value)
{
	const struct sqlite_api *api = &row->database->api;
	struct buffer *text = &row->database->text;

	buffer_clear(text);
	value_append_text(text, value);
	row->failed |= text->failed;
	if (api->bind_text(row->statement, ++row->index, text->data ? text->data : "", text->size,
			   SQLITE_TRANSIENT) != SQLITE_OK)
		row->failed = true;
}

void row_add_unsigned(struct database_row *row, uint64_t number)
{
	const struct value value = { .kind = VALUE_UNSIGNED, .unsigned_number = number };

	row_add_value(row, &value);
}

/* What is no number becomes NULL. */
static void row_add_floating(struct database_row *row, double number)
{
	if (row->database->api.bind_double(row->statement, ++row->index, number) != SQLITE_OK)
		row->failed = true;
}

void row_add_value(struct database_row *row, const struct value *value)
{
	switch (value->kind) {
	case VALUE_SIGNED:
		row_add_number(row, value->signed_number);
		break;
	case VALUE_UNSIGNED:
		if (value->unsigned_number > INT64_MAX)
			row_add_made(row, value);
		else
			row_add_number(row, (int64_t)value->unsigned_number);
		break;
	case VALUE_BOOLEAN:
		row_add_number(row, value->boolean);
		break;
	case VALUE_FLOATING:
		row_add_floating(row, value->floating);
		break;
	case VALUE_TEXT:
		row_add_text(row, value->text);
		break;
	default:
		row_add_made(row, value);
	}
}

int row_end(struct database_row *row, struct error *error)
{
	const struct sqlite_api *api = &row->database->api;
	int status;

	if (row->failed)
		return error_set(error, "out of memory");
	status = api->step(row->statement);
	if (status == SQLITE_DONE && api->reset(row->statement) == SQLITE_OK)
		return 0;
	return database_fail(row->database, error);
}
