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
	list += fields->size;
	if (!field_render(list, name)) {
		field_release(list);
		return NULL;
	}
	if (list->json.size > fields->name_max)
		fields->name_max = list->json.size;
	fields->size++;
	return list;
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

/* Numbers that are no strings in JSON, which most values are. */
hot_inline bool is_short_number(const struct value *value)
{
	uint64_t limit = UINT64_C(1) << 53;

	if (value->kind == VALUE_UNSIGNED)
		return value->unsigned_number <= limit;
	return value->kind == VALUE_SIGNED && value->unsigned_number + limit <= 2 * limit;
}

/*
 * The usual field: its name was rendered at its place, its value is a short number. Returns where
 * to go on, NULL where the field is another. There is room: the longest name's and a number's.
 */
hot_inline char *put_usual(char *out, const struct trace2_fields *fields, const struct field *field,
			   size_t place, bool is_json)
{
	const struct trace2_field *own;
	const struct buffer *name;

	if (place >= fields->size || !is_short_number(&field->value))
		return NULL;
	own = &fields->list[place];
	if (own->name != field->name.data)
		return NULL;
	name = is_json ? &own->json : &own->plain;
	return put_signed(put_block(out, name->data, name->size), field->value.signed_number);
}

static void json_field_append(struct trace2_fields *fields, struct buffer *out,
			      const struct field *field, size_t place)
{
	const struct trace2_field *own = fields_get(fields, field, place);
	bool is_first = true;

	if (own)
		buffer_append(out, own->json.data, own->json.size);
	else
		json_append_member(out, field->name, &is_first);
	value_append_json(out, &field->value);
}

/* All fields, with a separator between two. */
hot_inline void fields_append(struct trace2_fields *fields, struct buffer *out,
			      const struct timeline_event *event, bool is_json)
{
	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		char *room = buffer_reserve_put(out, 1 + fields->name_max + PUT_NUMBER_MAX);
		char *end;

		if (!room)
			return;
		if (i > 0)
			room = put_char(room, is_json ? ',' : ' ');
		end = put_usual(room, fields, field, i, is_json);
		buffer_end_put(out, end ? end : room);
		if (end)
			continue;
		if (is_json)
			json_field_append(fields, out, field, i);
		else
			fields_append_text(out, field, 1);
	}
}

void trace2_fields_append_json(struct trace2_fields *fields, struct buffer *out,
			       const struct timeline_event *event)
{
	buffer_append_char(out, '{');
	fields_append(fields, out, event, true);
	buffer_append_char(out, '}');
}

void trace2_fields_append_text(struct trace2_fields *fields, struct buffer *out,
			       const struct timeline_event *event)
{
	fields_append(fields, out, event, false);
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
