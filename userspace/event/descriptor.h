/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors: how the records of one tracepoint are decoded. */
#ifndef EVENT_DESCRIPTOR_H
#define EVENT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/field_ref.h"
#include "event/symbols.h"

enum descriptor_kind {
	DESCRIPTOR_NONE,
	DESCRIPTOR_SLICE,
	DESCRIPTOR_COUNTER,
};

/**
 * enum descriptor_scope - meaning of the scope field; without that field the scope is the writing
 * thread, or everything (GLOBAL)
 */
enum descriptor_scope {
	DESCRIPTOR_SCOPE_THREAD,
	DESCRIPTOR_SCOPE_PROCESS,
	DESCRIPTOR_SCOPE_CPU,
	DESCRIPTOR_SCOPE_CUSTOM,
	DESCRIPTOR_SCOPE_GLOBAL,
};

/**
 * enum field_role - what a field means to the convention; convention/descriptor.c has their table
 * @ROLE_OUTER: scopes before the last one of a compound scope
 * @ROLE_EXTRA: no meaning but its name and value
 *
 * The first ones are read by one reference of the descriptor each; a record without one of these
 * fields has the problem of the first that it lacks.
 */
enum field_role {
	ROLE_TYPE,
	ROLE_SLICE_NAME,
	ROLE_COUNTER_VALUE,
	ROLE_PID,
	ROLE_ASYNC,
	ROLE_SCOPE,
	ROLE_TRACK_NAME,
	ROLE_REFS,
	ROLE_OUTER = ROLE_REFS,
	ROLE_FLOW,
	ROLE_RESULT,
	ROLE_EXTRA,
	ROLE_COUNT,
};

/**
 * struct extra - a field that is passed on by its name
 * @name: of the argument in outputs
 * @label: @name as a text
 */
struct extra {
	char *name;
	struct text label;
	struct field_ref ref;
	enum field_role role;
};

/**
 * struct extra_symbols - texts of extras
 * @fields: by the extra's index, NULL if its value is passed on
 */
struct extra_symbols {
	struct symbols *symbols;
	const struct symbol_field *fields[];
};

/** FLOWS_MAX - limit of flows of a tracepoint; the fields of further ones are extra fields */
#define FLOWS_MAX 4

/** KEYS_OUTER_MAX - limit of outer scopes: those before the last one of a compound scope */
#define KEYS_OUTER_MAX 7

/** KEYS_IDS_MAX - limit of numbers that pair the begin and the end of an asynchronous slice */
#define KEYS_IDS_MAX 4

/**
 * struct decoded_keys - what distinguishes tracks and slices, in addition to scope and track name
 * @outer: outer scopes, by name of the field; each a VALUE_SIGNED or VALUE_UNSIGNED
 * @nr_outer: their number
 * @ids: numbers that pair begin and end, of asynchronous slices and of flows of rules; unused ones
 * are 0
 * @is_async: slices are asynchronous
 */
struct decoded_keys {
	struct field outer[KEYS_OUTER_MAX];
	size_t nr_outer;
	uint64_t ids[KEYS_IDS_MAX];
	bool is_async;
};

/**
 * struct descriptor - a tracepoint whose records are track events
 * @index: number of the tracepoint, from 0; the same name and format have the same index
 * @event_id: common_type of its records
 * @category: "system:event"
 * @name: name of the event, the end of @category
 * @label: @name as a text
 * @label_head: text_head() of @label
 * @scope_field: name of the scope field, NULL if there is none
 * @refs: fields of the roles before ROLE_REFS; absent if there is no field
 * @is_of_program: it is an event of a program
 * @is_swapped: the byte order of the records is not this machine's
 * @record_size: minimum size of a record that contains all these fields
 * @extras: fields that are passed on; those that only ends have are the last ones
 * @nr_extras: their number
 * @nr_early_extras: number of extras that begins and instants have
 * @flows: fields of flows, which follow the extras
 * @nr_flows: their number; 0 for counters
 * @fields: values of the extras and the flows of the record that was decoded last
 * @nr_fields: number of extras and flows
 * @outer: fields of outer scopes, whose names are those of @keys
 * @keys: values of these and of ROLE_ASYNC in the record that was decoded last; NULL if there are
 * neither these fields nor flows
 * @symbols: texts of the extras, NULL if none has any
 * @counter: the counter of this descriptor's open slices, NULL if there is none
 * @is_selective: begins may be filtered, so that an end without a begin is a filtered one
 * @has_more: there are extras, flows or keys
 */
struct descriptor {
	unsigned int index;
	unsigned int event_id;
	enum descriptor_kind kind;
	enum descriptor_scope scope;
	char *category;
	const char *name;
	struct text label;
	uint64_t label_head;
	char *scope_field;
	struct field_ref refs[ROLE_REFS];
	bool is_of_program;
	bool is_swapped;
	size_t record_size;
	struct extra *extras;
	size_t nr_extras;
	size_t nr_early_extras;
	struct extra *flows;
	size_t nr_flows;
	struct field *fields;
	size_t nr_fields;
	struct field_ref outer[KEYS_OUTER_MAX];
	struct decoded_keys *keys;
	struct extra_symbols *symbols;
	const struct descriptor *counter;
	bool is_selective;
	bool has_more;
};

#endif
