/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The inside of a session, for the targets that print its events. */
#ifndef TRACE2_SESSION_H
#define TRACE2_SESSION_H

#include "base/base.h"
#include "trace2/destination.h"
#include "trace2/trace2.h"

/**
 * struct trace2_thread - a thread with its part of the line
 * @prefix: the members "sid" and "thread", and "time" up to its opening quote
 */
struct trace2_thread {
	struct buffer prefix;
};

/**
 * struct trace2_text - a text with its JSON
 */
struct trace2_text {
	struct buffer json;
};

/**
 * struct trace2_session - one stream of events
 * @date: UTC date and time up to the second @date_s, as EVENT writes it: it seldom changes from line to line
 */
struct trace2_session {
	struct trace2_settings settings;
	char *sid;
	struct trace2_thread *main_thread;
	struct destination event;
	struct error error;
	int64_t date_s;
	char date[TIME_DATE_SIZE];
	size_t date_size;
};

/** string_text - the same bytes, as the base room calls them */
static inline struct text string_text(struct trace2_string string)
{
	return (struct text){ .data = string.data, .size = string.size };
}

#endif
