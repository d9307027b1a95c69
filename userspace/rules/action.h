/* SPDX-License-Identifier: GPL-2.0-only */
/* Actions: what one use of a tracepoint by a rule does with each record. */
#ifndef RULES_ACTION_H
#define RULES_ACTION_H

#include "rules/rule.h"
#include "rules/rules.h"

/**
 * struct action_name - a name that an action makes
 * @is_made: it depends on the record
 * @naming: how it is made then
 * @space: for the name
 */
struct action_name {
	bool is_made;
	struct naming naming;
	struct buffer space;
};

/**
 * struct rule_action - a use of a tracepoint, bound to its format
 * @rule: the rule
 * @event: the event of the last record; members that are the same for all records are set once
 * @kind: kind of event if @where matches; otherwise it is hidden if @has_hidden
 * @wants_comm: @where compares the name of the thread that wrote the record
 * @unless: memory of the event's
 * @writer: thread that wrote the record
 * @scope: fields of the scope, the last one by itself; none for the thread or CPU of the record
 * @scope_ref: the last one of them, NULL if there is none
 * @ids: fields that pair begin and end
 * @added_ids: what is added to them, absent if nothing is
 * @value: of a counter
 * @record_size: minimum size of a record that contains these numbers
 * @names_call: the name or the track is that of a system call
 * @has_more: there are keys, a name of the track that is made, or a value
 * @keys: outer scopes and ids of the last record; used if @has_keys
 * @extras: fields that are passed on; @fields are their values in the last record
 * @numbers_size: if all extras are numbers without symbols, and their names and kinds are set once:
 * minimum size of a record that contains them; SIZE_MAX otherwise
 * @flow: follows the fields of the event if that has a flow
 * @extra_symbols: texts of their values, NULL for fields without
 * @name: of a slice, state or instant, empty otherwise
 * @track: of the track
 */
struct rule_action {
	const struct rule *rule;
	struct decoded_event event;
	enum decoded_kind kind;
	bool has_hidden;
	bool is_swapped;
	enum value_sign sign;
	struct event_filter *where;
	bool wants_comm;
	struct decoded_names *unless;
	struct field_ref writer;
	struct field_ref scope[RULE_FIELDS_MAX];
	size_t nr_scope;
	const struct field_ref *scope_ref;
	struct field_ref ids[KEYS_IDS_MAX];
	struct field_ref added_ids[KEYS_IDS_MAX];
	size_t nr_ids;
	struct field_ref value;
	size_t record_size;
	bool names_call;
	size_t numbers_size;
	bool has_more;
	bool has_keys;
	struct decoded_keys keys;
	struct action_name name;
	struct action_name track;
	struct extra *extras;
	const struct symbol_field **extra_symbols;
	struct field *fields;
	struct field flow;
	size_t nr_extras;
};

/**
 * rule_action_bind - bind a use of a tracepoint to its format
 * @out: zeroed; for rule_action_release(), also on failure
 * @format_text: the format file
 *
 * Returns 0, 1 with @error: the format lacks what the rule needs, or -1 with @error: memory ran
 * out.
 */
int rule_action_bind(struct rule_action *out, const struct rule *rule, const struct rule_use *use,
		     const struct format *format, struct text format_text, bool is_swapped,
		     struct error *error);

void rule_action_release(struct rule_action *action);

#endif
