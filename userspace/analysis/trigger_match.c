// SPDX-License-Identifier: GPL-2.0-only
/* Compares the fields of events, and samples of counters, with what triggers ask for. */
#include <fnmatch.h>
#include <stdlib.h>

#include "analysis/trigger.h"

/* Below 0, 0 or above 0, as the value is less than, equal to or more than the number. */
static int value_compare(const struct value *value, int64_t number)
{
	if (value->kind == VALUE_FLOATING)
		return (value->floating > number) - (value->floating < number);
	if (value->kind == VALUE_UNSIGNED && value->unsigned_number > INT64_MAX)
		return 1;
	return (value->signed_number > number) - (value->signed_number < number);
}

static bool order_matches(int order, enum condition_what what)
{
	switch (what) {
	case CONDITION_EQUAL:
		return order == 0;
	case CONDITION_UNEQUAL:
		return order != 0;
	case CONDITION_BELOW:
		return order < 0;
	case CONDITION_BELOW_EQUAL:
		return order <= 0;
	case CONDITION_ABOVE:
		return order > 0;
	case CONDITION_ABOVE_EQUAL:
		return order >= 0;
	case CONDITION_LIKE:
		break;
	}
	return false;
}

/* Whether it is a number; NaN is neither below nor above nor equal to any. */
static bool value_has_order(const struct value *value)
{
	return value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED ||
	       (value->kind == VALUE_FLOATING && !__builtin_isnan(value->floating));
}

/* Any value as ktrack prints it. */
static bool text_condition_matches(const struct trigger_condition *condition,
				   const struct value *value)
{
	struct buffer text = { 0 };
	bool matches, is_equal;

	value_append_text(&text, value);
	is_equal = strcmp(buffer_string(&text), condition->text) == 0;
	matches = condition->what == CONDITION_LIKE
			  ? fnmatch(condition->text, buffer_string(&text), 0) == 0
			  : is_equal == (condition->what == CONDITION_EQUAL);
	buffer_release(&text);
	return matches;
}

static bool condition_matches(const struct trigger_condition *condition, const struct value *value)
{
	struct value number = *value;

	if (value->kind == VALUE_BOOLEAN)
		number = (struct value){ .kind = VALUE_SIGNED, .signed_number = value->boolean };
	if (condition->is_number && condition->what != CONDITION_LIKE && value_has_order(&number))
		return order_matches(value_compare(&number, condition->number), condition->what);
	if (condition->what >= CONDITION_BELOW && condition->what <= CONDITION_ABOVE_EQUAL)
		return false;
	return text_condition_matches(condition, value);
}

static const struct value *event_field_find(const struct timeline_event *event, struct text name)
{
	for (unsigned int i = 0; i < event->nr_fields; i++) {
		if (text_equals(event->fields[i].name, name))
			return &event->fields[i].value;
	}
	return NULL;
}

bool trigger_accepts(const struct trigger *trigger, const struct timeline_event *event)
{
	for (size_t i = 0; i < trigger->nr_conditions; i++) {
		const struct trigger_condition *condition = &trigger->conditions[i];
		const struct value *value = event_field_find(event, condition->field);

		if (!value || !condition_matches(condition, value))
			return false;
	}
	return true;
}

bool trigger_exceeds(const struct trigger *trigger, const struct value *value)
{
	int order = value_compare(value, trigger->limit);

	if (!value_has_order(value))
		return false;
	if (order == 0)
		return trigger->allows_equal;
	return trigger->is_below ? order < 0 : order > 0;
}
