// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints and the names of their fields, rendered once. */
#include <stdlib.h>
#include <string.h>

#include "sink/trace2/state.h"

/* Further names are rendered for each record; most events have less than a dozen fields. */
#define FIELDS_MAX 64

/* Bytes of the braces of an object. */
#define FIELDS_END_MAX 2

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
	fields->json_size += list->json.size;
	fields->text_size += list->text.size;
	fields->has_escapes |= list->json.size != name.size + strlen(",\"\":");
	fields->size++;
	return list;
}

/*
 * The address identifies a name as long as its category lives. @guess is usually the field, which
 * then follows the one before.
 */
hot_inline const struct trace2_field *fields_find(const struct trace2_field *list,
						  const struct trace2_field *end,
						  const struct trace2_field *guess,
						  struct text name)
{
	if (likely(guess < end && guess->name == name.data))
		return guess;
	for (; list < end; list++) {
		if (list->name == name.data)
			return list;
	}
	return NULL;
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

/** struct fields_put - where the next field is put, in memory that fits all known fields */
struct fields_put {
	char *json;
	char *text;
};

/* Reserves memory for @nr_fields numbers, or texts of the same size, with names in @fields. */
hot_inline bool fields_reserve(struct fields_put *put, const struct trace2_fields *fields,
			       size_t nr_fields, struct buffer *json, struct buffer *text)
{
	size_t digits = nr_fields * PUT_NUMBER_MAX;

	put->json = buffer_reserve_put(json, fields->json_size + digits + FIELDS_END_MAX);
	put->text = buffer_reserve_put(text, fields->text_size + digits);
	return put->json && put->text;
}

/* The digits are made once and copied. */
hot_inline void number_field_put(struct fields_put *put, const struct trace2_field *own,
				 const struct value *value)
{
	char *digits = put_blocks(put->json, own->json.data, own->json.size, 1);
	char *text = put_blocks(put->text, own->text.data, own->text.size, 1);

	put->json = put_signed(digits, value->signed_number);
	put_slack(text, digits);
	put->text = text + (put->json - digits);
}

/*
 * Puts a text that is no longer than a number may be; returns false if it is longer, or needs
 * escapes.
 */
hot_inline bool text_field_put(struct fields_put *put, const struct trace2_field *own,
			       const struct value *value)
{
	char *json, *text;

	if (value->kind != VALUE_TEXT || value->text.size > PUT_NUMBER_MAX - strlen("\"\""))
		return false;
	json = json_put_string(put_blocks(put->json, own->json.data, own->json.size, 1),
			       value->text);
	if (!json)
		return false;
	text = put_blocks(put->text, own->text.data, own->text.size, 1);
	put->text = put_text(text, value->text.data, value->text.size);
	put->json = json;
	return true;
}

/* Appends any field: also one that needs escapes, or whose name is new. */
static void other_field_append(struct trace2_fields *fields, struct buffer *json,
			       struct buffer *text, const struct field *field)
{
	const struct trace2_field *end = fields->list + fields->size;
	const struct trace2_field *own = fields_find(fields->list, end, end, field->name);
	bool is_first = false;

	if (!own)
		own = fields_add(fields, field->name);
	if (own)
		buffer_append(json, own->json.data, own->json.size);
	else
		json_append_member(json, field->name, &is_first);
	value_append_json(json, &field->value);
	buffer_append_char(text, ' ');
	fields_append_text(text, field, 1);
}

/*
 * Puts all fields, if they are numbers and short texts without escapes, as most are. Returns false
 * otherwise.
 */
hot_inline bool fields_put(struct fields_put *put, const struct trace2_fields *fields,
			   const struct timeline_event *event)
{
	const struct field *field = event->fields, *end = field + event->nr_fields;
	const struct trace2_field *list = fields->list, *list_end = list + fields->size;
	const struct trace2_field *own = list;

	for (; field < end; field++, own++) {
		own = fields_find(list, list_end, own, field->name);
		if (unlikely(!own))
			return false;
		if (likely(is_json_number(&field->value)))
			number_field_put(put, own, &field->value);
		else if (!text_field_put(put, own, &field->value))
			return false;
	}
	return true;
}

/* Appends any fields. */
static out_of_line void other_fields_append(struct trace2_fields *fields, struct buffer *json,
					    struct buffer *text,
					    const struct timeline_event *event)
{
	for (size_t i = 0; i < event->nr_fields; i++)
		other_field_append(fields, json, text, &event->fields[i]);
	buffer_append_char(json, '}');
}

/* Fields start with ','; the first one is overwritten with '{'. */
bool trace2_fields_append(struct trace2_fields *fields, struct buffer *json, struct buffer *text,
			  const struct timeline_event *event)
{
	size_t begin = json->size;
	struct fields_put put;
	bool are_literal;

	if (!fields_reserve(&put, fields, event->nr_fields, json, text))
		return false;
	are_literal = fields_put(&put, fields, event);
	if (are_literal) {
		buffer_end_put(json, put_char(put.json, '}'));
		buffer_end_put(text, put.text);
	} else {
		other_fields_append(fields, json, text, event);
	}
	json->data[begin] = '{';
	return are_literal && !fields->has_escapes;
}

/* Whether the fields fit into a line with fields. The text of a field is shorter than its JSON. */
hot_inline bool fields_fit(const struct trace2_fields *fields, const struct timeline_event *event)
{
	return fields->json_size + event->nr_fields * PUT_NUMBER_MAX <= FIELDS_SIZE_MAX;
}

copies_wide bool trace2_fields_line_set(struct trace2_fields_line *line,
					const struct trace2_fields *fields,
					const struct timeline_event *event)
{
	char *json = line->more + strlen(TRACE2_ARGS);
	struct fields_put put = { .json = json, .text = line->msg };

	if (unlikely(fields->has_escapes || !fields_fit(fields, event)) ||
	    !fields_put(&put, fields, event))
		return false;
	*json = '{';
	line->event.more.size = put_char(put.json, '}') - line->more;
	line->event.region.msg.size = put.text - line->msg - 1;
	return true;
}

void trace2_fields_line_init(struct trace2_fields_line *line)
{
	strcpy(line->more, TRACE2_ARGS);
	line->event.more.data = line->more;
	line->event.region.msg.data = line->msg + 1;
	line->event.needs_no_escape = true;
	line->event.has_slack = true;
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
