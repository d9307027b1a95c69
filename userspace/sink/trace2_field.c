// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all lines of a tracepoint have in common: its name, and the names of the records' fields.
 * All are rendered once.
 */
#include <stdlib.h>
#include <string.h>

#include "sink/trace2_state.h"

/* Beyond these, names are rendered each time; formats have seldom more than a dozen fields. */
#define FIELDS_MAX 64

static bool field_render(struct trace2_field *own, struct text name)
{
	*own = (struct trace2_field){ .name = name.data };
	buffer_append_char(&own->json, ',');
	json_append_string(&own->json, name);
	buffer_append_char(&own->json, ':');
	buffer_append_char(&own->plain, ' ');
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
	fields->has_escapes |= list->json.size != name.size + strlen(",\"\":");
	fields->size++;
	return list;
}

/*
 * A name is known by where it stands, which no other name does as long as there is the category.
 * Most records have all fields, so that the field's place is the name's.
 */
hot_inline const struct trace2_field *fields_at(const struct trace2_fields *fields,
						const struct field *field, size_t place)
{
	return place < fields->size && fields->list[place].name == field->name.data
		       ? &fields->list[place]
		       : NULL;
}

static const struct trace2_field *fields_get(struct trace2_fields *fields,
					     const struct field *field, size_t place)
{
	const struct trace2_field *own = fields_at(fields, field, place);

	for (size_t i = 0; i < fields->size && !own; i++) {
		if (fields->list[i].name == field->name.data)
			own = &fields->list[i];
	}
	return own ? own : fields_add(fields, field->name);
}

/* Numbers that are no strings in JSON, which most values are. */
hot_inline bool is_short_number(const struct value *value)
{
	uint64_t limit = UINT64_C(1) << 53;

	if (value->kind == VALUE_UNSIGNED)
		return value->unsigned_number <= limit;
	return value->kind == VALUE_SIGNED && value->unsigned_number + limit <= 2 * limit;
}

hot_inline char *put_value(char *out, const struct value *value)
{
	if (value->unsigned_number < PUT_MIDDLE_LIMIT)
		return put_middle(out, value->unsigned_number);
	return put_signed(out, value->signed_number);
}

/*
 * Adds fields from the @first on, up to one whose name was not rendered at its place, or whose
 * value is no short number; returns that one's number.
 */
hot_inline size_t usual_fields_append(const struct trace2_fields *fields, struct buffer *json,
				      struct buffer *plain, const struct timeline_event *event,
				      size_t first)
{
	size_t most = (event->nr_fields - first) * (fields->name_max + PUT_NUMBER_MAX);
	char *in_json = buffer_reserve_put(json, most);
	char *in_plain = plain ? buffer_reserve_put(plain, most) : in_json;
	size_t i;

	if (!in_json || !in_plain)
		return event->nr_fields;
	for (i = first; i < event->nr_fields; i++) {
		const struct field *field = &event->fields[i];
		const struct trace2_field *own = fields_at(fields, field, i);

		if (!own || !is_short_number(&field->value))
			break;
		in_json = put_few(in_json, own->json.data, own->json.size);
		in_json = put_value(in_json, &field->value);
		if (!plain)
			continue;
		in_plain = put_few(in_plain, own->plain.data, own->plain.size);
		in_plain = put_value(in_plain, &field->value);
	}
	buffer_end_put(json, in_json);
	if (plain)
		buffer_end_put(plain, in_plain);
	return i;
}

/* Any field. */
static __attribute__((noinline)) void other_field_append(struct trace2_fields *fields,
							 struct buffer *json, struct buffer *plain,
							 const struct field *field, size_t place)
{
	const struct trace2_field *own = fields_get(fields, field, place);
	bool is_first = false;

	if (own)
		buffer_append(json, own->json.data, own->json.size);
	else
		json_append_member(json, field->name, &is_first);
	value_append_json(json, &field->value);
	if (!plain)
		return;
	buffer_append_char(plain, ' ');
	fields_append_text(plain, field, 1);
}

/*
 * Each field has its separator before it, in place of which the first has what all begins with.
 * Returns whether all were usual.
 */
hot_inline bool fields_append(struct trace2_fields *fields, struct buffer *json,
			      struct buffer *plain, const struct timeline_event *event)
{
	bool is_usual = true;
	size_t begin = json->size, i = 0;

	while ((i = usual_fields_append(fields, json, plain, event, i)) < event->nr_fields) {
		other_field_append(fields, json, plain, &event->fields[i], i);
		i++;
		is_usual = false;
	}
	if (json->size > begin)
		json->data[begin] = '{';
	else
		buffer_append_char(json, '{');
	buffer_append_char(json, '}');
	return is_usual;
}

void trace2_fields_append_json(struct trace2_fields *fields, struct buffer *json,
			       const struct timeline_event *event)
{
	fields_append(fields, json, NULL, event);
}

bool trace2_fields_append(struct trace2_fields *fields, struct buffer *json, struct buffer *plain,
			  const struct timeline_event *event)
{
	return fields_append(fields, json, plain, event) && !fields->has_escapes;
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
