/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints that a module's init uses, and handwritten ones. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_early

#if !defined(KTRACK_EARLY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_EARLY_TRACE_H

#include <ktrack/define.h>

KTRACK_SLICE(ktrack_early_slice);
KTRACK_COUNTER(ktrack_early_level, u32);

/* Follows the convention with other types than the macros use. */
TRACE_EVENT(ktrack_early_own,
	    TP_PROTO(u32 type),
	    TP_ARGS(type),
	    TP_STRUCT__entry(__array(char, slice_name, 4) __field(u32, track_event_type)),
	    TP_fast_assign(memcpy(__entry->slice_name, "own", 4);
			   __entry->track_event_type = type;),
	    TP_printk("type=%u", __entry->track_event_type));

/* Has the convention's names, but with types that it does not allow. */
TRACE_EVENT(ktrack_early_plain,
	    TP_PROTO(u32 value),
	    TP_ARGS(value),
	    TP_STRUCT__entry(__field(u32, track_event_type)
			     __field(u32, slice_name)
			     __array(char, counter_value, 4)),
	    TP_fast_assign(__entry->track_event_type = value;
			   __entry->slice_name = value;
			   memset(__entry->counter_value, 0, 4);),
	    TP_printk("value=%u", __entry->slice_name));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_early_trace
#include <trace/define_trace.h>
