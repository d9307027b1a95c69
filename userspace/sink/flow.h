/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows of an event as texts: "request:0x1f", and sets of flows. */
#ifndef SINK_FLOW_H
#define SINK_FLOW_H

#include "base/base.h"
#include "timeline/timeline.h"

/** flow_append - append name and id of a flow: "request:0x1f" */
void flow_append(struct buffer *out, const struct field *flow);
/** flows_append_text - append all flows of @event, with blanks between them */
void flows_append_text(struct buffer *out, const struct timeline_event *event);
/** flows_append_json - append all flows of @event as an array: ["request:0x1f"] */
void flows_append_json(struct buffer *out, const struct timeline_event *event);

/**
 * struct flow_set - flows that had a point
 * @recent, @older: each flow as its hash; the second one is of longer ago
 *
 * A zeroed struct is an empty set. Its memory is limited: it forgets a flow after FLOW_SET_RECENT
 * others at the earliest.
 */
struct flow_set {
	struct map recent;
	struct map older;
};

/** FLOW_SET_RECENT - number of flows that a set has at least */
#define FLOW_SET_RECENT (64 * 1024)

/** flow_set_add - add @flow; returns 1 if it is in the set already, 0 if not, -1 without memory */
int flow_set_add(struct flow_set *set, const struct field *flow);

void flow_set_release(struct flow_set *set);

#endif
