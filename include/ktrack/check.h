/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compile-time checks of declarations and calls. Mistakes are reported before the kernel's own
 * macros expand, with the names of the tracepoint and of the attribute.
 *
 * A static assertion in a call cannot print the names of attributes: only the declaration has
 * them. So the declaration has a struct for each possible mistake, with one member, which has the
 * tracepoint's name and is unavailable for a reason that is the sentence. A wrong call takes the size
 * of that member. No variable of these structs is ever defined.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MULTISTATEMENT_MACRO_USE_DO_WHILE, SPACING,
 * TRAILING_SEMICOLON: these macros make declarations and statements, some of them empty, from tuples
 * of which each uses a part.
 */
#ifndef KTRACK_CHECK_H
#define KTRACK_CHECK_H

#include <linux/build_bug.h>
#include <linux/stddef.h>

#include "attribute.h"
#include "list.h"

#ifndef __clang__
#pragma GCC system_header
#endif

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

/* Numbers of the kinds of attributes. */
#define __KTRACK_KIND_OF_integer	0
#define __KTRACK_KIND_OF_scope		1
#define __KTRACK_KIND_OF_cpu		2
#define __KTRACK_KIND_OF_global		3
#define __KTRACK_KIND_OF_async		4
#define __KTRACK_KIND_OF_text		5
#define __KTRACK_KIND_OF_flow		6
#define __KTRACK_KIND_OF_result		7
#define __KTRACK_KIND_OF_symbol		8
#define __KTRACK_KIND_OF_bits		9
#define __KTRACK_KIND_OF_track		10
#define __KTRACK_KIND_OF_sized		11
#define __KTRACK_KIND_OF_bytes		12
#define __KTRACK_KIND_OF_pointer	13

/* What a value is: a number, a string or any pointer. */
#define __KTRACK_A_NUMBER		0
#define __KTRACK_A_STRING		1
#define __KTRACK_A_POINTER		2
#define __KTRACK_WANTS_integer		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_scope		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_cpu		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_async		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_text		__KTRACK_A_STRING
#define __KTRACK_WANTS_track		__KTRACK_A_STRING
#define __KTRACK_WANTS_sized		__KTRACK_A_POINTER
#define __KTRACK_WANTS_bytes		__KTRACK_A_POINTER
#define __KTRACK_WANTS_pointer		__KTRACK_A_POINTER
#define __KTRACK_WANTS_flow		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_result		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_symbol		__KTRACK_A_NUMBER
#define __KTRACK_WANTS_bits		__KTRACK_A_NUMBER

/* Before gcc 12, the member is missing, and the struct's name is the sentence. */
#if defined(__CHECKER__) || !__has_attribute(unavailable)
#define __KTRACK_SAYS(event, text)
#else
#define __KTRACK_SAYS(event, text)	char event __attribute__((unavailable(text)));
#endif

/*
 * A second use of the word is an error: it is unavailable since the first one. clang says no more
 * about the file then.
 */
#if defined(__CHECKER__) || !__has_attribute(unavailable)
#define __KTRACK_ONCE(word, text)
#elif defined(__clang__)
#define __KTRACK_ONCE(word, text)						\
	_Pragma("clang diagnostic push")					\
	_Pragma("clang diagnostic fatal \"-Wdeprecated-declarations\"")		\
	extern char word;							\
	static_assert(sizeof(word), "");					\
	_Pragma("clang diagnostic pop")						\
	extern char word __attribute__((deprecated(text)));
#else
#define __KTRACK_ONCE(word, text)						\
	extern char word;							\
	static_assert(sizeof(word), "");					\
	extern char word __attribute__((unavailable(text)));
#endif

