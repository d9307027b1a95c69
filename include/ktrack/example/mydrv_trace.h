/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Tracepoints of the example driver. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mydrv

#if !defined(MYDRV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MYDRV_TRACE_H

#include <ktrack/define.h>

KTRACK_SLICE(mydrv_work);
KTRACK_SLICE(mydrv_io, KTRACK_ASYNC(request), KTRACK_RESULT(result));
KTRACK_COUNTER(mydrv_depth, u32, KTRACK_SCOPE(u32, queue));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE mydrv_trace
#include <trace/define_trace.h>
