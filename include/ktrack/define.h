/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Declares tracepoints that follow the track event convention, one line each.
 *
 * A driver's own trace header includes this file between its guard and its declarations, and
 * is otherwise like any trace header:
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
 * Every file that traces includes it; exactly one defines CREATE_TRACE_POINTS before. That
 * one is compiled with -I of the header's folder. What to call is in track.h.
 *
 * These headers need nothing but the kernel's, and may be copied into a driver's tree.
 *
 * Defined before the include, for one file or for a whole module:
 * KTRACK_DISABLE compiles all tracepoints and calls away.
 * KTRACK_NO_PIN lets rmmod succeed while an event is enabled. The kernel then wipes the buffer
 * of each instance where one was, other modules' records included.
 */
#ifndef KTRACK_DEFINE_H
#define KTRACK_DEFINE_H

#include <linux/types.h>

#include "fields.h"
#include "map.h"
#include "pin.h"
#include "record.h"
#include "track.h"

/**
 * KTRACK_SLICE() - declare a tracepoint for slices and instants
 * @event: its name, unique in the kernel; begin it with the module's
 * @...: attributes: any of KTRACK_SCOPE(), KTRACK_SCOPE_TGID, KTRACK_SCOPE_CPU,
 *	KTRACK_TRACK_NAME, KTRACK_FIELD() and KTRACK_TEXT(), ten at most
 *
 * Calls pass a value for each attribute in the order of this declaration. Without a scope
 * each thread that calls has a track of its own.
 */
