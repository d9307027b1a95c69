/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The calls for instrumented code: begin, end and instant on slice tracks, samples on counter
 * tracks; guard.h has guards, printf.h formatted names, flow.h numbers of flows.
 *
 * All of them evaluate their arguments only while the tracepoint is enabled: arguments must not
 * have side effects. A disabled call costs one instruction. They are allowed in any context that
 * may be traced, NMI included, and never sleep, allocate or fail. A name is copied, and cut at
 * KTRACK_STRING_MAX bytes.
 *
 * Slices of one track must nest: the last one to begin ends first. If they overlap, give the
 * tracepoint KTRACK_ASYNC(), or a scope or a track name that separates them.
 */
#ifndef KTRACK_TRACK_H
#define KTRACK_TRACK_H

#include "check.h"
#include "fields.h"
#include "flow.h"
#include "guard.h"
#include "printf.h"

/* gcc shows a mistake where the call is. clang would be silent about its values, too. */
#ifndef __clang__
#pragma GCC system_header
#endif

/**
 * ktrack_enabled() - whether the tracepoint is enabled
 * @event: a tracepoint declared by KTRACK_SLICE() or KTRACK_COUNTER()
 *
 * For work that only a trace needs and that does not fit into the arguments of a call.
 */
#define ktrack_enabled(event)	trace_##event##_enabled()

/**
 * ktrack_begin() - begin a slice on its track
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_begin(event, name, ...)						\
do {										\
	__KTRACK_CHECK_KIND("ktrack_begin", event, SLICE);			\
	__KTRACK_CHECK_NAME(event, name);					\
	__KTRACK_CHECK_VALUES(event, begin, ##__VA_ARGS__);			\
	if (__KTRACK_GIVEN(event, begin, trace_##event##_enabled(), ##__VA_ARGS__)) \
		__KTRACK_GIVEN(event, begin, ktrack_start_##event, ##__VA_ARGS__)	\
			(KTRACK_TYPE_BEGIN, name, ##__VA_ARGS__);			\
} while (0)

/**
 * ktrack_end() - end the innermost open slice of its track
 * @event: the tracepoint on which the slice began
 * @...: the tracepoint's attributes, in the order of its declaration. Scopes, async id and track
 *	name must equal those of the begin; other fields may differ.
 *
 * It may run on another thread than the begin, unless the track is the thread's.
 */
#define ktrack_end(event, ...)							\
do {										\
	__KTRACK_CHECK_KIND("ktrack_end", event, SLICE);			\
	__KTRACK_CHECK_VALUES(event, end, ##__VA_ARGS__);			\
	if (__KTRACK_GIVEN(event, end, trace_##event##_enabled(), ##__VA_ARGS__)) \
		__KTRACK_GIVEN(event, end, ktrack_emit_##event, ##__VA_ARGS__)	\
			(KTRACK_TYPE_END, "", ##__VA_ARGS__);			\
} while (0)

/**
 * ktrack_instant() - mark a point in time on a slice track
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the instant's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_instant(event, name, ...)					\
do {										\
	__KTRACK_CHECK_KIND("ktrack_instant", event, SLICE);			\
	__KTRACK_CHECK_NAME(event, name);					\
	__KTRACK_CHECK_VALUES(event, begin, ##__VA_ARGS__);			\
	if (__KTRACK_GIVEN(event, begin, trace_##event##_enabled(), ##__VA_ARGS__)) \
		__KTRACK_GIVEN(event, begin, ktrack_start_##event, ##__VA_ARGS__)	\
			(KTRACK_TYPE_INSTANT, name, ##__VA_ARGS__);			\
} while (0)

/**
 * ktrack_sample() - record the current value of a counter
 * @event: a tracepoint declared by KTRACK_COUNTER()
 * @value: the level, not the change since the last sample
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_sample(event, value, ...)					\
do {										\
	__KTRACK_CHECK_KIND("ktrack_sample", event, COUNTER);			\
	__KTRACK_CHECK_VALUE(event, value);					\
	__KTRACK_CHECK_VALUES(event, end, ##__VA_ARGS__);			\
	if (__KTRACK_GIVEN(event, end, trace_##event##_enabled(), ##__VA_ARGS__)) \
		__KTRACK_GIVEN(event, end, ktrack_emit_##event, ##__VA_ARGS__)	\
			(value, ##__VA_ARGS__);			\
} while (0)

#endif
