/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of an event as JSON: fields, emitter, and flags of slices. */
#ifndef SINK_ARGS_H
#define SINK_ARGS_H

#include "base/base.h"
#include "timeline/timeline.h"

/** ARGS_TRACK - in a set of 1 << enum timeline_emitter: also the name of the track */
#define ARGS_TRACK (1u << TIMELINE_EMITTER_COUNT)

/**
 * event_has_emitter - whether one property of an event's emitter is known and wanted
 * @with: a set of 1 << enum timeline_emitter
 */
static inline bool event_has_emitter(const struct timeline_event *event, unsigned int with,
				     enum timeline_emitter emitter)
{
	const bool are_known[] = {
		[TIMELINE_EMITTER_TID] = event->tid >= 0,
		[TIMELINE_EMITTER_CPU] = event->cpu >= 0,
		[TIMELINE_EMITTER_COMM] = event->comm && event->comm[0],
	};

	return with & 1u << emitter && are_known[emitter];
}

/** event_has_args - whether event_append_args() would append members */
bool event_has_args(const struct timeline_event *event, unsigned int with);

/**
 * event_append_args - append an object of the record's fields, its flows, its emitter and the
 * slice's flags
 * @with: a set of 1 << enum timeline_emitter
 * @names_ends: prefix names at a slice's end with "end:", for viewers that merge the arguments of a
 * slice's begin and end
 *
 * Names that ktrack adds have a colon, which names of fields cannot have.
 */
void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with,
		       bool names_ends);

struct recording;
struct timeline_machine;

/** labels_append - append an object with the labels of a recording; NULL for none */
void labels_append(struct buffer *out, const char *labels);

/**
 * recording_append - append members of an object, after others: properties, labels
 * @output: one bit of enum recording_output
 */
void recording_append(struct buffer *out, const struct recording *recording, unsigned int output);

/** machines_append - append a member, after others, with all of them; nothing for one recording */
void machines_append(struct buffer *out, const struct recording *recording);

#endif
