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

#include <stdarg.h>
#include <stdio.h>

#include "emit.h"

/* The values of all attributes, of which an end passes those with a value. */
#define __KTRACK_VALUE(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_VALUE_, __KTRACK_PASSED_##kind)(ctype, name)
#define __KTRACK_VALUE_0(ctype, name)
#define __KTRACK_VALUE_1(ctype, name)		ctype name;
#define __KTRACK_VALUE_2(ctype, name)		ctype name;

#define __KTRACK_TAKE(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_TAKE_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_TAKE_0(name)
#define __KTRACK_TAKE_1(name)			__values.name = 0;
#define __KTRACK_TAKE_2(name)			__values.name = name;

#define __KTRACK_KEPT(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_KEPT_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_KEPT_0(name)
#define __KTRACK_KEPT_1(name)			, values->name
#define __KTRACK_KEPT_2(name)			, values->name

/*
 * Defines struct ktrack_values_EVENT, the functions that make one and emit it, and the end of a
 * guard.
 */
#define __KTRACK_DEFINE_GUARD(event, ...)					\
struct ktrack_values_##event {							\
	unsigned char __armed;							\
	__KTRACK_EACH(__KTRACK_VALUE, ##__VA_ARGS__)				\
};										\
										\
static __KTRACK_INLINE struct ktrack_values_##event				\
ktrack_take_##event(unsigned char __armed					\
		      __KTRACK_EACH(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__))	\
{										\
	struct ktrack_values_##event __values;					\
										\
	__values.__armed = __armed;							\
	__KTRACK_EACH(__KTRACK_TAKE, ##__VA_ARGS__)				\
	return __values;							\
}										\
										\
static __KTRACK_INLINE void							\
ktrack_write_##event(uint8_t type, const char *name,				\
		     const struct ktrack_values_##event *values)		\
{										\
	name = ktrack_user_text(name);						\
	(void)values;								\
	ktrack_emit_##event(type, name, ktrack_user_length(name)		\
			    __KTRACK_EACH(__KTRACK_KEPT, ##__VA_ARGS__));	\
}										\
										\
static __KTRACK_INLINE void							\
ktrack_guard_end_##event(const struct ktrack_values_##event *guard)		\
{										\
	if (__KTRACK_UNLIKELY(guard->__armed) && ktrack_user_is_on())		\
		ktrack_write_##event(KTRACK_TYPE_END, "", guard);		\
}										\
										\
static __KTRACK_OUT_OF_LINE __attribute__((format(printf, 3, 4))) void		\
ktrack_printf_##event(uint8_t type, const struct ktrack_values_##event *values,	\
		      const char *format, ...)					\
{										\
	char name[KTRACK_STRING_MAX + 2];					\
	va_list arguments;							\
										\
	va_start(arguments, format);						\
	vsnprintf(name, sizeof(name), format, arguments);			\
	va_end(arguments);							\
	ktrack_write_##event(type, name, values);				\
}

/**
 * ktrack_guard() - a slice from here to the end of the enclosing block
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 *
 * The attributes are evaluated once, and the end is emitted with the same values. Strings among
 * them are read again then: they must outlive the block (the name is copied at once). If nobody
 * records at the begin, no end is emitted. An exception ends the block, too.
 */
#define ktrack_guard(event, name, ...) \
	ktrack_guard_named(__KTRACK_JOIN(__ktrack_guard_, __LINE__), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_printf() - the same with a formatted name
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_printf(event, name, ...)					\
	ktrack_guard_named_printf(__KTRACK_JOIN(__ktrack_guard_, __LINE__), event, name, \
				  ##__VA_ARGS__)

/**
 * ktrack_guard_named() - a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named(variable, event, name, ...)				\
	__KTRACK_GUARD(variable, event, ##__VA_ARGS__)				\
	if (variable.__armed)							\
		ktrack_write_##event(KTRACK_TYPE_BEGIN, name, &variable)

/**
 * ktrack_guard_named_printf() - the same with a formatted name
 * @variable: its name for ktrack_guard_set()
 * @event: an event declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the event's attributes, in the order of its declaration
 */
#define ktrack_guard_named_printf(variable, event, name, ...)			\
	__KTRACK_GUARD(variable, event, ##__VA_ARGS__)				\
	if (variable.__armed)							\
		ktrack_printf_##event(KTRACK_TYPE_BEGIN, &variable, __KTRACK_BARE name)

/**
 * ktrack_guard_set() - change an attribute of a guard's end
 * @variable: as given to ktrack_guard_named()
 * @field: the attribute's field name: a result, for example
 * @value: its value in the end; not evaluated if the slice is not recorded
 */
#define ktrack_guard_set(variable, field, value)				\
do {										\
	if ((variable).__armed)							\
		(variable).field = (value);					\
} while (0)

#define __KTRACK_GUARD(variable, event, ...)					\
	struct ktrack_values_##event variable					\
	__attribute__((__cleanup__(ktrack_guard_end_##event)));			\
	variable.__armed = 0;							\
	if (ktrack_user_is_on())						\
		variable = ktrack_take_##event(1, ##__VA_ARGS__);

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
	if (ktrack_user_is_on()) {						\
		struct ktrack_values_##event __values =				\
			ktrack_take_##event(1, ##__VA_ARGS__);		\
										\
		ktrack_printf_##event(type, &__values, __KTRACK_BARE name);	\
	}									\
} while (0)

#endif
