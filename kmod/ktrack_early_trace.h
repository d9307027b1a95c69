/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that are used while their module is still being loaded, and one of another kind. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_early

#if !defined(KTRACK_EARLY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_EARLY_TRACE_H

#include <ktrack/define.h>

KTRACK_SLICE(ktrack_early_slice);
KTRACK_COUNTER(ktrack_early_level, u32);

TRACE_EVENT(ktrack_early_plain,
	    TP_PROTO(u32 value),
	    TP_ARGS(value),
	    TP_STRUCT__entry(__field(u32, value)),
	    TP_fast_assign(__entry->value = value;),
	    TP_printk("value=%u", __entry->value));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_early_trace
#include <trace/define_trace.h>
