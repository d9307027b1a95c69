/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Guards: slices that end with a block, on every path out of it; and formatted names.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MACRO_WITH_FLOW_CONTROL,
 * MULTISTATEMENT_MACRO_USE_DO_WHILE, PREFER_DEFINED_ATTRIBUTE_MACRO, SPACING, TRAILING_SEMICOLON: a
 * guard is a declaration that lives until its block ends; a do-while would end it at once. Programs
 * do not have the kernel's macros.
 */
#ifndef KTRACK_USER_GUARD_H
#define KTRACK_USER_GUARD_H

#pragma GCC system_header

#include <stdarg.h>
#include <stdio.h>

#include "emit.h"

/* The values of all attributes, of which an end passes those with a value. */
#define __KTRACK_VALUE(kind, ctype, name, ...)	__KTRACK_OF(VALUE, kind)(ctype, name, ##__VA_ARGS__)
#define __KTRACK_VALUE_NOTHING(ctype, name, text)
#define __KTRACK_VALUE_NUMBER(ctype, name, text)	ctype name;
#define __KTRACK_VALUE_STRING			__KTRACK_VALUE_NUMBER
#define __KTRACK_VALUE_ADDRESS			__KTRACK_VALUE_NUMBER
#define __KTRACK_VALUE_SYMBOL(ctype, name, text, ...)	ctype name;
#define __KTRACK_VALUE_ARRAY			__KTRACK_VALUE_SYMBOL
#define __KTRACK_VALUE_BYTES(ctype, name, text, size)	unsigned char name[size];

#define __KTRACK_TAKE(event, of, place, kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_TAKE_, __KTRACK_PASSED_##kind)(kind, name, __ktrack_##place)
#define __KTRACK_TAKE_0(kind, name, given)
#define __KTRACK_TAKE_1(kind, name, given)	__values->name = 0;
#define __KTRACK_TAKE_2(kind, name, given)	__KTRACK_OF(TAKE, kind)(name, given)
#define __KTRACK_TAKE_NUMBER(name, given)	__values->name = given;
#define __KTRACK_TAKE_SYMBOL			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_STRING			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_ARRAY			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_ADDRESS			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_BYTES(name, given)					\
	memset(__values->name, 0, sizeof(__values->name));			\
	if (given)								\
		memcpy(__values->name, given, sizeof(__values->name));

#define __KTRACK_KEPT(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_KEPT_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_KEPT_0(name)
#define __KTRACK_KEPT_1(name)			, values->name
#define __KTRACK_KEPT_2(name)			, values->name

