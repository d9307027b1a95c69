// SPDX-License-Identifier: GPL-2.0-only
/* Binds the uses of tracepoints to their formats. */
#include <stdlib.h>
#include <string.h>

#include "rules/rule.h"
#include "rules/rules.h"

/**
 * struct binding - what rule_action_bind() works on
 * @name, @track, @args, @where: the settings of the use, or else the rule's
 */
struct binding {
	struct rule_action *action;
	const struct rule *rule;
	struct rule_use *use;
	const struct format *format;
	struct text format_text;
	bool is_swapped;
	bool is_strict;
	const struct rule_scope *scope;
	const char *name;
	const char *track;
	const char *args;
	const char *where;
	const char *unless;
};

static const enum decoded_kind role_kinds[RULE_ROLE_COUNT] = {
	[RULE_BEGIN] = DECODED_BEGIN,	  [RULE_END] = DECODED_END,
	[RULE_ON] = DECODED_STATE,	  [RULE_EVENT] = DECODED_INSTANT,
	[RULE_FROM] = DECODED_FLOW_BEGIN, [RULE_TO] = DECODED_FLOW_END,
};

static enum decoded_kind use_kind(const struct rule *rule, const struct rule_use *use)
{
	if (rule->kind == RULE_COUNTER)
		return rule->sign == VALUE_LEVEL ? DECODED_COUNTER : DECODED_CHANGE;
	if (rule->kind == RULE_STATE && use->role == RULE_END)
		return DECODED_STATE_END;
	return role_kinds[use->role];
}

/* Sets @ref to an integer field that records must contain. */
static int number_bind(struct binding *binding, struct field_ref *ref, struct text name,
		       struct error *error)
{
	const struct format_field *field = format_find(binding->format, name);

	*ref = field_ref_of(field, binding->is_swapped);
	if (!field)
		return error_set(error, "no field '%.*s'", (int)name.size, name.data);
	if (!field_ref_is_scalar(ref) && ref->kind != FIELD_BOOLEAN)
		return error_set(error, "field '%.*s' is not an integer", (int)name.size,
				 name.data);
	if (ref->end > binding->action->record_size)
		binding->action->record_size = ref->end;
	return 0;
}

static int scope_bind(struct binding *binding, struct error *error)
{
	const struct field_names *fields = &binding->scope->fields;
	struct rule_action *action = binding->action;

	for (size_t i = 0; i < fields->size; i++) {
		if (number_bind(binding, &action->scope[i], text_of(fields->names[i]), error) < 0)
			return -1;
		if (i + 1 == fields->size)
			continue;
		action->keys.outer[i].name = text_of(fields->names[i]);
		action->keys.nr_outer++;
		action->has_keys = true;
	}
	action->nr_scope = fields->size;
	return 0;
}

/* An id is a field, or the sum of two. */
static int id_bind(struct binding *binding, size_t index, const char *name, struct error *error)
{
	struct rule_action *action = binding->action;
	const char *plus = strchr(name, '+');
	struct text first = { name, plus ? (size_t)(plus - name) : strlen(name) };

	if (number_bind(binding, &action->ids[index], first, error) < 0)
		return -1;
	return plus ? number_bind(binding, &action->added_ids[index], text_of(plus + 1), error) : 0;
}

static int ids_bind(struct binding *binding, struct error *error)
{
	bool is_end = binding->use->role == RULE_END || binding->use->role == RULE_TO;
	const struct field_names *fields = is_end ? &binding->rule->match_end
						  : &binding->rule->match_begin;
	struct rule_action *action = binding->action;

	for (size_t i = 0; i < fields->size; i++) {
		if (id_bind(binding, i, fields->names[i], error) < 0)
			return -1;
	}
	action->nr_ids = fields->size;
	action->keys.is_async = fields->size > 0 && binding->rule->kind != RULE_FLOW;
	action->has_keys = action->has_keys || fields->size > 0;
	return 0;
}

