// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lines of EVENT that are written by the million, each put together in one go. */
#include "trace2/event_put.h"

hot_inline char *put_text(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

static bool is_usual_data(const struct trace2_session *session, const struct trace2_event *event)
{
	return event->data.category && event->data.key && event->data.value.data &&
	       is_usual(session, event, event->data.nesting);
}

static size_t data_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->data.category->json.size +
	       event->data.key->json.size + event->data.value.size + event->more.size + FIXED_MAX +
	       PUT_SLACK;
}

/* Up to the value. */
hot_inline char *put_data(char *out, const struct trace2_session *session,
			  const struct trace2_event *event)
{
	uint32_t rest_ns = stamp_rest(&session->printer.stamp, event->time_ns);

	out = put_head(out, session, event, event->kind, rest_ns);
	out = put_t_abs(out, session, rest_ns);
	out = put_seconds(PUT_LITERAL(out, ",\"t_rel\":"), event->data.t_rel_ns,
			  session->settings.decimals);
	out = put_short(PUT_LITERAL(out, ",\"nesting\":"), event->data.nesting);
	out = put_text(PUT_LITERAL(out, ",\"category\":"), event->data.category);
	out = put_text(PUT_LITERAL(out, ",\"key\":"), event->data.key);
	return PUT_LITERAL(out, ",\"value\":");
}

hot_inline bool data_line(struct trace2_session *session, const struct trace2_event *event)
{
	const struct trace2_string *value = &event->data.value;
	struct buffer *lines = lines_of(session);
	char *out;

	if (!is_usual_data(session, event) || !is_ready(session, event, data_size(event)))
		return false;
	out = put_data(lines->data + lines->size, session, event);
	if (event->kind == TRACE2_DATA)
		out = put_string(out, event, value);
	else
		out = put_bytes(out, value->data, value->size);
	if (out)
		buffer_end_put(lines, put_more(out, event));
	return out;
}

hot_inline bool line_put(struct trace2_session *session, const struct trace2_event *event)
{
	switch (event->kind) {
	case TRACE2_REGION_ENTER:
		return region_line(session, event, TRACE2_REGION_ENTER);
	case TRACE2_REGION_LEAVE:
		return region_line(session, event, TRACE2_REGION_LEAVE);
	case TRACE2_DATA:
	case TRACE2_DATA_JSON:
		return data_line(session, event);
	default:
		return false;
	}
}

/* What a line takes; 0 where it is to be put together by others. */
static size_t line_size(const struct trace2_session *session, const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE)
		return is_usual_region(session, event, event->kind) ? region_size(event) : 0;
	if (event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON)
		return is_usual_data(session, event) ? data_size(event) : 0;
	return 0;
}

/* Where a millisecond is over, or memory: both seldom. */
static bool line_prepare(struct trace2_session *session, const struct trace2_event *event)
{
	struct stamp *stamp = &session->printer.stamp;
	size_t size = line_size(session, event);

	if (size == 0 || !buffer_reserve(lines_of(session), size))
		return false;
	return stamp_has(stamp, event->time_ns) ||
	       stamp_find_window(stamp, session->settings.start_unix_ns, event->time_ns);
}

bool event_line(struct trace2_session *session, const struct trace2_event *event)
{
	return line_prepare(session, event) && line_put(session, event);
}

int event_write_other(struct trace2_session *session, const struct trace2_event *event)
{
	bool is_data = event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON;

	return is_data && data_line(session, event) ? 0 : session_write_other(session, event);
}

hot_function int event_write(struct trace2_session *session, const struct trace2_event *event)
{
	return event_put(session, event);
}
