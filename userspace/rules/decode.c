// SPDX-License-Identifier: GPL-2.0-only
/* Decodes records by rules. Functions that take @is_swapped are compiled for both values. */
#include "rules/action.h"

hot_inline void value_set(struct value *out, const struct field_ref *ref,
			  const struct record *record, const bool is_swapped)
{
	out->kind = field_integer_kind(ref);
	out->signed_number = field_integer(ref, record, is_swapped);
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

hot_inline void action_keys_read(struct rule_action *action, const struct record *record,
				 const bool is_swapped)
{
	for (size_t i = 0; i < action->keys.nr_outer; i++)
		value_set(&action->keys.outer[i].value, &action->scope[i], record, is_swapped);
	for (size_t i = 0; i < action->nr_ids; i++)
		action->keys.ids[i] = field_integer(&action->ids[i], record, is_swapped);
}

hot_inline void action_scope_read(struct rule_action *action, const struct record *record,
				  struct decoded_event *out, const bool is_swapped)
{
	out->keys = NULL;
	if (action->has_keys) {
		action_keys_read(action, record, is_swapped);
		out->keys = &action->keys;
	}
	if (action->nr_scope > 0)
		value_set(&out->scope_id, &action->scope[action->nr_scope - 1], record, is_swapped);
	else
		scope_decode_own(action, record, out);
}

static void action_extras_read(struct rule_action *action, const struct record *record,
			       const struct naming_names *names, struct decoded_event *out)
{
	struct field *field = action->fields;

	for (size_t i = 0; i < action->nr_extras; i++) {
		const struct extra *extra = &action->extras[i];
		const struct symbol_field *symbols = action->extra_symbols[i];
		struct text text;

		if (!field_read_any(&extra->ref, record, &field->value))
			continue;
		if (symbols && symbols_render(names->symbols, symbols, record, &text))
			field->value = (struct value){ .kind = VALUE_TEXT, .text = text };
		field->name = extra->label;
		field++;
	}
	out->nr_extras = field - action->fields;
}

/* Adds the flow, without its id. */
static void action_flow_add(struct rule_action *action, struct decoded_event *out)
{
	action->fields[out->nr_extras] = (struct field){
		.name = action->descriptor->label,
		.value = { .kind = VALUE_UNSIGNED },
	};
	out->nr_flows = 1;
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

hot_inline void action_value_read(struct rule_action *action, const struct record *record,
				  struct decoded_event *out, const bool is_swapped)
{
	value_set(&out->counter_value, &action->value, record, is_swapped);
	if (action->sign == VALUE_MINUS)
		out->counter_value.unsigned_number = -out->counter_value.unsigned_number;
	if (action->sign != VALUE_LEVEL)
		out->counter_value.kind = VALUE_SIGNED;
}

hot_inline void action_decode(struct rule_action *action, const struct record *record,
			      const struct naming_names *names, struct decoded_event *out,
			      const bool is_swapped)
{
	out->tid = field_integer(&action->writer, record, is_swapped);
	action_scope_read(action, record, out, is_swapped);
	action_name_read(&action->track, record, names, &out->track_name, &out->track_head);
	action_name_read(&action->name, record, names, &out->slice_name, &out->slice_head);
	if (action->value.kind != FIELD_ABSENT)
		action_value_read(action, record, out, is_swapped);
	if (action->nr_extras > 0)
		action_extras_read(action, record, names, out);
	if (action->kind == DECODED_FLOW_BEGIN || action->kind == DECODED_FLOW_END)
		action_flow_add(action, out);
}

/* In a function of its own, so that the usual byte order needs fewer registers. */
static out_of_line void swapped_action_decode(struct rule_action *action,
					      const struct record *record,
					      const struct naming_names *names,
					      struct decoded_event *out)
{
	action_decode(action, record, names, out, true);
}

/* Returns whether there is an event: the action's condition selects the record. */
hot_inline bool rule_action_decode(struct rule_action *action, const struct record *record,
				   const struct naming_names *names, struct decoded_event *out)
{
	out->descriptor = action->descriptor;
	out->time_ns = record->time_ns;
	out->cpu = record->cpu;
	out->buffer = record->buffer;
	out->kind = action->kind;
	out->extras = action->fields;
	out->nr_any = 0;
	out->unless = action->unless;
	out->problem = NULL;
	if (unlikely(record->size < action->record_size)) {
		out->problem = "record too short";
		return true;
	}
	if (action->where && !event_filter_matches(action->where, record)) {
		if (!action->has_hidden)
			return false;
		out->kind = action->hidden_kind;
	}
	if (unlikely(action->is_swapped))
		swapped_action_decode(action, record, names, out);
	else
		action_decode(action, record, names, out, false);
	return true;
}

/* What a CPU does includes the excluded thread: only what the thread itself does is left out. */
hot_inline bool event_is_excluded(const struct rules *rules, const struct decoded_event *event)
{
	return unlikely(rules->excluded && event->scope_id.signed_number == rules->excluded) &&
	       event->descriptor->scope == DESCRIPTOR_SCOPE_THREAD && !event->problem;
}

bool rules_decode(const struct rules *rules, struct rule_tracepoint *tracepoint, size_t index,
		  const struct record *record, struct decoded_event *out)
{
	struct rule_action *action = &tracepoint->actions[index];

	if (index == 0 && tracepoint->names.symbols)
		symbols_begin(tracepoint->names.symbols);
	return action->rule->is_usable &&
	       rule_action_decode(action, record, &tracepoint->names, out) &&
	       !event_is_excluded(rules, out);
}