static int numbers_bind(struct binding *binding, struct error *error)
{
	struct rule_action *action = binding->action;

	if (number_bind(binding, &action->writer, text_of("common_pid"), error) < 0 ||
	    scope_bind(binding, error) < 0 || ids_bind(binding, error) < 0)
		return -1;
	return binding->rule->value
		       ? number_bind(binding, &action->value, text_of(binding->rule->value), error)
		       : 0;
}

/* @fixed: the name without @text; receives the name if it does not depend on the record */
static int name_bind(struct binding *binding, struct action_name *out, const char *text,
		     struct text *fixed, uint64_t *fixed_head, struct error *error)
{
	if (text && naming_bind(&out->naming, text, binding->format, binding->format_text,
				binding->is_swapped, error) < 0)
		return -1;
	out->is_made = text && !naming_is_fixed(&out->naming, fixed);
	*fixed_head = text_head(*fixed);
	return 0;
}

/* Ends and samples have no name. */
static int names_bind(struct binding *binding, struct error *error)
{
	struct rule_action *action = binding->action;
	struct decoded_event *event = &action->event;
	struct text label = binding->rule->descriptor.label;
	bool is_quiet = action->kind == DECODED_END || action->kind == DECODED_STATE_END ||
			binding->rule->kind == RULE_COUNTER;

	event->slice_name = is_quiet ? text_of("") : label;
	event->track_name = label;
	if (name_bind(binding, &action->name, is_quiet ? NULL : binding->name, &event->slice_name,
		      &event->slice_head, error) < 0)
		return -1;
	if (name_bind(binding, &action->track, binding->track, &event->track_name,
		      &event->track_head, error) < 0)
		return -1;
	action->names_call = naming_needs(&action->name.naming, NAMING_SYSCALL) ||
			     naming_needs(&action->track.naming, NAMING_SYSCALL);
	return 0;
}

static bool list_has(struct text list, struct text name)
{
	struct text item;

	while (text_take_item(&list, &item)) {
		if (text_equals(item, name))
			return true;
	}
	return false;
}

static int args_check(const struct binding *binding, struct text list, struct error *error)
{
	struct buffer *lacks = &binding->use->lacks;
	struct text name;

	buffer_clear(lacks);
	while (text_take_item(&list, &name)) {
		if (format_find(binding->format, name))
			continue;
		if (binding->is_strict)
			return error_set(error, "args: no field '%.*s'", (int)name.size, name.data);
		buffer_printf(lacks, "%s%.*s", lacks->size > 0 ? ", " : "", (int)name.size,
			      name.data);
	}
	return lacks->failed ? error_set(error, "out of memory") : 0;
}

static int extra_bind(struct binding *binding, const struct format_field *field)
{
	struct rule_action *action = binding->action;
	struct extra *extra = &action->extras[action->nr_extras];

	extra->name = strdup(field->name);
	if (!extra->name)
		return -1;
	extra->label = text_of(extra->name);
	extra->is_plain = json_is_plain(extra->label);
	extra->ref = field_ref_of(field, binding->is_swapped);
	action->nr_extras++;
	return 0;
}

/* Whether args name a field: without them, all but the common ones; "-" is none. */
static bool args_have(struct text args, const struct format *format, size_t index)
{
	if (text_equals(args, text_of("*")))
		return index >= format->nr_common;
	return list_has(args, text_of(format->fields[index].name));
}

/* There is space for the id of a flow, and for the ABI of a system call. */
static int args_bind(struct binding *binding, struct error *error)
{
	const struct format *format = binding->format;
	struct text args = text_of(binding->args ? binding->args : "*");
	bool is_list = !text_equals(args, text_of("*")) && !text_equals(args, text_of("-"));
	struct rule_action *action = binding->action;
	/* A list of the rule is for begins; of its fields, ends have some. */
	bool is_checked = binding->use->settings.args || binding->use->role != RULE_END;
	size_t nr = 0;

	if (is_checked && is_list && args_check(binding, args, error) < 0)
		return -1;
	for (size_t i = 0; i < format->nr_fields; i++)
		nr += args_have(args, format, i);
	action->extras = calloc(nr + 1, sizeof(*action->extras));
	action->fields = calloc(nr + 2, sizeof(*action->fields));
	action->extra_symbols = calloc(nr + 1, sizeof(*action->extra_symbols));
	if (!action->extras || !action->fields || !action->extra_symbols)
		return error_set(error, "out of memory");
	for (size_t i = 0; i < format->nr_fields; i++) {
		if (args_have(args, format, i) && extra_bind(binding, &format->fields[i]) < 0)
			return error_set(error, "out of memory");
	}
	return 0;
}

