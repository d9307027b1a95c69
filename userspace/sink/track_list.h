/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of a sink's tracks, which frees them if the stream ends early. */
#ifndef SINK_TRACK_LIST_H
#define SINK_TRACK_LIST_H

#include <stddef.h>

/** struct sink_track - the first member of a sink's own struct of a track */
struct sink_track {
	struct sink_track *before;
	struct sink_track *after;
};

/** sink_track_link - add @track to the list that begins at @list */
static inline void sink_track_link(struct sink_track **list, struct sink_track *track)
{
	track->before = NULL;
	track->after = *list;
	if (track->after)
		track->after->before = track;
	*list = track;
}

/** sink_track_unlink - remove @track from the list that begins at @list */
static inline void sink_track_unlink(struct sink_track **list, struct sink_track *track)
{
	if (track->before)
		track->before->after = track->after;
	else
		*list = track->after;
	if (track->after)
		track->after->before = track->before;
}

#endif
