/* SPDX-License-Identifier: GPL-2.0-only */
/* The sink room's public header: what the timeline can be turned into, one constructor for each output. */
#ifndef SINK_SINK_H
#define SINK_SINK_H

#include "base/base.h"
#include "timeline/timeline.h"

/**
 * struct sink_trace2_settings - where trace2 lines go, and whose session it is
 * @sid: the whole session id
 * @hierarchy: the command's name behind those of the commands that started this one ("git/stream")
 * @with: a set of 1 << enum timeline_emitter, told with each record
 * @event_fd: where EVENT lines go; becomes the sink's, which closes it
 * @event_name: what errors call it
 *
 * All strings are the caller's and live as long as the sink.
 */
struct sink_trace2_settings {
	const char *sid;
	const char *hierarchy;
	unsigned int with;
	int event_fd;
	const char *event_name;
};

/**
 * sink_trace2_new - one trace2 session for one recording
 *
 * Returns a sink for timeline_add(), or NULL with @error; @settings->event_fd is closed then.
 */
struct sink *sink_trace2_new(const struct sink_trace2_settings *settings, struct error *error);

#endif
