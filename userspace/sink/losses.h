/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses whose end is that of the recording: kept until that is known. */
#ifndef SINK_LOSSES_H
#define SINK_LOSSES_H

#include "base/base.h"
#include "timeline/timeline.h"

/** struct losses - those without an end yet; at most one for each CPU of each buffer */
struct losses {
	struct timeline_event *events;
	size_t size;
};

/**
 * losses_hold - keep a loss without an end
 *
 * Returns 1 where it was kept, 0 where @event has an end, -1 with @error.
 */
int losses_hold(struct losses *losses, const struct timeline_event *event, struct error *error);

/** losses_end - let the recording end at @end_ns, which becomes the end of all that are kept */
void losses_end(struct losses *losses, int64_t end_ns);

void losses_release(struct losses *losses);

#endif
