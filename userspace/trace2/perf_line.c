// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The lines of PERF that are written by the million, each put together in one go. */
#include <string.h>

#include "trace2/plain.h"
#include "trace2/target.h"

/* Room for all columns but those of the thread, the category and the label. */
#define COLUMNS_MAX 256

/* A region so deep has as many dots as are put at once. */
#define DEPTH_MAX (PUT_SLACK / 2)

static const char dots[] = "................................";

/* What is behind the time, where there is no place: a blank, the empty column and its bar. */
static const char no_place[] = "                              | ";

_Static_assert(sizeof(dots) - 1 == PUT_SLACK, "as many dots as are put");
_Static_assert(sizeof(no_place) - 1 == PUT_SLACK, "a column of 28 places");

/* Whether an event is a region whose time is short: what is written by the million. */
hot_inline bool is_short_region(const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_LEAVE)
		return (uint64_t)event->region.t_rel_ns < NS_PER_S;
	return event->kind == TRACE2_REGION_ENTER;
}

/* Whether nothing but a thread stands behind it, and all fits into its columns. */
hot_inline bool is_usual(const struct trace2_session *session, const struct trace2_event *event)
{
	const struct trace2_text *category = event->region.category;

	return is_short_region(event) && !event->file && !event->repository && event->thread &&
	       category && event->region.label && !session->settings.is_brief[TRACE2_PERF] &&
	       event->region.nesting <= DEPTH_MAX && !category->has_bar &&
	       category->plain.size <= session->settings.category_width;
}

hot_inline size_t line_size(const struct trace2_session *session, const struct trace2_event *event)
{
	return event->thread->cell.size + session->settings.category_width +
	       event->region.label->plain.size + COLUMNS_MAX + PUT_SLACK;
}

hot_inline char *put_origin(char *out, const struct stamp *stamp, int64_t unix_ns)
{
	uint32_t rest_ns = stamp_second_since(&stamp->clock, unix_ns);

	put_bytes(out, stamp->clock.text + STAMP_BEFORE_SIZE, STAMP_CLOCK_SIZE);
	out = put_six(out + STAMP_CLOCK_SIZE, rest_ns / (uint32_t)NS_PER_US);
	return put_bytes(out, no_place, PUT_SLACK);
}

/* The time since the session began, in as many places as a hundred seconds take. */
hot_inline char *put_t_abs(char *out, const struct stamp *stamp, int64_t since_ns,
			   unsigned int decimals)
{
	const struct stamp_second *since = &stamp->since;
	unsigned int width = PERF_SECONDS_WIDTH - 6;

	memset(out, ' ', STAMP_SINCE_SIZE);
	if (since->size < width)
		out += width - since->size;
	put_bytes(out, since->text + STAMP_BEFORE_SIZE, STAMP_SINCE_SIZE);
	put_nine(out + since->size, stamp_second_since(since, since_ns));
	return PUT_LITERAL(out + since->size + decimals, " | ");
}

hot_inline char *put_t_rel(char *out, const struct trace2_event *event, unsigned int decimals)
{
	memset(out, ' ', STAMP_SINCE_SIZE);
	if (event->kind == TRACE2_REGION_LEAVE) {
		PUT_LITERAL(out, " 0.");
		put_nine(out + PERF_SECONDS_WIDTH - 6, event->region.t_rel_ns);
	}
	return PUT_LITERAL(out + PERF_SECONDS_WIDTH - 6 + decimals, " | ");
}

hot_inline char *put_category(char *out, const struct trace2_session *session,
			      const struct trace2_event *event)
{
	const struct buffer *plain = &event->region.category->plain;

	put_blanks(put_block(out, plain->data, plain->size),
		   session->settings.category_width - plain->size);
	return PUT_LITERAL(out + session->settings.category_width, " | ");
}

hot_inline char *put_label(char *out, const struct trace2_event *event)
{
	const struct buffer *plain = &event->region.label->plain;

	if (event->region.nesting > 1)
		out = put_bytes(out, dots, PUT_SLACK) - PUT_SLACK + 2 * (event->region.nesting - 1);
	return put_block(PUT_LITERAL(out, "label:"), plain->data, plain->size);
}

hot_inline char *put_line(char *out, const struct stamp *stamp,
			  const struct trace2_session *session, const struct trace2_event *event)
{
	unsigned int decimals = session->settings.decimals;
	const struct buffer *cell = &event->thread->cell;

	out = put_origin(out, stamp, session->settings.start_unix_ns + event->time_ns);
	out = put_block(out, cell->data, cell->size);
	out = put_bytes(out, kinds[event->kind].column, PERF_NAME_WIDTH);
	out = PUT_LITERAL(out, " |     | ");
	out = put_t_abs(out, stamp, event->time_ns, decimals);
	out = put_t_rel(out, event, decimals);
	return put_label(put_category(out, session, event), event);
}

static __attribute__((noinline)) bool message_put(struct buffer *lines,
						  const struct trace2_event *event)
{
	buffer_append_char(lines, ' ');
	plain_append(lines, string_text(event->region.msg));
	buffer_append_char(lines, '\n');
	return true;
}

hot_inline bool has_seconds(const struct trace2_session *session, const struct trace2_event *event)
{
	const struct stamp *stamp = &session->printer.stamp;

	return stamp_second_has(&stamp->clock, session->settings.start_unix_ns + event->time_ns) &&
	       stamp_second_has(&stamp->since, event->time_ns);
}

hot_inline bool line_put(struct trace2_session *session, const struct trace2_event *event)
{
	struct buffer *lines = &session->destinations[TRACE2_PERF].lines;
	char *out;

	if (!is_usual(session, event) || !has_room(lines, line_size(session, event)) ||
	    !has_seconds(session, event))
		return false;
	out = put_line(lines->data + lines->size, &session->printer.stamp, session, event);
	if (event->region.msg.data) {
		buffer_end_put(lines, out);
		return message_put(lines, event);
	}
	buffer_end_put(lines, put_char(out, '\n'));
	return true;
}

/* Where a second is over, or memory: both seldom. */
static bool line_prepare(struct trace2_session *session, const struct trace2_event *event)
{
	struct buffer *lines = &session->destinations[TRACE2_PERF].lines;
	struct stamp *stamp = &session->printer.stamp;

	if (!is_usual(session, event) || event->time_ns < 0 ||
	    !buffer_reserve(lines, line_size(session, event)))
		return false;
	if (!has_seconds(session, event)) {
		stamp_find_clock(stamp, session->settings.start_unix_ns + event->time_ns);
		stamp_find_since(stamp, event->time_ns);
	}
	return true;
}

bool perf_line(struct trace2_session *session, const struct trace2_event *event)
{
	return line_prepare(session, event) && line_put(session, event);
}

hot_function int perf_write(struct trace2_session *session, const struct trace2_event *event)
{
	return line_put(session, event) ? 0 : session_write_other(session, event);
}
