/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Declares tracepoints that follow the track event convention, one line each.
 *
 * A driver's trace header includes this file between its guard and its declarations, and is
 * otherwise like any trace header:
 *
 *	#undef TRACE_SYSTEM
 *	#define TRACE_SYSTEM mydrv
 *
 *	#if !defined(MYDRV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
 *	#define MYDRV_TRACE_H
 *
 *	#include <ktrack/define.h>
 *
 *	KTRACK_SLICE(mydrv_irq, KTRACK_SCOPE_CPU);
 *	KTRACK_SLICE(mydrv_io, KTRACK_SCOPE(u32, slot), KTRACK_FIELD(s32, result));
 *	KTRACK_COUNTER(mydrv_depth, u32, KTRACK_SCOPE(u32, queue), KTRACK_TRACK_NAME);
 *
 *	#endif
 *
 *	#undef TRACE_INCLUDE_PATH
 *	#define TRACE_INCLUDE_PATH .
 *	#undef TRACE_INCLUDE_FILE
 *	#define TRACE_INCLUDE_FILE mydrv_trace
 *	#include <trace/define_trace.h>
 *
 * Include the trace header in every file that traces; define CREATE_TRACE_POINTS before the
 * include in exactly one of them, which is compiled with -I of the header's folder. track.h has
 * the calls.
 *
 * These headers need only the kernel's headers, and may be copied into a driver's tree.
 *
 * Define before the include:
 * KTRACK_DISABLE removes all calls at compile time: those of a file that defines it, or of a
 * module that is compiled with -DKTRACK_DISABLE, together with the module's tracepoints.
 * KTRACK_NO_PIN, in all files of a module, lets rmmod succeed while an event is enabled. The
 * kernel then clears every instance that recorded the event, other modules' records included.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MULTISTATEMENT_MACRO_USE_DO_WHILE,
 * TRAILING_SEMICOLON: these macros make declarations and functions, which cannot be put in
 * parentheses or in a do-while, and choose by arguments that they do not use otherwise.
 */
#ifndef KTRACK_DEFINE_H
#define KTRACK_DEFINE_H

#include <linux/build_bug.h>

#include "attribute.h"
#include "check.h"
#include "fields.h"
#include "ids.h"
#include "list.h"
#include "pin.h"
#include "record.h"
#include "track.h"
#include "values.h"

/**
 * KTRACK_SLICE() - declare a tracepoint for slices and instants
 * @event: its name, unique in the kernel; begin it with the module's
 * @...: attributes, ten at most; attribute.h has them
 *
 * Calls pass one value per attribute in the order of this declaration, except for
 * KTRACK_SCOPE_GLOBAL and, unless they end a slice, KTRACK_RESULT(). Without a scope and
 * KTRACK_ASYNC(), each calling thread has its own track.
 *
 * The letter of the type is printed by comparisons: __print_symbolic() takes 190 bytes more, and
 * trace-cmd misreads %c. It also misreads ?: without the parentheses.
 */
