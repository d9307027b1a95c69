// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all lines of a tracepoint have in common: its name, and the names of the records' fields.
 * All are rendered once.
 */
#include <stdlib.h>

#include "sink/trace2_state.h"

/* Beyond these, names are rendered each time; formats have seldom more than a dozen fields. */
#define FIELDS_MAX 64

static bool field_render(struct trace2_field *own, struct text name)
{
	*own = (struct trace2_field){ .name = name.data };
	json_append_string(&own->json, name);
	buffer_append_char(&own->json, ':');
	buffer_append(&own->plain, name.data, name.size);
	buffer_append_char(&own->plain, '=');
	buffer_seal(&own->json);
	buffer_seal(&own->plain);
	return !own->json.failed && !own->plain.failed;
}

static void field_release(struct trace2_field *own)
{
	buffer_release(&own->json);
	buffer_release(&own->plain);
}

static const struct trace2_field *fields_add(struct trace2_fields *fields, struct text name)
{
	struct trace2_field *list;

	if (fields->size >= FIELDS_MAX)
		return NULL;
	list = reallocarray(fields->list, fields->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	fields->list = list;
	if (field_render(&list[fields->size], name))
		return &list[fields->size++];
	field_release(&list[fields->size]);
	return NULL;
}

/*
 * A name is known by where it stands, which no other name does as long as there is the category.
 * Most records have all fields, so that the field's place is the name's.
 */
hot_inline const struct trace2_field *fields_get(struct trace2_fields *fields,
						 const struct field *field, size_t place)
{
	if (place < fields->size && fields->list[place].name == field->name.data)
		return &fields->list[place];
	for (size_t i = 0; i < fields->size; i++) {
		if (fields->list[i].name == field->name.data)
			return &fields->list[i];
	}
	return fields_add(fields, field->name);
}

/* Numbers, which most values are. */
static bool number_append(struct buffer *out, const struct value *value)
{
	uint64_t limit = UINT64_C(1) << 53;
	uint64_t size = value->kind == VALUE_SIGNED && value->signed_number < 0
				? -value->unsigned_number
				: value->unsigned_number;
	char *room;

	if ((value->kind != VALUE_SIGNED && value->kind != VALUE_UNSIGNED) || size > limit)
		return false;
	room = buffer_reserve_put(out, PUT_NUMBER_MAX);
	if (room)
		buffer_end_put(out, put_signed(room, value->signed_number));
	return true;
}

static void sealed_append(struct buffer *out, const struct buffer *sealed)
{
	char *room = buffer_reserve_put(out, sealed->size);

	if (room)
		buffer_end_put(out, put_block(room, sealed->data, sealed->size));
}

void trace2_fields_append_json(struct trace2_fields *fields, struct buffer *out,
			       const struct timeline_event *event)
{
	buffer_append_char(out, '{');
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct trace2_field *own = fields_get(fields, field, i);
		bool is_first = true;

		if (i > 0)
			buffer_append_char(out, ',');
		if (own)
			sealed_append(out, &own->json);
		else
			json_append_member(out, field->name, &is_first);
		if (!number_append(out, &field->value))
			value_append_json(out, &field->value);
	}
	buffer_append_char(out, '}');
}

void trace2_fields_append_text(struct trace2_fields *fields, struct buffer *out,
			       const struct timeline_event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct trace2_field *own = fields_get(fields, field, i);

		if (i > 0)
			buffer_append_char(out, ' ');
		if (!own) {
			fields_append_text(out, field, 1);
			continue;
		}
		sealed_append(out, &own->plain);
		if (!number_append(out, &field->value))
			value_append_text(out, &field->value);
	}
}

static void category_free(struct trace2_category *own)
{
	for (size_t i = 0; i < own->fields.size; i++)
		field_release(&own->fields.list[i]);
	free(own->fields.list);
	trace2_text_free(own->text);
	free(own);
}

struct trace2_category *trace2_category_get(struct trace2_sink *sink,
					    struct timeline_category *category, struct error *error)
{
	struct trace2_category *own = category->slots[sink->slot];

	if (own)
		return own;
	own = calloc(1, sizeof(*own));
	if (own)
		own->text = trace2_text_new(trace2_string_of(text_of(category->text)));
	if (!own || !own->text) {
		free(own);
		error_set(error, "out of memory");
		return NULL;
	}
	own->after = sink->categories;
	sink->categories = own;
	category->slots[sink->slot] = own;
	return own;
}

void trace2_categories_free(struct trace2_sink *sink)
{
	struct trace2_category *after;

	for (struct trace2_category *own = sink->categories; own; own = after) {
		after = own->after;
		category_free(own);
	}
	sink->categories = NULL;
}
