// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The words that NORMAL and PERF share. */
#include "trace2/message.h"

#include <string.h>

#include "trace2/plain.h"

/* How wide a timer's seconds are at least. */
#define TIMER_WIDTH 8

void message_end(struct buffer *line, __attribute__((unused)) struct stamp *stamp,
		 __attribute__((unused)) const struct trace2_session *session,
		 __attribute__((unused)) const struct trace2_event *event)
{
	buffer_append_char(line, '\n');
}

TARGET_PRINT(message_version)
{
	plain_append_string(line, event->version.exe);
}

TARGET_PRINT(message_start)
{
	plain_append_words(line, event->start.argv);
}

TARGET_PRINT(message_error)
{
	if (event->error.fmt && *event->error.fmt)
		plain_append(line, string_text(event->error.msg));
}

TARGET_PRINT(message_cmd_path)
{
	plain_append_string(line, event->cmd_path.path);
}

TARGET_PRINT(message_cmd_name)
{
	const char *hierarchy = event->cmd_name.hierarchy;

	plain_append_string(line, event->cmd_name.name);
	if (!hierarchy || !*hierarchy)
		return;
	buffer_append_string(line, " (");
	plain_append_string(line, hierarchy);
	buffer_append_char(line, ')');
}

TARGET_PRINT(message_cmd_mode)
{
	plain_append_string(line, event->cmd_mode.name);
}

TARGET_PRINT(message_printf)
{
	plain_append(line, string_text(event->printf.msg));
}

void message_reason(struct buffer *line, int code)
{
	if (code <= 0)
		return;
	buffer_append_string(line, " err:");
	plain_append_string(line, strerror(code));
}

void message_text(struct buffer *line, const struct trace2_text *text)
{
	buffer_append(line, text->plain.data, text->plain.size);
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

size_t seconds_width(const struct trace2_session *session, size_t width)
{
	return width ? width + session->settings.decimals - 6 : 0;
}

void message_seconds(struct buffer *line, const struct trace2_session *session, const char *name,
		     int64_t time_ns, size_t width)
{
	buffer_append_string(line, name);
	plain_append_seconds(line, time_ns, session->settings.decimals,
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