/* Every end has a condition of its own: those that are wanted are known without their begins. */
static bool rule_selects_ends(const struct rule *rule)
{
	for (size_t i = 0; i < rule->nr_uses; i++) {
		const struct rule_use *use = &rule->uses[i];

		if (use->role == RULE_END && !use->is_unused && !use->settings.where)
			return false;
	}
	return true;
}

bool rule_use_hides(const struct rule *rule, const struct rule_use *use)
{
	return use->role == RULE_BEGIN && !rule_matches(rule) && !rule_selects_ends(rule);
}

/*
 * A begin on a stack that is not selected is hidden, not ignored: its end must not end the slice
 * below.
 */
static int where_bind(struct binding *binding, struct error *error)
{
	struct rule_action *action = binding->action;

	if (!binding->where)
		return 0;
	action->has_hidden = rule_use_hides(binding->rule, binding->use);
	if (event_filter_new(&action->where, binding->where, binding->format, binding->is_swapped,
			     error) < 0)
		return -1;
	action->wants_comm = event_filter_needs_comm(action->where);
	return 0;
}

static int unless_bind(struct binding *binding, struct error *error)
{
	struct text list, name;
	struct decoded_names *unless;

	if (!binding->unless)
		return 0;
	list = text_of(binding->unless);
	/* A name has at least one byte, and the comma behind it another one. */
	unless = calloc(1, sizeof(*unless) + (list.size / 2 + 1) * sizeof(unless->names[0]));
	if (!unless)
		return error_set(error, "out of memory");
	while (text_take_item(&list, &name)) {
		if (name.size > 0)
			unless->names[unless->size++] = name;
	}
	binding->action->unless = unless;
	return 0;
}

/* Sets all of the extras but their values, if each is a number. A call's ABI would follow them. */
static void action_numbers_init(struct rule_action *action)
{
	size_t size = action->record_size;

	action->numbers_size = SIZE_MAX;
	for (size_t i = 0; i < action->nr_extras; i++) {
		const struct extra *extra = &action->extras[i];

		if (!field_ref_is_number(&extra->ref) || action->extra_symbols[i])
			return;
		if (extra->ref.end > size)
			size = extra->ref.end;
		action->fields[i].name = extra->label;
		action->fields[i].is_plain = extra->is_plain;
		action->fields[i].value.kind = field_integer_kind(&extra->ref);
	}
	if (action->names_call)
		return;
	action->fields[action->nr_extras] = action->flow;
	action->event.nr_extras = action->nr_extras;
	action->numbers_size = size;
}

/* Sets what all events of an action have in common, but their names. */
static void action_event_init(struct rule_action *action)
{
	struct decoded_event *event = &action->event;
	bool is_flow = action->kind == DECODED_FLOW_BEGIN || action->kind == DECODED_FLOW_END;

	action->has_more = action->has_keys || action->track.is_made ||
			   action->value.kind != FIELD_ABSENT;
	event->descriptor = &action->rule->descriptor;
	event->kind = action->kind;
	event->unless = action->unless;
	event->keys = action->has_keys ? &action->keys : NULL;
	event->extras = action->fields;
	event->scope_id.kind = VALUE_SIGNED;
	if (action->nr_scope > 0)
		action->scope_ref = &action->scope[action->nr_scope - 1];
	if (action->scope_ref)
		event->scope_id.kind = field_integer_kind(action->scope_ref);
	for (size_t i = 0; i < action->keys.nr_outer; i++)
		action->keys.outer[i].value.kind = field_integer_kind(&action->scope[i]);
	event->counter_value.kind = VALUE_SIGNED;
	if (action->value.kind != FIELD_ABSENT && action->sign == VALUE_LEVEL)
		event->counter_value.kind = field_integer_kind(&action->value);
	event->nr_flows = is_flow;
	action->flow = (struct field){ .name = event->descriptor->label,
				       .value = { .kind = VALUE_UNSIGNED } };
	action->fields[0] = action->flow;
	action_numbers_init(action);
}

