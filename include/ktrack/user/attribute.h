/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The attributes of events: scopes, the track's name and fields. Each is a tuple of its kind, its C
 * type, a name that is neither a keyword nor a macro, the name of its field as a string, and its
 * size or the texts of its values if it has any.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, NEW_TYPEDEFS, SPACING: these macros make
 * parameters and lists, which cannot be put in parentheses, and each uses a part of its tuple; the
 * meaning of a value, and what an error says of a guard, are names of types.
 */
#ifndef KTRACK_USER_ATTRIBUTE_H
#define KTRACK_USER_ATTRIBUTE_H

#pragma GCC system_header

#include "layout.h"
#include "list.h"

/* Pairs the begin and the end of slices that may overlap. */
typedef uint64_t ktrack_async_id;

/* Connects slices and instants on any tracks, of drivers too; 0 connects nothing. */
typedef uint64_t ktrack_flow_id;

/* Is set in ends only; 0 in other records. */
typedef int64_t ktrack_result;

/* What an error has about a guard that is alone behind an if. */
typedef char ktrack_guard_needs_braces;

/**
 * KTRACK_SCOPE() - attribute: a number that selects the track, within the process
 * @ctype: the number's integer type
 * @id: its name; the record's field is called scope_ID
 *
 * Each value creates a track. Choose a number with few values that are reused: a slot or a queue;
 * KTRACK_ASYNC() is for requests. Several scopes together select the track.
 */
#define KTRACK_SCOPE(ctype, id)		(scope, ctype, scope_##id##_, "scope_" #id)

/** KTRACK_SCOPE_TGID - attribute: tracks belong to a process, given by its id */
#define KTRACK_SCOPE_TGID		KTRACK_SCOPE(int32_t, tgid)

/** KTRACK_SCOPE_CPU - attribute: tracks belong to a CPU, given by number or KTRACK_THIS_CPU */
#define KTRACK_SCOPE_CPU		KTRACK_SCOPE(int32_t, cpu)

/**
 * KTRACK_SCOPE_GLOBAL - attribute: one track of the process, or one for each track name
 *
 * Calls pass no value for it. It excludes other scopes and KTRACK_ASYNC().
 */
#define KTRACK_SCOPE_GLOBAL		(global, uint8_t, scope_global_, "scope_global")

/**
 * KTRACK_ASYNC() - attribute: the id of a slice that may overlap others of its track
 * @id: its name; the record's field is called scope_ID
 *
 * Begin and end with the same id are a pair, whichever threads emit them. Calls pass a number or
 * ktrack_id(). Declare it after all scopes.
 */
