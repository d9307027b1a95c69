// SPDX-License-Identifier: GPL-2.0-only
/* Creates the test module's tracepoints, and emits the record of a step. */
#include <linux/kernel.h>

#include "test.h"
#include "twin.h"

#define CREATE_TRACE_POINTS
#include "ktrack_test_trace.h"

/*
 * Defines the function that writes a slice tracepoint's record with the macros for drivers. They
 * cannot write unknown types: for these the tracepoint is called directly.
 */
#define TEST_SLICE(event, ...)							\
static void test_emit_##event(const struct test_record *record)			\
{										\
	const struct test_step *step = record->step;				\
										\
	if (step->type == KTRACK_TYPE_BEGIN && step->is_numbered)		\
		ktrack_begin_printf(event, ("%s %u", step->name, record->number), \
				    __VA_ARGS__);				\
	else if (step->type == KTRACK_TYPE_BEGIN)				\
		ktrack_begin(event, step->name, __VA_ARGS__);			\
	else if (step->type == KTRACK_TYPE_END)					\
		ktrack_end(event, __VA_ARGS__);					\
	else if (step->type == KTRACK_TYPE_INSTANT && step->is_numbered)	\
		ktrack_instant_printf(event, ("%s %u", step->name, record->number), \
				      __VA_ARGS__);				\
	else if (step->type == KTRACK_TYPE_INSTANT)				\
		ktrack_instant(event, step->name, __VA_ARGS__);			\
	else									\
		trace_##event(step->type, step->name, __VA_ARGS__);		\
}

TEST_SLICE(ktrack_test_thread, record->sequence)
TEST_SLICE(ktrack_test_thread_track, step->track, record->sequence)
TEST_SLICE(ktrack_test_tgid, record->tgid, record->sequence)
TEST_SLICE(ktrack_test_tgid_track, record->tgid, step->track, record->sequence)
TEST_SLICE(ktrack_test_cpu, record->cpu, record->sequence)
TEST_SLICE(ktrack_test_cpu_track, record->cpu, step->track, record->sequence)
TEST_SLICE(ktrack_test_lane, step->scope, record->sequence)
TEST_SLICE(ktrack_test_id_track, step->scope, step->track, record->sequence)
TEST_SLICE(ktrack_test_fields, record->sequence, step->value, step->value, step->track)
TEST_SLICE(ktrack_test_twin, record->sequence)

/* The twin tracepoint is in a module that may be absent: a run looks it up before it needs it. */
static void test_emit_other_twin(const struct test_record *record)
{
	record->emit_twin(record->step->type, record->step->name, record->sequence);
}

/* The same for a counter's samples. */
#define TEST_COUNTER(event, ...)						\
static void test_emit_##event(const struct test_record *record)			\
{										\
	const struct test_step *step = record->step;				\
	u64 value = step->value + (step->is_numbered ? record->number : 0);	\
										\
	ktrack_sample(event, value, __VA_ARGS__);				\
}

TEST_COUNTER(ktrack_test_s8, record->sequence)
TEST_COUNTER(ktrack_test_u8, record->sequence)
TEST_COUNTER(ktrack_test_s16, record->sequence)
TEST_COUNTER(ktrack_test_u16, record->sequence)
TEST_COUNTER(ktrack_test_s32, record->sequence)
TEST_COUNTER(ktrack_test_u32, record->sequence)
TEST_COUNTER(ktrack_test_s64, record->sequence)
TEST_COUNTER(ktrack_test_u64, record->sequence)
TEST_COUNTER(ktrack_test_level_tgid, record->tgid, step->track, record->sequence)
TEST_COUNTER(ktrack_test_level_cpu, KTRACK_THIS_CPU, record->sequence)
TEST_COUNTER(ktrack_test_level_id, step->scope, step->track, record->sequence)

#define TEST_EVENT(event, scope_field, track_field) {				\
	.name = "ktrack_test:" #event,						\
	.scope = scope_field,							\
	.track = track_field,							\
	.emit = test_emit_##event,						\
}

const struct test_event test_events[TEST_NR_EVENTS] = {
	[TEST_THREAD] = TEST_EVENT(ktrack_test_thread, NULL, NULL),
	[TEST_THREAD_TRACK] = TEST_EVENT(ktrack_test_thread_track, NULL, "track_name"),
	[TEST_TGID] = TEST_EVENT(ktrack_test_tgid, "scope_tgid", NULL),
	[TEST_TGID_TRACK] = TEST_EVENT(ktrack_test_tgid_track, "scope_tgid", "track_name"),
	[TEST_CPU] = TEST_EVENT(ktrack_test_cpu, "scope_cpu", NULL),
	[TEST_CPU_TRACK] = TEST_EVENT(ktrack_test_cpu_track, "scope_cpu", "track_name"),
	[TEST_LANE] = TEST_EVENT(ktrack_test_lane, "scope_lane", NULL),
	[TEST_ID_TRACK] = TEST_EVENT(ktrack_test_id_track, "scope_id", "track_name"),
	[TEST_FIELDS] = TEST_EVENT(ktrack_test_fields, NULL, NULL),
	[TEST_TWIN] = TEST_EVENT(ktrack_test_twin, NULL, NULL),
	[TEST_OTHER_TWIN] = { "ktrack_twin:ktrack_test_twin", NULL, NULL, test_emit_other_twin },
	[TEST_S8] = TEST_EVENT(ktrack_test_s8, NULL, NULL),
	[TEST_U8] = TEST_EVENT(ktrack_test_u8, NULL, NULL),
	[TEST_S16] = TEST_EVENT(ktrack_test_s16, NULL, NULL),
	[TEST_U16] = TEST_EVENT(ktrack_test_u16, NULL, NULL),
	[TEST_S32] = TEST_EVENT(ktrack_test_s32, NULL, NULL),
	[TEST_U32] = TEST_EVENT(ktrack_test_u32, NULL, NULL),
	[TEST_S64] = TEST_EVENT(ktrack_test_s64, NULL, NULL),
	[TEST_U64] = TEST_EVENT(ktrack_test_u64, NULL, NULL),
	[TEST_LEVEL_TGID] = TEST_EVENT(ktrack_test_level_tgid, "scope_tgid", "track_name"),
	[TEST_LEVEL_CPU] = TEST_EVENT(ktrack_test_level_cpu, "scope_cpu", NULL),
	[TEST_LEVEL_ID] = TEST_EVENT(ktrack_test_level_id, "scope_id", "track_name"),
	[TEST_MACROS] = { "ktrack_test:ktrack_test_request", NULL, NULL, test_emit_macros },
};
