/* SPDX-License-Identifier: GPL-2.0-only */
/* A tracepoint of another system with the name of one of the test module. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_twin

#if !defined(KTRACK_TWIN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_TWIN_TRACE_H

#include <ktrack/define.h>

KTRACK_SLICE(ktrack_test_twin, KTRACK_FIELD(u32, sequence));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_twin_trace
#include <trace/define_trace.h>
