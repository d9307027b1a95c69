/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The EVENT target: one JSON object a line. */
#ifndef TRACE2_EVENT_H
#define TRACE2_EVENT_H

#include "trace2/session.h"

/** event_print - append the line for @event, its newline included */
void event_print(struct buffer *line, struct trace2_session *session, const struct trace2_event *event);

#endif
