// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The parts of lines that NORMAL and PERF share. */
#include "trace2/message.h"

#include <string.h>

#include "trace2/escape.h"

/* Minimum width of a timer's seconds. */
#define TIMER_WIDTH 8

TARGET_PRINT(message_version)
{
	escape_append_string(line, event->version.exe);
}

TARGET_PRINT(message_start)
{
	escape_append_words(line, event->start.argv);
}

TARGET_PRINT(message_error)
{
	if (event->error.fmt && *event->error.fmt)
		escape_append(line, string_text(event->error.msg));
}

TARGET_PRINT(message_cmd_path)
{
	escape_append_string(line, event->cmd_path.path);
}

TARGET_PRINT(message_cmd_name)
{
	const char *hierarchy = event->cmd_name.hierarchy;

	escape_append_string(line, event->cmd_name.name);
	if (!hierarchy || !*hierarchy)
		return;
	buffer_append_string(line, " (");
	escape_append_string(line, hierarchy);
	buffer_append_char(line, ')');
}

TARGET_PRINT(message_cmd_mode)
{
	escape_append_string(line, event->cmd_mode.name);
}

TARGET_PRINT(message_printf)
{
	escape_append(line, string_text(event->printf.msg));
}

void message_reason(struct buffer *line, int code)
{
	if (code <= 0)
		return;
	buffer_append_string(line, " err:");
	escape_append_string(line, strerror(code));
}

void message_text(struct buffer *line, const struct trace2_text *text)
{
	buffer_append(line, text->escaped.data, text->escaped.size);
}

void message_signed(struct buffer *line, const char *name, int64_t number)
{
	buffer_append_string(line, name);
	buffer_append_signed(line, number);
}

void message_unsigned(struct buffer *line, const char *name, uint64_t number)
{
	buffer_append_string(line, name);
	buffer_append_unsigned(line, number);
}

void message_seconds(struct buffer *line, const struct trace2_session *session, const char *name,
		     int64_t time_ns, size_t width)
{
	buffer_append_string(line, name);
	seconds_append_right(line, time_ns, session->settings.decimals,
			     seconds_width(session, width));
}

TARGET_PRINT(message_timer)
{
	message_unsigned(line, " intervals:", event->timer.intervals);
	message_seconds(line, session, " total:", timer_ns(session, event->timer.total_ns),
			TIMER_WIDTH);
	message_seconds(line, session, " min:", timer_ns(session, event->timer.min_ns),
			TIMER_WIDTH);
	message_seconds(line, session, " max:", timer_ns(session, event->timer.max_ns),
			TIMER_WIDTH);
}
