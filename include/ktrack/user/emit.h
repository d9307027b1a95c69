/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Defines the functions of an event, which write its records.
 *
 * checkpatch reports ARRAY_SIZE, COMPLEX_MACRO, MACRO_ARG_UNUSED, MACRO_WITH_FLOW_CONTROL,
 * MULTISTATEMENT_MACRO_USE_DO_WHILE, PREFER_DEFINED_ATTRIBUTE_MACRO, SPACING, TRAILING_SEMICOLON:
 * these macros make members, parameters and functions, which cannot be put in parentheses or in a
 * do-while; and programs do not have the kernel's macros.
 */
#ifndef KTRACK_USER_EMIT_H
#define KTRACK_USER_EMIT_H

#include <stddef.h>

#include "attribute.h"
#include "describe.h"
#include "ring.h"
#include "text.h"

/* Values of a record's track_event_type. */
#define KTRACK_TYPE_BEGIN	66 /* 'B' begins a slice */
#define KTRACK_TYPE_END		69 /* 'E' ends the track's innermost open slice */
#define KTRACK_TYPE_INSTANT	73 /* 'I' is a point in time */

#define __KTRACK_OUT_OF_LINE	__attribute__((noinline, unused))
#define __KTRACK_INLINE		inline __attribute__((always_inline, unused))

/* The members of the record that ktrack stores. */
#define __KTRACK_MEMBER(kind, ctype, name, ...)	__KTRACK_MEMBER_##kind(ctype, name)
#define __KTRACK_MEMBER_integer(ctype, name)	ctype name;
#define __KTRACK_MEMBER_scope			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_global(ctype, name)
#define __KTRACK_MEMBER_async			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_text(ctype, name)	uint32_t name;
#define __KTRACK_MEMBER_flow			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_result			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_symbol			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_bits			__KTRACK_MEMBER_integer

/* The texts of its values. */
#define __KTRACK_VALUES(kind, ctype, name, ...)	__KTRACK_VALUES_##kind(name, __VA_ARGS__)
#define __KTRACK_VALUES_integer(...)
#define __KTRACK_VALUES_scope(...)
#define __KTRACK_VALUES_global(...)
#define __KTRACK_VALUES_async(...)
#define __KTRACK_VALUES_text(...)
#define __KTRACK_VALUES_flow(...)
#define __KTRACK_VALUES_result(...)
#define __KTRACK_VALUES_symbol(name, ...) \
	static const struct ktrack_user_value __values_##name[] = { __VA_ARGS__ };
#define __KTRACK_VALUES_bits			__KTRACK_VALUES_symbol

