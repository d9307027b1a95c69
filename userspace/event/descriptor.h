/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Descriptors: how the records of one tracepoint are decoded; and what they become: events on
 * tracks.
 */
#ifndef EVENT_DESCRIPTOR_H
#define EVENT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/format.h"
#include "event/record.h"
#include "event/symbols.h"

/* Descriptors: how the records of one tracepoint are decoded. */

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
	ROLE_OUTER = ROLE_REFS, /* scopes before the last one of a compound scope */
	ROLE_FLOW,
	ROLE_RESULT,
	ROLE_EXTRA, /* no meaning but its name and value */
	ROLE_COUNT,
};

/** struct extra - a field that is passed on by its name */
struct extra {
	char *name;	   /* of the argument in outputs */
	struct text label; /* @name as a text */
	bool is_plain;	   /* it needs no escapes in JSON */
	struct field_ref ref;
	enum field_role role;
};

/** struct extra_symbols - texts of extras */
struct extra_symbols {
	struct symbols *symbols;
	/* by the extra's index, NULL if its value is passed on */
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
 * @ids: numbers that pair begin and end, of asynchronous slices and of flows of rules; unused ones
 * are 0
 */
struct decoded_keys {
	/* outer scopes, by name of the field; each a VALUE_SIGNED or VALUE_UNSIGNED */
	struct field outer[KEYS_OUTER_MAX];
	size_t nr_outer;
	uint64_t ids[KEYS_IDS_MAX];
	bool is_async; /* slices are asynchronous */
};

/**
 * struct descriptor - a tracepoint whose records are track events
 * @fields: values of the extras and the flows of the record that was decoded last, and space for
 * one more
 * @keys: values of these and of ROLE_ASYNC in the record that was decoded last; NULL if there are
 * neither these fields nor flows
 */
struct descriptor {
	/* number of the tracepoint, from 0; the same name and format have the same index */
	unsigned int index;
	unsigned int event_id; /* common_type of its records */
	enum descriptor_kind kind;
	enum descriptor_scope scope;
	char *category;	     /* "system:event" */
	const char *name;    /* name of the event, the end of @category */
	struct text label;   /* @name as a text */
	uint64_t label_head; /* text_head() of @label */
	char *scope_field;   /* name of the scope field, NULL if there is none */
	/* fields of the roles before ROLE_REFS; absent if there is no field */
	struct field_ref refs[ROLE_REFS];
	bool is_of_program; /* it is an event of a program */
	bool is_swapped;    /* the byte order of the records is not this machine's */
	size_t record_size; /* minimum size of a record that contains all these fields */
	/* fields that are passed on; those that only ends have are the last ones */
	struct extra *extras;
	size_t nr_extras;	/* their number */
	size_t nr_early_extras; /* number of extras that begins and instants have */
	struct extra *flows;	/* fields of flows, which follow the extras */
	size_t nr_flows;	/* their number; 0 for counters */
	struct field *fields;
	size_t nr_fields; /* number of extras and flows */
	/* fields of outer scopes, whose names are those of @keys */
	struct field_ref outer[KEYS_OUTER_MAX];
	struct decoded_keys *keys;
	struct extra_symbols *symbols; /* texts of the extras, NULL if none has any */
	/* the counter of this descriptor's open slices, NULL if there is none */
	const struct descriptor *counter;
	/* begins may be filtered, so that an end without a begin is a filtered one */
	bool is_selective;
	/* there are extras, flows or keys, or ends may name the thread that ended their slice */
	bool has_more;
};

/* Decoded records: events on tracks. */

/**
 * enum decoded_kind - kinds of track events; those behind DECODED_END_OF are made by rules only
 * @DECODED_FLOW_BEGIN, @DECODED_FLOW_END: instants that are connected by the ids of their keys; an
 * end without a begin is no event. They have one flow, whose id the tracks set
 */
enum decoded_kind {
	DECODED_BEGIN,
	DECODED_END,
	DECODED_INSTANT,
	DECODED_COUNTER,
	DECODED_END_OF, /* end of the slice that began with a certain record */
	/* begin of a slice that is not shown, for whose end the stack waits */
	DECODED_HIDDEN_BEGIN,
	DECODED_STATE,	   /* the open slice ends, if there is one, and a new one begins */
	DECODED_STATE_END, /* the open slice ends, if there is one */
	DECODED_CHANGE,	   /* the counter changes by the value */
	DECODED_FLOW_BEGIN,
	DECODED_FLOW_END,
};

/** struct decoded_names - names of states */
struct decoded_names {
	size_t size;
	struct text names[];
};

/**
 * struct decoded_event - a record as a track event
 * @time_ns, @cpu, @buffer: of the record
 * @slice_head, @track_head: text_head() of both
 * @name_number: of instants: a number from 1 that stands for @slice_name in all events of a
 * recording; 0 for none
 * @extras: @nr_extras fields without a role, and then @nr_flows ids of flows, each a VALUE_UNSIGNED
 * other than 0; who consumes the event may change the order of the flows
 * @keys: outer scopes and the ids of an asynchronous slice; NULL if there are neither these nor
 * flows
 * @problem: NULL, or a constant text why the record could not be decoded; only @descriptor,
 * @time_ns, @cpu and @buffer are valid then
 *
 * Texts are borrowed from the record. Fields, their names and keys are borrowed from the
 * descriptor, and valid until its next record is decoded.
 */
struct decoded_event {
	const struct descriptor *descriptor;
	int64_t time_ns;
	int cpu;
	unsigned int buffer;
	enum decoded_kind kind;
	int tid; /* thread that wrote it */
	/* VALUE_SIGNED or VALUE_UNSIGNED; @tid if the tracepoint has no scope field */
	struct value scope_id;
	struct text slice_name; /* of begin and instant; empty otherwise */
	struct text track_name; /* name of the event if the tracepoint has no such field */
	uint64_t slice_head;
	uint64_t track_head;
	unsigned int name_number;
	int64_t begin_ns; /* of DECODED_END_OF: time of the record of the begin */
	int end_tid;	  /* of DECODED_END_OF: thread that ended the slice, which is @tid's */
	/* of counters; VALUE_SIGNED, VALUE_UNSIGNED or VALUE_FLOATING */
	struct value counter_value;
	struct field *extras;
	union {
		struct {
			unsigned int nr_extras;
			unsigned int nr_flows;
		};
		uint64_t nr_any; /* 0 if there are neither extras nor flows */
	};
	const struct decoded_keys *keys;
	/* of rules' begins and states: names of the innermost slice, or of the state, for which the
	 * event is ignored; NULL if there are none */
	const struct decoded_names *unless;
	const char *problem;
};

#endif
