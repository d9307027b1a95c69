// SPDX-License-Identifier: GPL-2.0-only
/* Delivers each track event to every sink. */
#include "timeline/timeline.h"

int timeline_add(struct timeline *timeline, struct sink *sink, struct error *error)
{
	if (timeline->nr_sinks == TIMELINE_SINKS_MAX) {
		sink->ops->free(sink);
		return error_set(error, "more than %d outputs at once", TIMELINE_SINKS_MAX);
	}
	timeline->sinks[timeline->nr_sinks++] = sink;
	return 0;
}

int timeline_open(struct timeline *timeline, const struct recording *recording, struct error *error)
{
	timeline->last_ns = recording->start_ns;
	for (unsigned int i = 0; i < timeline->nr_sinks; i++) {
		struct sink *sink = timeline->sinks[i];

		if (sink->ops->open(sink, recording, i, error) < 0)
			return -1;
	}
	return 0;
}

int timeline_push_all(struct timeline *timeline, const struct timeline_event *event,
		      struct error *error)
{
	for (unsigned int i = 0; i < timeline->nr_sinks; i++) {
		struct sink *sink = timeline->sinks[i];

		if (sink->ops->event(sink, event, error) < 0)
			return -1;
	}
	return 0;
}

int timeline_flush(struct timeline *timeline, struct error *error)
{
	for (unsigned int i = 0; i < timeline->nr_sinks; i++) {
		struct sink *sink = timeline->sinks[i];

		if (sink->ops->flush && sink->ops->flush(sink, error) < 0)
			return -1;
	}
	return 0;
}

void timeline_release(struct timeline *timeline)
{
	for (unsigned int i = 0; i < timeline->nr_sinks; i++)
		timeline->sinks[i]->ops->free(timeline->sinks[i]);
	*timeline = (struct timeline){ 0 };
}