#define KTRACK_ASYNC(id) \
	(async, ktrack_async_id, scope_##id##_, "scope_" #id)

/**
 * KTRACK_TRACK_NAME - attribute: a string that selects and names the track
 *
 * ktrack_guard() takes a literal or KTRACK_STATIC(), ktrack_guard_copy() any string.
 */
#define KTRACK_TRACK_NAME		(track, ktrack_user_string, track_name_, "track_name")

/**
 * KTRACK_FIELD() - attribute: a number in each record that does not select a track
 * @ctype: its integer type, or double or float
 * @name: the field's name
 */
#define KTRACK_FIELD(ctype, name)	(integer, ctype, name##_, #name)

/**
 * KTRACK_TEXT() - attribute: a string in each record that does not select a track
 * @name: the field's name
 *
 * Calls read it at once. The end of a guard has it only if ktrack_guard_set() gives one.
 */
#define KTRACK_TEXT(name)		(text, ktrack_user_string, name##_, #name)

/**
 * KTRACK_TEXT_N() - attribute: a string in an array that may have no NUL
 * @name: the field's name
 * @size: the array's size in bytes, a constant
 *
 * The string ends at the first NUL or after @size bytes, and is otherwise as KTRACK_TEXT().
 */
#define KTRACK_TEXT_N(name, size)	(sized, const char *, name##_, #name, size)

/**
 * KTRACK_BYTES() - attribute: bytes in each record, such as an address of a network
 * @name: the field's name
 * @size: how many, a constant of at most 64
 *
 * Calls pass a pointer to them, which is read at once; NULL for zeros.
 */
#define KTRACK_BYTES(name, size)	(bytes, const void *, name##_, #name, size)

/**
 * KTRACK_POINTER() - attribute: an address in each record, which is not read
 * @name: the field's name
 */
#define KTRACK_POINTER(name)		(pointer, const void *, name##_, #name)

/**
 * KTRACK_FLOW() - attribute: a number that connects slices and instants on any tracks
 * @name: the field's name; the same name in several programs and drivers is one flow
 *
 * Calls pass a number that is not reused, which ktrack_flow_new() makes, or 0 for no flow.
 */
#define KTRACK_FLOW(name)		(flow, ktrack_flow_id, name##_, #name)

/**
 * KTRACK_RESULT() - attribute: a signed number that only the end of a slice has
 * @name: the field's name
 *
 * Only ktrack_end() and ktrack_guard_set() pass it. In other records it is 0.
 */
#define KTRACK_RESULT(name)		(result, ktrack_result, name##_, #name)

/**
 * KTRACK_ENUM() - attribute: a number whose values have names
 * @ctype: its integer type
 * @name: the field's name
 * @...: the values and their names: { 0, "read" }, { 1, "write" }
 */
#define KTRACK_ENUM(ctype, name, ...) \
	(symbol, ctype, name##_, #name, __VA_ARGS__)

/**
 * KTRACK_FLAGS() - attribute: a number whose bits have names
 * @ctype: its integer type
 * @name: the field's name
 * @...: the bits and their names: { 1, "sync" }, { 2, "discard" }
 */
#define KTRACK_FLAGS(ctype, name, ...) \
	(bits, ctype, name##_, #name, __VA_ARGS__)

/**
 * ktrack_id() - an id for KTRACK_ASYNC() and KTRACK_FLOW()
 * @x: a pointer or a number of any integer type
 *
 * A recording then contains the pointer. It identifies its object until that is freed, which is
 * enough for KTRACK_ASYNC(). A flow needs a number that is not reused.
 */
#define ktrack_id(x)			((ktrack_async_id)(uintptr_t)(x))

/**
 * KTRACK_STATIC() - the author's word that a string outlives the guard whose track it names
 * @text: the string
 */
#ifdef __cplusplus
#define KTRACK_STATIC(text)		(ktrack_user_static{ text })
#else
#define KTRACK_STATIC(text)		((const void *)(const char *)(text))
#endif

/*
 * Of each kind: its number, which calls pass a value (2 all of them, 1 ends and samples, 0 none),
 * how records have it, what follows its name, and which values are right for it.
 */
#define __KTRACK_KIND_integer		KTRACK_USER_INTEGER
#define __KTRACK_KIND_scope		KTRACK_USER_SCOPE
#define __KTRACK_KIND_global		KTRACK_USER_GLOBAL
#define __KTRACK_KIND_async		KTRACK_USER_ASYNC
#define __KTRACK_KIND_text		KTRACK_USER_TEXT
#define __KTRACK_KIND_track		KTRACK_USER_TEXT
#define __KTRACK_KIND_sized		KTRACK_USER_TEXT
#define __KTRACK_KIND_bytes		KTRACK_USER_BYTES
#define __KTRACK_KIND_pointer		KTRACK_USER_POINTER
#define __KTRACK_KIND_flow		KTRACK_USER_FLOW
#define __KTRACK_KIND_result		KTRACK_USER_RESULT
#define __KTRACK_KIND_symbol		KTRACK_USER_SYMBOL
#define __KTRACK_KIND_bits		KTRACK_USER_BITS

/* Also those that may be of a floating type. */
#define __KTRACK_MAY_FLOAT_integer	_, 1
#define __KTRACK_MAY_FLOAT(kind)	__KTRACK_SECOND(__KTRACK_MAY_FLOAT_##kind, 0, _)

#define __KTRACK_PASSED_integer		2
#define __KTRACK_PASSED_scope		2
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

#define __KTRACK_CLASS_integer		NUMBER
#define __KTRACK_CLASS_scope		NUMBER
#define __KTRACK_CLASS_global		NOTHING
#define __KTRACK_CLASS_async		NUMBER
#define __KTRACK_CLASS_text		STRING
#define __KTRACK_CLASS_track		STRING
#define __KTRACK_CLASS_sized		ARRAY
#define __KTRACK_CLASS_bytes		BYTES
#define __KTRACK_CLASS_pointer		ADDRESS
#define __KTRACK_CLASS_flow		NUMBER
#define __KTRACK_CLASS_result		NUMBER
#define __KTRACK_CLASS_symbol		SYMBOL
#define __KTRACK_CLASS_bits		SYMBOL

/* PART_CLASS, for the class of a kind. */
#define __KTRACK_OF(part, kind)		__KTRACK_JOIN(__KTRACK_##part##_, __KTRACK_CLASS_##kind)

/* The parameters of a function that takes what an end, or a begin, passes. */
#define __KTRACK_END_PARAMETER(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_END_PARAMETER_, __KTRACK_PASSED_##kind)(ctype, name)
#define __KTRACK_END_PARAMETER_0(ctype, name)
#define __KTRACK_END_PARAMETER_1(ctype, name)	, ctype name
#define __KTRACK_END_PARAMETER_2(ctype, name)	, ctype name

#define __KTRACK_BEGIN_PARAMETER(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_BEGIN_PARAMETER_, __KTRACK_PASSED_##kind)(ctype, name)
#define __KTRACK_BEGIN_PARAMETER_0(ctype, name)
#define __KTRACK_BEGIN_PARAMETER_1(ctype, name)
#define __KTRACK_BEGIN_PARAMETER_2(ctype, name)	, ctype name

/* The arguments of an end that are parameters. */
#define __KTRACK_END_ARGUMENT(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_END_ARGUMENT_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_END_ARGUMENT_0(name)
#define __KTRACK_END_ARGUMENT_1(name)		, name
#define __KTRACK_END_ARGUMENT_2(name)		, name

/* A begin's arguments to a function that takes all of them: what it does not pass is 0. */
#define __KTRACK_BEGIN_ARGUMENT(kind, ctype, name, ...) \
	__KTRACK_JOIN(__KTRACK_BEGIN_ARGUMENT_, __KTRACK_PASSED_##kind)(name)
#define __KTRACK_BEGIN_ARGUMENT_0(name)
#define __KTRACK_BEGIN_ARGUMENT_1(name)		, 0
#define __KTRACK_BEGIN_ARGUMENT_2(name)		, name

#endif
