// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Error messages. */
#include "base/error.h"

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
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", strerror(number));
	return -1;
}