/* Checks that an attribute is one: a misspelled one does not expand to a tuple. */
#define __KTRACK_CHECK_TUPLE(event, place, attribute)				\
	static_assert(__KTRACK_IS_TUPLE(attribute), #event ": no attribute: " #attribute); \
	__KTRACK_JOIN(__KTRACK_CHECK_WORD_, __KTRACK_IS_TUPLE(attribute))(event, attribute)
#define __KTRACK_CHECK_WORD_0(event, attribute)
#define __KTRACK_CHECK_WORD_1(event, attribute)					\
	__KTRACK_CHECK_WORD_OF(event, __KTRACK_BARE attribute)
#define __KTRACK_CHECK_WORD_OF(...)	__KTRACK_CHECK_WORD(__VA_ARGS__)
#define __KTRACK_IS_TUPLE(item)		__KTRACK_SECOND(__KTRACK_TUPLE item, 0, _)
#define __KTRACK_TUPLE(...)		_, 1

/*
 * 1 if each attribute is a tuple whose name is not current, which is a macro. Otherwise nothing is
 * declared, so that the sentence is the only error.
 */
#define __KTRACK_IS_LIST(...)							\
	__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_IS_LIST_,			\
		__KTRACK_COUNT_REST(_ __KTRACK_NUMBERED(__KTRACK_IF_WRONG, , ##__VA_ARGS__))), 0, _)
#define __KTRACK_IS_LIST_0		_, 1
#define __KTRACK_IF_WRONG(about, place, attribute)				\
	__KTRACK_JOIN(__KTRACK_IF_WRONG_, __KTRACK_IS_TUPLE(attribute))(attribute)
#define __KTRACK_IF_WRONG_0(attribute)	, _
#define __KTRACK_IF_WRONG_1(attribute)	__KTRACK_IF_MACRO attribute
#define __KTRACK_IF_MACRO(kind, ctype, name, ...)				\
	__KTRACK_JOIN(__KTRACK_IF_MACRO_,					\
		      __KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_MACRO_, name), 0, _))
#define __KTRACK_MACRO_get_current()	_, 1
#define __KTRACK_IF_MACRO_0
#define __KTRACK_IF_MACRO_1		, _

/*
 * Defines the constants that calls are checked against: the kind of @event, its number of
 * attributes, their kinds, and a variable for each mistake.
 */
#define __KTRACK_DEFINE_CHECKS(event, kind, ...)				\
__KTRACK_ONCE(event##_is_declared_twice, #event ": declared before")		\
__KTRACK_EACH_PLACE(__KTRACK_NAME_ONCE, event, , ##__VA_ARGS__)			\
struct ktrack_fits_##event {							\
	char event;								\
};										\
enum {										\
	event##_is_no_ktrack_tracepoint = __KTRACK_KIND_##kind,				\
	ktrack_count_##event = __KTRACK_COUNT(__VA_ARGS__),			\
	ktrack_asyncs_##event = 0 __KTRACK_EACH_PLACE(__KTRACK_PLACES, event, async, ##__VA_ARGS__), \
	ktrack_globals_##event = 0 __KTRACK_EACH_PLACE(__KTRACK_PLACES, event, global, ##__VA_ARGS__), \
	ktrack_results_##event = 0 __KTRACK_EACH_PLACE(__KTRACK_PLACES, event, result, ##__VA_ARGS__), \
};										\
static_assert(!(ktrack_results_##event & (ktrack_results_##event - 1)),		\
	      #event ": has more than one KTRACK_RESULT()");			\
__KTRACK_EACH_PLACE(__KTRACK_DEFINE_ATTRIBUTE, event, , ##__VA_ARGS__)		\
__KTRACK_DEFINE_CALL(event, begin __KTRACK_BEGIN_LIST(__VA_ARGS__))		\
__KTRACK_DEFINE_CALL(event, end __KTRACK_END_LIST(__VA_ARGS__))			\
__KTRACK_DEFINE_FIRST(event)

#define __KTRACK_NAME_ONCE(event, of, place, kind, ctype, name, ...) \
	__KTRACK_ONCE(event##_has_twice_##name, #event ": two attributes are called " #name)

/* A bit for the place of each attribute of a kind. */
#define __KTRACK_PLACES(event, wanted, place, kind, ...)			\
	| (__KTRACK_KIND_OF_##kind == __KTRACK_KIND_OF_##wanted) << place

/* Checks an attribute among the others. */
#define __KTRACK_DEFINE_ATTRIBUTE(event, of, place, kind, ctype, name, ...)	\
	__KTRACK_DEFINE_ATTRIBUTE_CALLED(event, place, kind, __KTRACK_CALLED(kind, name, ##__VA_ARGS__))
#define __KTRACK_DEFINE_ATTRIBUTE_CALLED(...) \
	__KTRACK_DEFINE_ATTRIBUTE_AS(__VA_ARGS__)
#define __KTRACK_DEFINE_ATTRIBUTE_AS(event, place, kind, name)			\
enum { ktrack_attribute_kind_##event##_##place = __KTRACK_KIND_OF_##kind };		\
static_assert(!__KTRACK_IS_SCOPE_##kind || !(ktrack_asyncs_##event & ((1 << place) - 1)), \
	      #event ": KTRACK_ASYNC() must be the last scope, but before it is " #name); \
static_assert(!__KTRACK_IS_SCOPE_##kind || !(ktrack_globals_##event & ~(1 << place)), \
	      #event ": KTRACK_SCOPE_GLOBAL excludes another scope: " #name);	\
static_assert((int)event##_is_no_ktrack_tracepoint == __KTRACK_KIND_SLICE || !__KTRACK_OF_SLICES_##kind, \
	      #event ": a counter has no KTRACK_ASYNC(), KTRACK_FLOW() or KTRACK_RESULT(): " #name);

#define __KTRACK_OF_SLICES_integer	0
#define __KTRACK_OF_SLICES_scope	0
#define __KTRACK_OF_SLICES_cpu		0
#define __KTRACK_OF_SLICES_global	0
#define __KTRACK_OF_SLICES_async	1
#define __KTRACK_OF_SLICES_text		0
#define __KTRACK_OF_SLICES_track	0
#define __KTRACK_OF_SLICES_sized	0
#define __KTRACK_OF_SLICES_bytes	0
#define __KTRACK_OF_SLICES_pointer	0
#define __KTRACK_OF_SLICES_flow		1
#define __KTRACK_OF_SLICES_result	1
#define __KTRACK_OF_SLICES_symbol	0
#define __KTRACK_OF_SLICES_bits		0

/*
 * What begins or ends pass, by place. ktrack_given_CALL_EVENT_N has a size only if N values are
 * enough.
 */
#define __KTRACK_DEFINE_CALL(...)	__KTRACK_DEFINE_CALL_NOW(__VA_ARGS__)
#define __KTRACK_DEFINE_CALL_NOW(event, call, ...)				\
enum { ktrack_##call##_count_##event = __KTRACK_COUNT(__VA_ARGS__) };		\
extern struct ktrack_fits_##event						\
	__KTRACK_JOIN(ktrack_given_##call##_##event##_, __KTRACK_COUNT(__VA_ARGS__)); \
__KTRACK_EACH_PLACE(__KTRACK_DEFINE_CHECK, event, call##_##event, ##__VA_ARGS__)

#define __KTRACK_DEFINE_CHECK(event, call, place, kind, ctype, name)		\
enum {										\
	ktrack_wants_##call##_##place = __KTRACK_WANTS_##kind,			\
	ktrack_is_track_##call##_##place = __KTRACK_KIND_OF_##kind == __KTRACK_KIND_OF_track, \
};										\
extern struct ktrack_##call##_has_no_value_for_##name {			\
	__KTRACK_SAYS(event, #event " has no value for " #name			\
		      "; a call passes all, in the declared order")		\
} ktrack_given_##call##_##place;						\
extern __KTRACK_WRONG_##kind(event, call, name) ktrack_wrong_##call##_##place;	\
extern struct ktrack_##call##_cannot_format_##name {				\
	__KTRACK_SAYS(event, #event " cannot format " #name			\
		      "; only a name has a format, in a printf macro")		\
} ktrack_formatted_##call##_##place;

#define __KTRACK_WRONG_integer(event, call, name)				\
struct ktrack_##call##_wants_a_number_as_##name {				\
	__KTRACK_SAYS(event, #event " wants a number as " #name)		\
}
#define __KTRACK_WRONG_scope			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_cpu			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_async(event, call, name)				\
struct ktrack_##call##_wants_ktrack_id_as_##name {				\
	__KTRACK_SAYS(event, #event " wants a number as " #name			\
		      "; ktrack_id() makes one of a pointer")			\
}
#define __KTRACK_WRONG_text(event, call, name)				\
struct ktrack_##call##_wants_a_string_or_KTRACK_BYTES_or_KTRACK_TEXT_N_as_##name { \
	__KTRACK_SAYS(event, #event " wants a string as " #name			\
		      "; KTRACK_BYTES() and KTRACK_TEXT_N() take bytes")	\
}
#define __KTRACK_WRONG_track(event, call, name)				\
struct ktrack_##call##_wants_a_string_as_##name {				\
	__KTRACK_SAYS(event, #event " wants a string as " #name)		\
}
#define __KTRACK_WRONG_sized(event, call, name)				\
struct ktrack_##call##_wants_a_pointer_as_##name {				\
	__KTRACK_SAYS(event, #event " wants a pointer as " #name)		\
}
#define __KTRACK_WRONG_bytes			__KTRACK_WRONG_sized
#define __KTRACK_WRONG_pointer			__KTRACK_WRONG_sized
#define __KTRACK_WRONG_flow			__KTRACK_WRONG_async
#define __KTRACK_WRONG_result			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_symbol			__KTRACK_WRONG_integer
#define __KTRACK_WRONG_bits			__KTRACK_WRONG_integer

/* The first argument: a slice's name or a counter's value. */
#define __KTRACK_DEFINE_FIRST(event)						\
enum {										\
	ktrack_wants_##event##_name = __KTRACK_A_STRING,			\
	ktrack_wants_##event##_value = __KTRACK_A_NUMBER,			\
};										\
extern struct ktrack_##event##_wants_a_string_as_its_name {			\
	__KTRACK_SAYS(event, #event " wants a string as its name")		\
} ktrack_wrong_##event##_name;							\
extern struct ktrack_##event##_wants_a_number_as_its_value {			\
	__KTRACK_SAYS(event, #event " wants a number as its value")		\
} ktrack_wrong_##event##_value, ktrack_formatted_##event##_value;		\
extern struct ktrack_##event##_needs_a_printf_macro_for_its_name {		\
	__KTRACK_SAYS(event, #event " needs a printf macro for its name, such as " \
		      "ktrack_begin_printf()")					\
} ktrack_formatted_##event##_name;

/* A LIKE tracepoint and its class have the same kind, and the same attributes in the same order. */
#define __KTRACK_DEFINE_SAME(class, event, ...)					\
static_assert((int)event##_is_no_ktrack_tracepoint == (int)class##_is_no_ktrack_tracepoint,		\
	      #event ": a slice LIKE a counter, or a counter LIKE a slice: " #class); \
static_assert((int)ktrack_count_##event == (int)ktrack_count_##class,		\
	      #event ": LIKE a tracepoint with more or fewer attributes: " #class); \
__KTRACK_EACH_PLACE(__KTRACK_SAME_KIND, event, class, ##__VA_ARGS__)		\
										\
static __always_inline void							\
ktrack_same_##event(const struct ktrack_values_##class *first,			\
		    const struct ktrack_values_##event *second)			\
{										\
	__KTRACK_EACH_PLACE(__KTRACK_SAME, event, , ##__VA_ARGS__)		\
}

#define __KTRACK_SAME_KIND(event, class, place, kind, ctype, name, ...)		\
static_assert((int)ktrack_attribute_kind_##event##_##place == (int)ktrack_attribute_kind_##class##_##place, \
	      #event ": LIKE a tracepoint with another kind of attribute: " #name);

#define __KTRACK_SAME(event, of, place, kind, ctype, name, ...)			\
	__KTRACK_IF_END(kind, __KTRACK_SAME_MEMBER(event, name))
#define __KTRACK_SAME_MEMBER(event, name)					\
	static_assert(offsetof(typeof(*first), name) == offsetof(typeof(*second), name), \
		      #event ": LIKE a tracepoint with another order of attributes: " #name); \
	static_assert(__builtin_types_compatible_p(typeof(first->name),		\
						   typeof(second->name)),	\
		      #event ": LIKE a tracepoint with another type of attribute: " #name);

#ifdef __CHECKER__
#define __KTRACK_GIVEN(event, call, expression, ...)	(expression)
#define __KTRACK_CHECK_WORD(event, kind, ctype, name, ...)
#define __KTRACK_CHECK_KIND(call, event, kind)		static_assert(1, "")
#define __KTRACK_CHECK_NAME(event, given)		do { } while (0)
#define __KTRACK_CHECK_VALUE(event, given)		do { } while (0)
#define __KTRACK_CHECK_VALUES(event, call, ...)		do { } while (0)
#define __KTRACK_CHECK_SET(field, attribute, given)	static_assert(1, "")
#define __KTRACK_CHECK_KEPT(event, ...)
#else
/*
 * Expands to the expression. gcc skips it if it has reported in this function that there is no such
 * tracepoint, or that a call has too many values.
 */
#define __KTRACK_GIVEN(event, call, expression, ...)				\
	_Generic(event##_is_no_ktrack_tracepoint, default:			\
		 _Generic(&__KTRACK_JOIN(ktrack_given_##call##_##event##_,	\
					 __KTRACK_COUNT(__VA_ARGS__)), default: (expression)))

/* The name of a field may be a macro of the kernel, which has expanded: current is one. */
#define __KTRACK_CHECK_WORD(event, kind, ctype, name, ...)			\
static_assert(__builtin_strcmp(&("__" #name)[sizeof(#name) - 1], "()"),		\
	      #event ": the name of a field became " #name ", since it is a macro; choose another one");

/* Checks that @call fits the tracepoint. Allowed among declarations. */
#define __KTRACK_CHECK_KIND(call, event, kind)					\
	static_assert((int)event##_is_no_ktrack_tracepoint == __KTRACK_KIND_##kind,		\
		      call "(" #event "): " __KTRACK_IS_NOT_##kind)

#define __KTRACK_IS_NOT_SLICE	"declared by KTRACK_COUNTER(); use ktrack_sample()"
#define __KTRACK_IS_NOT_COUNTER	"declared by KTRACK_SLICE(); use ktrack_begin() or ktrack_guard()"

/* Checks that a slice's name is a string, and a counter's value a number. */
#define __KTRACK_CHECK_NAME(event, given)	__KTRACK_CHECK_FIRST(event, event##_name, given)
#define __KTRACK_CHECK_VALUE(event, given)	__KTRACK_CHECK_FIRST(event, event##_value, given)
#define __KTRACK_CHECK_FIRST(event, place, given) \
	_Generic(event##_is_no_ktrack_tracepoint, default: __KTRACK_CHECK_ONE(event, place, given))

/*
 * Checks that each attribute has a value, which is a string or a number as declared. @call is
 * begin or end.
 */
#define __KTRACK_CHECK_VALUES(event, call, ...)					\
do {										\
	static_assert(__KTRACK_COUNT(__VA_ARGS__) <= (int)ktrack_##call##_count_##event, \
		      #event ": more values than attributes (an end has no name, and only an " \
		      "end has a KTRACK_RESULT(); no call has a KTRACK_SCOPE_GLOBAL)");	\
	(void)sizeof(__KTRACK_GIVEN(event, call,				\
				    __KTRACK_JOIN(ktrack_given_##call##_##event##_, \
						  __KTRACK_COUNT(__VA_ARGS__)).event, ##__VA_ARGS__)); \
	__KTRACK_GIVEN(event, call,						\
		       (void)0 __KTRACK_NUMBERED(__KTRACK_CHECK_EACH, (event, call), ##__VA_ARGS__), \
		       ##__VA_ARGS__);						\
} while (0)

#define __KTRACK_CHECK_EACH(about, place, given) \
	__KTRACK_CHECK_EACH_OF(__KTRACK_BARE about, place, given)
#define __KTRACK_CHECK_EACH_OF(...)	__KTRACK_CHECK_EACH_NOW(__VA_ARGS__)
#define __KTRACK_CHECK_EACH_NOW(event, call, place, given) \
	, __KTRACK_CHECK_ONE(event, call##_##event##_##place, given)

/* sizeof evaluates nothing. */
#define __KTRACK_CHECK_ONE(event, place, given)					\
	(void)sizeof(__builtin_choose_expr(__KTRACK_IS_FORMATTED(given),	\
		&ktrack_formatted_##place,					\
		__builtin_choose_expr(__KTRACK_IS_RIGHT(ktrack_wants_##place, given), \
				      (struct ktrack_fits_##event *)0,		\
				      &ktrack_wrong_##place))->event)

#define __KTRACK_IS_RIGHT(wanted, given)					\
	((wanted) == __KTRACK_A_STRING ? __KTRACK_IS_STRING(given) :		\
	 __KTRACK_IS_POINTER(given) == ((wanted) == __KTRACK_A_POINTER))
#define __KTRACK_IS_STRING(given)						\
	_Generic((given), char *: 1, const char *: 1, void *: 1, const void *: 1, default: 0)

/* Checks that the name of a guard's track, which its end reads again, does not change. */
#define __KTRACK_CHECK_KEPT(event, ...) \
	__KTRACK_NUMBERED(__KTRACK_CHECK_KEPT_ONE, event, ##__VA_ARGS__)
#define __KTRACK_CHECK_KEPT_ONE(event, place, given)				\
	static_assert(!ktrack_is_track_begin_##event##_##place ||		\
		      __builtin_constant_p(given) ||				\
		      _Generic((given), const void *: 1, default: 0),		\
		      #event ": the track name of a guard is a literal or KTRACK_STATIC(text); " \
		      "ktrack_guard_copy() takes others");

/*
 * Whether a value is a format with arguments in parentheses, as the printf macros take: a list
 * that begins with a quotation mark. Otherwise it would be a comma expression.
 */
#define __KTRACK_IS_FORMATTED(given)	__KTRACK_SECOND(__KTRACK_FORMATTED given, 0, _)
#define __KTRACK_FORMATTED(first, ...) \
	_, !__builtin_strncmp(#first, "\"", 1) && sizeof(#__VA_ARGS__) > 1,

/* Checks that the value of ktrack_guard_set() is a string or a number like the attribute. */
#define __KTRACK_CHECK_SET(field, attribute, given)				\
	static_assert(!__KTRACK_IS_FORMATTED(given),				\
		      "ktrack_guard_set(): cannot format " field);		\
	static_assert(__KTRACK_IS_POINTER(attribute) == __KTRACK_IS_POINTER(given), \
		      "ktrack_guard_set(): a number for a string, or a string for a number: " field)

#define __KTRACK_IS_POINTER(given) \
	(__builtin_classify_type(given) == __KTRACK_CLASS_POINTER)
#endif

#endif
