/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ids of traces and spans. They are made of what identifies a slice, so that exporting a recording
 * again writes the same ids, and a backend keeps one copy.
 */
#ifndef SINK_OTLP_CONTEXT_H
#define SINK_OTLP_CONTEXT_H

#include "base/base.h"

/** struct otlp_context - the ids of a span; @span is 0 for none */
struct otlp_context {
	uint64_t trace[2];
	uint64_t span;
};

/** otlp_mix, otlp_mix_text - add a number or a text to a hash that is the same in every process */
uint64_t otlp_mix(uint64_t hash, uint64_t number);
uint64_t otlp_mix_text(uint64_t hash, struct text text);

/** otlp_root - the ids of a span that begins a trace, of a hash of what identifies it */
struct otlp_context otlp_root(uint64_t hash);

/** otlp_child - the ids of a span of the same trace */
struct otlp_context otlp_child(const struct otlp_context *parent, uint64_t hash);

/** otlp_append_context - append the members "traceId" and "spanId" */
void otlp_append_context(struct buffer *out, const struct otlp_context *context);

/** otlp_append_parent - append the member "parentSpanId" */
void otlp_append_parent(struct buffer *out, uint64_t span);

/**
 * struct otlp_flows - the last span of each flow
 * @recent, @older: struct otlp_point; the second one is of longer ago
 *
 * A zeroed struct is empty. Its memory is limited: it forgets a flow after OTLP_FLOWS_RECENT others
 * at the earliest.
 */
struct otlp_flows {
	struct map recent;
	struct map older;
};

/** OTLP_FLOWS_RECENT - number of flows that are known at least */
#define OTLP_FLOWS_RECENT (64 * 1024)

/** otlp_flows_find - the last span of a flow; NULL if it had none */
const struct otlp_context *otlp_flows_find(const struct otlp_flows *flows,
					   const struct field *flow);

/** otlp_flows_set - set the last span of a flow; returns -1 if memory ran out */
int otlp_flows_set(struct otlp_flows *flows, const struct field *flow,
		   const struct otlp_context *context);

void otlp_flows_release(struct otlp_flows *flows);

#endif
