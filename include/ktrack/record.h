/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The record of a tracepoint: for each attribute, its field, what fills it, and its text.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MULTISTATEMENT_MACRO_USE_DO_WHILE,
 * TRAILING_SEMICOLON: these macros make the fields, assignments and texts of a TRACE_EVENT, which
 * cannot be put in parentheses or in a do-while.
 */
#ifndef KTRACK_RECORD_H
#define KTRACK_RECORD_H

#include "attribute.h"
#include "cpu.h"
#include "list.h"
#include "text.h"

/* The tracepoint's call. */
#define __KTRACK_SLICE_PROTO(...)						\
	TP_PROTO(char track_event_type, const char *slice_name			\
		 __KTRACK_EACH(__KTRACK_END_PARAMETER, ##__VA_ARGS__))
#define __KTRACK_SLICE_ARGS(...)						\
	TP_ARGS(track_event_type, slice_name					\
		__KTRACK_EACH(__KTRACK_END_ARGUMENT, ##__VA_ARGS__))
#define __KTRACK_COUNTER_PROTO(ctype, ...)					\
	TP_PROTO(ctype counter_value						\
		 __KTRACK_EACH(__KTRACK_END_PARAMETER, ##__VA_ARGS__))
#define __KTRACK_COUNTER_ARGS(...)						\
	TP_ARGS(counter_value							\
		__KTRACK_EACH(__KTRACK_END_ARGUMENT, ##__VA_ARGS__))

/* The fields of all attributes. Several scopes have types that mark them. */
#define __KTRACK_FIELDS(...)							\
	__KTRACK_EACH(__KTRACK_BY_SCOPES(__KTRACK_FIELD, __KTRACK_KEY_FIELD, ##__VA_ARGS__), \
		      ##__VA_ARGS__)

#define __KTRACK_FIELD(kind, ctype, name, ...) \
	__KTRACK_FIELD_##kind(ctype, name, ##__VA_ARGS__)
#define __KTRACK_FIELD_integer(ctype, name, ...)	__field(ctype, name)
#define __KTRACK_FIELD_scope			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_cpu			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_global			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_async			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_flow			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_result			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_symbol			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_bits			__KTRACK_FIELD_integer
#define __KTRACK_FIELD_text(ctype, name) \
	__dynamic_array(char, name, ktrack_text_size(name))
#define __KTRACK_FIELD_track			__KTRACK_FIELD_text
#define __KTRACK_FIELD_sized(ctype, name, size) \
	__dynamic_array(char, name, ktrack_array_size(name, size))
#define __KTRACK_FIELD_bytes(ctype, name, size)	__array(u8, name, size)
#define __KTRACK_FIELD_pointer(ctype, name)	__field(const void *, name)

#define __KTRACK_KEY_FIELD(kind, ctype, name, ...) \
	__KTRACK_SECOND(__KTRACK_KEY_FIELD_##kind, __KTRACK_FIELD_##kind, _)(ctype, name, ##__VA_ARGS__)
#define __KTRACK_KEY_FIELD_scope		_, __KTRACK_FIELD_key
#define __KTRACK_KEY_FIELD_cpu			_, __KTRACK_FIELD_key
#define __KTRACK_FIELD_key(ctype, name)		__field(__KTRACK_KEY_TYPE(ctype, ctype), name)

/* The statement that fills it. */
#define __KTRACK_ASSIGN(kind, ctype, name, ...)	__KTRACK_ASSIGN_##kind(name)
#define __KTRACK_ASSIGN_integer(name)		__entry->name = name;
#define __KTRACK_ASSIGN_scope			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_cpu(name)		__entry->name = ktrack_cpu_resolve(name);
#define __KTRACK_ASSIGN_global(name)		__entry->name = 0;
#define __KTRACK_ASSIGN_async			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_flow			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_result			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_symbol			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_bits			__KTRACK_ASSIGN_integer
#define __KTRACK_ASSIGN_text(name) \
	ktrack_text_copy(__get_str(name), name, __get_dynamic_array_len(name));
#define __KTRACK_ASSIGN_track			__KTRACK_ASSIGN_text
#define __KTRACK_ASSIGN_sized			__KTRACK_ASSIGN_text
#define __KTRACK_ASSIGN_bytes(name) \
	ktrack_bytes_copy(__entry->name, name, sizeof(__entry->name));
#define __KTRACK_ASSIGN_pointer			__KTRACK_ASSIGN_integer

/* Its part of the text line: the format, and the arguments to it. */
#define __KTRACK_FORMAT(kind, ctype, name, ...)	" " #name "=" __KTRACK_FORMAT_##kind(ctype)
#define __KTRACK_FORMAT_integer(ctype)		__KTRACK_BY_SIGN(FORMAT, ctype)
#define __KTRACK_FORMAT_scope			__KTRACK_FORMAT_integer
#define __KTRACK_FORMAT_cpu			__KTRACK_FORMAT_integer
#define __KTRACK_FORMAT_global(ctype)		__KTRACK_FORMAT_UNSIGNED
#define __KTRACK_FORMAT_async(ctype)		__KTRACK_FORMAT_HEX
#define __KTRACK_FORMAT_flow(ctype)		__KTRACK_FORMAT_HEX
#define __KTRACK_FORMAT_result(ctype)		__KTRACK_FORMAT_SIGNED
#define __KTRACK_FORMAT_symbol(ctype)		"%s"
#define __KTRACK_FORMAT_bits(ctype)		"%s"
#define __KTRACK_FORMAT_text(ctype)		"%s"
#define __KTRACK_FORMAT_track			__KTRACK_FORMAT_text
#define __KTRACK_FORMAT_sized			__KTRACK_FORMAT_text
#define __KTRACK_FORMAT_bytes(ctype)		"%s"
#define __KTRACK_FORMAT_pointer(ctype)		"%p"

#define __KTRACK_PRINT(kind, ctype, name, ...) \
	, __KTRACK_PRINT_##kind(ctype, name, ##__VA_ARGS__)
#define __KTRACK_PRINT_integer(ctype, name)	__KTRACK_BY_SIGN(PRINT, ctype)(name)
#define __KTRACK_PRINT_scope			__KTRACK_PRINT_integer
#define __KTRACK_PRINT_cpu			__KTRACK_PRINT_integer
#define __KTRACK_PRINT_global(ctype, name)	__KTRACK_PRINT_UNSIGNED(name)
#define __KTRACK_PRINT_async(ctype, name, called) \
	__KTRACK_PRINT_UNSIGNED(name)
#define __KTRACK_PRINT_flow(ctype, name)	__KTRACK_PRINT_UNSIGNED(name)
#define __KTRACK_PRINT_result(ctype, name)	__KTRACK_PRINT_SIGNED(name)
#define __KTRACK_PRINT_symbol(ctype, name, ...)	__print_symbolic(__entry->name, ##__VA_ARGS__)
#define __KTRACK_PRINT_bits(ctype, name, ...)	__print_flags(__entry->name, "|", ##__VA_ARGS__)
#define __KTRACK_PRINT_text(ctype, name)	__get_str(name)
#define __KTRACK_PRINT_track			__KTRACK_PRINT_text
#define __KTRACK_PRINT_sized(ctype, name, size)	__get_str(name)
#define __KTRACK_PRINT_bytes(ctype, name, size)	__print_hex_str(__entry->name, size)
#define __KTRACK_PRINT_pointer(ctype, name)	__entry->name

/*
 * The format is a literal, so it must follow from the type's name. If the name shows the sign, the
 * format is a simple one, which readers of the format file handle best: trace-cmd extends the
 * sign of a value of its own size, but not of a cast. Any other type is printed as sign and
 * magnitude; adding 0 converts a truth value to a number.
 */
#define __KTRACK_FORMAT_CHAR			"%hhd"
#define __KTRACK_FORMAT_SHORT			"%hd"
#define __KTRACK_FORMAT_INT			"%d"
#define __KTRACK_FORMAT_SIGNED			"%lld"
#define __KTRACK_FORMAT_UNSIGNED		"%llu"
#define __KTRACK_FORMAT_HEX			"0x%llx"
#define __KTRACK_FORMAT_ANY			"%s%llu"
#define __KTRACK_PRINT_CHAR(name)		__entry->name
#define __KTRACK_PRINT_SHORT(name)		__entry->name
#define __KTRACK_PRINT_INT(name)		__entry->name
#define __KTRACK_PRINT_SIGNED(name)		(s64)__entry->name
#define __KTRACK_PRINT_UNSIGNED(name)		(u64)__entry->name
#define __KTRACK_PRINT_ANY(name)						\
	__entry->name + 0 < 0 ? "-" : "",					\
	__entry->name + 0 < 0 ? 0 - (u64)__entry->name : (u64)__entry->name

#define __KTRACK_BY_SIGN(what, ctype)						\
	__KTRACK_JOIN(__KTRACK_##what##_,					\
		      __KTRACK_SECOND(__KTRACK_JOIN(__KTRACK_SIGN_OF_, ctype), ANY, _))

#define __KTRACK_SIGN_OF_s8			_, CHAR
#define __KTRACK_SIGN_OF_s16			_, SHORT
#define __KTRACK_SIGN_OF_s32			_, INT
#define __KTRACK_SIGN_OF_s64			_, SIGNED
#define __KTRACK_SIGN_OF_int			_, INT
#define __KTRACK_SIGN_OF_pid_t			_, INT
#define __KTRACK_SIGN_OF_ssize_t		_, SIGNED
#define __KTRACK_SIGN_OF_loff_t			_, SIGNED
#define __KTRACK_SIGN_OF_ktime_t		_, SIGNED
#define __KTRACK_SIGN_OF_u8			_, UNSIGNED
#define __KTRACK_SIGN_OF_u16			_, UNSIGNED
#define __KTRACK_SIGN_OF_u32			_, UNSIGNED
#define __KTRACK_SIGN_OF_u64			_, UNSIGNED
#define __KTRACK_SIGN_OF_bool			_, UNSIGNED
#define __KTRACK_SIGN_OF_size_t			_, UNSIGNED
#define __KTRACK_SIGN_OF_unsigned		_, UNSIGNED, /* the rest of its name */

#endif
