/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The members of EVENT lines that are appended one by one. */
#ifndef TRACE2_EVENT_MEMBERS_H
#define TRACE2_EVENT_MEMBERS_H

#include "trace2/target.h"

/** event_append_origin - append the location and the repository; events of records have neither */
void event_append_origin(struct buffer *line, const struct trace2_session *session,
			 const struct trace2_event *event);

/** event_append_members - append the members of an event that is neither region nor data */
void event_append_members(struct buffer *line, const struct trace2_session *session,
			  const struct trace2_event *event);

#endif
