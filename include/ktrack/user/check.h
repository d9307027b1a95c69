/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Compile-time checks of declarations and calls, in words that name the event and the attribute.
 *
 * A static assertion in a call cannot print the names of attributes: only the declaration has them.
 * So the declaration has a member for each possible mistake, with the sentence as the reason why it
 * is unavailable, and a wrong call names that member, and nothing else that could be wrong.
 *
 * checkpatch reports COMPLEX_MACRO, CONSTANT_COMPARISON, FUNCTION_ARGUMENTS, MACRO_ARG_UNUSED,
 * MACRO_WITH_FLOW_CONTROL, MULTISTATEMENT_MACRO_USE_DO_WHILE, NEW_TYPEDEFS,
 * PREFER_DEFINED_ATTRIBUTE_MACRO, SPACING, TRAILING_SEMICOLON, TRAILING_STATEMENTS: these macros make
 * declarations and statements, some of them empty, from tuples of which each uses a part; an unknown
 * type has one error; programs do not have the kernel's macros; it takes C++ for C.
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

/*
 * Checks that a declaration is one: if it is not, all calls of it are right. An attribute that is
 * misspelled does not expand to a tuple.
 */
#define __KTRACK_CHECK_LIST(event, ...)						\
	__KTRACK_NUMBERED(__KTRACK_CHECK_TUPLE, event, ##__VA_ARGS__)		\
	__KTRACK_ASSERT(__KTRACK_COUNT(_, ##__VA_ARGS__) <= 10, #event ": ten attributes at most");
#define __KTRACK_CHECK_TUPLE(event, place, attribute) \
	__KTRACK_ASSERT(__KTRACK_IS_TUPLE(attribute), #event ": no attribute: " #attribute);
#define __KTRACK_IS_TUPLE(item)		__KTRACK_SECOND(__KTRACK_TUPLE item, 0, _)
#define __KTRACK_TUPLE(...)		_, 1
#define __KTRACK_CHECK_TYPE(event, ctype) \
	__KTRACK_ASSERT(!__KTRACK_IS_TUPLE(ctype), #event ": the type of a counter follows its name");
#define __KTRACK_IS_COUNTER_0		__KTRACK_IS_LIST
#define __KTRACK_IS_COUNTER_1(...)	0

/* 1 if each of at most ten items is a tuple. */
#define __KTRACK_IS_LIST(event, ...)						\
	__KTRACK_JOIN(__KTRACK_IS_LIST_OF_,					\
		      __KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_SIZE_, __KTRACK_COUNT(_, ##__VA_ARGS__)), \
				      few, _))(event, ##__VA_ARGS__)
#define __KTRACK_SIZE_11		_, many
#define __KTRACK_IS_LIST_OF_many(...)	0
#define __KTRACK_IS_LIST_OF_few(event, ...) \
	__KTRACK_NO_MORE(_ __KTRACK_NUMBERED(__KTRACK_IF_NO_TUPLE, , ##__VA_ARGS__))
#define __KTRACK_NO_MORE(...)		__KTRACK_NO_MORE_THAN(__VA_ARGS__)
#define __KTRACK_NO_MORE_THAN(first, ...) \
	__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_NO_MORE_, __KTRACK_COUNT(_, ##__VA_ARGS__)), 0, _)
#define __KTRACK_NO_MORE_0		_, 1
#define __KTRACK_IF_NO_TUPLE(about, place, attribute) \
	__KTRACK_JOIN(__KTRACK_IF_TUPLE_, __KTRACK_IS_TUPLE(attribute))
#define __KTRACK_IF_TUPLE_0		, _
#define __KTRACK_IF_TUPLE_1

/*
 * A second use of the word is an error: it is unavailable since the first one. clang says no more
 * about the program then.
 */
#ifdef __clang__
#define __KTRACK_ONCE(word, text)						\
	_Pragma("clang diagnostic push")					\
	_Pragma("clang diagnostic fatal \"-Wdeprecated-declarations\"")		\
	extern char word;							\
	__KTRACK_ASSERT(sizeof(word), "");					\
	_Pragma("clang diagnostic pop")						\
	extern char word __attribute__((deprecated(text)));
#else
#define __KTRACK_ONCE(word, text)						\
	extern char word;							\
	__KTRACK_ASSERT(sizeof(word), "");					\
	extern char word __KTRACK_SAYS(text);
#endif

/* An unknown type has one error: behind its typedef it is an int, in g++ if its type is asked for. */
#if defined(__cplusplus) && !defined(__clang__)
#define __KTRACK_TYPE(ctype)		__typeof__(ctype)
#else
#define __KTRACK_TYPE(ctype)		ctype
#endif

/* Checks a declaration: the types of its attributes, and their names among those of the record. */
#define __KTRACK_CHECK_EVENT(event, ...)					\
	__KTRACK_ONCE(event##_is_declared_twice,				\
		      #event ": declared before; events are declared once, in a header with a guard") \
	__KTRACK_EACH_PLACE(__KTRACK_NAME_ONCE, event, , ##__VA_ARGS__)		\
	__KTRACK_ASSERT(0 __KTRACK_EACH(__KTRACK_PLUS_RESULT, ##__VA_ARGS__) <= 1, \
			#event ": has more than one KTRACK_RESULT()");		\
	__KTRACK_ASSERT(!(0 __KTRACK_EACH(__KTRACK_PLUS_GLOBAL, ##__VA_ARGS__)) || \
			(0 __KTRACK_EACH(__KTRACK_PLUS_SCOPE, ##__VA_ARGS__)) == 1, \
			#event ": KTRACK_SCOPE_GLOBAL excludes other scopes and KTRACK_ASYNC()"); \
	__KTRACK_EACH_PLACE(__KTRACK_CHECK_ATTRIBUTE, event, , ##__VA_ARGS__)
#define __KTRACK_NAME_ONCE(event, of, place, kind, ctype, name, text, ...)	\
	__KTRACK_ONCE(event##_has_twice_##name, #event ": two attributes are called " text) \
	typedef __KTRACK_TYPE(ctype) event##_ktrack_type_##place;
#define __KTRACK_TYPED(event, of, place, kind, ctype, ...) \
	, (kind, event##_ktrack_type_##place, __VA_ARGS__)

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
	__KTRACK_CHECK_EVENT(event, ##__VA_ARGS__)				\
	typedef __KTRACK_TYPE(ctype) event##_ktrack_type;			\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(event##_ktrack_type) ||		\
			__KTRACK_IS_FLOATING(event##_ktrack_type),		\
			#event ": the counter is not of an integer type, double or float: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, #event)					\
	__KTRACK_ASSERT((0 __KTRACK_EACH(__KTRACK_PLUS_OF_SLICES, ##__VA_ARGS__)) == 0, \
			#event ": a counter has no KTRACK_ASYNC(), KTRACK_FLOW() or KTRACK_RESULT()");

#define __KTRACK_CHECK_ATTRIBUTE(event, of, place, kind, ctype, name, text, ...) \
	__KTRACK_OF(CHECK, kind)(__KTRACK_MAY_FLOAT(kind),			\
				 event##_ktrack_type_##place, ctype, #event ": " text, ##__VA_ARGS__) \
	__KTRACK_ASSERT(__KTRACK_SECOND(__KTRACK_HAS_OWN_NAME_##kind, 0, _) || __KTRACK_IS_FREE(text), \
			#event ": " text " is a field of every record");
#define __KTRACK_CHECK_NOTHING(...)
#define __KTRACK_CHECK_ADDRESS(...)
#define __KTRACK_CHECK_STRING(...)
#define __KTRACK_CHECK_NUMBER(may_float, type, ctype, text) \
	__KTRACK_JOIN(__KTRACK_CHECK_NUMBER_, may_float)(type, ctype, text)
#define __KTRACK_CHECK_NUMBER_0(type, ctype, text)				\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(type), text " is not of an integer type: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, text)
#define __KTRACK_CHECK_NUMBER_1(type, ctype, text)				\
	__KTRACK_ASSERT(__KTRACK_IS_INTEGER(type) || __KTRACK_IS_FLOATING(type), \
			text " is not of an integer type, double or float: " #ctype); \
	__KTRACK_CHECK_ORDER(ctype, text)
/* Types such as __be32 and __le16, whose numbers would be shown as if they were the CPU's. */
#define __KTRACK_CHECK_ORDER(ctype, text)					\
	__KTRACK_ASSERT(__builtin_strncmp(#ctype, "__be", 4) && __builtin_strncmp(#ctype, "__le", 4), \
			text " would have the wrong byte order: " #ctype	\
			"; declare a number of the CPU, and pass be32toh() or the like");
#define __KTRACK_CHECK_SYMBOL(may_float, type, ctype, text, ...) \
	__KTRACK_CHECK_NUMBER_0(type, ctype, text)
#define __KTRACK_CHECK_ARRAY(may_float, type, ctype, text, size) \
	__KTRACK_ASSERT((size) > 0, text ": KTRACK_TEXT_N() without bytes");
#define __KTRACK_CHECK_BYTES(may_float, type, ctype, text, size) \
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

/* What a mistake's use prints; older compilers warn, and refuse to call the function below. */
#if __has_attribute(unavailable)
#define __KTRACK_SAYS(text)	__attribute__((unavailable(text)))
#else
#define __KTRACK_SAYS(text)	__attribute__((deprecated(text)))
#endif
#define __KTRACK_REFUSED	__attribute__((error("no call of ktrack: its values do not fit")))

#define __KTRACK_SAYS_OTHER_SLICE(event) \
	__KTRACK_SAYS(#event ": declared by KTRACK_SLICE(); use ktrack_begin() or ktrack_guard()")
#define __KTRACK_SAYS_OTHER_COUNTER(event) \
	__KTRACK_SAYS(#event ": declared by KTRACK_COUNTER(); use ktrack_sample()")
#define __KTRACK_SAYS_FIRST_SLICE(event) \
	__KTRACK_SAYS(#event " wants a string as its name, a _printf call a format in "	\
		      "parentheses")
#define __KTRACK_SAYS_FIRST_COUNTER(event) \
	__KTRACK_SAYS(#event " wants a number as its value")
#define __KTRACK_SAYS_SPARE(event)						\
	__KTRACK_SAYS(#event ": more values than attributes (an end has no name, and only an end " \
		      "has a KTRACK_RESULT(); no call has a KTRACK_SCOPE_GLOBAL; a format and its " \
		      "arguments are in parentheses)")
#define __KTRACK_SAYS_MISSING(event, text) \
	__KTRACK_SAYS(#event " has no value for " text "; a call passes all, in the declared order")
#define __KTRACK_SAYS_WRONG(event, kind, text) \
	__KTRACK_SAYS(#event " wants " __KTRACK_SECOND(__KTRACK_WANTED_ID_##kind,	\
						       __KTRACK_OF(WANTED, kind), _)(text))
#define __KTRACK_WANTED_NUMBER(text)	"a number as " text
#define __KTRACK_WANTED_SYMBOL		__KTRACK_WANTED_NUMBER
#define __KTRACK_WANTED_STRING(text) \
	"a string as " text "; KTRACK_BYTES() and KTRACK_TEXT_N() take bytes"
#define __KTRACK_WANTED_ARRAY(text)	"a pointer as " text
#define __KTRACK_WANTED_BYTES		__KTRACK_WANTED_ARRAY
#define __KTRACK_WANTED_ADDRESS		__KTRACK_WANTED_ARRAY
#define __KTRACK_WANTED_ID(text)	"a number as " text "; ktrack_id() makes one of a pointer"
#define __KTRACK_WANTED_ID_async	_, __KTRACK_WANTED_ID
#define __KTRACK_WANTED_ID_flow		_, __KTRACK_WANTED_ID
#define __KTRACK_UNKEPT(event)							\
	#event ": the track name of a guard is a literal or KTRACK_STATIC(text); "	\
	"ktrack_guard_copy() takes others"

/* What a value is, in two bits for each place. */
#define __KTRACK_A_NUMBER		0
#define __KTRACK_A_STRING		1
#define __KTRACK_A_POINTER		2
#define __KTRACK_A_TRACK		3
/* A number of a type that is refused is what its declaration says. */
#define __KTRACK_WANTS_NUMBER(ctype) \
	(__KTRACK_IS_POINTER(*(ctype *)0) ? __KTRACK_A_POINTER : __KTRACK_A_NUMBER)
#define __KTRACK_WANTS_SYMBOL		__KTRACK_WANTS_NUMBER
#define __KTRACK_WANTS_STRING(ctype)	__KTRACK_A_STRING
#define __KTRACK_WANTS_ARRAY(ctype)	__KTRACK_A_POINTER
#define __KTRACK_WANTS_BYTES		__KTRACK_WANTS_ARRAY
#define __KTRACK_WANTS_ADDRESS		__KTRACK_WANTS_ARRAY
#define __KTRACK_IS_TRACK_track		_, __KTRACK_A_TRACK
#define __KTRACK_PLUS_WANTS(about, place, attribute) \
	__KTRACK_PLUS_WANTS_OF(place, __KTRACK_BARE attribute)
#define __KTRACK_PLUS_WANTS_OF(...)	__KTRACK_PLUS_WANTS_NOW(__VA_ARGS__)
#define __KTRACK_PLUS_WANTS_NOW(place, kind, ctype, ...)			\
	+ (__KTRACK_SECOND(__KTRACK_IS_TRACK_##kind, __KTRACK_OF(WANTS, kind)(ctype), _) \
	   << 2 * (place))

/* Expands to apply(event, of, PLACE, kind, ...) for each attribute, PLACE from 0. */
#define __KTRACK_EACH_PLACE(apply, event, of, ...) \
	__KTRACK_NUMBERED(__KTRACK_PLACE_TO, (apply, event, of), ##__VA_ARGS__)
#define __KTRACK_PLACE_TO(about, place, attribute) \
	__KTRACK_PLACE_TO_OF(__KTRACK_BARE about, place, __KTRACK_BARE attribute)
#define __KTRACK_PLACE_TO_OF(...)	__KTRACK_PLACE_TO_NOW(__VA_ARGS__)
#define __KTRACK_PLACE_TO_NOW(apply, event, of, ...)	apply(event, of, __VA_ARGS__)

/* As __KTRACK_EACH(), with a name of the place, so that two of one name are no error. */
#define __KTRACK_EACH_UNNAMED(apply, ...) \
	__KTRACK_EACH_PLACE(__KTRACK_UNNAMED_TO, apply, , ##__VA_ARGS__)
#define __KTRACK_UNNAMED_TO(apply, of, place, kind, ctype, name, ...) \
	apply(kind, ctype, __ktrack_##place, __VA_ARGS__)

/* The first mistake of a call is reported; the rest of it is not read. */
#define __KTRACK_DEFINE_CALL(...)	__KTRACK_DEFINE_CALL_NOW(__VA_ARGS__)

#ifdef __cplusplus
#define __KTRACK_IS_ARITHMETIC(ctype)						\
	(!__is_enum(ctype) &&							\
	 (__KTRACK_IS_INTEGER(ctype) || __KTRACK_IS_FLOATING(ctype)))

extern "C++" {
/* Numbers convert without a second warning. */
template <typename T, bool is_number> struct ktrack_user_wide {
	using type = T;
};
template <typename T> struct ktrack_user_wide<T, true> {
	using type = long double;
};

struct ktrack_user_any {
};
template <int> struct ktrack_user_number : ktrack_user_any {
};

/* What follows a mistake. */
struct ktrack_user_deaf {
	ktrack_user_deaf &begin_count(ktrack_user_any) const;
	ktrack_user_deaf &begin_value(ktrack_user_any, ...) const;
	ktrack_user_deaf &end_count(ktrack_user_any) const;
	ktrack_user_deaf &end_value(ktrack_user_any, ...) const;
	ktrack_user_deaf &first(ktrack_user_any, ...) const;
};
}

/* Members of the event's class, among which a call finds its mistake. They are not called. */
#define __KTRACK_DEFINE_CALLS(event, event_kind, first_type, ...)		\
struct event##_ktrack_calls {							\
	using calls = event##_ktrack_calls;					\
	calls &kind(ktrack_user_number<KTRACK_USER_##event_kind>) const;	\
	__KTRACK_SAYS_OTHER_##event_kind(event) ktrack_user_deaf &kind(ktrack_user_any) const; \
	__KTRACK_DEFINE_TAKEN(first, KTRACK_USER_##event_kind, first_type,	\
			      __KTRACK_SAYS_FIRST_##event_kind(event))		\
	__KTRACK_DEFINE_CALL(event, begin __KTRACK_EACH(__KTRACK_BEGIN_ITEM, ##__VA_ARGS__)) \
	__KTRACK_DEFINE_CALL(event, end __KTRACK_EACH(__KTRACK_END_ITEM, ##__VA_ARGS__)) \
};
#define __KTRACK_DEFINE_CALL_NOW(event, of, ...)				\
	static char of##_wants[1 __KTRACK_NUMBERED(__KTRACK_PLUS_WANTS, , ##__VA_ARGS__)]; \
	calls &of##_count(ktrack_user_number<__KTRACK_COUNT(_, ##__VA_ARGS__)>) const; \
	__KTRACK_SAYS_SPARE(event) ktrack_user_deaf &of##_count(ktrack_user_any) const; \
	__KTRACK_EACH_PLACE(__KTRACK_DEFINE_PLACE, event, of, ##__VA_ARGS__)
#define __KTRACK_DEFINE_PLACE(event, of, place, kind, ctype, name, text, ...)	\
	__KTRACK_SAYS_MISSING(event, text)					\
	ktrack_user_deaf &of##_count(ktrack_user_number<place>) const;		\
	__KTRACK_DEFINE_TAKEN(of##_value, place, ctype, __KTRACK_SAYS_WRONG(event, kind, text))
#define __KTRACK_DEFINE_TAKEN(function, place, ctype, says)			\
	calls &function(ktrack_user_number<place>,				\
			ktrack_user_wide<ctype, __KTRACK_IS_ARITHMETIC(ctype)>::type) const; \
	says ktrack_user_deaf &function(ktrack_user_number<place>, ...) const;

/* The pointer is to the event's class; where there is none, compilers report it once. */
#define __KTRACK_CHECK(fits, event, ...)					\
	auto *fits = false ? &event##_is_no_ktrack_event : nullptr;		\
	__KTRACK_CHECK_BY(fits, event, __VA_ARGS__)
#define __KTRACK_CHECK_BY(fits, event, event_kind, of, keeps, first, ...)	\
	do {									\
		if (0)								\
			fits->kind(ktrack_user_number<KTRACK_USER_##event_kind>()) \
			.of##_count(ktrack_user_number<__KTRACK_COUNT(_, ##__VA_ARGS__)>()) first \
			__KTRACK_NUMBERED(__KTRACK_CHECK_PLACE, of, ##__VA_ARGS__); \
		__KTRACK_JOIN(__KTRACK_CHECK_KEPT_, keeps)(fits, event, of, ##__VA_ARGS__) \
	} while (0)
#define __KTRACK_CHECK_PLACE(of, place, given) \
	.of##_value(ktrack_user_number<place>(), given)
#define __KTRACK_CHECK_KEPT_0(fits, event, of, ...)
#define __KTRACK_CHECK_KEPT_1(fits, event, of, ...) \
	__KTRACK_NUMBERED(__KTRACK_CHECK_KEPT, (fits, event, of), ##__VA_ARGS__)
#define __KTRACK_CHECK_KEPT(about, place, given) \
	__KTRACK_CHECK_KEPT_OF(__KTRACK_BARE about, place, given)
#define __KTRACK_CHECK_KEPT_OF(...)	__KTRACK_CHECK_KEPT_NOW(__VA_ARGS__)
#define __KTRACK_CHECK_KEPT_NOW(fits, event, of, place, given) \
	__KTRACK_ASSERT(!__KTRACK_LETS_1(fits->of##_wants, place, given), __KTRACK_UNKEPT(event));
#define __KTRACK_NAME(given)		.first(ktrack_user_number<KTRACK_USER_SLICE>(), given)
#define __KTRACK_FORMATTED(name) \
	__KTRACK_NAME(__KTRACK_JOIN(__KTRACK_FORMATTED_, __KTRACK_IS_TUPLE(name)))
#define __KTRACK_FORMATTED_0		0.0
#define __KTRACK_FORMATTED_1		""
#define __KTRACK_SAMPLE(given)		.first(ktrack_user_number<KTRACK_USER_COUNTER>(), given)
#define __KTRACK_NO_NAME
#define __KTRACK_KNOWN(fits, event, expression)	expression
#define __KTRACK_CALL(fits, event, function)	fits->function

#define __KTRACK_IS_STATIC(given) \
	(__builtin_constant_p(given) || ktrack_user_kept<__typeof__(given)>::is_static)
#else
struct ktrack_user_fits {
	char fits;
};

/* The member has the event's name, so that compilers show where the call has it, and no macro. */
#define __KTRACK_DEFINE_CALLS(event, event_kind, first_type, ...)		\
struct event##_ktrack_fits {							\
	struct ktrack_user_fits event;						\
};										\
struct event##_ktrack_other {							\
	char event __KTRACK_SAYS_OTHER_##event_kind(event);			\
};										\
struct event##_ktrack_spare {							\
	char event __KTRACK_SAYS_SPARE(event);					\
};										\
struct event##_ktrack_first {							\
	char event __KTRACK_SAYS_FIRST_##event_kind(event);			\
};										\
struct event##_ktrack_unkept {							\
	char event __KTRACK_SAYS(__KTRACK_UNKEPT(event));			\
};										\
__KTRACK_EACH_PLACE_OF(event, begin __KTRACK_EACH(__KTRACK_BEGIN_ITEM, ##__VA_ARGS__)) \
__KTRACK_EACH_PLACE_OF(event, end __KTRACK_EACH(__KTRACK_END_ITEM, ##__VA_ARGS__)) \
extern struct event##_is_no_ktrack_event {					\
	char kind[KTRACK_USER_##event_kind];					\
	__KTRACK_DEFINE_CALL(begin __KTRACK_EACH(__KTRACK_BEGIN_ITEM, ##__VA_ARGS__)) \
	__KTRACK_DEFINE_CALL(end __KTRACK_EACH(__KTRACK_END_ITEM, ##__VA_ARGS__)) \
} event##_is_no_ktrack_event;
#define __KTRACK_DEFINE_CALL_NOW(of, ...)					\
	char of##_count[1 + __KTRACK_COUNT(_, ##__VA_ARGS__)];			\
	char of##_wants[1 __KTRACK_NUMBERED(__KTRACK_PLUS_WANTS, , ##__VA_ARGS__)];
#define __KTRACK_EACH_PLACE_OF(...)	__KTRACK_EACH_PLACE_NOW(__VA_ARGS__)
#define __KTRACK_EACH_PLACE_NOW(event, of, ...) \
	__KTRACK_EACH_PLACE(__KTRACK_DEFINE_PLACE, event, of, ##__VA_ARGS__)
#define __KTRACK_DEFINE_PLACE(event, of, place, kind, ctype, name, text, ...)	\
struct event##_ktrack_missing_##of##_##place {					\
	char event __KTRACK_SAYS_MISSING(event, text);				\
};										\
struct event##_ktrack_wrong_##of##_##place {					\
	char event __KTRACK_SAYS_WRONG(event, kind, text);			\
};

/*
 * The variable is struct ktrack_user_fits if the call fits. Compilers skip the rest of a _Generic
 * that begins with an event that is not declared. gcc reports a variable once in a function. clang
 * would take one with a similar name, but not a struct.
 */
#define __KTRACK_EVENT(event)	(*(struct event##_is_no_ktrack_event *)0)
#ifdef __clang__
#define __KTRACK_IS_EVENT(event)	sizeof(struct event##_is_no_ktrack_event)
#define __KTRACK_AGAIN(known, event)	known
#else
#define __KTRACK_IS_EVENT(event)	(&event##_is_no_ktrack_event)
#define __KTRACK_AGAIN(known, event)	__KTRACK_IS_EVENT(event)
#endif
#define __KTRACK_KNOWN(known, event, expression) \
	_Generic(__KTRACK_AGAIN(known, event), default: (expression))
#define __KTRACK_CHECK(fits, event, ...) \
	__KTRACK_CHECK_IF(__KTRACK_IS_EVENT(event), fits, event, __VA_ARGS__)
#define __KTRACK_CHECK_IF(known, fits, event, event_kind, of, keeps, first, ...)	\
	__typeof__(_Generic(known, default:					\
		__KTRACK_PICK(sizeof(__KTRACK_EVENT(event).kind) != KTRACK_USER_##event_kind, \
			      event##_ktrack_other,				\
		__KTRACK_PICK(__KTRACK_COUNT(_, ##__VA_ARGS__) >=		\
			      sizeof(__KTRACK_EVENT(event).of##_count), event##_ktrack_spare, \
		__KTRACK_PICK(__KTRACK_COUNT(_, ##__VA_ARGS__) + 1 <		\
			      sizeof(__KTRACK_EVENT(event).of##_count),	\
			      __KTRACK_JOIN(event##_ktrack_missing_##of##_,	\
					    __KTRACK_COUNT(_, ##__VA_ARGS__)),	\
		__KTRACK_PICK(!(first), event##_ktrack_first,			\
		__KTRACK_NUMBERED(__KTRACK_CHECK_PLACE, (event, of, keeps), ##__VA_ARGS__) \
		(struct event##_ktrack_fits *)0					\
		__KTRACK_NUMBERED(__KTRACK_CLOSE_PLACE, , ##__VA_ARGS__)))))->event)) \
	fits __attribute__((unused))
#define __KTRACK_PICK(is_mistake, mistake, otherwise) \
	__builtin_choose_expr(is_mistake, (struct mistake *)0, otherwise)
#define __KTRACK_CHECK_PLACE(about, place, given) \
	__KTRACK_CHECK_PLACE_OF(__KTRACK_BARE about, place, given)
#define __KTRACK_CHECK_PLACE_OF(...)	__KTRACK_CHECK_PLACE_NOW(__VA_ARGS__)
#define __KTRACK_CHECK_PLACE_NOW(event, of, keeps, place, given)		\
	__builtin_choose_expr(!__KTRACK_IS_RIGHT(__KTRACK_WANTED(__KTRACK_EVENT(event).of##_wants, \
								 place), given), \
			      (struct event##_ktrack_wrong_##of##_##place *)0,	\
	__builtin_choose_expr(__KTRACK_LETS_##keeps(__KTRACK_EVENT(event).of##_wants, place, \
						    given), (struct event##_ktrack_unkept *)0,
#define __KTRACK_CLOSE_PLACE(about, place, given)	))
#define __KTRACK_NAME(given)		__KTRACK_IS_STRING(given)
#define __KTRACK_FORMATTED(name)	__KTRACK_IS_TUPLE(name)
#define __KTRACK_SAMPLE(given)		(!__KTRACK_IS_POINTER(given))
#define __KTRACK_NO_NAME		1
#define __KTRACK_CALL(fits, event, function)					\
	__KTRACK_KNOWN(fits, event,						\
		       _Generic(fits, struct ktrack_user_fits: &event##_ktrack_##function, \
				default: &event##_ktrack_refused))

#define __KTRACK_IS_RIGHT(wanted, given)					\
	((wanted) % 2 ? __KTRACK_IS_STRING(given) :				\
	 __KTRACK_IS_POINTER(given) == ((wanted) == __KTRACK_A_POINTER))
#define __KTRACK_IS_STRING(given)						\
	_Generic((given), char *: 1, const char *: 1, void *: 1, const void *: 1, default: 0)
#define __KTRACK_IS_STATIC(given) \
	(__builtin_constant_p(given) || _Generic((given), const void *: 1, default: 0))
#endif

#define __KTRACK_WANTED(wants, place)	((sizeof(wants) - 1) >> 2 * (place) & 3)

/* Whether the name of a guard's track, which its end reads again, may have changed by then. */
#define __KTRACK_LETS_0(wants, place, given)	0
#define __KTRACK_LETS_1(wants, place, given) \
	(__KTRACK_WANTED(wants, place) == __KTRACK_A_TRACK && !__KTRACK_IS_STATIC(given))

/* Assigns a string or a number to an attribute that is one. */
#ifdef __cplusplus
#define __KTRACK_SET(attribute, given, says)					\
	do {									\
		struct __ktrack_set {						\
			__typeof__(attribute) to(int, __typeof__(attribute) __given) const \
			{							\
				return __given;					\
			}							\
			__KTRACK_SAYS(says) __typeof__(attribute) to(int, ...) const; \
		};								\
		attribute = __ktrack_set().to(0, given);			\
	} while (0)
#else
#define __KTRACK_SET(attribute, given, says)					\
	do {									\
		__KTRACK_ASSERT(__KTRACK_IS_POINTER(attribute) == __KTRACK_IS_POINTER(given), says); \
		attribute = __builtin_choose_expr(__KTRACK_IS_POINTER(attribute) ==	\
						  __KTRACK_IS_POINTER(given), given, attribute); \
	} while (0)
#endif

#endif
