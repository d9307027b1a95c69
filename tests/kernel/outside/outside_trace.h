/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints of a driver that has nothing of ktrack but its headers. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM outside

#if !defined(OUTSIDE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OUTSIDE_TRACE_H

#include <ktrack/define.h>

#include "outside.h"

KTRACK_SLICE(outside_work);
KTRACK_SLICE_LIKE(outside_work, outside_sleep);
KTRACK_SLICE(outside_io, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(s32, result));
KTRACK_SLICE(outside_text, KTRACK_TRACK_NAME, KTRACK_TEXT(note));
KTRACK_SLICE(outside_raw, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 4), KTRACK_POINTER(at));
KTRACK_SLICE(outside_most, KTRACK_SCOPE(u8, id), KTRACK_TRACK_NAME, KTRACK_FIELD(s8, a),
	     KTRACK_FIELD(u16, b), KTRACK_FIELD(s16, c), KTRACK_FIELD(u32, d),
	     KTRACK_FIELD(s64, e), KTRACK_FIELD(u64, f), KTRACK_TEXT(g), KTRACK_FIELD(bool, h));
KTRACK_SLICE(outside_types, KTRACK_SCOPE(sector_t, sector), KTRACK_FIELD(dma_addr_t, address),
	     KTRACK_FIELD(ulong, bits), KTRACK_FIELD(long, change),
	     KTRACK_FIELD(loff_t, position), KTRACK_FIELD(pid_t, pid),
	     KTRACK_FIELD(enum outside_state, state), KTRACK_FIELD(char, letter));
KTRACK_ENUM_VALUE(OUTSIDE_READ);
KTRACK_ENUM_VALUE(OUTSIDE_WRITE);
KTRACK_ENUM_VALUE(OUTSIDE_DISCARD);
KTRACK_SLICE(outside_request, KTRACK_SCOPE(u16, queue), KTRACK_ASYNC(request),
	     KTRACK_FLOW(outside_flow), KTRACK_RESULT(error),
	     KTRACK_ENUM(enum outside_op, op, { OUTSIDE_READ, "read" },
			 { OUTSIDE_WRITE, "write" }),
	     KTRACK_FLAGS(u8, flags, { OUTSIDE_SYNC, "sync" }, { OUTSIDE_DISCARD, "discard" }));
KTRACK_SLICE(outside_async, KTRACK_ASYNC(id));
KTRACK_SLICE_LIKE(outside_async, outside_pending, KTRACK_ASYNC(id));
KTRACK_SLICE(outside_global, KTRACK_SCOPE_GLOBAL, KTRACK_TRACK_NAME);
KTRACK_SLICE(outside_key, KTRACK_SCOPE_TGID, KTRACK_SCOPE(enum outside_state, lane),
	     KTRACK_SCOPE_CPU);
KTRACK_COUNTER(outside_state, u8, KTRACK_SCOPE_GLOBAL,
	       KTRACK_ENUM(int, state, { -1, "off" }, { 1, "on" }));
KTRACK_COUNTER(outside_depth, u64, KTRACK_SCOPE(s16, queue));
KTRACK_COUNTER_LIKE(outside_depth, outside_free, u64, KTRACK_SCOPE(s16, queue));
KTRACK_COUNTER(outside_balance, s64);
KTRACK_COUNTER(outside_space, phys_addr_t, KTRACK_SCOPE(long, cpu));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE outside_trace
#include <trace/define_trace.h>
