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

static bool is_number(const struct value *value)
{
	return value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED;
}

static const struct trace2_field *fields_add(struct trace2_fields *fields,
					     const struct field *field)
{
	struct trace2_field *list;

	if (fields->size >= FIELDS_MAX)
		return NULL;
	list = reallocarray(fields->list, fields->size + 1, sizeof(*list));
	if (!list)
		return NULL;
	fields->list = list;
	list += fields->size;
	if (!field_render(list, field->name)) {
		field_release(list);
		return NULL;
	}
	fields->has_others |= !is_number(&field->value) || list->json.size > PUT_SLACK;
	fields->has_escapes |= list->json.size != field->name.size + strlen(",\"\":");
	fields->size++;
	return list;
}

/*
 * A name is known by where it stands, which no other name does as long as there is the category.
 * Most records have all fields, so that the field's place is the name's.
 */
static const struct trace2_field *fields_get(struct trace2_fields *fields,
					     const struct field *field, size_t place)
{
	if (place < fields->size && fields->list[place].name == field->name.data)
		return &fields->list[place];
	for (size_t i = 0; i < fields->size; i++) {
		if (fields->list[i].name == field->name.data)
			return &fields->list[i];
	}
	return fields_add(fields, field);
}

/* Numbers that are no strings in JSON, which most values are. */
hot_inline bool is_short_number(const struct value *value)
{
	uint64_t limit = UINT64_C(1) << 53;

	if (!is_number(value))
		return false;
	if (value->unsigned_number <= limit)
		return true;
	return value->kind == VALUE_SIGNED && value->unsigned_number >= -limit;
}

/* Where two lists of the same fields go on: as JSON, and for people. */
struct lists {
	char *json;
	char *plain;
};

/* Room for a field in either list, where its name fits into a block and its value is short. */
#define FIELD_MAX (PUT_SLACK + PUT_NUMBER_MAX)

/* Such a field, whose digits are made once. */
hot_inline struct lists field_put(struct lists out, const struct trace2_field *own,
				  const struct value *value)
{
	struct digits digits;

	put_bytes(out.json, own->json.data, PUT_SLACK);
	put_bytes(out.plain, own->plain.data, PUT_SLACK);
	out.json += own->json.size;
	out.plain += own->plain.size;
	if (value->unsigned_number < DIGITS_LIMIT) {
		digits = digits_of(value->unsigned_number);
		return (struct lists){ put_digits(out.json, digits),
				       put_digits(out.plain, digits) };
	}
	return (struct lists){ put_signed(out.json, value->signed_number),
			       put_signed(out.plain, value->signed_number) };
}

static void short_field_append(const struct trace2_field *own, struct buffer *json,
			       struct buffer *plain, const struct value *value)
{
	struct lists out = { buffer_reserve_put(json, FIELD_MAX),
			     buffer_reserve_put(plain, FIELD_MAX) };

	if (!out.json || !out.plain)
		return;
	out = field_put(out, own, value);
	buffer_end_put(json, out.json);
	buffer_end_put(plain, out.plain);
}

/* A text that JSON has as it is; false, and nothing is added, where it is not. */
static bool text_field_append(const struct trace2_field *own, struct buffer *json,
			      struct buffer *plain, struct text text)
{
	size_t most = own->json.size + text.size + strlen("\"\"");
	struct lists out = { buffer_reserve_put(json, most), buffer_reserve_put(plain, most) };

	if (!out.json || !out.plain)
		return false;
	out.json = put_block(out.json, own->json.data, own->json.size);
	out.json = json_put_string(out.json, text);
	if (!out.json)
		return false;
	out.plain = put_block(out.plain, own->plain.data, own->plain.size);
	buffer_end_put(json, out.json);
	buffer_end_put(plain, put_bytes(out.plain, text.data, text.size));
	return true;
}

static void other_field_append(const struct trace2_field *own, struct buffer *json,
			       struct buffer *plain, const struct field *field)
{
	bool is_first = false;

	if (own)
		buffer_append(json, own->json.data, own->json.size);
	else
		json_append_member(json, field->name, &is_first);
	value_append_json(json, &field->value);
	buffer_append_char(plain, ' ');
	fields_append_text(plain, field, 1);
}

/* Returns whether the field is the same within a JSON string, but for its name. */
static bool field_append(struct trace2_fields *fields, struct buffer *json, struct buffer *plain,
			 const struct field *field, size_t place)
{
	const struct trace2_field *own = fields_get(fields, field, place);

	if (own && own->json.size <= PUT_SLACK && is_short_number(&field->value)) {
		short_field_append(own, json, plain, &field->value);
		return true;
	}
	if (own && field->value.kind == VALUE_TEXT &&
	    text_field_append(own, json, plain, field->value.text))
		return true;
	other_field_append(own, json, plain, field);
	return false;
}

/* Each field has its separator before it, in place of which the first has what all begins with. */
bool trace2_fields_append(struct trace2_fields *fields, struct buffer *json, struct buffer *plain,
			  const struct timeline_event *event)
{
	size_t begin = json->size;
	bool is_same = true;

	for (size_t i = 0; i < event->nr_fields; i++)
		is_same &= field_append(fields, json, plain, &event->fields[i], i);
	if (json->size == begin)
		buffer_append_char(json, '{');
	else
		json->data[begin] = '{';
	buffer_append_char(json, '}');
	return is_same && !fields->has_escapes;
}

/*
 * Puts all fields, which are as many as were rendered, or fewer; returns false where one of them
 * is not where it was rendered, or not short.
 */
hot_inline bool usual_fields_put(const struct trace2_fields *fields, struct lists *out,
				 const struct timeline_event *event)
{
	const struct field *field = event->fields, *end = field + event->nr_fields;
	const struct trace2_field *own = fields->list;
	struct lists at = *out;

	for (; field < end; field++, own++) {
		if (own->name != field->name.data || !is_short_number(&field->value))
			return false;
		at = field_put(at, own, &field->value);
	}
	*out = at;
	return true;
}

#define ARGS_HEAD "\"args\":"

bool trace2_args_fill(struct trace2_sink *sink, const struct timeline_event *event,
		      struct trace2_event *line)
{
	const struct trace2_track *track = event->track->slots[sink->slot];
	const struct trace2_fields *fields = &track->category->fields;
	size_t room = strlen(ARGS_HEAD) + event->nr_fields * FIELD_MAX;
	struct lists begin, end;

	if (fields->has_others || event->nr_fields > fields->size)
		return false;
	buffer_clear(&sink->more);
	begin.json = buffer_reserve_put(&sink->more, 2 * room);
	if (!begin.json)
		return false;
	begin.plain = begin.json + room;
	end.json = PUT_LITERAL(begin.json, ARGS_HEAD);
	end.plain = begin.plain;
	if (!usual_fields_put(fields, &end, event))
		return false;
	begin.json[strlen(ARGS_HEAD)] = '{';
	end.json = put_char(end.json, '}');
	line->needs_no_escape = !fields->has_escapes;
	line->region.msg.data = begin.plain + 1;
	line->region.msg.size = end.plain - begin.plain - 1;
	line->more.data = begin.json;
	line->more.size = end.json - begin.json;
	return true;
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
