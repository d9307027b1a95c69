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

#define __KTRACK_TAKE(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_TAKE_, __KTRACK_PASSED_##kind)(kind, name)
#define __KTRACK_TAKE_0(kind, name)
#define __KTRACK_TAKE_1(kind, name)		__values.name = 0;
#define __KTRACK_TAKE_2(kind, name)		__KTRACK_OF(TAKE, kind)(name)
#define __KTRACK_TAKE_NUMBER(name)		__values.name = name;
#define __KTRACK_TAKE_SYMBOL			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_STRING			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_ARRAY			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_ADDRESS			__KTRACK_TAKE_NUMBER
#define __KTRACK_TAKE_BYTES(name)						\
	memset(__values.name, 0, sizeof(__values.name));			\
	if (name)								\
		memcpy(__values.name, name, sizeof(__values.name));

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
 * Defines struct EVENT_ktrack_values, the functions that make one and emit it, and the end of a
 * guard.
 */
#define __KTRACK_DEFINE_GUARD(event, ...)					\
struct event##_ktrack_values {							\
	uint64_t __owner;							\
	uint64_t __begin_ns;							\
	uint64_t __outer_ns;							\
	__KTRACK_EACH(__KTRACK_VALUE, ##__VA_ARGS__)				\
};										\
										\
