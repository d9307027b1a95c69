// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lines of EVENT that are written by the million, each put together in one go. */
#include "trace2/target.h"

/* Room for the names and numbers of a line, beside the texts in it. */
#define FIXED_MAX 256

hot_inline char *put_text(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

hot_inline bool is_usual(const struct trace2_session *session, const struct trace2_event *event)
{
	return is_usual_region(event) && event->region.nesting <= session->settings.max_nesting &&
	       !session->settings.is_brief[TRACE2_EVENT];
}

/* All that a usual region's line takes, but for its message and what is more to be told. */
hot_inline size_t region_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->region.category->json.size +
	       event->region.label->json.size + FIXED_MAX + PUT_SLACK;
}

hot_inline char *put_usual_numbers(char *out, const struct trace2_session *session,
				   const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_LEAVE) {
		out = PUT_LITERAL(out, ",\"t_rel\":0.");
		put_nine(out, event->region.t_rel_ns);
		out += session->settings.decimals;
	}
	return put_short(PUT_LITERAL(out, ",\"nesting\":"), event->region.nesting);
}

/* Up to the time since the session began. */
hot_inline char *put_usual_region(char *out, const struct stamp *stamp,
				  const struct trace2_session *session,
				  const struct trace2_event *event)
{
	const struct kind *kind = &kinds[TRACE2_REGION_ENTER];

	if (event->kind == TRACE2_REGION_LEAVE)
		kind = &kinds[TRACE2_REGION_LEAVE];
	put_bytes(out, kind->head, sizeof(kind->head));
	out = put_block(out + kind->head_size, event->thread->json.data, event->thread->json.size);
	out = stamp_put_time(stamp, out, event->time_ns);
	out = put_usual_numbers(out, session, event);
	out = put_text(PUT_LITERAL(out, ",\"category\":"), event->region.category);
	return put_text(PUT_LITERAL(out, ",\"label\":"), event->region.label);
}

/* Behind a message, or before more to be told. */
static __attribute__((noinline)) bool region_end(struct buffer *line, struct stamp *stamp,
						 const struct trace2_session *session,
						 const struct trace2_event *event)
{
	if (event->region.msg.data) {
		buffer_append_string(line, ",\"msg\":");
		json_append_string(line, string_text(event->region.msg));
	}
	event_target.end(line, stamp, session, event);
	return true;
}

/* Where a second is over, or memory: both seldom, and not to be in the way of the others. */
static __attribute__((noinline)) bool event_line_again(struct buffer *line, struct stamp *stamp,
						       const struct trace2_session *session,
						       const struct trace2_event *event)
{
	if (!buffer_reserve(line, region_size(event)))
		return false;
	if (!stamp_has(stamp, event->time_ns) &&
	    !stamp_find_window(stamp, session->settings.start_unix_ns, event->time_ns))
		return false;
	return event_line(line, stamp, session, event);
}

hot_inline bool line_put(struct buffer *line, struct stamp *stamp,
			 const struct trace2_session *session, const struct trace2_event *event)
{
	char *out;

	if (!is_usual(session, event))
		return false;
	if (!has_room(line, region_size(event)) || !stamp_has(stamp, event->time_ns))
		return event_line_again(line, stamp, session, event);
	out = put_usual_region(line->data + line->size, stamp, session, event);
	if (event->region.msg.data || event->more.size > 0) {
		buffer_end_put(line, out);
		return region_end(line, stamp, session, event);
	}
	if (session->settings.has_more_t_abs)
		out = stamp_put_t_abs(stamp, out, event->time_ns, session->settings.decimals);
	buffer_end_put(line, PUT_LITERAL(out, "}\n"));
	return true;
}

hot_function bool event_line(struct buffer *line, struct stamp *stamp,
			     const struct trace2_session *session, const struct trace2_event *event)
{
	return line_put(line, stamp, session, event);
}

hot_function int event_write(struct trace2_session *session, const struct trace2_event *event)
{
	struct buffer *lines = &session->usual->lines;

	return lines->size < SESSION_BLOCK_SIZE &&
			       line_put(lines, &session->printer.stamp, session, event)
		       ? 0
		       : session_write(session, event);
}