int rule_action_bind(struct rule_action *out, const struct rule *rule, struct rule_use *use,
		     const struct format *format, struct text format_text, bool is_swapped,
		     bool is_strict, struct error *error)
{
	const struct rule_settings *own = &use->settings, *common = &rule->settings;
	struct binding binding = {
		.action = out,
		.rule = rule,
		.use = use,
		.format = format,
		.format_text = format_text,
		.is_swapped = is_swapped,
		.is_strict = is_strict,
		.scope = rule_use_scope(rule, use),
		.name = own->name ? own->name : common->name,
		.track = own->track ? own->track : common->track,
		.args = own->args ? own->args : common->args,
		.where = rule_use_where(rule, use),
		.unless = own->unless ? own->unless : common->unless,
	};
	struct error problem = { 0 };

	out->rule = rule;
	out->kind = use_kind(rule, use);
	out->sign = rule->sign;
	out->is_swapped = is_swapped;
	if (numbers_bind(&binding, &problem) == 0 && names_bind(&binding, &problem) == 0 &&
	    args_bind(&binding, &problem) == 0 && where_bind(&binding, &problem) == 0 &&
	    unless_bind(&binding, &problem) == 0) {
		action_event_init(out);
		return 0;
	}
	error_set(error, "%s:%u: %s: %s:%s: %s", rule->source, rule->line,
		  rule->descriptor.category, use->system, format->name, problem.text);
	return error_is_memory(&problem) ? -1 : 1;
}

/** rule_action_set_symbols - render symbolic fields by the tracepoint's symbols */
static void rule_action_set_symbols(struct rule_action *action, const struct symbols *symbols)
{
	naming_set_symbols(&action->name.naming, symbols);
	naming_set_symbols(&action->track.naming, symbols);
	for (size_t i = 0; i < action->nr_extras; i++)
		action->extra_symbols[i] = symbols_find(symbols, action->extras[i].label);
	action_numbers_init(action);
}

void rule_action_release(struct rule_action *action)
{
	event_filter_free(action->where);
	free(action->unless);
	for (size_t i = 0; i < action->nr_extras; i++)
		free(action->extras[i].name);
	free(action->extras);
	free(action->fields);
	free(action->extra_symbols);
	naming_release(&action->name.naming);
	naming_release(&action->track.naming);
	buffer_release(&action->name.space);
	buffer_release(&action->track.space);
}

static bool tracepoint_names_calls(const struct rule_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->nr_actions; i++) {
		if (tracepoint->actions[i].names_call)
			return true;
	}
	return false;
}

static enum rule_call tracepoint_call(const struct rule_tracepoint *tracepoint)
{
	if (strcmp(tracepoint->category, "raw_syscalls:sys_enter") == 0)
		return RULE_CALL_BEGIN;
	if (strcmp(tracepoint->category, "raw_syscalls:sys_exit") == 0)
		return RULE_CALL_END;
	return tracepoint_names_calls(tracepoint) ? RULE_CALL_NAMED : RULE_CALL_NONE;
}

static bool number_find(struct rule_calls *calls, struct field_ref *ref,
			const struct format *format, const char *name)
{
	*ref = field_ref_of(format_find(format, text_of(name)), calls->is_swapped);
	if (ref->end > calls->record_size)
		calls->record_size = ref->end;
	return field_ref_is_number(ref);
}

