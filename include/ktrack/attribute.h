/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The attributes of tracepoints: scopes, the track's name and fields. Each is a tuple of its
 * kind, its C type, the name of its field, and its texts if it has any; that of an async id also
 * has its name in errors, because the field's begins like that of a scope.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, SPACING: these macros make fields,
 * statements and lists, which cannot be put in parentheses or in a do-while, and each uses a part
 * of its tuple.
 */
#ifndef KTRACK_ATTRIBUTE_H
#define KTRACK_ATTRIBUTE_H

#include "ids.h"
#include "list.h"

#ifndef __clang__
#pragma GCC system_header
#endif

/**
 * KTRACK_SCOPE() - attribute: a number that selects the track
 * @ctype: the number's integer type; one of several scopes has a type of the kernel in one word,
 * such as u32 and ulong, or an enum
 * @id: its name; the record's field is called scope_ID
 *
 * Each value creates a track. Choose a number with few values that are reused: a slot or a queue;
 * KTRACK_ASYNC() is for requests. Several scopes together select the track. The ids tgid and cpu
 * declare the scopes of processes and CPUs.
 */
#define KTRACK_SCOPE(ctype, id) \
	(__KTRACK_SECOND(__KTRACK_SCOPE_##id, scope, _), ctype, scope_##id)
#define __KTRACK_SCOPE_cpu		_, cpu

/** KTRACK_SCOPE_TGID - attribute: tracks belong to a process, given by its id */
#define KTRACK_SCOPE_TGID		KTRACK_SCOPE(s32, tgid)

/** KTRACK_SCOPE_CPU - attribute: tracks belong to a CPU, given by number or KTRACK_THIS_CPU */
#define KTRACK_SCOPE_CPU		KTRACK_SCOPE(s32, cpu)

/**
 * KTRACK_SCOPE_GLOBAL - attribute: one track for the tracepoint, or for each track name
 *
 * Calls pass no value for it. It excludes other scopes and KTRACK_ASYNC().
 */
#define KTRACK_SCOPE_GLOBAL		(global, ktrack_scope_global, scope_global)

/**
 * KTRACK_ASYNC() - attribute: the id of a slice that may overlap others of its track
 * @id: its name; the record's field is called scope_ID
 *
 * Begin and end with the same id are a pair, whichever threads emit them. Calls pass a number or
 * ktrack_id(). Declare it after all scopes. Without one, the tracepoint has one track.
 */
#define KTRACK_ASYNC(id)		(async, ktrack_async_id, scope_##id, async_##id)

/**
 * KTRACK_TRACK_NAME - attribute: a string that selects and names the track
 *
 * ktrack_guard() takes a literal or KTRACK_STATIC(), ktrack_guard_copy() any string.
 */
#define KTRACK_TRACK_NAME		(track, const char *, track_name)

/**
 * KTRACK_FIELD() - attribute: a number in each record that does not select a track
 * @ctype: its integer type
 * @name: the field's name
 */
#define KTRACK_FIELD(ctype, name)	(integer, ctype, name)

/**
 * KTRACK_TEXT() - attribute: a string in each record that does not select a track
 * @name: the field's name
 *
 * Calls read it at once. The end of a guard has it only if ktrack_guard_set() gives one.
 */
#define KTRACK_TEXT(name)		(text, const char *, name)

/**
 * KTRACK_TEXT_N() - attribute: a string in an array that may have no NUL
 * @name: the field's name
 * @size: the array's size in bytes, a constant
 *
 * The string ends at the first NUL or after @size bytes, and is otherwise as KTRACK_TEXT().
 */
#define KTRACK_TEXT_N(name, size)	(sized, const char *, name, size)

/**
 * KTRACK_BYTES() - attribute: bytes in each record, such as an address of a network
 * @name: the field's name
 * @size: how many, a constant of at most 64
 *
 * Calls pass a pointer to them, which is read at once; NULL for zeros.
 */
#define KTRACK_BYTES(name, size)	(bytes, const void *, name, size)

/**
 * KTRACK_POINTER() - attribute: an address in each record, which is not read
 * @name: the field's name
 *
 * The kernel's own text of the record hides addresses, as %p does.
 */
#define KTRACK_POINTER(name)		(pointer, const void *, name)

/**
 * KTRACK_STATIC() - the author's word that a string outlives the guard whose track it names
 * @text: the string, such as dev_name(dev)
 */
#define KTRACK_STATIC(text)		((const void *)(const char *)(text))

/**
 * KTRACK_FLOW() - attribute: a number that connects slices and instants on any tracks
 * @name: the field's name; begin it with the driver's
 *
 * Records whose fields have this name and the same number are connected in the order of time,
 * whatever their tracepoints. Calls pass a number that is not reused, which ktrack_flow_new()
 * makes, or 0 for no flow.
 */
#define KTRACK_FLOW(name)		(flow, ktrack_flow_id, name)

/**
 * KTRACK_RESULT() - attribute: a signed number that only the end of a slice has
 * @name: the field's name
 *
 * Only ktrack_end() and ktrack_guard_set() pass it. In other records it is 0.
 */
#define KTRACK_RESULT(name)		(result, ktrack_result, name)

/**
 * KTRACK_ENUM() - attribute: a number whose values have names
 * @ctype: its integer type
 * @name: the field's name
 * @...: the values and their names: { 0, "read" }, { 1, "write" }
 *
 * A value that is an enumerator needs KTRACK_ENUM_VALUE(); a preprocessor's constant does not.
 */
#define KTRACK_ENUM(ctype, name, ...)	(symbol, ctype, name, ##__VA_ARGS__)

/**
 * KTRACK_FLAGS() - attribute: a number whose bits have names
 * @ctype: its integer type
 * @name: the field's name
 * @...: the bits and their names: { 1, "sync" }, { 2, "discard" }
 */
#define KTRACK_FLAGS(ctype, name, ...)	(bits, ctype, name, ##__VA_ARGS__)

/* Which calls pass a value: 2 all of them, 1 ends and samples, 0 none. */
#define __KTRACK_PASSED_integer		2
#define __KTRACK_PASSED_scope		2
#define __KTRACK_PASSED_cpu		2
#define __KTRACK_PASSED_global		0
#define __KTRACK_PASSED_async		2
#define __KTRACK_PASSED_text		2
#define __KTRACK_PASSED_track		2
#define __KTRACK_PASSED_sized		2
#define __KTRACK_PASSED_bytes		2
#define __KTRACK_PASSED_pointer		2
#define __KTRACK_PASSED_flow		2
#define __KTRACK_PASSED_result		1
#define __KTRACK_PASSED_symbol		2
#define __KTRACK_PASSED_bits		2

#define __KTRACK_IF_BEGIN(kind, ...) \
	__KTRACK_JOIN(__KTRACK_IF_BEGIN_, __KTRACK_PASSED_##kind)(__VA_ARGS__)
#define __KTRACK_IF_BEGIN_0(...)
#define __KTRACK_IF_BEGIN_1(...)
#define __KTRACK_IF_BEGIN_2(...)	__VA_ARGS__

#define __KTRACK_IF_END(kind, ...) \
	__KTRACK_JOIN(__KTRACK_IF_END_, __KTRACK_PASSED_##kind)(__VA_ARGS__)
#define __KTRACK_IF_END_0(...)
#define __KTRACK_IF_END_1(...)		__VA_ARGS__
#define __KTRACK_IF_END_2(...)		__VA_ARGS__

/* The name of an attribute in errors. */
#define __KTRACK_CALLED(kind, name, ...) \
	__KTRACK_SECOND(__KTRACK_CALLED_##kind(__VA_ARGS__), name, _)
#define __KTRACK_CALLED_async(called)	_, called

/* The attributes that a call passes, each after a comma, by their names in errors. */
#define __KTRACK_BEGIN_LIST(...)	__KTRACK_EACH(__KTRACK_BEGIN_ITEM, ##__VA_ARGS__)
#define __KTRACK_END_LIST(...)		__KTRACK_EACH(__KTRACK_END_ITEM, ##__VA_ARGS__)
#define __KTRACK_BEGIN_ITEM(kind, ctype, name, ...) \
	__KTRACK_IF_BEGIN(kind, , (kind, ctype, __KTRACK_CALLED(kind, name, ##__VA_ARGS__)))
#define __KTRACK_END_ITEM(kind, ctype, name, ...) \
	__KTRACK_IF_END(kind, , (kind, ctype, __KTRACK_CALLED(kind, name, ##__VA_ARGS__)))

/* The parameters of a function that takes them, and their names as arguments. */
#define __KTRACK_BEGIN_PARAMETER(kind, ctype, name, ...)	__KTRACK_IF_BEGIN(kind, , ctype name)
#define __KTRACK_END_PARAMETER(kind, ctype, name, ...)		__KTRACK_IF_END(kind, , ctype name)
#define __KTRACK_END_ARGUMENT(kind, ctype, name, ...)		__KTRACK_IF_END(kind, , name)

/* A begin's arguments to a function that takes all of them: what it does not pass is 0. */
#define __KTRACK_BEGIN_ARGUMENT(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_BEGIN_ARGUMENT_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_BEGIN_ARGUMENT_0(name)
#define __KTRACK_BEGIN_ARGUMENT_1(name)	, 0
#define __KTRACK_BEGIN_ARGUMENT_2(name)	, name

/* Which attributes are scopes. The number of scopes decides how each is declared. */
#define __KTRACK_IS_SCOPE_integer	0
#define __KTRACK_IS_SCOPE_scope		1
#define __KTRACK_IS_SCOPE_cpu		1
#define __KTRACK_IS_SCOPE_global	1
#define __KTRACK_IS_SCOPE_async		1
#define __KTRACK_IS_SCOPE_text		0
#define __KTRACK_IS_SCOPE_track		0
#define __KTRACK_IS_SCOPE_sized		0
#define __KTRACK_IS_SCOPE_bytes		0
#define __KTRACK_IS_SCOPE_pointer	0
#define __KTRACK_IS_SCOPE_flow		0
#define __KTRACK_IS_SCOPE_result	0
#define __KTRACK_IS_SCOPE_symbol	0
#define __KTRACK_IS_SCOPE_bits		0

#define __KTRACK_SCOPES(...) \
	__KTRACK_COUNT_REST(_ __KTRACK_EACH(__KTRACK_SCOPE_ITEM, ##__VA_ARGS__))
#define __KTRACK_COUNT_REST(...)		__KTRACK_COUNT_REST_NOW(__VA_ARGS__)
#define __KTRACK_COUNT_REST_NOW(first, ...)	__KTRACK_COUNT(__VA_ARGS__)
#define __KTRACK_SCOPE_ITEM(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_SCOPE_ITEM_, __KTRACK_IS_SCOPE_##kind)
#define __KTRACK_SCOPE_ITEM_0
#define __KTRACK_SCOPE_ITEM_1		, scope

/* Expands to @one if the attributes have at most one scope, otherwise to @several. */
#define __KTRACK_BY_SCOPES(one, several, ...) \
	__KTRACK_BY_SCOPES_OF(__KTRACK_SCOPES(__VA_ARGS__), one, several)
#define __KTRACK_BY_SCOPES_OF(count, one, several) \
	__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_SCOPES_, count)(one), several, _)
#define __KTRACK_SCOPES_0(one)		_, one
#define __KTRACK_SCOPES_1(one)		_, one

/*
 * The type of one of several scopes, which marks it; @otherwise if there is none. A comma at the end
 * drops more words, as in "enum mydrv_state" and "unsigned int".
 */
#define __KTRACK_KEY_TYPE(ctype, otherwise) \
	__KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_KEY_TYPE_, ctype), otherwise, _)
#define __KTRACK_KEY_TYPE_s8		_, ktrack_scope_s8
#define __KTRACK_KEY_TYPE_s16		_, ktrack_scope_s16
#define __KTRACK_KEY_TYPE_s32		_, ktrack_scope_s32
#define __KTRACK_KEY_TYPE_s64		_, ktrack_scope_s64
#define __KTRACK_KEY_TYPE_int		_, ktrack_scope_s32
#define __KTRACK_KEY_TYPE_pid_t		_, ktrack_scope_s32
#define __KTRACK_KEY_TYPE_u8		_, ktrack_scope_u8
#define __KTRACK_KEY_TYPE_u16		_, ktrack_scope_u16
#define __KTRACK_KEY_TYPE_u32		_, ktrack_scope_u32
#define __KTRACK_KEY_TYPE_u64		_, ktrack_scope_u64
#define __KTRACK_KEY_TYPE___s8		_, ktrack_scope_s8
#define __KTRACK_KEY_TYPE___s16		_, ktrack_scope_s16
#define __KTRACK_KEY_TYPE___s32		_, ktrack_scope_s32
#define __KTRACK_KEY_TYPE___s64		_, ktrack_scope_s64
#define __KTRACK_KEY_TYPE___u8		_, ktrack_scope_u8
#define __KTRACK_KEY_TYPE___u16		_, ktrack_scope_u16
#define __KTRACK_KEY_TYPE___u32		_, ktrack_scope_u32
#define __KTRACK_KEY_TYPE___u64		_, ktrack_scope_u64
#define __KTRACK_KEY_TYPE_int8_t	_, ktrack_scope_s8
#define __KTRACK_KEY_TYPE_int16_t	_, ktrack_scope_s16
#define __KTRACK_KEY_TYPE_int32_t	_, ktrack_scope_s32
#define __KTRACK_KEY_TYPE_int64_t	_, ktrack_scope_s64
#define __KTRACK_KEY_TYPE_uint8_t	_, ktrack_scope_u8
#define __KTRACK_KEY_TYPE_uint16_t	_, ktrack_scope_u16
#define __KTRACK_KEY_TYPE_uint32_t	_, ktrack_scope_u32
#define __KTRACK_KEY_TYPE_uint64_t	_, ktrack_scope_u64
#define __KTRACK_KEY_TYPE_bool		_, ktrack_scope_u8
#define __KTRACK_KEY_TYPE_char		_, ktrack_scope_char
#define __KTRACK_KEY_TYPE_short		_, ktrack_scope_s16,
#define __KTRACK_KEY_TYPE_ushort	_, ktrack_scope_u16
#define __KTRACK_KEY_TYPE_uint		_, ktrack_scope_u32
#define __KTRACK_KEY_TYPE_unsigned	_, ktrack_scope_u32,
#define __KTRACK_KEY_TYPE_enum		_, ktrack_scope_s32,
#define __KTRACK_KEY_TYPE_long		_, ktrack_scope_long,
#define __KTRACK_KEY_TYPE_ulong		_, ktrack_scope_ulong
#define __KTRACK_KEY_TYPE_size_t	_, ktrack_scope_ulong
#define __KTRACK_KEY_TYPE_ssize_t	_, ktrack_scope_long
#define __KTRACK_KEY_TYPE_loff_t	_, ktrack_scope_s64
#define __KTRACK_KEY_TYPE_ktime_t	_, ktrack_scope_s64
#define __KTRACK_KEY_TYPE_sector_t	_, ktrack_scope_u64
#define __KTRACK_KEY_TYPE_dev_t		_, ktrack_scope_u32
#define __KTRACK_KEY_TYPE_umode_t	_, ktrack_scope_u16
#define __KTRACK_KEY_TYPE_dma_addr_t	_, ktrack_scope_dma_addr
#define __KTRACK_KEY_TYPE_phys_addr_t	_, ktrack_scope_phys_addr

#endif
