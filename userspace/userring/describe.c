// SPDX-License-Identifier: GPL-2.0-only
/* Parses copies of descriptions of events, which may be hostile. */
#include <ktrack/user/layout.h>
#include <string.h>

#include "userring/events.h"

/** struct description - the bytes that are left */
struct description {
	const unsigned char *bytes;
	size_t size;
};

static bool description_take(struct description *from, void *out, size_t size)
{
	if (from->size < size)
		return false;
	memcpy(out, from->bytes, size);
	from->bytes += size;
	from->size -= size;
	return true;
}

/* Takes a string with its NUL. */
static bool description_take_string(struct description *from, char out[EVENT_NAME_MAX])
{
	size_t size = strnlen((const char *)from->bytes, from->size) + 1;

	return size <= from->size && size <= EVENT_NAME_MAX && description_take(from, out, size);
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A word of C. */
static bool description_take_word(struct description *from, char out[EVENT_NAME_MAX])
{
	if (!description_take_string(from, out) || !*out || (*out >= '0' && *out <= '9'))
		return false;
	for (const char *c = out; *c; c++) {
		if (!is_word_char(*c))
			return false;
	}
	return true;
}

/* Characters that would end the text in a format are replaced. */
static bool description_take_text(struct description *from, struct described_text *out)
{
	if (!description_take(from, &out->value, sizeof(out->value)) ||
	    !description_take_string(from, out->text))
		return false;
	for (char *c = out->text; *c; c++) {
		if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\' || *c == '%')
			*c = '?';
	}
	return true;
}

static bool description_take_texts(struct description *from, struct described_event *event,
				   struct described_field *field)
{
	field->texts = event->nr_texts;
	for (size_t i = 0; i < field->nr_texts; i++) {
		if (event->nr_texts == EVENT_TEXTS_MAX ||
		    !description_take_text(from, &event->texts[event->nr_texts++]))
			return false;
	}
	return true;
}

/* Strings are behind the fields; the record begins with the common fields and the process. */
static bool field_is_inside(const struct described_field *field,
			    const struct described_event *event)
{
	size_t first = sizeof(struct ktrack_user_record) - KTRACK_USER_STORED;

	if (field->kind == KTRACK_USER_GLOBAL)
		return field->size == 0;
	if (field->kind == KTRACK_USER_TEXT && field->size != sizeof(uint32_t))
		return false;
	if (field->kind == KTRACK_USER_POINTER && field->size != sizeof(uint64_t))
		return false;
	if (field->kind == KTRACK_USER_BYTES && field->size > KTRACK_USER_BYTES_MAX)
		return false;
	if (field->kind != KTRACK_USER_BYTES &&
	    (field->size > 8 || (field->size & (field->size - 1))))
		return false;
	if (field->kind == KTRACK_USER_FLOATING && field->size < sizeof(float))
		return false;
	if (field->size == 0)
		return false;
	return field->offset >= first && (uint32_t)field->offset + field->size <= event->size;
}

static bool description_take_field(struct description *from, struct described_event *event)
{
	struct described_field *field = &event->fields[event->nr_fields];
	struct ktrack_user_field raw;

	if (!description_take(from, &raw, sizeof(raw)) || raw.kind > KTRACK_USER_FLOATING)
		return false;
	*field = (struct described_field){ .offset = raw.offset,
					   .size = raw.size,
					   .kind = raw.kind,
					   .is_signed = raw.is_signed,
					   .nr_texts = raw.nr_texts };
	if (!description_take_word(from, field->name) ||
	    strncmp(field->name, "common_", strlen("common_")) == 0 ||
	    !description_take_texts(from, event, field))
		return false;
	event->nr_fields++;
	return field_is_inside(field, event);
}

bool event_describe(struct described_event *out, const unsigned char *bytes, size_t size)
{
	struct description from = { .bytes = bytes, .size = size };
	struct ktrack_user_event raw;

	if (!description_take(&from, &raw, sizeof(raw)) || raw.nr_fields > EVENT_FIELDS_MAX ||
	    (raw.kind != KTRACK_USER_SLICE && raw.kind != KTRACK_USER_COUNTER) ||
	    raw.size > KTRACK_USER_RECORD_MAX)
		return false;
	out->number = raw.number;
	out->kind = raw.kind;
	out->size = raw.size;
	out->nr_fields = 0;
	out->nr_texts = 0;
	if (!description_take_word(&from, out->system) || !description_take_word(&from, out->name))
		return false;
	while (out->nr_fields < raw.nr_fields) {
		if (!description_take_field(&from, out))
			return false;
	}
	return true;
}
