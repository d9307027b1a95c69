/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a declared attribute becomes a field of the record: its place, its copy, its text. */
#ifndef KTRACK_RECORD_H
#define KTRACK_RECORD_H

#include "fields.h"
#include "map.h"
#include "text.h"
#include "values.h"

/* The argument that an attribute adds to the tracepoint's call. */
#define __KTRACK_ARGUMENT(kind, ctype, name)	, name

/* The field's place in the record. */
#define __KTRACK_FIELD(kind, ctype, name)	__KTRACK_FIELD_##kind(ctype, name)
#define __KTRACK_FIELD_integer(ctype, name)	__field(ctype, name)
#define __KTRACK_FIELD_cpu(ctype, name)		__field(ctype, name)
#define __KTRACK_FIELD_text(ctype, name) \
	__dynamic_array(char, name, ktrack_text_size(name))

/* The statement that fills it. */
#define __KTRACK_ASSIGN(kind, ctype, name)	__KTRACK_ASSIGN_##kind(name)
#define __KTRACK_ASSIGN_integer(name)		__entry->name = name;
#define __KTRACK_ASSIGN_cpu(name)		__entry->name = ktrack_resolve_cpu(name);
#define __KTRACK_ASSIGN_text(name) \
	ktrack_text_copy(__get_str(name), name, __get_dynamic_array_len(name));

/* Its part of the text line: the format, and the argument to it. */
#define __KTRACK_FORMAT(kind, ctype, name)	" " #name "=" __KTRACK_FORMAT_##kind(ctype)
#define __KTRACK_FORMAT_integer(ctype)		__KTRACK_BY_SIGN(ctype, "%lld", "%llu")
#define __KTRACK_FORMAT_cpu(ctype)		"%d"
#define __KTRACK_FORMAT_text(ctype)		"%s"

#define __KTRACK_PRINT(kind, ctype, name)	, __KTRACK_PRINT_##kind(ctype, name)
#define __KTRACK_PRINT_integer(ctype, name) \
	(__KTRACK_BY_SIGN(ctype, s64, u64))__entry->name
#define __KTRACK_PRINT_cpu(ctype, name)		__entry->name
#define __KTRACK_PRINT_text(ctype, name)	__get_str(name)

/*
 * Chooses by the sign of a type's name. It has to know only the types whose values may exceed
 * an s64: those of the others print alike either way.
 */
#define __KTRACK_BY_SIGN(ctype, with_sign, without_sign)			\
	__KTRACK_JOIN(__KTRACK_CHOOSE_,						\
		      __KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_NO_SIGN_, ctype), 0, _)) \
	(with_sign, without_sign)
#define __KTRACK_CHOOSE_0(with_sign, without_sign)	with_sign
#define __KTRACK_CHOOSE_1(with_sign, without_sign)	without_sign
#define __KTRACK_SECOND(...)			__KTRACK_SECOND_NOW(__VA_ARGS__)
#define __KTRACK_SECOND_NOW(first, second, ...)	second

#define __KTRACK_NO_SIGN_u64			_, 1,
#define __KTRACK_NO_SIGN___u64			_, 1,
#define __KTRACK_NO_SIGN_uint64_t		_, 1,
#define __KTRACK_NO_SIGN_unsigned		_, 1,
#define __KTRACK_NO_SIGN_size_t			_, 1,
#define __KTRACK_NO_SIGN_uintptr_t		_, 1,

#endif
