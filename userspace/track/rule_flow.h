/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows of rules: pairs of instants on any tracks, found by the numbers of their records. */
#ifndef TRACK_RULE_FLOW_H
#define TRACK_RULE_FLOW_H

#include "base/base.h"
#include "event/event.h"

/** FLOWS_PENDING_MAX - limit of flows that have begun and not ended; then all are dropped */
#define FLOWS_PENDING_MAX 65536

struct flow;

/**
 * struct flows - flows that have begun
 * @pending: by rule and numbers
 * @unused: memory of flows that have ended
 * @nr_begun: number of flows so far; each has the next number as its id
 */
struct flows {
	struct map pending;
	struct flow *unused;
	uint64_t nr_begun;
};

/** flows_begin - begin a flow; an older one with the same numbers is dropped; returns its id, or 0
 * if memory ran out
 */
uint64_t flows_begin(struct flows *flows, const struct decoded_event *decoded);

/** flows_end - end a flow; returns its id, 0 if there is none with these numbers */
uint64_t flows_end(struct flows *flows, const struct decoded_event *decoded);

/** flows_release - drop all flows */
void flows_release(struct flows *flows);

#endif
