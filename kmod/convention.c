// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recognizes track events by the names and types of their fields, which the kernel keeps as text.
 * Readers of the records do the same with an event's format file.
 */
#include <linux/string.h>
#include <linux/trace_events.h>

#include "convention.h"

/* Whether @type contains @word as a whole word. */
static bool type_has_word(const char *type, const char *word)
{
	size_t size = strlen(word);
	const char *at;

	for (at = strstr(type, word); at; at = strstr(at + 1, word))
		if ((at == type || at[-1] == ' ') && (!at[size] || strchr(" [", at[size])))
			return true;
	return false;
}

/* An array of characters, in the record itself or behind __data_loc or __rel_loc. */
static bool field_is_text(const struct trace_event_fields *field)
{
	return strchr(field->type, '[') && !strchr(field->type, '*') &&
	       type_has_word(field->type, "char") && !type_has_word(field->type, "unsigned");
}

static bool field_is_scalar(const struct trace_event_fields *field)
{
	static const char *const others[] = { "struct", "union", "__data_loc", "__rel_loc" };
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(others); index++)
		if (type_has_word(field->type, others[index]))
			return false;
	return !strpbrk(field->type, "[*") && field->size <= sizeof(u64) &&
	       is_power_of_2(field->size);
}

static bool field_is_number(const struct trace_event_fields *field)
{
	return field_is_scalar(field) && !type_has_word(field->type, "bool");
}

/**
 * convention_matches() - whether an event is a track event
 * @call: the event, which may be disabled, and whose fields tracefs may not show yet
 *
 * A slice's records have an integer track_event_type and a text slice_name; a counter's records
 * have an integer or boolean counter_value.
 */
bool convention_matches(const struct trace_event_call *call)
{
	bool has_type = false, has_name = false, has_value = false;
	const struct trace_event_fields *field;

	for (field = call->class->fields_array; field && field->type; field++) {
		if (field->type == TRACE_FUNCTION_TYPE)
			continue;
		if (!strcmp(field->name, "track_event_type"))
			has_type |= field_is_number(field);
		else if (!strcmp(field->name, "slice_name"))
			has_name |= field_is_text(field);
		else if (!strcmp(field->name, "counter_value"))
			has_value |= field_is_scalar(field);
	}
	return (has_type && has_name) || has_value;
}
