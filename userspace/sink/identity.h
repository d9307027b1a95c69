/* SPDX-License-Identifier: GPL-2.0-only */
/* What a track is called, for people and for machines. */
#ifndef SINK_IDENTITY_H
#define SINK_IDENTITY_H

#include "base/base.h"
#include "timeline/timeline.h"

/** track_append_label - for people: "queue0 tid 537 kworker/0:1" */
void track_append_label(struct buffer *out, const struct timeline_track *track);

/** track_append_identity - a JSON object with all that makes the track another one than the rest */
void track_append_identity(struct buffer *out, const struct timeline_track *track);

#endif
