/* SPDX-License-Identifier: GPL-2.0-only */
/* The test module's tracepoints: every kind of track; each record has its number on its CPU. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack_test

#if !defined(KTRACK_TEST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KTRACK_TEST_TRACE_H

#include <ktrack/define.h>

#include "test/test.h"

/* Slices, in every scope, with and without a track name. */
KTRACK_SLICE(ktrack_test_thread, KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_thread_track, KTRACK_TRACK_NAME, KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_tgid, KTRACK_SCOPE_TGID, KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_tgid_track, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME,
	     KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_cpu, KTRACK_SCOPE_CPU, KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_cpu_track, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME,
	     KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_lane, KTRACK_SCOPE(s8, lane), KTRACK_FIELD(u32, sequence));
KTRACK_SLICE(ktrack_test_id_track, KTRACK_SCOPE(u64, id), KTRACK_TRACK_NAME,
	     KTRACK_FIELD(u32, sequence));

/* A slice whose records have more fields than their number. */
KTRACK_SLICE(ktrack_test_fields, KTRACK_FIELD(u32, sequence), KTRACK_FIELD(u64, wide),
	     KTRACK_FIELD(s8, narrow), KTRACK_TEXT(text));

/* Requests that overlap, and all kinds of attributes. */
KTRACK_ENUM_VALUE(TEST_READ);
KTRACK_ENUM_VALUE(TEST_WRITE);
KTRACK_SLICE(ktrack_test_request, KTRACK_ASYNC(request), KTRACK_FLOW(ktrack_test_flow),
	     KTRACK_ENUM(u8, op, { TEST_READ, "read" }, { TEST_WRITE, "write" }),
	     KTRACK_RESULT(result));
KTRACK_SLICE(ktrack_test_key, KTRACK_SCOPE(u16, queue), KTRACK_SCOPE_CPU,
	     KTRACK_FLAGS(u8, flags, { 1, "sync" }, { 2, "discard" }), KTRACK_TEXT(text));
KTRACK_SLICE(ktrack_test_global, KTRACK_SCOPE_GLOBAL, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_test_state, u32, KTRACK_SCOPE_GLOBAL,
	       KTRACK_ENUM(u8, op, { TEST_READ, "read" }, { TEST_WRITE, "write" }));

/* ktrack_twin.ko has a tracepoint of the same name. */
KTRACK_SLICE_LIKE(ktrack_test_thread, ktrack_test_twin, KTRACK_FIELD(u32, sequence));

/* Counters of every type. */
KTRACK_COUNTER(ktrack_test_s8, s8, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_u8, u8, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_s16, s16, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_u16, u16, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_s32, s32, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_u32, u32, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_s64, s64, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_u64, u64, KTRACK_FIELD(u32, sequence));

/* Counters in every scope except the thread. */
KTRACK_COUNTER(ktrack_test_level_tgid, s64, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME,
	       KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_level_cpu, s64, KTRACK_SCOPE_CPU, KTRACK_FIELD(u32, sequence));
KTRACK_COUNTER(ktrack_test_level_id, s64, KTRACK_SCOPE(u64, id), KTRACK_TRACK_NAME,
	       KTRACK_FIELD(u32, sequence));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrack_test_trace
#include <trace/define_trace.h>
