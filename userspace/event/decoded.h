/* SPDX-License-Identifier: GPL-2.0-only */
/* Decoded records: events on tracks. */
#ifndef EVENT_DECODED_H
#define EVENT_DECODED_H

#include "event/descriptor.h"
#include "event/record.h"

/**
 * enum decoded_kind - kinds of track events; those behind DECODED_COUNTER are made by rules only
 * @DECODED_HIDDEN_BEGIN: begin of a slice that is not shown, for whose end the stack waits
 * @DECODED_STATE: the open slice ends, if there is one, and a new one begins
 * @DECODED_STATE_END: the open slice ends, if there is one
 * @DECODED_CHANGE: the counter changes by the value
 * @DECODED_FLOW_BEGIN, @DECODED_FLOW_END: instants that are connected by the ids of their keys; an
 * end without a begin is no event. They have one flow, whose id the tracks set
 */
enum decoded_kind {
	DECODED_BEGIN,
	DECODED_END,
	DECODED_INSTANT,
	DECODED_COUNTER,
	DECODED_HIDDEN_BEGIN,
	DECODED_STATE,
	DECODED_STATE_END,
	DECODED_CHANGE,
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
 * @tid: thread that wrote it
 * @scope_id: VALUE_SIGNED or VALUE_UNSIGNED; @tid if the tracepoint has no scope field
 * @slice_name: of begin and instant; empty otherwise
 * @track_name: name of the event if the tracepoint has no such field
 * @slice_head, @track_head: text_head() of both
 * @counter_value: of counters; VALUE_SIGNED, VALUE_UNSIGNED or VALUE_FLOATING
 * @extras: @nr_extras fields without a role, and then @nr_flows ids of flows, each a VALUE_UNSIGNED
 * other than 0; who consumes the event may change the order of the flows
 * @nr_any: 0 if there are neither extras nor flows
 * @keys: outer scopes and the ids of an asynchronous slice; NULL if there are neither these nor
 * flows
 * @unless: of DECODED_STATE: states in which the event is ignored; NULL if there are none
 * @problem: NULL, or a constant text why the record could not be decoded; only @descriptor,
 * @time_ns, @cpu and @buffer are valid then
 *
 * Texts are borrowed from the record. Fields, their names and keys are borrowed from the descriptor,
 * and valid until its next record is decoded.
 */
struct decoded_event {
	const struct descriptor *descriptor;
	int64_t time_ns;
	int cpu;
	unsigned int buffer;
	enum decoded_kind kind;
	int tid;
	struct value scope_id;
	struct text slice_name;
	struct text track_name;
	uint64_t slice_head;
	uint64_t track_head;
	struct value counter_value;
	struct field *extras;
	union {
		struct {
			unsigned int nr_extras;
			unsigned int nr_flows;
		};
		uint64_t nr_any;
	};
	const struct decoded_keys *keys;
	const struct decoded_names *unless;
	const char *problem;
};

#endif
