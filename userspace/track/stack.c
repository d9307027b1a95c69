// SPDX-License-Identifier: GPL-2.0-only
/* Stacks of threads are on no track. */
#include "track/state.h"

int tracks_add_stack(struct tracks *tracks, const struct tracks_stack *stack, struct error *error)
{
	struct timeline_event event = { .kind = TIMELINE_STACK,
					.tid = stack->tid,
					.cpu = stack->cpu,
					.comm = "",
					.fields = stack->frames };

	if (stack->time_ns < tracks->now_ns)
		tracks->totals.late_records++;
	tracks_advance(tracks, stack->time_ns);
	event.time_ns = tracks->now_ns;
	event.nr_fields = stack->nr_frames;
	return timeline_push(tracks->timeline, &event, error);
}
