/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Tracepoints of the relay driver. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM relay

#if !defined(RELAY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RELAY_TRACE_H

#include <ktrack/define.h>

KTRACK_SLICE(relay_handle);
KTRACK_SLICE(relay_request, KTRACK_ASYNC(request), KTRACK_FIELD(u32, us));
KTRACK_COUNTER(relay_open, u32, KTRACK_SCOPE_GLOBAL);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE relay_trace
#include <trace/define_trace.h>
