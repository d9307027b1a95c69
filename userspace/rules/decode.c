// SPDX-License-Identifier: GPL-2.0-only
/* Decodes records by rules. Functions that take @is_swapped are compiled for both values. */
#include <stdio.h>
#include <string.h>

#include "rules/rule.h"

/* Reads records of system calls, so that the calls of 32-bit programs get their own names. */

void rule_calls_learn(const struct rule_calls *calls, const struct record *record,
		      struct syscalls *syscalls)
{
	bool is_swapped = calls->is_swapped;
	int64_t tid = field_integer(&calls->writer, record, is_swapped);

	if (calls->call == RULE_CALL_BEGIN)
		syscalls_begin(syscalls, tid, field_integer(&calls->number, record, is_swapped));
	else if (calls->call == RULE_CALL_END)
		syscalls_end(syscalls, tid, field_integer(&calls->number, record, is_swapped),
			     field_integer(&calls->result, record, is_swapped));
	syscalls_choose(syscalls, tid);
}

int rules_set_machine(struct rules *rules, const char *machine)
{
	struct syscalls *syscalls = machine ? syscalls_new(machine) : rules->syscalls;

	if (!syscalls || syscalls == rules->syscalls)
		return syscalls ? 0 : -1;
	syscalls_free(rules->syscalls);
	rules->syscalls = syscalls;
	return 0;
}

void rules_append_narrow(const struct rules *rules, struct buffer *out)
{
	thread_set_append(&rules->syscalls->narrow_threads, out);
}

void rules_add_narrow(struct rules *rules, const char *threads)
{
	syscalls_add_narrow(rules->syscalls, threads);
}

/* Without fields, the scope is the record's thread or CPU. */
hot_inline void scope_decode_own(struct decoded_event *event, const struct record *record)
{
	switch (event->descriptor->scope) {
	case DESCRIPTOR_SCOPE_CPU:
		event->scope_id.signed_number = record->cpu;
		break;
	case DESCRIPTOR_SCOPE_GLOBAL:
		break;
	default:
		event->scope_id.signed_number = event->tid;
	}
}

hot_inline void action_keys_read(struct rule_action *action, const struct record *record,
				 const bool is_swapped)
{
	struct decoded_keys *keys = &action->keys;

	for (size_t i = 0; i < keys->nr_outer; i++)
		keys->outer[i].value.signed_number = field_integer(&action->scope[i], record,
								   is_swapped);
	for (size_t i = 0; i < action->nr_ids; i++) {
		keys->ids[i] = field_integer(&action->ids[i], record, is_swapped);
		if (action->added_ids[i].kind != FIELD_ABSENT)
			keys->ids[i] += field_integer(&action->added_ids[i], record, is_swapped);
	}
}

/* Sets what each event has of its record. */
hot_inline void event_set_record(struct decoded_event *event, const struct record *record)
{
	event->time_ns = record->time_ns;
	event->cpu = record->cpu;
	event->buffer = record->buffer;
	event->problem = NULL;
}

/* Reads fields that are passed on as numbers, all of them. */
hot_inline void action_numbers_read(struct rule_action *action, const struct record *record,
				    const bool is_swapped)
{
	const struct extra *extra = action->extras, *end = extra + action->nr_extras;
	struct field *field = action->fields;

	for (; extra < end; extra++, field++)
		field->value.signed_number = field_integer(&extra->ref, record, is_swapped);
}

static void action_extras_read(struct rule_action *action, const struct record *record,
			       const struct naming_names *names)
{
	struct field *field = action->fields;
	size_t left = record_space(record);

	/* What is set once is overwritten. */
	action->numbers_size = SIZE_MAX;
	for (size_t i = 0; i < action->nr_extras; i++) {
		const struct extra *extra = &action->extras[i];
		const struct symbol_field *symbols = action->extra_symbols[i];
		struct text text;

		if (!field_read_any(&extra->ref, record, &field->value) ||
		    !value_take_space(&field->value, &left))
			continue;
		if (symbols && symbols_render(names->symbols, symbols, record, &text))
			field->value = (struct value){ .kind = VALUE_TEXT, .text = text };
		field->name = extra->label;
		field->is_plain = extra->is_plain;
		field++;
	}
	if (unlikely(action->names_call && names->syscalls->abi.size > 0))
		*field++ = (struct field){ .name = text_of("abi"),
					   .value = { .kind = VALUE_TEXT,
						      .text = names->syscalls->abi } };
	action->event.nr_extras = field - action->fields;
	if (action->event.nr_flows > 0)
		*field = action->flow;
}

/* Sets @text to a name that depends on the record, and @head to its text_head(). */
hot_inline void action_name_read(struct action_name *name, const struct record *record,
				 const struct naming_names *names, struct text *text,
				 uint64_t *head)
{
	*text = naming_render(&name->naming, record, names, &name->space);
	*head = text_head(*text);
}

hot_inline void action_value_read(struct rule_action *action, const struct record *record,
				  const bool is_swapped)
{
	uint64_t number = field_integer(&action->value, record, is_swapped);

	action->event.counter_value.unsigned_number = action->sign == VALUE_MINUS ? -number
										  : number;
}

/* Once there was another ABI, a mark of the last record must be removed. */
hot_inline bool action_has_abi(const struct rule_action *action, const struct naming_names *names)
{
	return action->names_call && unlikely(names->syscalls->has_abis);
}

