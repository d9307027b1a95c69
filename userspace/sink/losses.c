// SPDX-License-Identifier: GPL-2.0-only
/* Keeps losses. */
#include "sink/losses.h"

#include <stdlib.h>

int losses_hold(struct losses *losses, const struct timeline_event *event, struct error *error)
{
	struct timeline_event *events;

	if (event->loss_end_ns < INT64_MAX)
		return 0;
	events = reallocarray(losses->events, losses->size + 1, sizeof(*events));
	if (!events)
		return error_set(error, "out of memory");
	losses->events = events;
	events[losses->size++] = *event;
	return 1;
}

void losses_end(struct losses *losses, int64_t end_ns)
{
	for (size_t i = 0; i < losses->size; i++) {
		struct timeline_event *event = &losses->events[i];

		event->loss_end_ns = end_ns > event->begin_ns ? end_ns : event->begin_ns;
	}
}

void losses_release(struct losses *losses)
{
	free(losses->events);
}
