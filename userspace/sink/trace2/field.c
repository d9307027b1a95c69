// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints and the names of their fields, rendered once. */
#include <stdlib.h>
#include <string.h>

#include "sink/trace2/state.h"

/* Further names are rendered for each record; most events have less than a dozen fields. */
#define FIELDS_MAX 64

static bool field_render(struct trace2_field *own, struct text name)
{
	*own = (struct trace2_field){ .name = name.data };
	buffer_append_char(&own->json, ',');
	json_append_string(&own->json, name);
	buffer_append_char(&own->json, ':');
	buffer_append_char(&own->text, ' ');
	buffer_append(&own->text, name.data, name.size);
	buffer_append_char(&own->text, '=');
	buffer_seal(&own->json);
	buffer_seal(&own->text);
	return !own->json.failed && !own->text.failed;
}

static void field_release(struct trace2_field *own)
{
	buffer_release(&own->json);
	buffer_release(&own->text);
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
	fields->has_escapes |= list->json.size != name.size + strlen(",\"\":");
	fields->size++;
	return list;
}

/*
 * The address identifies a name as long as its category lives. Most records have all fields, so the
 * field's index is usually the name's.
 */
static const struct trace2_field *fields_get(struct trace2_fields *fields, struct text name,
					     size_t index)
{
	if (index < fields->size && fields->list[index].name == name.data)
		return &fields->list[index];
	for (size_t i = 0; i < fields->size; i++) {
		if (fields->list[i].name == name.data)
			return &fields->list[i];
	}
	return fields_add(fields, name);
}

/* JSON has these as numbers; larger ones are strings. */
hot_inline bool is_json_number(const struct value *value)
{
	uint64_t limit = UINT64_C(1) << 53;

	if (value->kind != VALUE_SIGNED && value->kind != VALUE_UNSIGNED)
		return false;
	return value->unsigned_number <= limit ||
	       (value->kind == VALUE_SIGNED && value->unsigned_number >= -limit);
}

/* The digits are made once and copied. */
hot_inline void number_field_append(const struct trace2_field *own, struct buffer *json,
				    struct buffer *text, const struct value *value)
{
	char *json_end = buffer_reserve_put(json, own->json.size + PUT_NUMBER_MAX);
	char *text_end = buffer_reserve_put(text, own->text.size + PUT_NUMBER_MAX);
	const char *digits;

	if (!json_end || !text_end)
		return;
	digits = put_block(json_end, own->json.data, own->json.size);
	text_end = put_block(text_end, own->text.data, own->text.size);
	json_end = put_signed(json_end + own->json.size, value->signed_number);
	put_bytes(text_end, digits, PUT_NUMBER_MAX);
	buffer_end_put(json, json_end);
	buffer_end_put(text, text_end + (json_end - digits));
}

static void other_field_append(const struct trace2_field *own, struct buffer *json,
			       struct buffer *text, const struct field *field)
{
	bool is_first = false;

	if (own)
		buffer_append(json, own->json.data, own->json.size);
	else
		json_append_member(json, field->name, &is_first);
	value_append_json(json, &field->value);
	buffer_append_char(text, ' ');
	fields_append_text(text, field, 1);
}

/* Fields start with ','; the first one is overwritten with '{'. */
bool trace2_fields_append(struct trace2_fields *fields, struct buffer *json, struct buffer *text,
			  const struct timeline_event *event)
{
	size_t begin = json->size;
	bool are_numbers = true;

	for (size_t i = 0; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct trace2_field *own = fields_get(fields, field->name, i);

		if (own && is_json_number(&field->value)) {
			number_field_append(own, json, text, &field->value);
		} else {
			other_field_append(own, json, text, field);
			are_numbers = false;
		}
	}
	if (json->size == begin)
		buffer_append_char(json, '{');
	else
		json->data[begin] = '{';
	buffer_append_char(json, '}');
	return are_numbers && !fields->has_escapes;
}

static void category_free(struct trace2_category *own)
{
	for (size_t i = 0; i < own->fields.size; i++)
		field_release(&own->fields.list[i]);
	free(own->fields.list);
	trace2_text_free(own->text);
	free(own);
}

struct trace2_category *trace2_sink_category(struct trace2_sink *sink,
					     struct timeline_category *category,
					     struct error *error)
{
	struct trace2_category *own = trace2_category_of(sink, category);

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
	category->sink_data[sink->sink_index] = own;
	return own;
}

void trace2_sink_categories_free(struct trace2_sink *sink)
{
	while (sink->categories) {
		struct trace2_category *own = sink->categories;

		sink->categories = own->after;
		category_free(own);
	}
}
