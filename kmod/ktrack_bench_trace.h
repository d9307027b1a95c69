/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints whose cost is counted, and two handwritten ones for comparison. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_bench

#if !defined(KTRACK_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_BENCH_TRACE_H

#include <ktrack/define.h>

#include "compat.h"

/* The cheapest event: the baseline of all others. */
TRACE_EVENT(ktrack_bench_two_ints,
	TP_PROTO(int first, int second),
	TP_ARGS(first, second),
	TP_STRUCT__entry(
		__field(int, first)
		__field(int, second)
	),
	TP_fast_assign(
		__entry->first = first;
		__entry->second = second;
	),
	TP_printk("first=%d second=%d", __entry->first, __entry->second)
);

/* The minimum of the convention, written with the kernel's own macros. */
TRACE_EVENT(ktrack_bench_plain,
	TP_PROTO(char track_event_type, const char *slice_name),
	TP_ARGS(track_event_type, slice_name),
	TP_STRUCT__entry(
		__field(char, track_event_type)
		__string(slice_name, slice_name)
	),
	TP_fast_assign(
		__entry->track_event_type = track_event_type;
		compat_assign_str(slice_name, slice_name);
	),
	TP_printk("%c %s", __entry->track_event_type, __get_str(slice_name))
);

KTRACK_SLICE(ktrack_bench_thread);
KTRACK_SLICE_LIKE(ktrack_bench_thread, ktrack_bench_like);
KTRACK_SLICE(ktrack_bench_track, KTRACK_TRACK_NAME);
KTRACK_SLICE(ktrack_bench_tgid, KTRACK_SCOPE_TGID);
KTRACK_SLICE(ktrack_bench_cpu, KTRACK_SCOPE_CPU);
KTRACK_SLICE(ktrack_bench_scope, KTRACK_SCOPE(u32, slot), KTRACK_TRACK_NAME);
KTRACK_SLICE(ktrack_bench_result, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(u32, bytes),
	     KTRACK_FIELD(s32, result));

/* One attribute more than ktrack_bench_thread each, and all of them. */
KTRACK_SLICE(ktrack_bench_async, KTRACK_ASYNC(request));
KTRACK_SLICE(ktrack_bench_flow, KTRACK_FLOW(bench_flow));
KTRACK_SLICE(ktrack_bench_request, KTRACK_ASYNC(request), KTRACK_FLOW(bench_flow),
	     KTRACK_RESULT(result));

KTRACK_COUNTER(ktrack_bench_value, s64);
KTRACK_COUNTER(ktrack_bench_value_cpu, s64, KTRACK_SCOPE_CPU);
KTRACK_COUNTER(ktrack_bench_value_scope, s64, KTRACK_SCOPE(u32, queue), KTRACK_TRACK_NAME);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_bench_trace
#include <trace/define_trace.h>
