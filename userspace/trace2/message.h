/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of lines that NORMAL and PERF share. */
#ifndef TRACE2_MESSAGE_H
#define TRACE2_MESSAGE_H

#include "trace2/target.h"

TARGET_PRINT(message_version);
TARGET_PRINT(message_start);
TARGET_PRINT(message_error);
TARGET_PRINT(message_cmd_path);
TARGET_PRINT(message_cmd_name);
TARGET_PRINT(message_cmd_mode);
TARGET_PRINT(message_printf);

/** message_reason - append " err:" and the text of @code, if it is an errno */
void message_reason(struct buffer *line, int code);

/** message_text - append an escaped text */
void message_text(struct buffer *line, const struct trace2_text *text);

/** message_signed, message_unsigned - append @name and a number */
void message_signed(struct buffer *line, const char *name, int64_t number);
void message_unsigned(struct buffer *line, const char *name, uint64_t number);

/**
 * message_seconds - append @name and seconds, right-aligned
 * @width: the width with six decimals; 0 for none
 */
void message_seconds(struct buffer *line, const struct trace2_session *session, const char *name,
		     int64_t time_ns, size_t width);

/** message_timer - append a timer's intervals and times */
TARGET_PRINT(message_timer);

/** seconds_width - the width of a column of @width bytes, given for six decimals */
static inline size_t seconds_width(const struct trace2_session *session, size_t width)
{
	return width ? width + session->settings.decimals - 6 : 0;
}

#endif