static __KTRACK_INLINE struct event##_ktrack_values				\
event##_ktrack_take(uint64_t __outer_ns						\
		    __KTRACK_EACH(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__))	\
{										\
	struct event##_ktrack_values __values;					\
										\
	__values.__owner = 0;							\
	__values.__begin_ns = 0;						\
	__values.__outer_ns = __outer_ns;					\
	__KTRACK_EACH(__KTRACK_TAKE, ##__VA_ARGS__)				\
	return __values;							\
}										\
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
static __KTRACK_INLINE void							\
event##_ktrack_forget(struct event##_ktrack_values *values)			\
{										\
	values->__owner = ktrack_user3_thread.id;				\
	/* What was not recorded has no end. */					\
	if (__KTRACK_UNLIKELY(values->__begin_ns))				\
		ktrack_user3_thread.innermost_ns = values->__begin_ns;		\
	__KTRACK_EACH(__KTRACK_FORGET, ##__VA_ARGS__)				\
}										\
										\
static __KTRACK_INLINE void							\
event##_ktrack_copy(struct event##_ktrack_values *values, char *to)		\
{										\
	(void)values;								\
	(void)to;								\
	__KTRACK_EACH(__KTRACK_COPY, ##__VA_ARGS__)				\
}										\
										\
static __KTRACK_OUT_OF_LINE void						\
event##_ktrack_end_of(uint64_t __owner, uint64_t __begin_ns			\
		      __KTRACK_EACH(__KTRACK_END_PARAMETER, ##__VA_ARGS__))	\
{										\
	char __name[KTRACK_USER_END_SIZE + 1];					\
	uint64_t __own_id = ktrack_user3_act_as(__owner, __begin_ns, __name);	\
										\
	if (!__own_id)								\
		return;								\
	event##_ktrack_emit(KTRACK_TYPE_END, __name, KTRACK_USER_END_SIZE	\
			    __KTRACK_EACH(__KTRACK_END_ARGUMENT, ##__VA_ARGS__)); \
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
__KTRACK_DEFINE_SCOPE(event)

/*
 * The variable of a guard. The attribute takes no name of another namespace. Compilers report a jump
 * over it only if there is an initializer; that of a struct would clear all of it. What is no slice
 * is reported before the attribute is; in C++ an assertion could be all that an if leaves out.
 */
#ifdef __cplusplus
#define __KTRACK_DEFINE_SCOPE(event)						\
struct event##_ktrack_scope : event##_ktrack_values {				\
	event##_ktrack_scope()							\
	{									\
		__begin_ns = 0;							\
	}									\
	event##_ktrack_scope(const event##_ktrack_scope &) = delete;		\
	~event##_ktrack_scope()							\
	{									\
		event##_ktrack_guard_end(this);					\
	}									\
	void operator=(const event##_ktrack_values &values)			\
	{									\
		*static_cast<event##_ktrack_values *>(this) = values;		\
	}									\
};
#define __KTRACK_SCOPE_VARIABLE(event, variable)	event##_ktrack_scope variable
#else
#define __KTRACK_DEFINE_SCOPE(event)
#define __KTRACK_SCOPE_VARIABLE(event, variable)				\
	__KTRACK_CHECK_KIND("ktrack_guard", event, SLICE);			\
	struct event##_ktrack_values variable					\
	__attribute__((__cleanup__(event##_ktrack_guard_end)));			\
	uint64_t __KTRACK_JOIN(variable, _unset) __attribute__((unused)) = variable.__begin_ns = 0
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
	ktrack_guard_named(__KTRACK_JOIN(__ktrack_guard_, __COUNTER__), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_printf() - the same with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_printf(event, name, ...)					\
	ktrack_guard_named_printf(__KTRACK_JOIN(__ktrack_guard_, __COUNTER__), event, name, \
				  ##__VA_ARGS__)

/**
 * ktrack_guard_copy() - a guard that copies the name of its track, which may be any string
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 *
 * It takes 128 bytes of stack.
 */
#define ktrack_guard_copy(event, name, ...)					\
	ktrack_guard_named_copy(__KTRACK_JOIN(__ktrack_guard_, __COUNTER__), event, name, \
				##__VA_ARGS__)

/**
 * ktrack_guard_named() - a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named(variable, event, name, ...)				\
	__KTRACK_GUARD(variable, event, __KTRACK_CHECK_KEPT(event, ##__VA_ARGS__), \
		       event##_ktrack_write(KTRACK_TYPE_BEGIN, name, &variable), \
		       (void)0, ##__VA_ARGS__)

/**
 * ktrack_guard_named_printf() - the same with a formatted name
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named_printf(variable, event, name, ...)			\
	__KTRACK_GUARD(variable, event, __KTRACK_CHECK_KEPT(event, ##__VA_ARGS__), \
		       event##_ktrack_printf(KTRACK_TYPE_BEGIN, &variable, __KTRACK_BARE name), \
		       (void)0, ##__VA_ARGS__)

/**
 * ktrack_guard_named_copy() - ktrack_guard_copy() for a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named_copy(variable, event, name, ...)			\
	char __KTRACK_JOIN(variable, _track)[KTRACK_STRING_MAX + 1];		\
	__KTRACK_GUARD(variable, event, ,					\
		       event##_ktrack_write(KTRACK_TYPE_BEGIN, name, &variable), \
		       event##_ktrack_copy(&variable, __KTRACK_JOIN(variable, _track)), \
		       ##__VA_ARGS__)

/**
 * ktrack_guard_set() - change an attribute of a guard's end
 * @variable: as given to ktrack_guard_named()
 * @field: the attribute's field name: a result, for example
 * @value: its value in the end; not evaluated if the slice is not recorded. A string is read at the
 *	end: it must outlive the block
 */
#define ktrack_guard_set(variable, field, value)				\
do {										\
	__KTRACK_CHECK_SET((variable).field##_, ktrack_guard_set_wants_another_kind_as_##field, \
			   value);						\
	if ((variable).__begin_ns)						\
		(variable).field##_ = (value);					\
} while (0)

/* One statement takes the values and writes the begin, so that C++'s temporaries live until then. */
#define __KTRACK_GUARD(variable, event, check, write_begin, copy, ...)		\
	__KTRACK_SCOPE_VARIABLE(event, variable);				\
	__KTRACK_CHECK_CALL("ktrack_guard", event, SLICE, begin, ##__VA_ARGS__); \
	check									\
	if (ktrack_user_is_on())						\
		variable = event##_ktrack_take(ktrack_user3_thread.innermost_ns, ##__VA_ARGS__), \
		variable.__begin_ns = write_begin, copy,			\
		event##_ktrack_forget(&variable)

/**
 * ktrack_begin_printf() - begin a slice with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_begin_printf(event, name, ...) \
	__KTRACK_PRINTF("ktrack_begin_printf", KTRACK_TYPE_BEGIN, event, name, ##__VA_ARGS__)

/**
 * ktrack_instant_printf() - mark a point in time with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("retry %u", count)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_instant_printf(event, name, ...) \
	__KTRACK_PRINTF("ktrack_instant_printf", KTRACK_TYPE_INSTANT, event, name, ##__VA_ARGS__)

#define __KTRACK_PRINTF(call, type, event, name, ...)				\
do {										\
	__KTRACK_CHECK_CALL(call, event, SLICE, begin, ##__VA_ARGS__);		\
	if (ktrack_user_is_on()) {						\
		struct event##_ktrack_values __values;				\
										\
		__values = event##_ktrack_take(0, ##__VA_ARGS__),		\
		event##_ktrack_printf(type, &__values, __KTRACK_BARE name);	\
	}									\
} while (0)

#endif
