/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compile-time checks of declarations and calls, in words that name the event and the attribute.
 *
 * A static assertion in a call cannot print the names of attributes: only the declaration has them.
 * So the declaration names a type after each possible mistake and never defines it. A wrong call
 * takes the size of a variable of that type, and the compiler's error prints the type's name. The
 * variable is never defined either.
 *
 * checkpatch reports COMPLEX_MACRO, CONSTANT_COMPARISON, MACRO_ARG_UNUSED, SPACING,
 * MULTISTATEMENT_MACRO_USE_DO_WHILE, TRAILING_SEMICOLON: these macros make declarations and
 * statements, some of them empty, from tuples of which each uses a part; it takes C++ for C.
 */
#ifndef KTRACK_USER_CHECK_H
#define KTRACK_USER_CHECK_H

#pragma GCC system_header

#include "attribute.h"
#include "list.h"

#ifdef __cplusplus
#define __KTRACK_ASSERT(truth, text)	static_assert(truth, text)
#else
#define __KTRACK_ASSERT(truth, text)	_Static_assert(truth, text)
#endif

/* The compilers' classes of types: those of integers, char, enum and bool are below pointers. */
#define __KTRACK_CLASS_MAX		4
#define __KTRACK_CLASS_REAL		8
#define __KTRACK_IS_INTEGER(ctype)	(__builtin_classify_type(*(ctype *)0) <= __KTRACK_CLASS_MAX)
/* A double or a float; wider and narrower ones are not recorded. */
#define __KTRACK_IS_FLOATING(ctype)						\
	(__builtin_classify_type(*(ctype *)0) == __KTRACK_CLASS_REAL &&		\
	 (sizeof(ctype) == sizeof(double) || sizeof(ctype) == sizeof(float)))
#define __KTRACK_IS_POINTER(given)	(__builtin_classify_type(given) == __KTRACK_CLASS_MAX + 1)

