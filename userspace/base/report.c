// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Passes messages to the caller's interface. */
#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

void report_message(const struct report *report, const char *format, ...)
{
	struct error line;
	va_list arguments;

	if (!report)
		return;
	va_start(arguments, format);
	vsnprintf(line.text, sizeof(line.text), format, arguments);
	va_end(arguments);
	report->message(report->context, line.text);
}

void report_error(const struct report *report, struct error *error)
{
	if (error->text[0] && report)
		report->message(report->context, error->text);
	error->text[0] = '\0';
}
