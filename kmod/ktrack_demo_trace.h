/* SPDX-License-Identifier: GPL-2.0-only */
/* The demo driver's tracepoints, one per kind of activity. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_demo

#if !defined(KTRACK_DEMO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_DEMO_TRACE_H

#include <ktrack/define.h>

#include "demo.h"

/*
 * The process that writes to the device: submissions and their bytes. The flow connects the
 * submission of a request with the request and with its worker.
 */
KTRACK_SLICE(ktrack_demo_submit, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME,
	     KTRACK_FLOW(ktrack_demo_request));
KTRACK_COUNTER(ktrack_demo_bytes, u64, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);

/*
 * Requests in flight overlap, and end on another thread than the submitter's: an end belongs to the
 * begin with its number.
 */
KTRACK_ENUM_VALUE(DEMO_READ);
KTRACK_ENUM_VALUE(DEMO_WRITE);
KTRACK_SLICE(ktrack_demo_io, KTRACK_ASYNC(request), KTRACK_TRACK_NAME,
	     KTRACK_FLOW(ktrack_demo_request),
	     KTRACK_ENUM(u8, op, { DEMO_READ, "read" }, { DEMO_WRITE, "write" }),
	     KTRACK_FIELD(u32, bytes), KTRACK_RESULT(result));
KTRACK_COUNTER(ktrack_demo_depth, u32, KTRACK_SCOPE(u32, queue), KTRACK_TRACK_NAME);

/* A worker's activity: without a scope, each thread has its own track. */
KTRACK_SLICE(ktrack_demo_work, KTRACK_FLOW(ktrack_demo_request));
KTRACK_COUNTER(ktrack_demo_handled, u64);

/* Activity on a CPU, whichever thread it interrupts. */
KTRACK_SLICE(ktrack_demo_tick, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_demo_completed, u64, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_demo_trace
#include <trace/define_trace.h>
