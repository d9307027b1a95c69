/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors: how the records of one tracepoint are decoded. */
#ifndef EVENT_DESCRIPTOR_H
#define EVENT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/field_ref.h"

enum descriptor_kind {
	DESCRIPTOR_NONE,
	DESCRIPTOR_SLICE,
	DESCRIPTOR_COUNTER,
};

/**
 * enum descriptor_scope - meaning of the scope field; without that field the scope is the writing
 * thread
 */
enum descriptor_scope {
	DESCRIPTOR_SCOPE_THREAD,
	DESCRIPTOR_SCOPE_PROCESS,
	DESCRIPTOR_SCOPE_CPU,
	DESCRIPTOR_SCOPE_CUSTOM,
};

/**
 * struct extra - a field without a role in decoding, that is passed on
 * @label: @name as a text
 */
struct extra {
	char *name;
	struct text label;
	struct field_ref ref;
};

/**
 * struct descriptor - a tracepoint whose records are track events
 * @index: number of the tracepoint, from 0; the same name and format have the same index
 * @event_id: common_type of its records
 * @category: "system:event"
 * @name: name of the event, the end of @category
 * @label: @name as a text
 * @label_head: text_head() of @label
 * @scope_field: name of the scope field, NULL if the scope is the writing thread
 * @type: field of 'B', 'E' or 'I'; this and the other references are absent if there is no field
 * @pid: field of the writing thread
 * @is_swapped: the byte order of the records is not this machine's
 * @record_size: minimum size of a record that contains all these fields
 * @extras: fields without a role
 * @fields: values of the extras of the record that was decoded last
 * @nr_extras: size of both arrays
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
	struct field_ref type;
	struct field_ref slice_name;
	struct field_ref track_name;
	struct field_ref scope_id;
	struct field_ref counter_value;
	struct field_ref pid;
	bool is_swapped;
	size_t record_size;
	struct extra *extras;
	struct field *fields;
	size_t nr_extras;
};

#endif
