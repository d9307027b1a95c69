// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Errors, and messages through the caller's interface. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, const char *format, ...)
{
	va_list arguments;

	if (error->text[0])
		return -1;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -1;
}

int error_set_system(struct error *error, int number, const char *format, ...)
{
	va_list arguments;
	size_t used;

	if (error->text[0])
		return -1;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s%s", strerror(number),
		 number == EMFILE ? FILES_REMEDY : "");
	return -1;
}

bool error_is_unread(const struct error *error)
{
	return strncmp(error->text, UNREAD_OUTPUT, strlen(UNREAD_OUTPUT)) == 0;
}

bool error_is_memory(const struct error *error)
{
	return strcmp(error->text, "out of memory") == 0;
}

static void line_print(const struct report *report, void (*print)(void *context, const char *line),
		       const char *format, va_list arguments)
{
	struct error line;

	if (!print)
		return;
	vsnprintf(line.text, sizeof(line.text), format, arguments);
	print(report->context, line.text);
}

void report_message(const struct report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line_print(report, report ? report->message : NULL, format, arguments);
	va_end(arguments);
}

void report_hint(const struct report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line_print(report, report ? report->hint : NULL, format, arguments);
	va_end(arguments);
}

void report_closing(const struct report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	line_print(report, report ? report->closing : NULL, format, arguments);
	va_end(arguments);
}

void report_error(const struct report *report, struct error *error)
{
	if (error->text[0] && report)
		report->message(report->context, error->text);
	error->text[0] = '\0';
}
