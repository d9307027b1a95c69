/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes of Chrome's format: those of the traced machines, and groups of tracks. */
#ifndef SINK_CHROME_PROCESS_H
#define SINK_CHROME_PROCESS_H

#include "base/base.h"
#include "timeline/timeline.h"

/** CHROME_OWN_PROCESS - process of ktrack's own events: the kernel's limit; process ids are smaller
 */
#define CHROME_OWN_PROCESS 4194304

/** chrome_process - number of the process that a track is about, or of its group */
int64_t chrome_process(const struct timeline_track *track);

/** chrome_append_process - append its name */
void chrome_append_process(struct buffer *out, const struct timeline_track *track);

#endif
