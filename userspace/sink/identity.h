/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of tracks for people, and identities for machines. */
#ifndef SINK_IDENTITY_H
#define SINK_IDENTITY_H

#include "base/base.h"
#include "timeline/timeline.h"

/** track_append_label - append a label: "queue0 tid 537 kworker/0:1" */
void track_append_label(struct buffer *out, const struct timeline_track *track);

/** track_append_identity - append a JSON object with all that distinguishes the track */
void track_append_identity(struct buffer *out, const struct timeline_track *track);

#endif