#define KTRACK_SLICE(event, ...)						\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_SLICE_, __KTRACK_IS_LIST(__VA_ARGS__))(event, ##__VA_ARGS__)
#define __KTRACK_SLICE_0(...)
#define __KTRACK_SLICE_1(event, ...)						\
	__KTRACK_CHECKS(event, SLICE, ##__VA_ARGS__)				\
	__KTRACK_EVENT(event,							\
		__KTRACK_SLICE_PROTO(__VA_ARGS__),				\
		__KTRACK_SLICE_ARGS(__VA_ARGS__),				\
		TP_STRUCT__entry(						\
			__field(char, track_event_type)				\
			__KTRACK_FIELD_text(, slice_name)			\
			__KTRACK_FIELDS(__VA_ARGS__)			\
		),								\
		TP_fast_assign(							\
			__entry->track_event_type = track_event_type;		\
			__KTRACK_ASSIGN_text(slice_name)			\
			__KTRACK_EACH(__KTRACK_ASSIGN, ##__VA_ARGS__)		\
		),								\
		TP_printk("%s slice_name=%s"					\
			  __KTRACK_EACH(__KTRACK_FORMAT, ##__VA_ARGS__),	\
			  __entry->track_event_type > KTRACK_TYPE_END ? "I" : \
			  (__entry->track_event_type < KTRACK_TYPE_END ? "B" : "E"), \
			  __get_str(slice_name)					\
			  __KTRACK_EACH(__KTRACK_PRINT, ##__VA_ARGS__)))	\
	__KTRACK_SLICE_HELPERS(event, ##__VA_ARGS__)

/**
 * KTRACK_COUNTER() - declare a tracepoint for the samples of counters
 * @event: its name, unique in the kernel; begin it with the module's
 * @ctype: the counter's integer type
 * @...: attributes, as for KTRACK_SLICE()
 */
#define KTRACK_COUNTER(event, ctype, ...)					\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_COUNTER_, __KTRACK_IS_LIST(__VA_ARGS__))		\
		(event, ctype, ##__VA_ARGS__)
#define __KTRACK_COUNTER_0(...)
#define __KTRACK_COUNTER_1(event, ctype, ...)					\
	__KTRACK_COUNTER_CHECKS(event, ctype)					\
	__KTRACK_CHECKS(event, COUNTER, ##__VA_ARGS__)				\
	__KTRACK_EVENT(event,							\
		__KTRACK_COUNTER_PROTO(ctype, ##__VA_ARGS__),			\
		__KTRACK_COUNTER_ARGS(__VA_ARGS__),				\
		TP_STRUCT__entry(						\
			__field(ctype, counter_value)				\
			__KTRACK_FIELDS(__VA_ARGS__)			\
		),								\
		TP_fast_assign(							\
			__entry->counter_value = counter_value;			\
			__KTRACK_EACH(__KTRACK_ASSIGN, ##__VA_ARGS__)		\
		),								\
		TP_printk("counter_value=" __KTRACK_FORMAT_integer(ctype)	\
			  __KTRACK_EACH(__KTRACK_FORMAT, ##__VA_ARGS__),	\
			  __KTRACK_PRINT_integer(ctype, counter_value)		\
			  __KTRACK_EACH(__KTRACK_PRINT, ##__VA_ARGS__)))	\
	__KTRACK_COUNTER_HELPERS(event, ctype, ##__VA_ARGS__)

/**
 * KTRACK_SLICE_LIKE() - declare a slice tracepoint with the record of another one
 * @class: a tracepoint that KTRACK_SLICE() declared above, in the same header
 * @event: the new one's name
 * @...: the attributes: those of @class, in its order; others are refused by the compiler
 *
 * It can be enabled separately, and costs a quarter of the memory of KTRACK_SLICE().
 */
#define KTRACK_SLICE_LIKE(class, event, ...)					\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_SLICE_LIKE_, __KTRACK_IS_LIST(__VA_ARGS__))	\
		(class, event, ##__VA_ARGS__)
#define __KTRACK_SLICE_LIKE_0(...)
#define __KTRACK_SLICE_LIKE_1(class, event, ...)				\
	__KTRACK_CHECKS(event, SLICE, ##__VA_ARGS__)				\
	__KTRACK_LIKE_CHECKS(class, event, ##__VA_ARGS__)			\
	__KTRACK_EVENT_LIKE(class, event,					\
		__KTRACK_SLICE_PROTO(__VA_ARGS__),				\
		__KTRACK_SLICE_ARGS(__VA_ARGS__))				\
	__KTRACK_SLICE_HELPERS(event, ##__VA_ARGS__)

/**
 * KTRACK_COUNTER_LIKE() - declare a counter tracepoint with the record of another one
 * @class: a tracepoint that KTRACK_COUNTER() declared above, in the same header
 * @event: the new one's name
 * @ctype: the integer type of @class
 * @...: the attributes: those of @class, in its order; others are refused by the compiler
 */
#define KTRACK_COUNTER_LIKE(class, event, ctype, ...)				\
	__KTRACK_CHECK_LIST(event, ##__VA_ARGS__)				\
	__KTRACK_JOIN(__KTRACK_COUNTER_LIKE_, __KTRACK_IS_LIST(__VA_ARGS__))	\
		(class, event, ctype, ##__VA_ARGS__)
#define __KTRACK_COUNTER_LIKE_0(...)
#define __KTRACK_COUNTER_LIKE_1(class, event, ctype, ...)			\
	__KTRACK_COUNTER_CHECKS(event, ctype)					\
	__KTRACK_CHECKS(event, COUNTER, ##__VA_ARGS__)				\
	__KTRACK_LIKE_CHECKS(class, event, ##__VA_ARGS__)			\
	__KTRACK_EVENT_LIKE(class, event,					\
		__KTRACK_COUNTER_PROTO(ctype, ##__VA_ARGS__),			\
		__KTRACK_COUNTER_ARGS(__VA_ARGS__))				\
	__KTRACK_COUNTER_HELPERS(event, ctype, ##__VA_ARGS__)

/**
 * KTRACK_ENUM_VALUE() - declare an enumerator that KTRACK_ENUM() or KTRACK_FLAGS() uses by name
 * @enumerator: its name
 *
 * Once for each, in the trace header next to the tracepoints. The event's format contains the
 * name, which the kernel then replaces by the number.
 */
#define KTRACK_ENUM_VALUE(enumerator)		__KTRACK_ENUM_VALUE(enumerator)

#endif /* KTRACK_DEFINE_H */

/*
 * The rest is read again with each trace header, since it depends on the includer's definitions
 * and on the pass of the kernel's macros. If another header's events were created before, the
 * kernel's own macros must be set up again, too.
 */
#include <linux/tracepoint.h>

#if defined(KTRACK_DISABLE) && defined(CREATE_TRACE_POINTS) && !defined(KTRACK_BORROWED)
#if KTRACK_DISABLE + 0 == 0
#error "KTRACK_DISABLE in the file that creates the tracepoints, which other files may need. For a \
whole module say -DKTRACK_DISABLE in ccflags-y; for this file, create them in another one."
#endif
#endif

#undef __KTRACK_EVENT
#undef __KTRACK_EVENT_LIKE
#undef __KTRACK_ENUM_VALUE
#ifdef KTRACK_DISABLE
#define __KTRACK_ENUM_VALUE(enumerator)
#else
#define __KTRACK_ENUM_VALUE(enumerator)		TRACE_DEFINE_ENUM(enumerator)
#endif
#if defined(KTRACK_DISABLE)
/* Without events, the string that the kernel's macros make of the system is unused. */
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define __KTRACK_EVENT(event, proto, args, fields, assign, print)		\
	TRACE_EVENT_NOP(event, PARAMS(proto), PARAMS(args), PARAMS(fields),	\
			PARAMS(assign), PARAMS(print));
#define __KTRACK_EVENT_LIKE(class, event, proto, args)				\
	DEFINE_EVENT_NOP(class, event, PARAMS(proto), PARAMS(args));
#elif defined(KTRACK_NO_PIN)
#define __KTRACK_EVENT(event, proto, args, fields, assign, print)		\
	TRACE_EVENT(event, PARAMS(proto), PARAMS(args), PARAMS(fields),		\
		    PARAMS(assign), PARAMS(print));
#define __KTRACK_EVENT_LIKE(class, event, proto, args)				\
	DEFINE_EVENT(class, event, PARAMS(proto), PARAMS(args));
#else
#define __KTRACK_EVENT(event, proto, args, fields, assign, print)		\
	TRACE_EVENT_FN(event, PARAMS(proto), PARAMS(args), PARAMS(fields),	\
		       PARAMS(assign), PARAMS(print),				\
		       ktrack_pin_module, ktrack_unpin_module);
#define __KTRACK_EVENT_LIKE(class, event, proto, args)				\
	DEFINE_EVENT_FN(class, event, PARAMS(proto), PARAMS(args),		\
			ktrack_pin_module, ktrack_unpin_module);
#endif

#undef __KTRACK_CHECK_LIST
#undef __KTRACK_CHECKS
#undef __KTRACK_COUNTER_CHECKS
#undef __KTRACK_LIKE_CHECKS
#undef __KTRACK_SLICE_HELPERS
#undef __KTRACK_COUNTER_HELPERS
#ifdef TRACE_HEADER_MULTI_READ
#define __KTRACK_CHECK_LIST(event, ...)
#define __KTRACK_CHECKS(event, kind, ...)
#define __KTRACK_COUNTER_CHECKS(event, ctype)
#define __KTRACK_LIKE_CHECKS(class, event, ...)
#define __KTRACK_SLICE_HELPERS(event, ...)
#define __KTRACK_COUNTER_HELPERS(event, ctype, ...)
#else
#define __KTRACK_CHECK_LIST(event, ...)						\
	static_assert(__KTRACK_COUNT(__VA_ARGS__) <= 10, #event ": ten attributes at most"); \
	__KTRACK_NUMBERED(__KTRACK_CHECK_TUPLE, event, ##__VA_ARGS__)
#define __KTRACK_CHECKS(event, kind, ...)					\
	__KTRACK_DEFINE_CHECKS(event, kind, ##__VA_ARGS__)			\
	__KTRACK_DEFINE_STRUCT(event, ##__VA_ARGS__)
#define __KTRACK_COUNTER_CHECKS(event, ctype)					\
	static_assert(__KTRACK_IS_INTEGER(ctype),				\
		      #event ": the counter is not of an integer type: " #ctype);
#define __KTRACK_LIKE_CHECKS(class, event, ...)					\
	__KTRACK_DEFINE_SAME(class, event, ##__VA_ARGS__)
#define __KTRACK_SLICE_HELPERS(event, ...)					\
	__KTRACK_DEFINE_EMIT(event, (char track_event_type, const char *slice_name), \
			     (track_event_type, slice_name), ##__VA_ARGS__)	\
	__KTRACK_DEFINE_VALUES(event, ##__VA_ARGS__)				\
	__KTRACK_DEFINE_PRINTF(event)						\
	__KTRACK_DEFINE_GUARD(event, ##__VA_ARGS__)
#define __KTRACK_COUNTER_HELPERS(event, ctype, ...)				\
	__KTRACK_DEFINE_EMIT(event, (ctype counter_value), (counter_value), ##__VA_ARGS__)
#endif
