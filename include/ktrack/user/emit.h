/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Defines the functions of an event, which write its records.
 *
 * checkpatch reports ARRAY_SIZE, COMPLEX_MACRO, FUNCTION_ARGUMENTS, MACRO_ARG_UNUSED,
 * MACRO_WITH_FLOW_CONTROL, MULTISTATEMENT_MACRO_USE_DO_WHILE, PREFER_DEFINED_ATTRIBUTE_MACRO, SPACING,
 * TRAILING_SEMICOLON: these macros make members, parameters and functions, which cannot be put in
 * parentheses or in a do-while; what is not defined takes anything; and programs do not have the
 * kernel's macros.
 */
#ifndef KTRACK_USER_EMIT_H
#define KTRACK_USER_EMIT_H

#pragma GCC system_header

#include <stddef.h>

#include "attribute.h"
#include "check.h"
#include "describe.h"
#include "ring.h"
#include "select.h"
#include "text.h"

/* Values of a record's track_event_type. */
#define KTRACK_TYPE_BEGIN	66 /* 'B' begins a slice */
#define KTRACK_TYPE_END		69 /* 'E' ends the track's innermost open slice */
#define KTRACK_TYPE_INSTANT	73 /* 'I' is a point in time */

#define __KTRACK_OUT_OF_LINE	__attribute__((noinline, unused))
#define __KTRACK_INLINE		inline __attribute__((always_inline, unused))