/* Reads what most actions do not have. */
hot_inline void action_more_read(struct rule_action *action, const struct record *record,
				 const struct naming_names *names, const bool is_swapped)
{
	struct decoded_event *event = &action->event;

	if (action->has_keys)
		action_keys_read(action, record, is_swapped);
	if (action->track.is_made)
		action_name_read(&action->track, record, names, &event->track_name,
				 &event->track_head);
	if (action->value.kind != FIELD_ABSENT)
		action_value_read(action, record, is_swapped);
}

hot_inline void action_decode(struct rule_action *action, const struct record *record,
			      const struct naming_names *names, const bool is_swapped)
{
	struct decoded_event *event = &action->event;
	const struct field_ref *scope = action->scope_ref;

	event->tid = field_integer(&action->writer, record, is_swapped);
	if (scope)
		event->scope_id.signed_number = field_integer(scope, record, is_swapped);
	else
		scope_decode_own(event, record);
	if (action->has_more)
		action_more_read(action, record, names, is_swapped);
	if (action->name.is_made)
		action_name_read(&action->name, record, names, &event->slice_name,
				 &event->slice_head);
	if (record->size >= action->numbers_size)
		action_numbers_read(action, record, is_swapped);
	else if (action->nr_extras > 0 || action_has_abi(action, names))
		action_extras_read(action, record, names);
}

/* In a function of its own, so that the usual byte order needs fewer registers. */
static out_of_line void swapped_action_decode(struct rule_action *action,
					      const struct record *record,
					      const struct naming_names *names)
{
	action_decode(action, record, names, true);
}

/* The kernel names the idle task of each CPU, but all of them have one number. */
static out_of_line bool where_matches_task(const struct rule_action *action,
					   const struct record *record,
					   const struct naming_names *names)
{
	int tid = field_integer(&action->writer, record, action->is_swapped);
	const struct naming_tasks *tasks = names->tasks;
	const char *comm = "";
	char idle[32];

	if (tid == 0) {
		snprintf(idle, sizeof(idle), "swapper/%d", record->cpu);
		comm = idle;
	} else if (tasks->find) {
		comm = tasks->find(tasks->context, tid);
	}
	return event_filter_matches_task(action->where, record, text_of(comm));
}

hot_inline bool where_matches(const struct rule_action *action, const struct record *record,
			      const struct naming_names *names)
{
	return unlikely(action->wants_comm) ? where_matches_task(action, record, names)
					    : event_filter_matches(action->where, record);
}

/* Returns whether there is an event: the action's condition selects the record. */
hot_inline bool rule_action_decode(struct rule_action *action, const struct record *record,
				   const struct naming_names *names)
{
	struct decoded_event *event = &action->event;

	event_set_record(event, record);
	if (unlikely(record->size < action->record_size)) {
		event->problem = "record too short";
		return true;
	}
	if (action->where) {
		bool is_selected = where_matches(action, record, names);

		if (!is_selected && !action->has_hidden)
			return false;
		event->kind = is_selected ? action->kind : DECODED_HIDDEN_BEGIN;
	}
	if (unlikely(action->is_swapped))
		swapped_action_decode(action, record, names);
	else
		action_decode(action, record, names, false);
	return true;
}

/* What a CPU does includes the excluded thread: only what the thread itself does is left out. */
static bool event_is_excluded(const struct rules *rules, const struct decoded_event *event)
{
	return event->scope_id.signed_number == rules->excluded &&
	       event->descriptor->scope == DESCRIPTOR_SCOPE_THREAD && !event->problem;
}

/* Removes events of the excluded thread; returns the number of those that are left. */
static out_of_line size_t events_exclude(const struct rules *rules, struct decoded_event **events,
					 size_t nr_events)
{
	size_t nr_left = 0;

	for (size_t i = 0; i < nr_events; i++) {
		if (!event_is_excluded(rules, events[i]))
			events[nr_left++] = events[i];
	}
	return nr_left;
}

/* Returns the end of the list of events at @out. */
hot_inline struct decoded_event **actions_decode(struct rule_tracepoint *tracepoint,
						 const struct record *record,
						 struct decoded_event **out)
{
	struct rule_action *action = tracepoint->actions, *end = action + tracepoint->nr_actions;

	for (; action < end; action++) {
		if (action->rule->is_usable &&
		    rule_action_decode(action, record, &tracepoint->names))
			*out++ = &action->event;
	}
	return out;
}

static out_of_line struct decoded_event **marker_decode(struct rule_marker *marker,
							const struct record *record,
							struct decoded_event **out)
{
	struct record made;
	struct rule_tracepoint *tracepoint = rule_marker_make(marker, record, &made);

	return tracepoint ? actions_decode(tracepoint, &made, out) : out;
}

size_t rules_decode(const struct rules *rules, struct rule_tracepoint *tracepoint,
		    const struct record *record)
{
	struct decoded_event **out;

	if (tracepoint->names.symbols)
		symbols_begin(tracepoint->names.symbols);
	if (tracepoint->calls)
		rule_calls_read(tracepoint->calls, record, rules->syscalls);
	out = actions_decode(tracepoint, record, tracepoint->events);
	if (unlikely(tracepoint->marker))
		out = marker_decode(tracepoint->marker, record, out);
	if (unlikely(rules->excluded))
		return events_exclude(rules, tracepoint->events, out - tracepoint->events);
	return out - tracepoint->events;
}

struct decoded_event *rule_decode_plain(struct rule_action *action, const struct record *record)
{
	struct decoded_event *event = &action->event;

	if (unlikely(record->size < action->numbers_size))
		return NULL;
	event_set_record(event, record);
	event->tid = field_integer(&action->writer, record, false);
	event->scope_id.signed_number = event->tid;
	action_numbers_read(action, record, false);
	return event;
}
