// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: what an option or a variable says of where a trace2 target goes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace2/trace2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace2_settings settings = { .sid = "fuzz" };
	struct trace2_session *session;
	char *value;

	/* Nothing is to be made in the file system. */
	if (memchr(data, '/', size))
		return 0;
	value = strndup((const char *)data, size);
	session = trace2_session_new(&settings);
	if (session && value)
		trace2_session_open(session, TRACE2_EVENT, value, "fuzz");
	trace2_session_free(session);
	free(value);
	return 0;
}
