// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lines of EVENT that are written by the million, each put together in one go. */
#include "trace2/target.h"

/* Room for the names and numbers of a line, beside the texts in it. */
#define FIXED_MAX 256

/* Room for a region's message and what is more to be told, which few have. */
#define REST_MAX 1024

hot_inline char *put_text(char *out, const struct trace2_text *text)
{
	return put_block(out, text->json.data, text->json.size);
}

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

static bool is_usual_data(const struct trace2_session *session, const struct trace2_event *event)
{
	return event->data.category && event->data.key && event->data.value.data &&
	       is_usual(session, event, event->data.nesting);
}

/* All that a usual region's line takes, with a message and more to be told that are not long. */
hot_inline size_t region_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->region.label->members.size + FIXED_MAX + REST_MAX +
	       PUT_SLACK;
}

static size_t data_size(const struct trace2_event *event)
{
	return event->thread->json.size + event->data.category->json.size +
	       event->data.key->json.size + event->data.value.size + event->more.size + FIXED_MAX +
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

	put_bytes(out, kind->head, sizeof(kind->head));
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

/* Not inlined, so that nothing is set up for regions that only data need. */
static __attribute__((noinline)) int other_line_write(struct trace2_session *session,
						      const struct trace2_event *event)
{
	bool is_data = event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON;

	return is_data && data_line(session, event) ? 0 : session_write_other(session, event);
}

hot_function int event_write(struct trace2_session *session, const struct trace2_event *event)
{
	bool is_put = false;

	if (event->kind == TRACE2_REGION_ENTER)
		is_put = region_line(session, event, TRACE2_REGION_ENTER);
	else if (event->kind == TRACE2_REGION_LEAVE)
		is_put = region_line(session, event, TRACE2_REGION_LEAVE);
	return is_put ? 0 : other_line_write(session, event);
}