#define KTRACK_SLICE(event, ...)						\
	__KTRACK_EVENT(event,							\
		__KTRACK_SLICE_PROTO(__VA_ARGS__),				\
		__KTRACK_SLICE_ARGS(__VA_ARGS__),				\
		TP_STRUCT__entry(						\
			__field(char, track_event_type)				\
			__KTRACK_FIELD(text, , slice_name)			\
			__KTRACK_EACH(__KTRACK_FIELD, ##__VA_ARGS__)		\
		),								\
		TP_fast_assign(							\
			__entry->track_event_type = track_event_type;		\
			__KTRACK_ASSIGN(text, , slice_name)			\
			__KTRACK_EACH(__KTRACK_ASSIGN, ##__VA_ARGS__)		\
		),								\
		TP_printk("%s slice_name=%s"					\
			  __KTRACK_EACH(__KTRACK_FORMAT, ##__VA_ARGS__),	\
			  __print_symbolic(__entry->track_event_type,		\
					   { KTRACK_TYPE_BEGIN, "B" },		\
					   { KTRACK_TYPE_END, "E" },		\
					   { KTRACK_TYPE_INSTANT, "I" }),	\
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
	__KTRACK_EVENT(event,							\
		__KTRACK_COUNTER_PROTO(ctype, ##__VA_ARGS__),			\
		__KTRACK_COUNTER_ARGS(__VA_ARGS__),				\
		TP_STRUCT__entry(						\
			__field(ctype, counter_value)				\
			__KTRACK_EACH(__KTRACK_FIELD, ##__VA_ARGS__)		\
		),								\
		TP_fast_assign(							\
			__entry->counter_value = counter_value;			\
			__KTRACK_EACH(__KTRACK_ASSIGN, ##__VA_ARGS__)		\
		),								\
		TP_printk("counter_value=" __KTRACK_FORMAT_integer(ctype)	\
			  __KTRACK_EACH(__KTRACK_FORMAT, ##__VA_ARGS__),	\
			  __KTRACK_PRINT_integer(ctype, counter_value)		\
			  __KTRACK_EACH(__KTRACK_PRINT, ##__VA_ARGS__)))

/**
 * KTRACK_SLICE_LIKE() - declare a slice tracepoint with the record of another one
 * @class: a tracepoint that KTRACK_SLICE() declared above, in the same header
 * @event: the new one's name
 * @...: the attributes, which have to be the same as those of @class
 *
 * It can be enabled by itself, and costs a third of the memory of KTRACK_SLICE().
 */
#define KTRACK_SLICE_LIKE(class, event, ...)					\
	__KTRACK_EVENT_LIKE(class, event,					\
		__KTRACK_SLICE_PROTO(__VA_ARGS__),				\
		__KTRACK_SLICE_ARGS(__VA_ARGS__))				\
	__KTRACK_SLICE_HELPERS(event, ##__VA_ARGS__)

/**
 * KTRACK_COUNTER_LIKE() - declare a counter tracepoint with the record of another one
 * @class: a tracepoint that KTRACK_COUNTER() declared above, in the same header
 * @event: the new one's name
 * @ctype: the integer type of @class
 * @...: the attributes, which have to be the same as those of @class
 */
#define KTRACK_COUNTER_LIKE(class, event, ctype, ...)				\
	__KTRACK_EVENT_LIKE(class, event,					\
		__KTRACK_COUNTER_PROTO(ctype, ##__VA_ARGS__),			\
		__KTRACK_COUNTER_ARGS(__VA_ARGS__))

/**
 * KTRACK_SCOPE() - attribute: tracks are kept apart by a number
 * @ctype: the number's integer type
 * @id: what it counts; the record's field is called scope_ID
 *
 * Choose something with few values that come again, a slot or a queue rather than a request:
 * each value makes a track.
 */
#define KTRACK_SCOPE(ctype, id)		(integer, ctype, scope_##id)

/** KTRACK_SCOPE_TGID - attribute: tracks belong to a process, given by its id */
#define KTRACK_SCOPE_TGID		(integer, s32, scope_tgid)

/** KTRACK_SCOPE_CPU - attribute: tracks belong to a CPU, given by number or KTRACK_THIS_CPU */
#define KTRACK_SCOPE_CPU		(cpu, s32, scope_cpu)

/** KTRACK_TRACK_NAME - attribute: tracks are kept apart, and called, by a string */
#define KTRACK_TRACK_NAME		(text, const char *, track_name)

/**
 * KTRACK_FIELD() - attribute: a number that goes with each record, and has no part in grouping
 * @ctype: its integer type
 * @name: the field's name
 */
#define KTRACK_FIELD(ctype, name)	(integer, ctype, name)

/**
 * KTRACK_TEXT() - attribute: a string that goes with each record, and has no part in grouping
 * @name: the field's name
 */
#define KTRACK_TEXT(name)		(text, const char *, name)

#define __KTRACK_SLICE_PROTO(...)						\
	TP_PROTO(char track_event_type, const char *slice_name			\
		 __KTRACK_EACH(__KTRACK_PARAMETER, ##__VA_ARGS__))
#define __KTRACK_SLICE_ARGS(...)						\
	TP_ARGS(track_event_type, slice_name					\
		__KTRACK_EACH(__KTRACK_ARGUMENT, ##__VA_ARGS__))
#define __KTRACK_COUNTER_PROTO(ctype, ...)					\
	TP_PROTO(ctype counter_value						\
		 __KTRACK_EACH(__KTRACK_PARAMETER, ##__VA_ARGS__))
#define __KTRACK_COUNTER_ARGS(...)						\
	TP_ARGS(counter_value							\
		__KTRACK_EACH(__KTRACK_ARGUMENT, ##__VA_ARGS__))

#endif /* KTRACK_DEFINE_H */

/*
 * The rest is read again with each trace header, since it depends on what the includer
 * defined and on which of the many readings this is. Where another header's events have been
 * created before, the kernel's own macros have to be set up anew, too.
 */
#include <linux/tracepoint.h>

#undef __KTRACK_EVENT
#undef __KTRACK_EVENT_LIKE
#if defined(KTRACK_DISABLE)
/* Where no event is left, nobody uses the string that the kernel's macros make of the system. */
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

#undef __KTRACK_SLICE_HELPERS
#ifdef TRACE_HEADER_MULTI_READ
#define __KTRACK_SLICE_HELPERS(event, ...)
#else
#define __KTRACK_SLICE_HELPERS(event, ...)					\
	__KTRACK_DEFINE_VALUES(event, ##__VA_ARGS__)				\
	__KTRACK_DEFINE_PRINTF(event)						\
	__KTRACK_DEFINE_GUARD(event)
#endif