static inline uint64_t ktrack_user_address(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* The members of the record that ktrack stores. */
#define __KTRACK_MEMBER(kind, ctype, name, ...)	__KTRACK_OF(MEMBER, kind)(ctype, name, ##__VA_ARGS__)
#define __KTRACK_MEMBER_NOTHING(ctype, name, ...)
#define __KTRACK_MEMBER_NUMBER(ctype, name, ...)	ctype name;
#define __KTRACK_MEMBER_SYMBOL			__KTRACK_MEMBER_NUMBER
#define __KTRACK_MEMBER_ADDRESS(ctype, name, ...)	uint64_t name;
#define __KTRACK_MEMBER_STRING(ctype, name, ...)	uint32_t name;
#define __KTRACK_MEMBER_ARRAY			__KTRACK_MEMBER_STRING
#define __KTRACK_MEMBER_BYTES(ctype, name, text, size)	unsigned char name[size];

/* The texts of its values. */
#define __KTRACK_VALUES(kind, ctype, name, ...)	__KTRACK_OF(VALUES, kind)(name, ##__VA_ARGS__)
#define __KTRACK_VALUES_NOTHING(...)
#define __KTRACK_VALUES_NUMBER(...)
#define __KTRACK_VALUES_ADDRESS(...)
#define __KTRACK_VALUES_STRING(...)
#define __KTRACK_VALUES_ARRAY(...)
#define __KTRACK_VALUES_BYTES(...)
#define __KTRACK_VALUES_SYMBOL(name, text, ...) \
	static const struct ktrack_user_value __values_##name[] = { __VA_ARGS__ };

/* Its description. */
#define __KTRACK_ABOUT(kind, ctype, name, text, ...)				\
	{ text, __KTRACK_OF(ABOUT, kind)(ctype, name),				\
	  __KTRACK_JOIN(__KTRACK_KIND_, __KTRACK_MAY_FLOAT(kind))(ctype, __KTRACK_KIND_##kind) },
#define __KTRACK_KIND_0(ctype, kind)		kind
#define __KTRACK_KIND_1(ctype, kind) \
	(__KTRACK_IS_FLOATING(ctype) ? KTRACK_USER_FLOATING : kind)
#define __KTRACK_ABOUT_NOTHING(ctype, name)	NULL, 0, 0, 0, 0
#define __KTRACK_ABOUT_NUMBER(ctype, name) \
	NULL, 0, __KTRACK_PLACE(name), (ctype)-1 < (ctype)1
#define __KTRACK_ABOUT_SYMBOL(ctype, name)					\
	__values_##name, sizeof(__values_##name) / sizeof(__values_##name[0]),	\
	__KTRACK_PLACE(name), (ctype)-1 < (ctype)1
#define __KTRACK_ABOUT_ADDRESS(ctype, name)	NULL, 0, __KTRACK_PLACE(name), 0
#define __KTRACK_ABOUT_STRING			__KTRACK_ABOUT_ADDRESS
#define __KTRACK_ABOUT_ARRAY			__KTRACK_ABOUT_ADDRESS
#define __KTRACK_ABOUT_BYTES			__KTRACK_ABOUT_ADDRESS
#define __KTRACK_PLACE(name) \
	offsetof(struct stored, name) - KTRACK_USER_STORED, sizeof(((struct stored *)0)->name)

/* What must be known of a string before the record's size is. */
#define __KTRACK_PREPARE(kind, ctype, name, ...)	__KTRACK_OF(PREPARE, kind)(name, ##__VA_ARGS__)
#define __KTRACK_PREPARE_NOTHING(...)
#define __KTRACK_PREPARE_NUMBER(...)
#define __KTRACK_PREPARE_SYMBOL(...)
#define __KTRACK_PREPARE_ADDRESS(...)
#define __KTRACK_PREPARE_BYTES(...)
#define __KTRACK_PREPARE_STRING(name, text)					\
	const char *__text_##name = ktrack_user_text(name);			\
	size_t __length_##name = ktrack_user_length(__text_##name, name);		\
										\
	__size += (uint32_t)__length_##name + 1;
#define __KTRACK_PREPARE_ARRAY(name, text, array_size)				\
	const char *__text_##name = ktrack_user_text(name);			\
	size_t __length_##name = ktrack_user_array_length(__text_##name, name, array_size); \
										\
	__size += (uint32_t)__length_##name + 1;

/* The statement that fills it. */
#define __KTRACK_FILL(kind, ctype, name, ...)	__KTRACK_OF(FILL, kind)(name)
#define __KTRACK_FILL_NOTHING(name)
#define __KTRACK_FILL_NUMBER(name)		__record->name = name;
#define __KTRACK_FILL_SYMBOL			__KTRACK_FILL_NUMBER
#define __KTRACK_FILL_ADDRESS(name)		__record->name = ktrack_user_address(name);
#define __KTRACK_FILL_STRING(name) \
	__record->name = ktrack_user_put(&__record->__head, &__at, __text_##name, __length_##name);
#define __KTRACK_FILL_ARRAY			__KTRACK_FILL_STRING
#define __KTRACK_FILL_BYTES(name) \
	if (name) \
		memcpy(__record->name, name, sizeof(__record->name));

/* A program that does not define KTRACK_SYSTEM has the system user. */
#define __KTRACK_SYSTEM_OF(system) \
	__KTRACK_STRING(__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_UNSET_, system), system, _))
#define __KTRACK_UNSET_KTRACK_SYSTEM		_, user

/*
 * Defines EVENT_ktrack_emit(), which writes a record, and returns its time, or 0 if there is none.
 * It is out of line, so that a call site has only its arguments and one branch. What is defined for
 * an event has its name first, so that a call can name one of another namespace.
 */
#define __KTRACK_DEFINE_EMIT(system, event, kind, first, first_members, begin, texts_begin, first_fill, ...) \
static struct ktrack_user_choice event##_ktrack_choice				\
	__attribute__((unused)) = { system, #event, 0, 0 };	\
										\
static __KTRACK_OUT_OF_LINE uint64_t						\
event##_ktrack_emit(__KTRACK_BARE first						\
		    __KTRACK_EACH_UNNAMED(__KTRACK_END_PARAMETER, ##__VA_ARGS__)) \
{										\
	struct stored {								\
		struct ktrack_user_record __head;				\
		__KTRACK_BARE first_members					\
		__KTRACK_EACH_UNNAMED(__KTRACK_MEMBER, ##__VA_ARGS__)		\
	};									\
	__KTRACK_EACH_UNNAMED(__KTRACK_VALUES, ##__VA_ARGS__)			\
	static const struct ktrack_user_about __fields[] = {			\
		__KTRACK_FIRST_ABOUT_##kind					\
		__KTRACK_EACH_UNNAMED(__KTRACK_ABOUT, ##__VA_ARGS__)		\
	};									\
	static struct ktrack_user_site __site = {				\
		system, #event, __fields,					\
		sizeof(__fields) / sizeof(__fields[0]), KTRACK_USER_##kind,	\
		sizeof(struct stored) - KTRACK_USER_STORED, 0, 0, 0		\
	};									\
	uint32_t __at = sizeof(struct stored), __size = 0;			\
	struct stored *__record;						\
										\
	__KTRACK_EACH_UNNAMED(__KTRACK_PREPARE, ##__VA_ARGS__)			\
	__record = (struct stored *)(void *)(__KTRACK_BARE begin);		\
	if (__KTRACK_UNLIKELY(!__record))					\
		return 0;							\
	__at += texts_begin;							\
	first_fill								\
	__KTRACK_EACH_UNNAMED(__KTRACK_FILL, ##__VA_ARGS__)			\
	(void)__at;								\
	return ktrack_user_commit(&__record->__head);				\
}

/* The fields of the convention are known by their names. */
#define __KTRACK_FIRST_ABOUT_SLICE						\
	__KTRACK_ABOUT(integer, uint8_t, track_event_type, "track_event_type")	\
	__KTRACK_ABOUT(text, uint32_t, slice_name, "slice_name")
#define __KTRACK_FIRST_ABOUT_COUNTER						\
	{ "counter_value", NULL, 0,						\
	  offsetof(struct stored, counter_value) - KTRACK_USER_STORED,		\
	  sizeof(((struct stored *)0)->counter_value),				\
	  (__typeof__(((struct stored *)0)->counter_value))-1 < 1,		\
	  __KTRACK_KIND_1(__typeof__(((struct stored *)0)->counter_value), KTRACK_USER_INTEGER) },

#define __KTRACK_DEFINE_SLICE_EMIT(system, event, ...)				\
	__KTRACK_DEFINE_EMIT(system, event, SLICE,				\
		(uint32_t track_event_type, const char *slice_name, size_t __name_length), \
		(uint8_t track_event_type; uint32_t slice_name;),		\
		(ktrack_user3_write_slice(track_event_type, slice_name, __name_length, &__site, \
					  __size)),				\
		(uint32_t)__name_length + 1, , ##__VA_ARGS__)

#define __KTRACK_DEFINE_COUNTER_EMIT(system, event, ctype, ...)			\
	__KTRACK_DEFINE_EMIT(system, event, COUNTER, (ctype counter_value),		\
			     (ctype counter_value;), (ktrack_user3_write_sample(&__site, __size)), 0, \
			     __record->counter_value = counter_value;, ##__VA_ARGS__)	\
	__KTRACK_CLASS(event, COUNTER)						\
static __KTRACK_INLINE void							\
__KTRACK_METHOD(event, sample)(uint64_t __unused, ctype counter_value		\
			       __KTRACK_EACH_UNNAMED(__KTRACK_END_PARAMETER, ##__VA_ARGS__)) \
{										\
	(void)__unused;								\
	event##_ktrack_emit(counter_value					\
			    __KTRACK_EACH_UNNAMED(__KTRACK_END_ARGUMENT, ##__VA_ARGS__)); \
}										\
	__KTRACK_CLASS_END(event, COUNTER)

/*
 * What calls name of an event: in C++ members of its class, in C functions with its name. Calls with
 * a mistake name others, which take anything and are defined nowhere.
 */
#ifdef __cplusplus
extern "C++" {
struct ktrack_user_no_slice {
	uint64_t __begin_ns;

	__KTRACK_REFUSED static void start(...);
	__KTRACK_REFUSED static void finish(...);
	__KTRACK_REFUSED static ktrack_user_no_slice *take(...);
	__KTRACK_REFUSED static void open(...);
	__KTRACK_REFUSED static void forget(...);
};

/* An event whose declaration is none. */
struct ktrack_user_refused : ktrack_user_no_slice {
	static char begin_wants[1];
	static char end_wants[1];

	ktrack_user_deaf &kind(ktrack_user_any) const;
	__KTRACK_REFUSED static void sample(...);
	__KTRACK_REFUSED static ktrack_user_refused guard();
};
}
#define __KTRACK_DEFINE_REFUSED(event)						\
extern ktrack_user_refused event##_is_no_ktrack_event;				\
extern struct ktrack_user_choice event##_ktrack_choice;				\
__KTRACK_REFUSED uint64_t event##_ktrack_printf(...);
#define __KTRACK_METHOD(event, function)	function
#define __KTRACK_CLASS(event, kind)		__KTRACK_CLASS_##kind(event)
#define __KTRACK_CLASS_SLICE(event) \
struct event##_ktrack : event##_ktrack_calls, event##_ktrack_values {
#define __KTRACK_CLASS_COUNTER(event)						\
__KTRACK_REFUSED uint64_t event##_ktrack_printf(...);				\
struct event##_ktrack : event##_ktrack_calls, ktrack_user_no_slice {
#define __KTRACK_CLASS_END(event, kind)						\
	__KTRACK_CLASS_END_##kind(event)					\
	__KTRACK_REFUSED static void sample(...);				\
};										\
extern event##_ktrack event##_is_no_ktrack_event;
#define __KTRACK_CLASS_END_SLICE(event)						\
	__KTRACK_REFUSED static void start(...);				\
	__KTRACK_REFUSED static void finish(...);				\
	__KTRACK_REFUSED static event##_ktrack_values *take(...);		\
	__KTRACK_REFUSED static void open(...);					\
	static __KTRACK_INLINE event##_ktrack guard()				\
	{									\
		return {};							\
	}									\
	event##_ktrack()							\
	{									\
		__begin_ns = 0;							\
	}									\
	event##_ktrack(const event##_ktrack &) = delete;			\
	~event##_ktrack()							\
	{									\
		event##_ktrack_guard_end(this);					\
	}
#define __KTRACK_CLASS_END_COUNTER(event) \
	__KTRACK_REFUSED static event##_ktrack guard();
#else
#define __KTRACK_METHOD(event, function)	event##_ktrack_##function
#define __KTRACK_CLASS(event, kind)
#define __KTRACK_CLASS_END(event, kind)		__KTRACK_CLASS_END_##kind(event)
#define __KTRACK_CLASS_END_SLICE(event)						\
__KTRACK_REFUSED struct event##_ktrack_values *event##_ktrack_refused(uint64_t, ...); \
__KTRACK_REFUSED void event##_ktrack_sample(uint64_t, ...);
#define __KTRACK_DEFINE_REFUSED(event)						\
struct event##_ktrack_other {							\
	struct ktrack_user_fits event;						\
};										\
extern struct event##_is_no_ktrack_event {					\
	char kind[KTRACK_USER_COUNTER + KTRACK_USER_SLICE];			\
	char begin_count[1];							\
	char begin_wants[1];							\
	char end_count[1];							\
	char end_wants[1];							\
} event##_is_no_ktrack_event;							\
extern struct ktrack_user_choice event##_ktrack_choice;				\
__KTRACK_CLASS_END_COUNTER(event)						\
__KTRACK_REFUSED void event##_ktrack_sample(uint64_t, ...);
#define __KTRACK_CLASS_END_COUNTER(event)					\
struct event##_ktrack_values {							\
	uint64_t __begin_ns;							\
};										\
__KTRACK_REFUSED struct event##_ktrack_values					\
	*event##_ktrack_refused(uint64_t, ...), *event##_ktrack_start(uint64_t, ...), \
	*event##_ktrack_finish(uint64_t, ...), *event##_ktrack_take(uint64_t, ...), \
	*event##_ktrack_open(uint64_t, ...), *event##_ktrack_forget(uint64_t, ...); \
__KTRACK_REFUSED uint64_t event##_ktrack_printf(uint64_t, ...);			\
void event##_ktrack_guard_end(const struct event##_ktrack_values *values);
#endif

#endif