/* Checks a declaration: the types of its attributes, and their names among those of the record. */
#define __KTRACK_CHECK_EVENT(event, ...)					\
	__KTRACK_NUMBERED(__KTRACK_CHECK_TUPLE, event, ##__VA_ARGS__)		\
	__KTRACK_ASSERT(__KTRACK_COUNT(_, ##__VA_ARGS__) <= 10, #event ": ten attributes at most"); \
	__KTRACK_ASSERT(0 __KTRACK_EACH(__KTRACK_PLUS_RESULT, ##__VA_ARGS__) <= 1, \
			#event ": has more than one KTRACK_RESULT()");		\
	__KTRACK_ASSERT(!(0 __KTRACK_EACH(__KTRACK_PLUS_GLOBAL, ##__VA_ARGS__)) || \
			(0 __KTRACK_EACH(__KTRACK_PLUS_SCOPE, ##__VA_ARGS__)) == 1, \
			#event ": KTRACK_SCOPE_GLOBAL excludes other scopes and KTRACK_ASYNC()"); \
	__KTRACK_EACH(__KTRACK_CHECK_ATTRIBUTE, ##__VA_ARGS__)

/* An attribute that is misspelled does not expand to a tuple. */
#define __KTRACK_CHECK_TUPLE(event, place, attribute)				\
	__KTRACK_ASSERT(!__builtin_strncmp(#attribute, "(", 1), #event ": no attribute: " #attribute);

#define __KTRACK_PLUS_RESULT(kind, ...)	+ (__KTRACK_KIND_##kind == KTRACK_USER_RESULT)
#define __KTRACK_PLUS_GLOBAL(kind, ...)	+ __KTRACK_SECOND(__KTRACK_IS_GLOBAL_##kind, 0, _)
#define __KTRACK_PLUS_SCOPE(kind, ...)	+ __KTRACK_SECOND(__KTRACK_IS_SCOPE_##kind, 0, _)
#define __KTRACK_PLUS_OF_SLICES(kind, ...) + __KTRACK_SECOND(__KTRACK_IS_OF_SLICES_##kind, 0, _)
#define __KTRACK_IS_GLOBAL_global	_, 1
#define __KTRACK_IS_SCOPE_scope		_, 1
#define __KTRACK_IS_SCOPE_global	_, 1
#define __KTRACK_IS_SCOPE_async		_, 1
#define __KTRACK_IS_OF_SLICES_async	_, 1
#define __KTRACK_IS_OF_SLICES_flow	_, 1
#define __KTRACK_IS_OF_SLICES_result	_, 1

/* Checks a counter's type, and its attributes among those that have a meaning for it. */
#define __KTRACK_CHECK_COUNTER(event, ctype, ...)				\
	__KTRACK_ASSERT(__builtin_strncmp(#ctype, "(", 1),			\
			#event ": the type of a counter follows its name");	\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(ctype) || __KTRACK_IS_FLOATING(ctype), \
			#event ": the counter is not of an integer type, double or float: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, #event)					\
	__KTRACK_CHECK_EVENT(event, ##__VA_ARGS__)				\
	__KTRACK_ASSERT((0 __KTRACK_EACH(__KTRACK_PLUS_OF_SLICES, ##__VA_ARGS__)) == 0, \
			#event ": a counter has no KTRACK_ASYNC(), KTRACK_FLOW() or KTRACK_RESULT()");

#define __KTRACK_CHECK_ATTRIBUTE(kind, ctype, name, text, ...)			\
	__KTRACK_OF(CHECK, kind)(__KTRACK_MAY_FLOAT(kind), ctype, text, ##__VA_ARGS__) \
	__KTRACK_ASSERT(__KTRACK_SECOND(__KTRACK_HAS_OWN_NAME_##kind, 0, _) || __KTRACK_IS_FREE(text), \
			text " is a field of every record");
#define __KTRACK_CHECK_NOTHING(...)
#define __KTRACK_CHECK_ADDRESS(...)
#define __KTRACK_CHECK_STRING(...)
#define __KTRACK_CHECK_NUMBER(may_float, ctype, text) \
	__KTRACK_JOIN(__KTRACK_CHECK_NUMBER_, may_float)(ctype, text)
#define __KTRACK_CHECK_NUMBER_0(ctype, text)					\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(ctype), text " is not of an integer type: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, text)
#define __KTRACK_CHECK_NUMBER_1(ctype, text)					\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(ctype) || __KTRACK_IS_FLOATING(ctype), \
			text " is not of an integer type, double or float: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, text)
/* Types such as __be32 and __le16, whose numbers would be shown as if they were the CPU's. */
#define __KTRACK_CHECK_ORDER(ctype, text)					\
	__KTRACK_ASSERT(__builtin_strncmp(#ctype, "__be", 4) && __builtin_strncmp(#ctype, "__le", 4), \
			text " would have the wrong byte order: " #ctype	\
			"; declare a number of the CPU, and pass be32toh() or the like");
#define __KTRACK_CHECK_SYMBOL(may_float, ctype, text, ...)	__KTRACK_CHECK_NUMBER_0(ctype, text)
#define __KTRACK_CHECK_ARRAY(may_float, ctype, text, size) \
	__KTRACK_ASSERT((size) > 0, text ": KTRACK_TEXT_N() without bytes");
#define __KTRACK_CHECK_BYTES(may_float, ctype, text, size) \
	__KTRACK_ASSERT((size) > 0 && (size) <= KTRACK_USER_BYTES_MAX,		\
			text ": KTRACK_BYTES() has 1 to 64 bytes");

#define __KTRACK_IS_NOT(text, taken)	(__builtin_strcmp(text, taken) != 0)
#define __KTRACK_IS_FREE(text)							\
	(__KTRACK_IS_NOT(text, "track_event_type") && __KTRACK_IS_NOT(text, "slice_name") && \
	 __KTRACK_IS_NOT(text, "counter_value") && __KTRACK_IS_NOT(text, "track_name"))
/* These have names that no other field may have, or begin with scope_. */
#define __KTRACK_HAS_OWN_NAME_scope	_, 1
#define __KTRACK_HAS_OWN_NAME_global	_, 1
#define __KTRACK_HAS_OWN_NAME_async	_, 1
#define __KTRACK_HAS_OWN_NAME_track	_, 1

/* The attributes that a call passes, each after a comma. */
#define __KTRACK_BEGIN_ITEM(kind, ...) \
	__KTRACK_JOIN(__KTRACK_BEGIN_ITEM_, __KTRACK_PASSED_##kind)(kind, __VA_ARGS__)
#define __KTRACK_BEGIN_ITEM_0(...)
#define __KTRACK_BEGIN_ITEM_1(...)
#define __KTRACK_BEGIN_ITEM_2(...)	, (__VA_ARGS__)
#define __KTRACK_END_ITEM(kind, ...) \
	__KTRACK_JOIN(__KTRACK_END_ITEM_, __KTRACK_PASSED_##kind)(kind, __VA_ARGS__)
#define __KTRACK_END_ITEM_0(...)
#define __KTRACK_END_ITEM_1(...)	, (__VA_ARGS__)
#define __KTRACK_END_ITEM_2(...)	, (__VA_ARGS__)

/*
 * Defines what calls are checked against, by place. EVENT_ktrack_given_CALL_N has a size only if N
 * values are enough. @first is the type of a slice's name or of a counter's value.
 */
#define __KTRACK_DEFINE_CALLS(event, event_kind, first, ...)			\
	enum { event##_ktrack_kind = KTRACK_USER_##event_kind };		\
	extern __KTRACK_MISTAKE(first, event##_wants_a_string_as_its_name)	\
		event##_ktrack_wrong_name;					\
	extern __KTRACK_MISTAKE(first, event##_wants_a_number_as_its_value)	\
		event##_ktrack_wrong_value;					\
	__KTRACK_DEFINE_CALL(event, begin __KTRACK_EACH(__KTRACK_BEGIN_ITEM, ##__VA_ARGS__)) \
	__KTRACK_DEFINE_CALL(event, end __KTRACK_EACH(__KTRACK_END_ITEM, ##__VA_ARGS__))

#define __KTRACK_DEFINE_CALL(...)	__KTRACK_DEFINE_CALL_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_CALL_NOW(event, call, ...)				\
	enum { event##_ktrack_##call##_count = __KTRACK_COUNT(_, ##__VA_ARGS__) }; \
	extern char __KTRACK_JOIN(event##_ktrack_given_##call##_, __KTRACK_COUNT(_, ##__VA_ARGS__)); \
	__KTRACK_NUMBERED(__KTRACK_DEFINE_PLACE, (event, call), ##__VA_ARGS__)

#define __KTRACK_DEFINE_PLACE(about, place, attribute) \
	__KTRACK_DEFINE_PLACE_OF(__KTRACK_BARE about, place, __KTRACK_BARE attribute)
#define __KTRACK_DEFINE_PLACE_OF(...)	__KTRACK_DEFINE_PLACE_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_PLACE_NOW(event, call, place, kind, ctype, name, ...)	\
	enum {									\
		event##_ktrack_wants_##call##_##place = __KTRACK_OF(WANTS, kind), \
		event##_ktrack_is_track_##call##_##place =			\
			__KTRACK_SECOND(__KTRACK_IS_TRACK_##kind, 0, _),	\
	};									\
	extern struct event##_has_no_value_for_##name event##_ktrack_given_##call##_##place; \
	extern __KTRACK_MISTAKE(ctype, __KTRACK_SECOND(__KTRACK_WRONG_ID_##kind(event, name), \
						       __KTRACK_OF(WRONG, kind)(event, name), _)) \
		event##_ktrack_wrong_##call##_##place;

#define __KTRACK_IS_TRACK_track		_, 1

#define __KTRACK_A_NUMBER		0
#define __KTRACK_A_STRING		1
#define __KTRACK_A_POINTER		2
#define __KTRACK_WANTS_NUMBER		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_SYMBOL		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_STRING		__KTRACK_A_STRING
#define __KTRACK_WANTS_ARRAY		__KTRACK_A_POINTER
#define __KTRACK_WANTS_BYTES		__KTRACK_A_POINTER
#define __KTRACK_WANTS_ADDRESS		__KTRACK_A_POINTER

#define __KTRACK_WRONG_NUMBER(event, name)	event##_wants_a_number_as_##name
#define __KTRACK_WRONG_SYMBOL			__KTRACK_WRONG_NUMBER
#define __KTRACK_WRONG_STRING(event, name) \
	event##_wants_a_string_or_KTRACK_BYTES_or_KTRACK_TEXT_N_as_##name
#define __KTRACK_WRONG_ARRAY(event, name)	event##_wants_a_pointer_as_##name
#define __KTRACK_WRONG_BYTES			__KTRACK_WRONG_ARRAY
#define __KTRACK_WRONG_ADDRESS			__KTRACK_WRONG_ARRAY
#define __KTRACK_WRONG_ID_async(event, name)	_, event##_wants_ktrack_id_as_##name
#define __KTRACK_WRONG_ID_flow			__KTRACK_WRONG_ID_async

/* Checks that a call fits the event, and has a value for each attribute. @of is begin or end. */
#define __KTRACK_CHECK_CALL(call, event, event_kind, of, ...)			\
	__KTRACK_CHECK_KIND(call, event, event_kind);				\
	__KTRACK_ASSERT(__KTRACK_COUNT(_, ##__VA_ARGS__) <= event##_ktrack_##of##_count, \
			#event ": more values than attributes (an end has no name, and only an " \
			"end has a KTRACK_RESULT(); no call has a KTRACK_SCOPE_GLOBAL; a format " \
			"and its arguments are in parentheses)");		\
	(void)sizeof(__KTRACK_JOIN(event##_ktrack_given_##of##_, __KTRACK_COUNT(_, ##__VA_ARGS__))); \
	__KTRACK_NUMBERED(__KTRACK_CHECK_PLACE, (event, of), ##__VA_ARGS__)

#define __KTRACK_CHECK_KIND(call, event, event_kind)				\
	__KTRACK_ASSERT(event##_ktrack_kind == KTRACK_USER_##event_kind,	\
			call "(" #event "): " __KTRACK_IS_NOT_##event_kind)

#define __KTRACK_IS_NOT_SLICE	"declared by KTRACK_COUNTER(); use ktrack_sample()"
#define __KTRACK_IS_NOT_COUNTER	"declared by KTRACK_SLICE(); use ktrack_begin() or ktrack_guard()"

#define __KTRACK_CHECK_PLACE(about, place, given) \
	__KTRACK_CHECK_PLACE_OF(__KTRACK_BARE about, place, given)
#define __KTRACK_CHECK_PLACE_OF(...)	__KTRACK_CHECK_PLACE_NOW(__VA_ARGS__)
#define __KTRACK_CHECK_PLACE_NOW(event, of, place, given) \
	__KTRACK_CHECK_ONE(event##_ktrack_wants_##of##_##place, event##_ktrack_wrong_##of##_##place, given);

/* Checks that a slice's name is a string, and a counter's value a number. */
#define __KTRACK_CHECK_NAME(event, given) \
	__KTRACK_CHECK_ONE(__KTRACK_A_STRING, event##_ktrack_wrong_name, given)
#define __KTRACK_CHECK_VALUE(event, given) \
	__KTRACK_CHECK_ONE(__KTRACK_A_NUMBER, event##_ktrack_wrong_value, given)

/*
 * Nothing is evaluated. In C++, the type of a mistake has a constructor for right values, and a
 * deleted one for others. That is not called in a sizeof, because lambdas may be values. g++ finds
 * the two ambiguous if they have no other parameter. Numbers convert without a second warning.
 */
#ifdef __cplusplus
#define __KTRACK_IS_ARITHMETIC(ctype)						\
	(!__is_enum(ctype) &&							\
	 (__KTRACK_IS_INTEGER(ctype) || __KTRACK_IS_FLOATING(ctype)))

extern "C++" {
template <typename T, bool is_number> struct ktrack_user_wide {
	using type = T;
};
template <typename T> struct ktrack_user_wide<T, true> {
	using type = long double;
};

template <typename T, typename mistake> struct ktrack_user_taken {
	ktrack_user_taken(int, typename ktrack_user_wide<T, __KTRACK_IS_ARITHMETIC(T)>::type);
	ktrack_user_taken(int, ...) = delete;
};
}
#define __KTRACK_MISTAKE(ctype, name)	ktrack_user_taken<ctype, struct name>
#define __KTRACK_CHECK_TYPE(is_right, mistake, given)				\
	do {									\
		if (0)								\
			(void)mistake(0, given);				\
	} while (0)
#define __KTRACK_CHECK_ONE(wanted, wrong, given) \
	__KTRACK_CHECK_TYPE(, decltype(wrong), given)
#else
#define __KTRACK_MISTAKE(ctype, name)	struct name
#define __KTRACK_CHECK_TYPE(is_right, mistake, given) \
	(void)sizeof(*__builtin_choose_expr(is_right, (char *)0, (mistake *)0))
#define __KTRACK_CHECK_ONE(wanted, wrong, given) \
	__KTRACK_CHECK_TYPE(__KTRACK_IS_RIGHT(wanted, given), __typeof__(wrong), given)
#define __KTRACK_IS_RIGHT(wanted, given)					\
	((wanted) == __KTRACK_A_STRING ? __KTRACK_IS_STRING(given) :	\
	 __KTRACK_IS_POINTER(given) == ((wanted) == __KTRACK_A_POINTER))
#define __KTRACK_IS_STRING(given)						\
	_Generic((given), char *: 1, const char *: 1, void *: 1, const void *: 1, default: 0)
#endif

/* Checks that a value of ktrack_guard_set() is a string or a number like the @attribute. */
#define __KTRACK_CHECK_SET(attribute, mistake, given)				\
	__KTRACK_CHECK_TYPE(__KTRACK_IS_POINTER(attribute) == __KTRACK_IS_POINTER(given), \
			    __KTRACK_MISTAKE(__typeof__(attribute), mistake), given)

/* Checks that the name of a guard's track is read at its end, when a variable may have changed. */
#define __KTRACK_CHECK_KEPT(event, ...) \
	__KTRACK_NUMBERED(__KTRACK_CHECK_KEPT_ONE, event, ##__VA_ARGS__)
#define __KTRACK_CHECK_KEPT_ONE(event, place, given)				\
	__KTRACK_ASSERT(!event##_ktrack_is_track_begin_##place || __KTRACK_IS_STATIC(given), \
			#event ": the track name of a guard is a literal or KTRACK_STATIC(text); " \
			"ktrack_guard_copy() takes others");

#ifdef __cplusplus
#define __KTRACK_IS_STATIC(given) \
	(__builtin_constant_p(given) || ktrack_user_kept<__typeof__(given)>::is_static)
#else
#define __KTRACK_IS_STATIC(given) \
	(__builtin_constant_p(given) || _Generic((given), const void *: 1, default: 0))
#endif

#endif
