/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The attributes of one tracepoint as a struct, and the functions that take and emit them.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MACRO_WITH_FLOW_CONTROL,
 * MULTISTATEMENT_MACRO_USE_DO_WHILE, SPACING, TRAILING_SEMICOLON: these macros make members,
 * parameters and functions, which cannot be put in parentheses or in a do-while.
 */
#ifndef KTRACK_VALUES_H
#define KTRACK_VALUES_H

#include <linux/build_bug.h>
#include <linux/compiler.h>

#include "attribute.h"
#include "check.h"
#include "cpu.h"
#include "fields.h"
#include "list.h"
#include "text.h"

/*
 * struct ktrack_values_EVENT holds all attributes. C allows static assertions among the members.
 */
#define __KTRACK_DEFINE_STRUCT(event, ...)					\
struct ktrack_values_##event {							\
	__KTRACK_EACH_PLACE(__KTRACK_MEMBER, event, , ##__VA_ARGS__)		\
	__KTRACK_EACH_PLACE(__KTRACK_BY_SCOPES(__KTRACK_NO_MEMBER, __KTRACK_KEY_MEMBER,	\
					       ##__VA_ARGS__), event, , ##__VA_ARGS__)	\
};

#define __KTRACK_MEMBER(event, of, place, kind, ctype, name, ...)		\
	__KTRACK_MEMBER_##kind(event, ctype, name, ##__VA_ARGS__)
#define __KTRACK_MEMBER_text(event, ctype, name)	ctype name;
#define __KTRACK_MEMBER_track(event, ctype, name)	ctype name;
#define __KTRACK_MEMBER_pointer(event, ctype, name)	ctype name;
#define __KTRACK_MEMBER_sized(event, ctype, name, size)				\
	ctype name;								\
	static_assert((size) > 0, #event ": KTRACK_TEXT_N() without bytes: " #name);
#define __KTRACK_MEMBER_bytes(event, ctype, name, size)				\
	u8 name[size];								\
	static_assert((size) > 0 && (size) <= KTRACK_BYTES_MAX,			\
		      #event ": KTRACK_BYTES() has 1 to 64 bytes: " #name);
#define __KTRACK_MEMBER_integer(event, ctype, name)				\
	ctype name;								\
	static_assert(__KTRACK_IS_INTEGER(ctype),				\
		      #event ": " #name " is not of an integer type: " #ctype);	\
	static_assert(!__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_SWAPPED_, ctype), 0, _), \
		      #event ": " #name " would have the wrong byte order: " #ctype	\
		      "; declare a number of the CPU, and pass be32_to_cpu() or the like");
#define __KTRACK_MEMBER_scope			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_global(event, ctype, name)
#define __KTRACK_MEMBER_flow			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_result			__KTRACK_MEMBER_integer
#define __KTRACK_MEMBER_cpu(event, ctype, name)					\
	__KTRACK_MEMBER_integer(event, ctype, name)				\
	static_assert(sizeof(ctype) >= sizeof(s32),				\
		      #event ": scope_cpu needs 32 bits, for KTRACK_THIS_CPU");
#define __KTRACK_MEMBER_async(event, ctype, name, called)			\
	__KTRACK_MEMBER_integer(event, ctype, name)				\
	static_assert(!__KTRACK_SECOND(__KTRACK_TAKEN_##name, 0, _),		\
		      #event ": KTRACK_ASYNC() with the id of a process or a CPU: " #called);
#define __KTRACK_MEMBER_symbol(event, ctype, name, ...)				\
	__KTRACK_MEMBER_integer(event, ctype, name)				\
	static_assert(sizeof(#__VA_ARGS__) > 1, #event ": KTRACK_ENUM() without values: " #name);
#define __KTRACK_MEMBER_bits(event, ctype, name, ...)				\
	__KTRACK_MEMBER_integer(event, ctype, name)				\
	static_assert(sizeof(#__VA_ARGS__) > 1, #event ": KTRACK_FLAGS() without bits: " #name);

/* Types whose numbers are printed as if they were the CPU's. */
#define __KTRACK_SWAPPED___be16			_, 1
#define __KTRACK_SWAPPED___be32			_, 1
#define __KTRACK_SWAPPED___be64			_, 1
#define __KTRACK_SWAPPED___le16			_, 1
#define __KTRACK_SWAPPED___le32			_, 1
#define __KTRACK_SWAPPED___le64			_, 1

#define __KTRACK_TAKEN_scope_tgid		_, 1
#define __KTRACK_TAKEN_scope_cpu		_, 1

/* One of several scopes needs a type that marks it. */
#define __KTRACK_NO_MEMBER(...)
#define __KTRACK_KEY_MEMBER(event, of, place, kind, ctype, name, ...)		\
	__KTRACK_SECOND(__KTRACK_KEY_MEMBER_##kind(event, ctype, name), , _)
#define __KTRACK_KEY_MEMBER_scope(event, ctype, name)				\
	_, static_assert(sizeof(__KTRACK_KEY_TYPE(ctype, char [3])) == sizeof(ctype), \
			 #event ": several scopes need types of one word, such as u32 and ulong, " \
			 "but " #name " is " #ctype);
#define __KTRACK_KEY_MEMBER_cpu			__KTRACK_KEY_MEMBER_scope

/*
 * Defines ktrack_emit_EVENT(), which writes a record. It is out of line, so that a call site has
 * only its arguments and one static branch; the tracepoint's call has another branch.
 */
#define __KTRACK_DEFINE_EMIT(event, first, first_names, ...)			\
static noinline __noclone notrace __maybe_unused void				\
ktrack_emit_##event(__KTRACK_BARE first						\
		    __KTRACK_EACH(__KTRACK_END_PARAMETER, ##__VA_ARGS__))	\
{										\
	trace_##event(__KTRACK_BARE first_names					\
		      __KTRACK_EACH(__KTRACK_END_ARGUMENT, ##__VA_ARGS__));	\
}

/*
 * Defines ktrack_start_EVENT(), which writes a begin or an instant; ktrack_values_EVENT(), which
 * fills a struct from the arguments of a begin; and ktrack_write_EVENT(), which writes a
 * record with it. With @fix_cpu, KTRACK_THIS_CPU becomes a number at once, otherwise when the
 * record is written. ktrack_end_values_EVENT() makes the values of a guard's end: strings, but for
 * the name of the track, are those of the begin only.
 *
 * The members are assigned one by one: gcc 16 sets up a frame pointer for a compound literal, and
 * a disabled guard then costs three more instructions.
 */
#define __KTRACK_DEFINE_VALUES(event, ...)					\
static __always_inline void							\
ktrack_start_##event(char track_event_type, const char *slice_name		\
		     __KTRACK_EACH(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__))	\
{										\
	ktrack_emit_##event(track_event_type, slice_name			\
			    __KTRACK_EACH(__KTRACK_BEGIN_ARGUMENT, ##__VA_ARGS__)); \
}										\
										\
static __always_inline struct ktrack_values_##event				\
ktrack_values_##event(bool fix_cpu						\
		      __KTRACK_EACH(__KTRACK_BEGIN_PARAMETER, ##__VA_ARGS__))	\
{										\
	struct ktrack_values_##event values __KTRACK_UNSET;			\
										\
	__KTRACK_EACH(__KTRACK_TAKE, ##__VA_ARGS__)				\
	return values;								\
}										\
										\
static __always_inline void							\
ktrack_write_##event(char type, const char *name,				\
		     struct ktrack_values_##event values)			\
{										\
	ktrack_emit_##event(type, name						\
			    __KTRACK_EACH(__KTRACK_FROM_VALUES, ##__VA_ARGS__)); \
}										\
										\
static __always_inline struct ktrack_values_##event				\
ktrack_end_values_##event(struct ktrack_values_##event values)			\
{										\
	__KTRACK_EACH(__KTRACK_FORGET, ##__VA_ARGS__)				\
	return values;								\
}

#define __KTRACK_TAKE(kind, ctype, name, ...)	__KTRACK_TAKE_##kind(name)
#define __KTRACK_TAKE_integer(name)		values.name = name;
#define __KTRACK_TAKE_scope			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_cpu(name) \
	values.name = fix_cpu ? ktrack_cpu_resolve(name) : name;
#define __KTRACK_TAKE_global(name)
#define __KTRACK_TAKE_async			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_text			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_track			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_sized			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_pointer			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_bytes(name)		ktrack_bytes_copy(values.name, name, sizeof(values.name));
#define __KTRACK_TAKE_flow			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_result(name)		values.name = 0;
#define __KTRACK_TAKE_symbol			__KTRACK_TAKE_integer
#define __KTRACK_TAKE_bits			__KTRACK_TAKE_integer

#define __KTRACK_FORGET(kind, ctype, name, ...) \
	__KTRACK_SECOND(__KTRACK_FORGET_##kind(name), , _)
#define __KTRACK_FORGET_text(name)		_, values.name = "";
#define __KTRACK_FORGET_sized(name)		_, values.name = "";

#define __KTRACK_FROM_VALUES(kind, ctype, name, ...)	__KTRACK_IF_END(kind, , values.name)

/* Reads a guard's attributes at its end; guard.h explains the access. */
#define __KTRACK_KEPT(kind, ctype, name, ...) \
	__KTRACK_IF_END(kind, , __KTRACK_SECOND(__KTRACK_KEPT_##kind(name), \
						READ_ONCE(guard->values.name), _))
#define __KTRACK_KEPT_bytes(name)		_, guard->values.name

#endif
