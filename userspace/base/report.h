/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How modules report to the user without printing: the caller passes an interface. */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include <stdbool.h>

#include "base/error.h"

/**
 * struct report - the destination of messages to the user
 * @context: for the functions
 * @message: prints one line
 * @progress: shows a line that the next line replaces; "" removes it; NULL without a terminal
 */
struct report {
	void *context;
	void (*message)(void *context, const char *line);
	void (*progress)(void *context, const char *line);
};

/** report_message - report one line; a NULL @report drops it */
void report_message(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** report_error - report @error, if it has a text, and clear it */
void report_error(const struct report *report, struct error *error);

#endif
