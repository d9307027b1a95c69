// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lines of EVENT that are written by the million, each put together in one go. */
#include "trace2/target.h"

/* Room for the names and numbers of a line, beside the texts in it. */
#define FIXED_MAX 256

hot_inline char *put_text(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

hot_inline bool is_told(const struct trace2_session *session, unsigned int nesting)
{
	return nesting <= session->settings.max_nesting &&
	       !session->settings.is_brief[TRACE2_EVENT];
}

hot_inline bool is_usual(const struct trace2_session *session, const struct trace2_event *event)
{
	return is_usual_region(event) && is_told(session, event->region.nesting);
}

/* The same for a value on a thread's line of time. */
static bool is_usual_data(const struct trace2_session *session, const struct trace2_event *event)
{
	if (event->kind != TRACE2_DATA && event->kind != TRACE2_DATA_JSON)
		return false;
	return !event->file && !event->repository && event->thread && event->data.category &&
	       event->data.key && event->data.value.data && event->data.nesting < PUT_SHORT_LIMIT &&
	       is_told(session, event->data.nesting);
}

/* All that a usual region's line takes, but for its message and what is more to be told. */
hot_inline size_t region_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->region.category->json.size +
	       event->region.label->json.size + FIXED_MAX + PUT_SLACK;
}

hot_inline size_t data_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->data.category->json.size +
	       event->data.key->json.size + event->data.value.size + event->more.size + FIXED_MAX +
	       PUT_SLACK;
}

hot_inline char *put_head(char *out, const struct stamp *stamp, const struct kind *kind,
			  const struct trace2_event *event)
{
	put_bytes(out, kind->head, sizeof(kind->head));
	out = put_block(out + kind->head_size, event->thread->json.data, event->thread->json.size);
	return stamp_put_time(stamp, out, event->time_ns);
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
	out = put_usual_numbers(put_head(out, stamp, kind, event), session, event);
	out = put_text(PUT_LITERAL(out, ",\"category\":"), event->region.category);
	return put_text(PUT_LITERAL(out, ",\"label\":"), event->region.label);
}

/* A message in which something is to be escaped. */
static bool special_region_end(struct buffer *line, struct stamp *stamp,
			       const struct trace2_session *session,
			       const struct trace2_event *event)
{
	buffer_append_string(line, ",\"msg\":");
	json_append_string(line, string_text(event->region.msg));
	event_target.end(line, stamp, session, event);
	return true;
}

hot_inline char *put_more(char *out, const struct trace2_event *event)
{
	if (event->more.size > 0)
		out = put_bytes(put_char(out, ','), event->more.data, event->more.size);
	return PUT_LITERAL(out, "}\n");
}

/* Behind a message, or before more to be told. */
static __attribute__((noinline)) bool region_end(struct buffer *line, struct stamp *stamp,
						 const struct trace2_session *session,
						 const struct trace2_event *event)
{
	const struct trace2_string *msg = &event->region.msg;
	char *out = buffer_reserve_put(line, msg->size + event->more.size + FIXED_MAX);

	if (out && msg->data)
		out = json_put_string(PUT_LITERAL(out, ",\"msg\":"), string_text(*msg));
	if (!out)
		return special_region_end(line, stamp, session, event);
	if (session->settings.has_more_t_abs)
		out = stamp_put_t_abs(stamp, out, event->time_ns, session->settings.decimals);
	buffer_end_put(line, put_more(out, event));
	return true;
}

/* Where a second is over, or memory: both seldom, and not to be in the way of the others. */
static __attribute__((noinline)) bool event_line_again(struct buffer *line, struct stamp *stamp,
						       const struct trace2_session *session,
						       const struct trace2_event *event,
						       size_t size)
{
	if (!buffer_reserve(line, size))
		return false;
	if (!stamp_has(stamp, event->time_ns) &&
	    !stamp_find_window(stamp, session->settings.start_unix_ns, event->time_ns))
		return false;
	return event_line(line, stamp, session, event);
}

/* Up to the value. */
hot_inline char *put_usual_data(char *out, const struct stamp *stamp,
				const struct trace2_session *session,
				const struct trace2_event *event)
{
	unsigned int decimals = session->settings.decimals;

	out = put_head(out, stamp, &kinds[event->kind], event);
	out = stamp_put_t_abs(stamp, out, event->time_ns, decimals);
	out = put_seconds(PUT_LITERAL(out, ",\"t_rel\":"), event->data.t_rel_ns, decimals);
	out = put_short(PUT_LITERAL(out, ",\"nesting\":"), event->data.nesting);
	out = put_text(PUT_LITERAL(out, ",\"category\":"), event->data.category);
	out = put_text(PUT_LITERAL(out, ",\"key\":"), event->data.key);
	return PUT_LITERAL(out, ",\"value\":");
}

/* A line that is no usual region's. */
static __attribute__((noinline)) bool data_line(struct buffer *line, struct stamp *stamp,
						const struct trace2_session *session,
						const struct trace2_event *event)
{
	const struct trace2_string *value = &event->data.value;
	char *out;

	if (!is_usual_data(session, event))
		return false;
	if (!has_room(line, data_size(event)) || !stamp_has(stamp, event->time_ns))
		return event_line_again(line, stamp, session, event, data_size(event));
	out = put_usual_data(line->data + line->size, stamp, session, event);
	if (event->kind == TRACE2_DATA)
		out = json_put_string(out, string_text(*value));
	else
		out = put_bytes(out, value->data, value->size);
	if (out)
		buffer_end_put(line, put_more(out, event));
	return out;
}

hot_inline bool line_put(struct buffer *line, struct stamp *stamp,
			 const struct trace2_session *session, const struct trace2_event *event)
{
	char *out;

	if (!is_usual(session, event))
		return data_line(line, stamp, session, event);
	if (!has_room(line, region_size(event)) || !stamp_has(stamp, event->time_ns))
		return event_line_again(line, stamp, session, event, region_size(event));
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
