/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compile-time checks of declarations and calls. Mistakes are reported before the kernel's own
 * macros expand, with the names of the tracepoint and of the attribute.
 *
 * A static assertion in a call cannot print the names of attributes: only the declaration has
 * them. So the declaration names a type after each possible mistake and never defines it. A
 * wrong call takes the size of a variable of that type, and the compiler's error prints the
 * type's name. The variable is never defined either.
 */
#ifndef KTRACK_CHECK_H
#define KTRACK_CHECK_H

#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "list.h"

/* Kinds of tracepoints. */
#define __KTRACK_KIND_SLICE		1
#define __KTRACK_KIND_COUNTER		2

/* GCC's type classes: those of integers, char, enum and bool are below the class of pointers. */
#define __KTRACK_CLASS_INTEGER_MAX	4
#define __KTRACK_CLASS_POINTER		5

#ifdef __CHECKER__
/* sparse lacks __builtin_classify_type(); the compiler checks the same lines. */
#define __KTRACK_IS_INTEGER(ctype)	1
#else
#define __KTRACK_IS_INTEGER(ctype) \
	(__builtin_classify_type(*(ctype *)0) <= __KTRACK_CLASS_INTEGER_MAX)
#endif

/*
 * Defines the constants that calls are checked against: the kind of @event, its number of
 * attributes, which of them are strings, and a variable for each mistake. ktrack_given_EVENT_N
 * has a size only if N values are enough.
 */
#define __KTRACK_DEFINE_CHECKS(event, kind, ...)				\
enum {										\
	ktrack_kind_##event = __KTRACK_KIND_##kind,				\
	ktrack_count_##event = __KTRACK_COUNT(__VA_ARGS__),			\
	ktrack_is_text_##event##_name = 1,					\
	ktrack_is_text_##event##_value = 0,					\
};										\
extern struct ktrack_##event##_wants_a_string_as_its_name			\
	ktrack_wrong_##event##_name;						\
extern struct ktrack_##event##_wants_a_number_as_its_value			\
	ktrack_wrong_##event##_value;						\
extern char __KTRACK_JOIN(ktrack_given_##event##_, __KTRACK_COUNT(__VA_ARGS__)); \
__KTRACK_NUMBERED(__KTRACK_DEFINE_CHECK, event, ##__VA_ARGS__)

#define __KTRACK_DEFINE_CHECK(event, place, attribute) \
	__KTRACK_DEFINE_CHECK_OF(event, place, __KTRACK_BARE attribute)
#define __KTRACK_DEFINE_CHECK_OF(...)	__KTRACK_DEFINE_CHECK_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_CHECK_NOW(event, place, kind, ctype, name)		\
enum { ktrack_is_text_##event##_##place = __KTRACK_IS_TEXT_##kind };		\
extern struct ktrack_##event##_has_no_value_for_##name				\
	ktrack_given_##event##_##place;						\
extern __KTRACK_WRONG_##kind(event, name) ktrack_wrong_##event##_##place;

#define __KTRACK_IS_TEXT_integer		0
#define __KTRACK_IS_TEXT_scope			0
#define __KTRACK_IS_TEXT_cpu			0
#define __KTRACK_IS_TEXT_text			1

#define __KTRACK_WRONG_integer(event, name)	struct ktrack_##event##_wants_a_number_as_##name
#define __KTRACK_WRONG_scope			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_cpu			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_text(event, name)	struct ktrack_##event##_wants_a_string_as_##name

/* A LIKE tracepoint and its class have the same kind, and the same attributes in the same order. */
#define __KTRACK_DEFINE_SAME(class, event, ...)					\
static_assert((int)ktrack_kind_##event == (int)ktrack_kind_##class,		\
	      #event ": a slice LIKE a counter, or a counter LIKE a slice: " #class); \
static_assert((int)ktrack_count_##event == (int)ktrack_count_##class,		\
	      #event ": LIKE a tracepoint with more or fewer attributes: " #class); \
										\
static __always_inline void							\
ktrack_same_##event(const struct ktrack_values_##class *first,			\
		    const struct ktrack_values_##event *second)			\
{										\
	__KTRACK_EACH(__KTRACK_SAME, ##__VA_ARGS__)				\
}

#define __KTRACK_SAME(kind, ctype, name)					\
	static_assert(offsetof(typeof(*first), name) == offsetof(typeof(*second), name), \
		      "a LIKE tracepoint has its attributes in another order: " #name); \
	static_assert(__builtin_types_compatible_p(typeof(first->name),		\
						   typeof(second->name)),	\
		      "a LIKE tracepoint has an attribute of another type: " #name);

#ifdef __CHECKER__
#define __KTRACK_CHECK_KIND(call, event, kind)		static_assert(1, "")
#define __KTRACK_CHECK_NAME(event, given)		do { } while (0)
#define __KTRACK_CHECK_VALUE(event, given)		do { } while (0)
#define __KTRACK_CHECK_VALUES(event, ...)		do { } while (0)
#define __KTRACK_CHECK_SET(field, attribute, given)	static_assert(1, "")
#else
/* Checks that @call fits the tracepoint. Allowed among declarations. */
#define __KTRACK_CHECK_KIND(call, event, kind)					\
	static_assert((int)ktrack_kind_##event == __KTRACK_KIND_##kind,		\
		      call "(" #event "): " __KTRACK_IS_NOT_##kind)

#define __KTRACK_IS_NOT_SLICE	"declared by KTRACK_COUNTER(); use ktrack_sample()"
#define __KTRACK_IS_NOT_COUNTER	"declared by KTRACK_SLICE(); use ktrack_begin() or ktrack_guard()"

/* Checks that a slice's name is a string, and a counter's value a number. */
#define __KTRACK_CHECK_NAME(event, given)	__KTRACK_CHECK_ONE(event, name, given)
#define __KTRACK_CHECK_VALUE(event, given)	__KTRACK_CHECK_ONE(event, value, given)

/* Checks that each attribute has a value, which is a string or a number as declared. */
#define __KTRACK_CHECK_VALUES(event, ...)					\
do {										\
	static_assert(__KTRACK_COUNT(__VA_ARGS__) <= (int)ktrack_count_##event,	\
		      #event ": more values than attributes");			\
	(void)sizeof(__KTRACK_JOIN(ktrack_given_##event##_, __KTRACK_COUNT(__VA_ARGS__))); \
	__KTRACK_NUMBERED(__KTRACK_CHECK_EACH, event, ##__VA_ARGS__)		\
} while (0)

#define __KTRACK_CHECK_EACH(event, place, given) \
	__KTRACK_CHECK_ONE(event, place, given);

/* sizeof evaluates nothing. */
#define __KTRACK_CHECK_ONE(event, place, given)					\
	(void)sizeof(*__builtin_choose_expr(					\
		__KTRACK_IS_POINTER(given) == ktrack_is_text_##event##_##place,	\
		(char *)0, &ktrack_wrong_##event##_##place))

/* Checks that the value of ktrack_guard_set() is a string or a number like the attribute. */
#define __KTRACK_CHECK_SET(field, attribute, given)				\
	static_assert(__KTRACK_IS_POINTER(attribute) == __KTRACK_IS_POINTER(given), \
		      "ktrack_guard_set(): a number for a string, or a string for a number: " field)

#define __KTRACK_IS_POINTER(given) \
	(__builtin_classify_type(given) == __KTRACK_CLASS_POINTER)
#endif

#endif
