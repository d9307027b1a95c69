/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What instrumented code calls: begin, end and instant on slice tracks, samples on counter
 * tracks; with guard.h (slices bound to a C scope) and printf.h (formatted names).
 *
 * All of them evaluate their arguments only while the tracepoint is enabled: arguments must not
 * have side effects. Disabled they are one instruction. They may be called from any context that may be traced, NMI included,
 * and never sleep, allocate or fail. A name is copied, and cut at KTRACK_STRING_MAX bytes.
 *
 * Slices of one track must nest: what begins last ends first. Where they would overlap, give
 * the tracepoint a scope or a track name that keeps them apart.
 */
#ifndef KTRACK_TRACK_H
#define KTRACK_TRACK_H

#include "check.h"
#include "fields.h"
#include "guard.h"
#include "printf.h"

/**
 * ktrack_enabled() - whether anybody records the tracepoint
 * @event: a tracepoint declared by KTRACK_SLICE() or KTRACK_COUNTER()
 *
 * For work that only a trace needs, beyond the arguments of the other macros.
 */
#define ktrack_enabled(event)	trace_##event##_enabled()

/**
 * ktrack_begin() - open a slice on its track
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_begin(event, name, ...)						\
do {										\
	__KTRACK_CHECK_KIND("ktrack_begin", event, SLICE);			\
	__KTRACK_CHECK_NAME(event, name);					\
	__KTRACK_CHECK_VALUES(event, ##__VA_ARGS__);				\
	if (trace_##event##_enabled())						\
		trace_##event(KTRACK_TYPE_BEGIN, name, ##__VA_ARGS__);		\
} while (0)

/**
 * ktrack_end() - close the slice that was opened last on its track
 * @event: the tracepoint on which the slice began
 * @...: the tracepoint's attributes, in the order of its declaration. Scope and track name
 *	have to be those of the beginning; other fields, a result for example, are free.
 *
 * It may run on another thread than the begin, where the track isn't the thread's.
 */
#define ktrack_end(event, ...)							\
do {										\
	__KTRACK_CHECK_KIND("ktrack_end", event, SLICE);			\
	__KTRACK_CHECK_VALUES(event, ##__VA_ARGS__);				\
	if (trace_##event##_enabled())						\
		trace_##event(KTRACK_TYPE_END, "", ##__VA_ARGS__);		\
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
	__KTRACK_CHECK_VALUES(event, ##__VA_ARGS__);				\
	if (trace_##event##_enabled())						\
		trace_##event(KTRACK_TYPE_INSTANT, name, ##__VA_ARGS__);	\
} while (0)

/**
 * ktrack_sample() - record the present value of a counter
 * @event: a tracepoint declared by KTRACK_COUNTER()
 * @value: the level, not the change since the last sample
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_sample(event, value, ...)					\
do {										\
	__KTRACK_CHECK_KIND("ktrack_sample", event, COUNTER);			\
	__KTRACK_CHECK_VALUE(event, value);					\
	__KTRACK_CHECK_VALUES(event, ##__VA_ARGS__);				\
	if (trace_##event##_enabled())						\
		trace_##event(value, ##__VA_ARGS__);				\
} while (0)

#endif
