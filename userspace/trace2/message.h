/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What NORMAL and PERF say in the same words. */
#ifndef TRACE2_MESSAGE_H
#define TRACE2_MESSAGE_H

#include "trace2/target.h"

/** message_end - end a line, which for people is a newline and no more */
void message_end(struct buffer *line, struct stamp *stamp, const struct trace2_session *session,
		 const struct trace2_event *event);

TARGET_PRINT(message_version);
TARGET_PRINT(message_start);
TARGET_PRINT(message_error);
TARGET_PRINT(message_cmd_path);
TARGET_PRINT(message_cmd_name);
TARGET_PRINT(message_cmd_mode);
TARGET_PRINT(message_printf);

/** message_reason - add " err:" and the text of @code, where it is an errno */
void message_reason(struct buffer *line, int code);

/** message_text - add a text as lines for people have it */
void message_text(struct buffer *line, const struct trace2_text *text);

/** message_signed, message_unsigned - add a number behind its name and colon */
void message_signed(struct buffer *line, const char *name, int64_t number);
void message_unsigned(struct buffer *line, const char *name, uint64_t number);

/**
 * message_seconds - add seconds behind their name and colon, in at least @width places at six
 * decimals
 */
void message_seconds(struct buffer *line, const struct trace2_session *session, const char *name,
		     int64_t time_ns, size_t width);

/** message_timer - add a timer's numbers */
TARGET_PRINT(message_timer);

/** seconds_width - what @width places are with the session's decimals */
size_t seconds_width(const struct trace2_session *session, size_t width);

#endif