/* Strings, but for the name of the track, are those of the begin only. */
#define __KTRACK_FORGET(kind, ctype, name, ...) \
	__KTRACK_SECOND(__KTRACK_FORGET_##kind(name), , _)
#define __KTRACK_FORGET_text(name)		_, values->name = "";
#define __KTRACK_FORGET_sized(name)		_, values->name = "";

/* A guard that copies has the name of its track. */
#define __KTRACK_COPY(kind, ctype, name, ...) \
	__KTRACK_SECOND(__KTRACK_COPY_##kind(name), , _)
#define __KTRACK_COPY_track(name)		_, values->name = ktrack_user_keep(to, values->name);

/*
 * Defines struct EVENT_ktrack_values, the functions that make one and emit it, the end of a guard,
 * and the functions of calls.
 */
#define __KTRACK_DEFINE_GUARD(event, ...)					\
struct event##_ktrack_values {							\
	uint64_t __owner;							\
	uint64_t __begin_ns;							\
	uint64_t __outer_ns;							\
	__KTRACK_EACH(__KTRACK_VALUE, ##__VA_ARGS__)				\
};										\
										\
static __KTRACK_INLINE uint64_t							\
event##_ktrack_write(uint8_t type, ktrack_user_string name,			\
		     const struct event##_ktrack_values *values)		\
{										\
	const char *text = ktrack_user_text(name);				\
										\
	(void)values;								\
	return event##_ktrack_emit(type, text, ktrack_user_length(text, name)	\
			    __KTRACK_EACH(__KTRACK_KEPT, ##__VA_ARGS__));	\
}										\
										\
static __KTRACK_OUT_OF_LINE void						\
event##_ktrack_end_of(uint64_t __owner, uint64_t __begin_ns			\
		      __KTRACK_EACH_UNNAMED(__KTRACK_END_PARAMETER, ##__VA_ARGS__)) \
{										\
	char __name[KTRACK_USER_END_SIZE + 1];					\
	uint64_t __own_id = ktrack_user3_act_as(__owner, __begin_ns, __name);	\
										\
	if (!__own_id)								\
		return;								\
	event##_ktrack_emit(KTRACK_TYPE_END, __name, KTRACK_USER_END_SIZE	\
			    __KTRACK_EACH_UNNAMED(__KTRACK_END_ARGUMENT, ##__VA_ARGS__)); \
	ktrack_user3_thread.id = __own_id;					\
}										\
										\
static __KTRACK_INLINE void							\
event##_ktrack_guard_end(const struct event##_ktrack_values *values)		\
{										\
	if (!__KTRACK_UNLIKELY(values->__begin_ns) || !ktrack_user_is_on())	\
		return;								\
	if (__KTRACK_UNLIKELY(values->__owner != ktrack_user3_thread.id ||	\
			      values->__begin_ns != ktrack_user3_thread.innermost_ns)) { \
		event##_ktrack_end_of(values->__owner, values->__begin_ns	\
				      __KTRACK_EACH(__KTRACK_KEPT, ##__VA_ARGS__)); \
		return;								\
	}									\
	ktrack_user3_thread.innermost_ns = values->__outer_ns;			\
	event##_ktrack_write(KTRACK_TYPE_END, "", values);			\
}										\
										\
static __KTRACK_OUT_OF_LINE __attribute__((format(printf, 3, 4))) uint64_t	\
event##_ktrack_printf(uint8_t type, const struct event##_ktrack_values *values,	\
		      const char *format, ...)					\
{										\
	char name[KTRACK_STRING_MAX + 2];					\
	va_list arguments;							\
										\
	if (!ktrack_user_wants(&event##_ktrack_choice))				\
		return 0;							\
	va_start(arguments, format);						\
	vsnprintf(name, sizeof(name), format, arguments);			\
	va_end(arguments);							\
	return event##_ktrack_write(type, name, values);			\
}										\
										\
__KTRACK_CLASS(event, SLICE)							\
static __KTRACK_INLINE void							\
__KTRACK_METHOD(event, start)(uint8_t track_event_type, ktrack_user_string slice_name \
			      __KTRACK_EACH_UNNAMED(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__)) \
{										\
	const char *__name = ktrack_user_text(slice_name);			\
										\
	event##_ktrack_emit(track_event_type, __name, ktrack_user_length(__name, slice_name) \
			    __KTRACK_EACH_UNNAMED(__KTRACK_BEGIN_ARGUMENT, ##__VA_ARGS__)); \
}										\
										\
static __KTRACK_INLINE void							\
__KTRACK_METHOD(event, finish)(uint8_t track_event_type				\
			       __KTRACK_EACH_UNNAMED(__KTRACK_END_PARAMETER, ##__VA_ARGS__)) \
{										\
	event##_ktrack_emit(track_event_type, "", 0				\
			    __KTRACK_EACH_UNNAMED(__KTRACK_END_ARGUMENT, ##__VA_ARGS__)); \
}										\
										\
static __KTRACK_INLINE struct event##_ktrack_values *				\
__KTRACK_METHOD(event, take)(uint64_t __outer_ns, struct event##_ktrack_values *__values \
			     __KTRACK_EACH_UNNAMED(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__)) \
{										\
	__values->__owner = 0;							\
	__values->__begin_ns = 0;						\
	__values->__outer_ns = __outer_ns;					\
	__KTRACK_EACH_PLACE(__KTRACK_TAKE, event, , ##__VA_ARGS__)		\
	return __values;							\
}										\
										\
static __KTRACK_INLINE void							\
__KTRACK_METHOD(event, forget)(uint64_t begin_ns, struct event##_ktrack_values *values) \
{										\
	values->__begin_ns = begin_ns;						\
	values->__owner = ktrack_user3_thread.id;				\
	/* What was not recorded has no end. */					\
	if (__KTRACK_UNLIKELY(values->__begin_ns))				\
		ktrack_user3_thread.innermost_ns = values->__begin_ns;		\
	__KTRACK_EACH(__KTRACK_FORGET, ##__VA_ARGS__)				\
}										\
										\
static __KTRACK_INLINE void							\
__KTRACK_METHOD(event, open)(uint8_t type, struct event##_ktrack_values *values, char *to, \
			     ktrack_user_string name)				\
{										\
	uint64_t begin_ns = event##_ktrack_write(type, name, values);		\
										\
	if (to) {								\
		__KTRACK_EACH(__KTRACK_COPY, ##__VA_ARGS__)			\
	}									\
	__KTRACK_METHOD(event, forget)(begin_ns, values);			\
}										\
__KTRACK_CLASS_END(event, SLICE)

/*
 * The variable of a guard. The attribute takes no name of another namespace. Compilers report a
 * jump over it only if there is an initializer; that of a struct would clear all of it. What an if
 * would have alone is first, and has a name that says what is missing.
 */
#define __KTRACK_UNNAMED		__KTRACK_JOIN(ktrack_guard_needs_braces_, __COUNTER__)
#define __KTRACK_FITS(variable)		__KTRACK_JOIN(variable, _fits)

#ifdef __cplusplus
#define __KTRACK_AT(variable)		__KTRACK_FITS(variable)
#define __KTRACK_VALUES_TYPE(fits, event)	__typeof__(*fits->take())
#define __KTRACK_VARIABLE(variable, event, ...)					\
	auto &&variable __attribute__((unused)) = event##_is_no_ktrack_event.guard(); \
	auto *__KTRACK_FITS(variable) = &variable;				\
	__KTRACK_CHECK_BY(__KTRACK_FITS(variable), event, __VA_ARGS__)
#else
#define __KTRACK_AT(variable)		(&variable)
#define __KTRACK_VALUES_TYPE(fits, event) \
	__typeof__(*__KTRACK_KNOWN(fits, event, (struct event##_ktrack_values *)0))
#define __KTRACK_DECLARE_END(fits, event) \
	extern void event##_ktrack_guard_end(const __KTRACK_VALUES_TYPE(fits, event) *);
#define __KTRACK_VARIABLE(variable, event, ...)					\
	ktrack_guard_needs_braces __KTRACK_JOIN(variable, _declared) __attribute__((unused)); \
	__typeof__(_Generic(__KTRACK_IS_EVENT(event), default:			\
			    (struct event##_ktrack_values *)0))			\
		__KTRACK_JOIN(variable, _known) __attribute__((unused));	\
	__KTRACK_DECLARE_END(__KTRACK_JOIN(variable, _known), event)		\
	__KTRACK_VALUES_TYPE(__KTRACK_JOIN(variable, _known), event) variable	\
	__attribute__((__cleanup__(event##_ktrack_guard_end)));			\
	__KTRACK_CHECK_IF(__KTRACK_AGAIN(__KTRACK_JOIN(variable, _known), event), \
			  __KTRACK_FITS(variable), event, __VA_ARGS__);		\
	uint64_t __KTRACK_JOIN(variable, _unset) __attribute__((unused)) =	\
		__KTRACK_KNOWN(__KTRACK_FITS(variable), event, variable.__begin_ns = 0)
#endif

/**
 * ktrack_guard() - a slice from here to the end of the enclosing block
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration. A track name must be a literal or
 *	KTRACK_STATIC()
 *
 * The attributes are evaluated once, within this statement, and the end is emitted with the same
 * values, but without strings other than the track name. If the begin is not recorded, no end is
 * emitted. An exception ends the block, too. Coroutines may end their guards in any order, and on
 * any thread.
 */
#define ktrack_guard(event, name, ...) \
	__KTRACK_GUARD(__KTRACK_UNNAMED, event, 1, (char *)0, name, ##__VA_ARGS__)

/**
 * ktrack_guard_printf() - the same with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_printf(event, name, ...) \
	ktrack_guard_named_printf(__KTRACK_UNNAMED, event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_copy() - a guard that copies the name of its track, which may be any string
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 *
 * It takes 128 bytes of stack.
 */
#define ktrack_guard_copy(event, name, ...) \
	ktrack_guard_named_copy(__KTRACK_UNNAMED, event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_named() - a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named(variable, event, name, ...) \
	__KTRACK_GUARD(variable, event, 1, (char *)0, name, ##__VA_ARGS__)

/**
 * ktrack_guard_named_printf() - the same with a formatted name
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named_printf(variable, event, name, ...)			\
	__KTRACK_VARIABLE(variable, event, SLICE, begin, 1, __KTRACK_FORMATTED(name),	\
			  ##__VA_ARGS__);	\
	if (ktrack_user_is_on())						\
		__KTRACK_KNOWN(__KTRACK_FITS(variable), event,			\
			__KTRACK_CALL(__KTRACK_FITS(variable), event, forget)(	\
				event##_ktrack_printf(KTRACK_TYPE_BEGIN,	\
					__KTRACK_TAKEN(variable, event, ##__VA_ARGS__), \
					__KTRACK_FORMAT(name)), __KTRACK_AT(variable)))

/**
 * ktrack_guard_named_copy() - ktrack_guard_copy() for a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named_copy(variable, event, name, ...)			\
	ktrack_guard_needs_braces __KTRACK_JOIN(variable, _track)[KTRACK_STRING_MAX + 1]; \
	__KTRACK_GUARD(variable, event, 0, __KTRACK_JOIN(variable, _track), name, ##__VA_ARGS__)

/**
 * ktrack_guard_set() - change an attribute of a guard's end
 * @variable: as given to ktrack_guard_named()
 * @field: the attribute's field name: a result, for example
 * @value: its value in the end; not evaluated if the slice is not recorded. A string is read at the
 *	end: it must outlive the block
 */
#define ktrack_guard_set(variable, field, value)				\
do {										\
	if ((variable).__begin_ns)						\
		__KTRACK_SET((variable).field##_, (value),			\
			     "ktrack_guard_set(" #variable "): a number for a string, or a string " \
			     "for a number: " #field);				\
} while (0)

/* A format without parentheses has an error. */
#define __KTRACK_FORMAT(name)	__KTRACK_JOIN(__KTRACK_FORMAT_, __KTRACK_IS_TUPLE(name))(name)
#define __KTRACK_FORMAT_0(name)	" "
#define __KTRACK_FORMAT_1(name)	__KTRACK_BARE name

/* One statement takes the values and writes the begin, so that C++'s temporaries live until then. */
#define __KTRACK_GUARD(variable, event, keeps, copy, name, ...)			\
	__KTRACK_VARIABLE(variable, event, SLICE, begin, keeps, __KTRACK_NAME(name),	\
			  ##__VA_ARGS__);					\
	if (ktrack_user_is_on())						\
		__KTRACK_CALL(__KTRACK_FITS(variable), event, open)(KTRACK_TYPE_BEGIN, \
			__KTRACK_TAKEN(variable, event, ##__VA_ARGS__), copy, name)
#define __KTRACK_TAKEN(variable, event, ...)					\
	__KTRACK_CALL(__KTRACK_FITS(variable), event, take)(ktrack_user3_thread.innermost_ns, \
							    __KTRACK_AT(variable), ##__VA_ARGS__)

/**
 * ktrack_begin_printf() - begin a slice with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_begin_printf(event, name, ...) \
	__KTRACK_PRINTF(KTRACK_TYPE_BEGIN, event, name, ##__VA_ARGS__)

/**
 * ktrack_instant_printf() - mark a point in time with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("retry %u", count)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_instant_printf(event, name, ...) \
	__KTRACK_PRINTF(KTRACK_TYPE_INSTANT, event, name, ##__VA_ARGS__)

#define __KTRACK_PRINTF(type, event, name, ...)					\
do {										\
	__KTRACK_CHECK(__ktrack, event, SLICE, begin, 0, __KTRACK_FORMATTED(name),	\
		       ##__VA_ARGS__);						\
	if (ktrack_user_is_on()) {						\
		__KTRACK_VALUES_TYPE(__ktrack, event) __values;			\
										\
		__KTRACK_KNOWN(__ktrack, event,					\
			event##_ktrack_printf(type,				\
				__KTRACK_CALL(__ktrack, event, take)(0, &__values, ##__VA_ARGS__), \
				__KTRACK_FORMAT(name)));			\
	}									\
} while (0)

/* What declarations define. Calls of what cannot be one have no second error. */
#define __KTRACK_DEFINE_SLICE_0(system, event, ...)	__KTRACK_DEFINE_REFUSED(event)
#define __KTRACK_DEFINE_SLICE_1(system, event, ...)				\
	__KTRACK_CHECK_EVENT(event, ##__VA_ARGS__)				\
	__KTRACK_DEFINE_SLICE(system, event					\
			      __KTRACK_EACH_PLACE(__KTRACK_TYPED, event, , ##__VA_ARGS__))
#define __KTRACK_DEFINE_SLICE(...)	__KTRACK_DEFINE_SLICE_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_SLICE_NOW(system, event, ...)				\
	__KTRACK_DEFINE_CALLS(event, SLICE, ktrack_user_string, ##__VA_ARGS__)	\
	__KTRACK_DEFINE_SLICE_EMIT(system, event, ##__VA_ARGS__)		\
	__KTRACK_DEFINE_GUARD(event, ##__VA_ARGS__)
#define __KTRACK_DEFINE_COUNTER_0(system, event, ...)	__KTRACK_DEFINE_REFUSED(event)
#define __KTRACK_DEFINE_COUNTER_1(system, event, ctype, ...)			\
	__KTRACK_CHECK_COUNTER(event, ctype, ##__VA_ARGS__)			\
	__KTRACK_DEFINE_COUNTER(system, event, event##_ktrack_type		\
				__KTRACK_EACH_PLACE(__KTRACK_TYPED, event, , ##__VA_ARGS__))
#define __KTRACK_DEFINE_COUNTER(...)	__KTRACK_DEFINE_COUNTER_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_COUNTER_NOW(system, event, ctype, ...)			\
	__KTRACK_DEFINE_CALLS(event, COUNTER, ctype, ##__VA_ARGS__)		\
	__KTRACK_DEFINE_COUNTER_EMIT(system, event, ctype, ##__VA_ARGS__)

#endif