void rule_calls_bind(struct rule_calls *out, const struct rule_tracepoint *tracepoint,
		     const struct format *format, bool is_swapped)
{
	out->is_swapped = is_swapped;
	out->call = tracepoint_call(tracepoint);
	if (out->call == RULE_CALL_NONE)
		return;
	if (!number_find(out, &out->writer, format, "common_pid") ||
	    (out->call != RULE_CALL_NAMED && !number_find(out, &out->number, format, "id")) ||
	    (out->call == RULE_CALL_END && !number_find(out, &out->result, format, "ret")))
		out->call = RULE_CALL_NONE;
}

bool rules_name_calls(const struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		if (tracepoint_names_calls(rules->tracepoints[i]))
			return true;
	}
	return false;
}

/* Reads the symbols of bound tracepoints. */

static size_t unread_count(const struct rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->nr_tracepoints; i++)
		count += rules->tracepoints[i]->format != NULL;
	return count;
}

static void tracepoint_set_symbols(struct rule_tracepoint *tracepoint, struct symbols *symbols)
{
	free(tracepoint->format);
	tracepoint->format = NULL;
	tracepoint->names.symbols = symbols;
	for (size_t i = 0; symbols && i < tracepoint->nr_actions; i++)
		rule_action_set_symbols(&tracepoint->actions[i], symbols);
}

static void symbol_failures_report(const struct report *report, const struct rule_tracepoint *first,
				   size_t nr_failed)
{
	if (nr_failed > 1)
		report_message(report,
			       "%s:%s and %zu more: their print formats cannot be parsed; symbolic "
			       "fields are numbers",
			       first->system, first->name, nr_failed - 1);
	else if (nr_failed > 0)
		report_message(report,
			       "%s:%s: its print format cannot be parsed; symbolic fields are "
			       "numbers",
			       first->system, first->name);
}

static int action_resolve(const struct rule_action *action, const struct kallsyms *kallsyms,
			  const struct rule_tracepoint *tracepoint, struct error *error)
{
	const struct rule *rule = action->rule;
	struct error problem = { 0 };

	if (!action->where || !event_filter_needs_symbols(action->where) ||
	    event_filter_resolve(action->where, kallsyms, &problem) == 0)
		return 0;
	return error_set(error, "%s:%u: %s: %s: where: %s", rule->source, rule->line,
			 rule->descriptor.category, tracepoint->category, problem.text);
}

int rules_resolve(struct rules *rules, struct error *error)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		const struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		for (size_t j = 0; j < tracepoint->nr_actions; j++) {
			if (action_resolve(&tracepoint->actions[j], rules->kallsyms, tracepoint,
					   error) < 0)
				return -1;
		}
	}
	return 0;
}

bool rules_compare_functions(const struct rule_tracepoint *tracepoint)
{
	for (size_t i = 0; i < tracepoint->nr_actions; i++) {
		const struct rule_action *action = &tracepoint->actions[i];

		if (action->where && event_filter_needs_symbols(action->where))
			return true;
	}
	return false;
}

static void requests_fill(struct rules *rules, struct symbols_request *requests)
{
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		if (rules->tracepoints[i]->format)
			(requests++)->format = text_of(rules->tracepoints[i]->format);
	}
}

int rules_read_symbols(struct rules *rules, bool is_trusted, const struct report *report)
{
	struct symbols_reader reader = { .is_swapped = rules->is_swapped,
					 .is_trusted = is_trusted };
	size_t nr_requests = unread_count(rules), number = 0, nr_failed = 0;
	struct symbols_request *requests = calloc(nr_requests + 1, sizeof(*requests));
	const struct rule_tracepoint *first = NULL;

	if (!requests)
		return -1;
	requests_fill(rules, requests);
	symbols_read(&reader, requests, nr_requests);
	for (size_t i = 0; i < rules->nr_tracepoints; i++) {
		struct rule_tracepoint *tracepoint = rules->tracepoints[i];

		if (!tracepoint->format)
			continue;
		if (requests[number].has_failed && nr_failed++ == 0)
			first = tracepoint;
		tracepoint_set_symbols(tracepoint, requests[number++].symbols);
	}
	symbol_failures_report(report, first, nr_failed);
	free(requests);
	return 0;
}
