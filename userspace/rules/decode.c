// SPDX-License-Identifier: GPL-2.0-only
/* Decodes records by rules. */
#include "rules/action.h"

static int64_t action_number_of(const struct rule_action *action, const struct field_ref *ref,
				const struct record *record)
{
	return field_integer(ref, record, action->is_swapped);
}

static void value_set(const struct rule_action *action, struct value *out,
		      const struct field_ref *ref, const struct record *record)
{
	out->kind = field_integer_kind(ref);
	out->signed_number = action_number_of(action, ref, record);
}

/* Without fields, the scope is the record's thread or CPU. */
static void scope_decode_own(const struct rule_action *action, const struct record *record,
			     struct decoded_event *out)
{
	out->scope_id.kind = VALUE_SIGNED;
	switch (action->descriptor->scope) {
	case DESCRIPTOR_SCOPE_CPU:
		out->scope_id.signed_number = record->cpu;
		break;
	case DESCRIPTOR_SCOPE_GLOBAL:
		out->scope_id.signed_number = 0;
		break;
	default:
		out->scope_id.signed_number = out->tid;
	}
}

static void action_scope_read(struct rule_action *action, const struct record *record,
			      struct decoded_event *out)
{
	size_t nr_outer = action->keys.nr_outer;

	for (size_t i = 0; i < nr_outer; i++)
		value_set(action, &action->keys.outer[i].value, &action->scope[i], record);
	for (size_t i = 0; i < action->nr_ids; i++)
		action->keys.ids[i] = action_number_of(action, &action->ids[i], record);
	out->keys = action->has_keys ? &action->keys : NULL;
	if (action->nr_scope > 0)
		value_set(action, &out->scope_id, &action->scope[nr_outer], record);
	else
		scope_decode_own(action, record, out);
}

static void action_extras_read(struct rule_action *action, const struct record *record,
			       const struct naming_names *names, struct decoded_event *out)
{
	struct field *field = action->fields;

	for (size_t i = 0; i < action->nr_extras; i++) {
		const struct extra *extra = &action->extras[i];

		if (likely(field_ref_is_number(&extra->ref) && extra->ref.end <= record->size))
			field_read_number(&extra->ref, record, action->is_swapped, &field->value);
		else if (!field_read(&extra->ref, record, &field->value))
			continue;
		if (action->extra_symbols[i] &&
		    symbols_render(names->symbols, action->extra_symbols[i], record,
				   &field->value.text))
			field->value.kind = VALUE_TEXT;
		field->name = extra->label;
		field++;
	}
	out->extras = action->fields;
	out->nr_extras = field - action->fields;
}

/* Sets @text to a name, and @head to its text_head(). */
hot_inline void action_name_read(struct action_name *name, const struct record *record,
				 const struct naming_names *names, struct text *text,
				 uint64_t *head)
{
	*text = name->fixed;
	*head = name->fixed_head;
	if (!name->is_made)
		return;
	*text = naming_render(&name->naming, record, names, &name->space);
	*head = text_head(*text);
}

static void action_value_read(struct rule_action *action, const struct record *record,
			      struct decoded_event *out)
{
	value_set(action, &out->counter_value, &action->value, record);
	if (action->sign == VALUE_MINUS)
		out->counter_value.unsigned_number = -out->counter_value.unsigned_number;
	if (action->sign != VALUE_LEVEL)
		out->counter_value.kind = VALUE_SIGNED;
}

bool rule_action_decode(struct rule_action *action, const struct record *record,
			const struct naming_names *names, struct decoded_event *out)
{
	*out = (struct decoded_event){ .descriptor = action->descriptor,
				       .time_ns = record->time_ns,
				       .cpu = record->cpu,
				       .buffer = record->buffer,
				       .kind = action->kind,
				       .unless = action->unless };
	if (record->size < action->record_size) {
		out->problem = "record too short";
		return true;
	}
	if (action->where && !event_filter_matches(action->where, record)) {
		if (!action->has_hidden)
			return false;
		out->kind = action->hidden_kind;
	}
	out->tid = action_number_of(action, &action->writer, record);
	action_scope_read(action, record, out);
	action_name_read(&action->track, record, names, &out->track_name, &out->track_head);
	action_name_read(&action->name, record, names, &out->slice_name, &out->slice_head);
	if (action->value.kind != FIELD_ABSENT)
		action_value_read(action, record, out);
	action_extras_read(action, record, names, out);
	return true;
}
