/* SPDX-License-Identifier: GPL-2.0-only */
/* The demo driver's own tracepoints, one for each kind of activity. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_demo

#if !defined(KTRACK_DEMO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_DEMO_TRACE_H

#include <ktrack/define.h>

/* What the process that writes to the device does: submissions, and the bytes in them. */
KTRACK_SLICE(ktrack_demo_submit, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_demo_bytes, u64, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);

/*
 * Requests in flight overlap, and end on another thread than the one that submitted them. A
 * slot holds one request at a time: a track for each slot shows them side by side, whereas a
 * track for each request would never be used twice.
 */
KTRACK_SLICE(ktrack_demo_io, KTRACK_SCOPE(u32, slot), KTRACK_TRACK_NAME,
	     KTRACK_FIELD(u32, request), KTRACK_FIELD(u32, bytes),
	     KTRACK_FIELD(s32, result));
KTRACK_COUNTER(ktrack_demo_depth, u32, KTRACK_SCOPE(u32, queue), KTRACK_TRACK_NAME);

/* What a worker does: without a scope, each thread has its own track. */
KTRACK_SLICE(ktrack_demo_work);
KTRACK_COUNTER(ktrack_demo_handled, u64);

/* What happens on a CPU, whatever thread it interrupts. */
KTRACK_SLICE(ktrack_demo_tick, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_demo_completed, u64, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_demo_trace
#include <trace/define_trace.h>
