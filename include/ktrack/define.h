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
 */
#ifndef KTRACK_DEFINE_H
#define KTRACK_DEFINE_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "check.h"
#include "cpu.h"
#include "fields.h"
#include "list.h"
#include "pin.h"
#include "text.h"
#include "track.h"

/**
 * KTRACK_SLICE() - declare a tracepoint for slices and instants
 * @event: its name, unique in the kernel; begin it with the module's
 * @...: attributes, ten at most: one of KTRACK_SCOPE(), KTRACK_SCOPE_TGID and
 *	KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME, any number of KTRACK_FIELD() and KTRACK_TEXT()
 *
 * Calls pass one value per attribute in the order of this declaration. Without a scope, each
 * calling thread has its own track.
 */
#define KTRACK_SLICE(event, ...)						\
	__KTRACK_CHECKS(event, SLICE, ##__VA_ARGS__)				\
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
	__KTRACK_COUNTER_CHECKS(event, ctype)					\
	__KTRACK_CHECKS(event, COUNTER, ##__VA_ARGS__)				\
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
 * @...: the attributes: those of @class, in its order; others are refused by the compiler
 *
 * It can be enabled separately, and costs a quarter of the memory of KTRACK_SLICE().
 */
#define KTRACK_SLICE_LIKE(class, event, ...)					\
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
	__KTRACK_COUNTER_CHECKS(event, ctype)					\
	__KTRACK_CHECKS(event, COUNTER, ##__VA_ARGS__)				\
	__KTRACK_LIKE_CHECKS(class, event, ##__VA_ARGS__)			\
	__KTRACK_EVENT_LIKE(class, event,					\
		__KTRACK_COUNTER_PROTO(ctype, ##__VA_ARGS__),			\
		__KTRACK_COUNTER_ARGS(__VA_ARGS__))

/**
 * KTRACK_SCOPE() - attribute: a number that selects the track
 * @ctype: the number's integer type
 * @id: its name; the record's field is called scope_ID
 *
 * Each value creates a track. Choose a number with few values that are reused: a slot or a queue,
 * not a request. The ids tgid and cpu declare the scopes of processes and CPUs.
 */
#define KTRACK_SCOPE(ctype, id) \
	(__KTRACK_SECOND(__KTRACK_SCOPE_##id, scope, _), ctype, scope_##id)
#define __KTRACK_SCOPE_cpu		_, cpu

/** KTRACK_SCOPE_TGID - attribute: tracks belong to a process, given by its id */
#define KTRACK_SCOPE_TGID		KTRACK_SCOPE(s32, tgid)

/** KTRACK_SCOPE_CPU - attribute: tracks belong to a CPU, given by number or KTRACK_THIS_CPU */
#define KTRACK_SCOPE_CPU		KTRACK_SCOPE(s32, cpu)

/** KTRACK_TRACK_NAME - attribute: a string that selects and names the track */
#define KTRACK_TRACK_NAME		(text, const char *, track_name)

/**
 * KTRACK_FIELD() - attribute: a number in each record that does not select a track
 * @ctype: its integer type
 * @name: the field's name
 */
#define KTRACK_FIELD(ctype, name)	(integer, ctype, name)

/**
 * KTRACK_TEXT() - attribute: a string in each record that does not select a track
 * @name: the field's name
 */
#define KTRACK_TEXT(name)		(text, const char *, name)

/* The tracepoint's call. */
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

#define __KTRACK_PARAMETER(kind, ctype, name)	, ctype name
#define __KTRACK_ARGUMENT(kind, ctype, name)	, name

/* An attribute's place in the record. */
#define __KTRACK_FIELD(kind, ctype, name)	__KTRACK_FIELD_##kind(ctype, name)
#define __KTRACK_FIELD_integer(ctype, name)	__field(ctype, name)
#define __KTRACK_FIELD_scope			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_cpu			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_text(ctype, name) \
	__dynamic_array(char, name, ktrack_text_size(name))

/* The statement that fills it. */
#define __KTRACK_ASSIGN(kind, ctype, name)	__KTRACK_ASSIGN_##kind(name)
#define __KTRACK_ASSIGN_integer(name)		__entry->name = name;
#define __KTRACK_ASSIGN_scope			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_cpu(name)		__entry->name = ktrack_cpu_resolve(name);
#define __KTRACK_ASSIGN_text(name) \
	ktrack_text_copy(__get_str(name), name, __get_dynamic_array_len(name));

/* Its part of the text line: the format, and the arguments to it. */
#define __KTRACK_FORMAT(kind, ctype, name)	" " #name "=" __KTRACK_FORMAT_##kind(ctype)
#define __KTRACK_FORMAT_integer(ctype)		__KTRACK_BY_SIGN(FORMAT, ctype)
#define __KTRACK_FORMAT_scope			__KTRACK_FORMAT_integer
#define __KTRACK_FORMAT_cpu			__KTRACK_FORMAT_integer
#define __KTRACK_FORMAT_text(ctype)		"%s"

#define __KTRACK_PRINT(kind, ctype, name)	, __KTRACK_PRINT_##kind(ctype, name)
#define __KTRACK_PRINT_integer(ctype, name)	__KTRACK_BY_SIGN(PRINT, ctype)(name)
#define __KTRACK_PRINT_scope			__KTRACK_PRINT_integer
#define __KTRACK_PRINT_cpu			__KTRACK_PRINT_integer
#define __KTRACK_PRINT_text(ctype, name)	__get_str(name)

/*
 * The format is a literal, so it must follow from the type's name. If the name shows the sign, the
 * format is a simple one, which readers of the format file handle best: trace-cmd extends the
 * sign of a value of its own size, but not of a cast. Any other type is printed as sign and
 * magnitude; adding 0 converts a truth value to a number.
 */
#define __KTRACK_FORMAT_CHAR			"%hhd"
#define __KTRACK_FORMAT_SHORT			"%hd"
#define __KTRACK_FORMAT_INT			"%d"
#define __KTRACK_FORMAT_SIGNED			"%lld"
#define __KTRACK_FORMAT_UNSIGNED		"%llu"
#define __KTRACK_FORMAT_ANY			"%s%llu"
#define __KTRACK_PRINT_CHAR(name)		__entry->name
#define __KTRACK_PRINT_SHORT(name)		__entry->name
#define __KTRACK_PRINT_INT(name)		__entry->name
#define __KTRACK_PRINT_SIGNED(name)		(s64)__entry->name
#define __KTRACK_PRINT_UNSIGNED(name)		(u64)__entry->name
#define __KTRACK_PRINT_ANY(name)						\
	__entry->name + 0 < 0 ? "-" : "",					\
	__entry->name + 0 < 0 ? 0 - (u64)__entry->name : (u64)__entry->name

#define __KTRACK_BY_SIGN(what, ctype)						\
	__KTRACK_JOIN(__KTRACK_##what##_,					\
		      __KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_SIGN_OF_, ctype), ANY, _))

#define __KTRACK_SIGN_OF_s8			_, CHAR
#define __KTRACK_SIGN_OF_s16			_, SHORT
#define __KTRACK_SIGN_OF_s32			_, INT
#define __KTRACK_SIGN_OF_s64			_, SIGNED
#define __KTRACK_SIGN_OF_int			_, INT
#define __KTRACK_SIGN_OF_pid_t			_, INT
#define __KTRACK_SIGN_OF_ssize_t		_, SIGNED
#define __KTRACK_SIGN_OF_loff_t			_, SIGNED
#define __KTRACK_SIGN_OF_ktime_t		_, SIGNED
#define __KTRACK_SIGN_OF_u8			_, UNSIGNED
#define __KTRACK_SIGN_OF_u16			_, UNSIGNED
#define __KTRACK_SIGN_OF_u32			_, UNSIGNED
#define __KTRACK_SIGN_OF_u64			_, UNSIGNED
#define __KTRACK_SIGN_OF_bool			_, UNSIGNED
#define __KTRACK_SIGN_OF_size_t			_, UNSIGNED
#define __KTRACK_SIGN_OF_unsigned		_, UNSIGNED, /* the rest of its name */

/*
 * struct ktrack_values_EVENT holds all attributes. C allows static assertions among the members.
 * Two scopes are a duplicate member.
 */
#define __KTRACK_DEFINE_STRUCT(event, ...)					\
struct ktrack_values_##event {							\
	__KTRACK_EACH(__KTRACK_MEMBER, ##__VA_ARGS__)				\
};

#define __KTRACK_MEMBER(kind, ctype, name)	__KTRACK_MEMBER_##kind(ctype, name)
#define __KTRACK_MEMBER_text(ctype, name)	ctype name;
#define __KTRACK_MEMBER_integer(ctype, name)					\
	ctype name;								\
	static_assert(__KTRACK_IS_INTEGER(ctype), #name " is not of an integer type: " #ctype);
#define __KTRACK_MEMBER_scope(ctype, name)					\
	__KTRACK_MEMBER_integer(ctype, name)					\
	struct { } ktrack_has_one_scope_at_most;
#define __KTRACK_MEMBER_cpu(ctype, name)					\
	__KTRACK_MEMBER_scope(ctype, name)					\
	static_assert(sizeof(ctype) >= sizeof(s32), "scope_cpu needs 32 bits, for KTRACK_THIS_CPU");

/*
 * Defines ktrack_values_EVENT(), which fills such a struct from its arguments, and
 * ktrack_emit_EVENT(), which writes a record with it. With @fix_cpu, KTRACK_THIS_CPU becomes a
 * number at once, otherwise when the record is written.
 *
 * The members are assigned one by one: gcc 16 sets up a frame pointer for a compound literal, and
 * a disabled guard then costs three more instructions.
 */
#define __KTRACK_DEFINE_VALUES(event, ...)					\
static __always_inline struct ktrack_values_##event				\
ktrack_values_##event(bool fix_cpu __KTRACK_EACH(__KTRACK_PARAMETER, ##__VA_ARGS__)) \
{										\
	struct ktrack_values_##event values __KTRACK_UNSET;			\
										\
	__KTRACK_EACH(__KTRACK_TAKE, ##__VA_ARGS__)				\
	return values;								\
}										\
										\
static __always_inline void							\
ktrack_emit_##event(char type, const char *name, struct ktrack_values_##event values) \
{										\
	trace_##event(type, name						\
		      __KTRACK_EACH(__KTRACK_FROM_VALUES, ##__VA_ARGS__));	\
}

#define __KTRACK_TAKE(kind, ctype, name)	__KTRACK_TAKE_##kind(name)
#define __KTRACK_TAKE_integer(name)		values.name = name;
#define __KTRACK_TAKE_scope			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_text			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_cpu(name) \
	values.name = fix_cpu ? ktrack_cpu_resolve(name) : name;
#define __KTRACK_FROM_VALUES(kind, ctype, name)	, values.name

/* Reads a guard's attributes at its end; guard.h explains the access. */
#define __KTRACK_KEPT(kind, ctype, name)	.name = READ_ONCE(guard->values.name),

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

#undef __KTRACK_CHECKS
#undef __KTRACK_COUNTER_CHECKS
#undef __KTRACK_LIKE_CHECKS
#undef __KTRACK_SLICE_HELPERS
#ifdef TRACE_HEADER_MULTI_READ
#define __KTRACK_CHECKS(event, kind, ...)
#define __KTRACK_COUNTER_CHECKS(event, ctype)
#define __KTRACK_LIKE_CHECKS(class, event, ...)
#define __KTRACK_SLICE_HELPERS(event, ...)
#else
#define __KTRACK_CHECKS(event, kind, ...)					\
	__KTRACK_DEFINE_CHECKS(event, kind, ##__VA_ARGS__)			\
	__KTRACK_DEFINE_STRUCT(event, ##__VA_ARGS__)
#define __KTRACK_COUNTER_CHECKS(event, ctype)					\
	static_assert(__KTRACK_IS_INTEGER(ctype),				\
		      #event ": the counter is not of an integer type: " #ctype);
#define __KTRACK_LIKE_CHECKS(class, event, ...)					\
	__KTRACK_DEFINE_SAME(class, event, ##__VA_ARGS__)
#define __KTRACK_SLICE_HELPERS(event, ...)					\
	__KTRACK_DEFINE_VALUES(event, ##__VA_ARGS__)				\
	__KTRACK_DEFINE_PRINTF(event)						\
	__KTRACK_DEFINE_GUARD(event, ##__VA_ARGS__)
#endif