/* Its description. */
#define __KTRACK_ABOUT(kind, ctype, name, ...)					\
	{ #name, __KTRACK_VALUES_OF_##kind(name), __KTRACK_OFFSET_##kind(name),	\
	  __KTRACK_SIZE_##kind(ctype), (ctype)-1 < (ctype)1, __KTRACK_KIND_##kind },
#define __KTRACK_VALUES_OF_integer(name)	NULL, 0
#define __KTRACK_VALUES_OF_scope		__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_global		__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_async		__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_text			__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_flow			__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_result		__KTRACK_VALUES_OF_integer
#define __KTRACK_VALUES_OF_symbol(name) \
	__values_##name, sizeof(__values_##name) / sizeof(__values_##name[0])
#define __KTRACK_VALUES_OF_bits			__KTRACK_VALUES_OF_symbol
#define __KTRACK_OFFSET_integer(name)		offsetof(struct stored, name) - KTRACK_USER_STORED
#define __KTRACK_OFFSET_scope			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_global(name)		0
#define __KTRACK_OFFSET_async			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_text			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_flow			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_result			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_symbol			__KTRACK_OFFSET_integer
#define __KTRACK_OFFSET_bits			__KTRACK_OFFSET_integer
#define __KTRACK_SIZE_integer(ctype)		sizeof(ctype)
#define __KTRACK_SIZE_scope			__KTRACK_SIZE_integer
#define __KTRACK_SIZE_global(ctype)		0
#define __KTRACK_SIZE_async			__KTRACK_SIZE_integer
#define __KTRACK_SIZE_text(ctype)		sizeof(uint32_t)
#define __KTRACK_SIZE_flow			__KTRACK_SIZE_integer
#define __KTRACK_SIZE_result			__KTRACK_SIZE_integer
#define __KTRACK_SIZE_symbol			__KTRACK_SIZE_integer
#define __KTRACK_SIZE_bits			__KTRACK_SIZE_integer

/* What must be known of a string before the record's size is. */
#define __KTRACK_PREPARE(kind, ctype, name, ...)	__KTRACK_PREPARE_##kind(name)
#define __KTRACK_PREPARE_integer(name)
#define __KTRACK_PREPARE_scope(name)
#define __KTRACK_PREPARE_global(name)
#define __KTRACK_PREPARE_async(name)
#define __KTRACK_PREPARE_flow(name)
#define __KTRACK_PREPARE_result(name)
#define __KTRACK_PREPARE_symbol(name)
#define __KTRACK_PREPARE_bits(name)
#define __KTRACK_PREPARE_text(name)						\
	const char *__text_##name = ktrack_user_text(name);			\
	size_t __length_##name = ktrack_user_length(__text_##name);		\
										\
	__size += (uint32_t)__length_##name + 1;

/* The statement that fills it. */
#define __KTRACK_FILL(kind, ctype, name, ...)	__KTRACK_FILL_##kind(name)
#define __KTRACK_FILL_integer(name)		__record->name = name;
#define __KTRACK_FILL_scope			__KTRACK_FILL_integer
#define __KTRACK_FILL_global(name)
#define __KTRACK_FILL_async			__KTRACK_FILL_integer
#define __KTRACK_FILL_flow			__KTRACK_FILL_integer
#define __KTRACK_FILL_result			__KTRACK_FILL_integer
#define __KTRACK_FILL_symbol			__KTRACK_FILL_integer
#define __KTRACK_FILL_bits			__KTRACK_FILL_integer
#define __KTRACK_FILL_text(name) \
	__record->name = ktrack_user_put(&__record->__head, &__at, __text_##name, __length_##name);

/*
 * Defines ktrack_emit_EVENT(), which writes a record. It is out of line, so that a call site has
 * only its arguments and one branch.
 */
#define __KTRACK_DEFINE_EMIT(event, kind, first, first_members, begin, texts_begin, first_fill, ...) \
static __KTRACK_OUT_OF_LINE void						\
ktrack_emit_##event(__KTRACK_BARE first						\
		    __KTRACK_EACH(__KTRACK_END_PARAMETER, ##__VA_ARGS__))	\
{										\
	struct stored {								\
		struct ktrack_user_record __head;				\
		__KTRACK_BARE first_members					\
		__KTRACK_EACH(__KTRACK_MEMBER, ##__VA_ARGS__)			\
	};									\
	__KTRACK_EACH(__KTRACK_VALUES, ##__VA_ARGS__)				\
	static const struct ktrack_user_about __fields[] = {			\
		__KTRACK_FIRST_ABOUT_##kind					\
		__KTRACK_EACH(__KTRACK_ABOUT, ##__VA_ARGS__)			\
	};									\
	static struct ktrack_user_site __site = {				\
		__KTRACK_STRING(KTRACK_SYSTEM), #event, __fields,		\
		sizeof(__fields) / sizeof(__fields[0]), KTRACK_USER_##kind,	\
		sizeof(struct stored) - KTRACK_USER_STORED, 0			\
	};									\
	uint32_t __at = sizeof(struct stored), __size = 0;			\
	struct stored *__record;						\
										\
	__KTRACK_EACH(__KTRACK_PREPARE, ##__VA_ARGS__)				\
	__record = (struct stored *)(void *)(__KTRACK_BARE begin);		\
	if (__KTRACK_UNLIKELY(!__record))					\
		return;								\
	__at += texts_begin;							\
	first_fill								\
	__KTRACK_EACH(__KTRACK_FILL, ##__VA_ARGS__)				\
	(void)__at;								\
	ktrack_user_commit(&__record->__head);					\
}

/* The fields of the convention are known by their names. */
#define __KTRACK_FIRST_ABOUT_SLICE						\
	__KTRACK_ABOUT(integer, uint8_t, track_event_type)			\
	__KTRACK_ABOUT(text, uint32_t, slice_name)
#define __KTRACK_FIRST_ABOUT_COUNTER						\
	{ "counter_value", NULL, 0,						\
	  offsetof(struct stored, counter_value) - KTRACK_USER_STORED,		\
	  sizeof(((struct stored *)0)->counter_value),				\
	  (__typeof__(((struct stored *)0)->counter_value))-1 < 1, KTRACK_USER_INTEGER },

#define __KTRACK_DEFINE_SLICE_EMIT(event, ...)					\
	__KTRACK_DEFINE_EMIT(event, SLICE,					\
		(uint8_t track_event_type, const char *slice_name, size_t __name_length), \
		(uint8_t track_event_type; uint32_t slice_name;),		\
		(ktrack_user1_slice(&__site, track_event_type, slice_name, __name_length, \
				    __size)),					\
		(uint32_t)__name_length + 1, , ##__VA_ARGS__)			\
										\
static __KTRACK_INLINE void							\
ktrack_start_##event(uint8_t track_event_type, const char *slice_name		\
		     __KTRACK_EACH(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__))	\
{										\
	slice_name = ktrack_user_text(slice_name);				\
	ktrack_emit_##event(track_event_type, slice_name, ktrack_user_length(slice_name) \
			    __KTRACK_EACH(__KTRACK_BEGIN_ARGUMENT, ##__VA_ARGS__)); \
}

#define __KTRACK_DEFINE_COUNTER_EMIT(event, ctype, ...)				\
	__KTRACK_DEFINE_EMIT(event, COUNTER, (ctype counter_value),		\
			     (ctype counter_value;), (ktrack_user1_sample(&__site, __size)), 0, \
			     __record->counter_value = counter_value;, ##__VA_ARGS__)

#endif
