// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* EVENT's writer for machines that copy 32 bytes at once. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("avx2")
#endif

#include "trace2/event_put.h"

hot_function int event_write_wide(struct trace2_session *session, const struct trace2_event *event)
{
	return event_put(session, event);
}
