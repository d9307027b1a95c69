// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Finds the files that a file with settings includes, where git finds them. */
#include "trace2/config_include.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

char *include_path(const char *including, const char *value)
{
	const char *home = getenv("HOME");
	const char *slash = strrchr(including, '/');
	struct buffer path = { 0 };
	char *result;

	if (strncmp(value, "~/", 2) == 0 && home)
		buffer_printf(&path, "%s/%s", home, value + 2);
	else if (*value == '/' || !slash)
		buffer_append_string(&path, value);
	else
		buffer_printf(&path, "%.*s/%s", (int)(slash - including), including, value);
	result = path.failed ? NULL : strdup(buffer_string(&path));
	buffer_release(&path);
	return result;
}
