/* SPDX-License-Identifier: GPL-2.0-only */
/* What an event says beyond its name, as JSON. */
#ifndef SINK_ARGS_H
#define SINK_ARGS_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * event_has_args - whether there is anything to say
 * @with: a set of 1 << enum timeline_emitter
 */
bool event_has_args(const struct timeline_event *event, unsigned int with);

/**
 * event_append_args - add an object of the record's fields, of who wrote it, and of what is to be
 * known about a slice
 * @tells_ends: names of a slice's end get end: before them, for viewers that have one set of args
 * for a slice, in which they would replace those of its begin
 *
 * Names of ours have a colon, which fields of a record cannot have.
 */
void event_append_args(struct buffer *out, const struct timeline_event *event, unsigned int with,
		       bool tells_ends);

/** loss_append_text - "lost 5 records on cpu 1", of a loss or of a sum of losses */
void loss_append_text(struct buffer *out, const struct timeline_event *event);

/** loss_append_place - whose records were lost: "lost records cpu 1 in first" */
void loss_append_place(struct buffer *out, const struct timeline_event *event);

/** argv_append_text - the words with blanks between them */
void argv_append_text(struct buffer *out, char *const *argv);

#endif
