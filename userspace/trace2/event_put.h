/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The lines of EVENT that are for regions, which are the most there are of, each put together in
 * one go.
 *
 * They are mostly copies. So there are two writers made of them: one for any machine, and one for
 * those that copy more at once.
 */
#ifndef TRACE2_EVENT_PUT_H
#define TRACE2_EVENT_PUT_H

#include "trace2/target.h"

/* Room for the names and numbers of a line, beside the texts in it. */
#define FIXED_MAX 256

/* Room for a region's message and what is more to be told, which few have. */
#define REST_MAX 1024

/* Whether nothing but a thread stands behind a line, and it is neither too deep nor brief. */
hot_inline bool is_usual(const struct trace2_session *session, const struct trace2_event *event,
			 unsigned int nesting)
{
	return !((uintptr_t)event->file | (uintptr_t)event->repository) && event->thread &&
	       nesting < session->usual_nesting;
}

/* A region whose label knows its category, and whose time is short. */
hot_inline bool is_usual_region(const struct trace2_session *session,
				const struct trace2_event *event, enum trace2_kind kind)
{
	const struct trace2_text *label = event->region.label;

	if (kind == TRACE2_REGION_LEAVE && (uint64_t)event->region.t_rel_ns >= NS_PER_S)
		return false;
	return label && label->category == event->region.category &&
	       is_usual(session, event, event->region.nesting);
}

/* All that a usual region's line takes, with a message and more to be told that are not long. */
hot_inline size_t region_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->region.label->members.size + FIXED_MAX + REST_MAX +
	       PUT_SLACK;
}

hot_inline struct buffer *lines_of(struct trace2_session *session)
{
	return &session->destinations[TRACE2_EVENT].lines;
}

/* Whether a line may be put as it is. */
hot_inline bool is_ready(struct trace2_session *session, const struct trace2_event *event,
			 size_t size)
{
	return has_room(lines_of(session), size) &&
	       stamp_has(&session->printer.stamp, event->time_ns);
}

hot_inline char *put_head(char *out, const struct trace2_session *session,
			  const struct trace2_event *event, enum trace2_kind number,
			  uint32_t rest_ns)
{
	const struct buffer *thread = &event->thread->json;
	const struct kind *kind = &kinds[number];

	put_slack(out, kind->head);
	out = put_blocks(out + kind->head_size, thread->data, thread->size, 3);
	return stamp_put_time(&session->printer.stamp, out, rest_ns);
}

hot_inline char *put_t_abs(char *out, const struct trace2_session *session, uint32_t rest_ns)
{
	return stamp_put_t_abs(&session->printer.stamp, out, rest_ns, session->settings.decimals);
}

/* Up to the time since the session began. */
hot_inline char *put_region(char *out, const struct trace2_session *session,
			    const struct trace2_event *event, enum trace2_kind kind,
			    uint32_t rest_ns)
{
	const struct buffer *members = &event->region.label->members;

	out = put_head(out, session, event, kind, rest_ns);
	if (kind == TRACE2_REGION_LEAVE) {
		out = PUT_LITERAL(out, ",\"t_rel\":0.");
		put_nine(out, event->region.t_rel_ns);
		out += session->settings.decimals;
	}
	out = put_short(PUT_LITERAL(out, ",\"nesting\":"), event->region.nesting);
	return put_blocks(out, members->data, members->size, 2);
}

/* Long texts, or a message in which something is to be escaped. */
static void long_region_end(struct trace2_session *session, const struct trace2_event *event)
{
	struct buffer *lines = lines_of(session);

	if (event->region.msg.data) {
		buffer_append_string(lines, ",\"msg\":");
		json_append_string(lines, string_text(event->region.msg));
	}
	event_target.end(lines, &session->printer.stamp, session, event);
}

hot_inline char *put_more(char *out, const struct trace2_event *event)
{
	if (event->more.size > 0)
		out = put_bytes(put_char(out, ','), event->more.data, event->more.size);
	return PUT_LITERAL(out, "}\n");
}

/* A string; NULL where something in it is to be escaped. */
hot_inline char *put_string(char *out, const struct trace2_event *event,
			    const struct trace2_string *string)
{
	if (!event->needs_no_escape)
		return json_put_string(out, string_text(*string));
	return put_char(put_bytes(put_char(out, '"'), string->data, string->size), '"');
}

/* Behind a message, or before more to be told; the line ends at @out now. */
static __attribute__((noinline)) void region_end(struct trace2_session *session,
						 const struct trace2_event *event, char *out)
{
	const struct trace2_string *msg = &event->region.msg;

	buffer_end_put(lines_of(session), out);
	if (msg->data && msg->size + event->more.size <= REST_MAX)
		out = put_string(PUT_LITERAL(out, ",\"msg\":"), event, msg);
	if (!out || msg->size + event->more.size > REST_MAX) {
		long_region_end(session, event);
		return;
	}
	if (session->settings.has_more_t_abs)
		out = put_t_abs(out, session, stamp_rest(&session->printer.stamp, event->time_ns));
	buffer_end_put(lines_of(session), put_more(out, event));
}

hot_inline bool region_line(struct trace2_session *session, const struct trace2_event *event,
			    enum trace2_kind kind)
{
	struct buffer *lines = lines_of(session);
	uint32_t rest_ns;
	char *out;

	if (!is_usual_region(session, event, kind) || !is_ready(session, event, region_size(event)))
		return false;
	rest_ns = stamp_rest(&session->printer.stamp, event->time_ns);
	out = put_region(lines->data + lines->size, session, event, kind, rest_ns);
	if (event->region.msg.data || event->more.size > 0) {
		region_end(session, event, out);
		return true;
	}
	if (session->settings.has_more_t_abs)
		out = put_t_abs(out, session, rest_ns);
	buffer_end_put(lines, PUT_LITERAL(out, "}\n"));
	return true;
}

/** event_write_other - event_write() of anything but a usual region */
int event_write_other(struct trace2_session *session, const struct trace2_event *event);

hot_inline int event_put(struct trace2_session *session, const struct trace2_event *event)
{
	bool is_put = false;

	if (event->kind == TRACE2_REGION_ENTER)
		is_put = region_line(session, event, TRACE2_REGION_ENTER);
	else if (event->kind == TRACE2_REGION_LEAVE)
		is_put = region_line(session, event, TRACE2_REGION_LEAVE);
	return is_put ? 0 : event_write_other(session, event);
}

#endif
