/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Guards: slices that end with a C scope, on every path out of it.
 *
 * checkpatch reports COMPLEX_MACRO, MACRO_ARG_UNUSED, MULTISTATEMENT_MACRO_USE_DO_WHILE, SPACING,
 * TRAILING_SEMICOLON: a guard is a declaration that lives until its block ends; a do-while would
 * end it at once.
 */
#ifndef KTRACK_GUARD_H
#define KTRACK_GUARD_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "check.h"
#include "fields.h"
#include "printf.h"
#include "text.h"

/* gcc shows a mistake where the call is. clang would be silent about its values, too. */
#ifndef __clang__
#pragma GCC system_header
#endif

/**
 * ktrack_guard() - a slice from here to the end of the enclosing block
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration. A track name must be a
 *	literal or KTRACK_STATIC()
 *
 * The attributes are evaluated once, and the end is emitted with the same values, but without
 * strings other than the track name.
 * KTRACK_THIS_CPU becomes the CPU on which the slice began. If the tracepoint is disabled at the
 * begin, nothing is evaluated, and no end is emitted even if it is enabled meanwhile.
 *
 * It declares a variable with a cleanup: if a goto or a case jumps over it into its block, its
 * end reads uninitialized stack. -Wjump-misses-init reports such jumps.
 */
#define ktrack_guard(event, name, ...) \
	ktrack_guard_named(__UNIQUE_ID(ktrack_guard_), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_printf() - the same with a formatted name
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_printf(event, name, ...) \
	ktrack_guard_named_printf(__UNIQUE_ID(ktrack_guard_), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_named() - a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set()
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_named(variable, event, name, ...)				\
	__KTRACK_GUARD(variable, event,						\
		       ktrack_write_##event(KTRACK_TYPE_BEGIN, name, __values), \
		       __KTRACK_CHECK_KEPT(event, ##__VA_ARGS__)		\
		       __KTRACK_CHECK_NAME(event, name), ##__VA_ARGS__)

/**
 * ktrack_guard_named_printf() - the same with a formatted name
 * @variable: its name for ktrack_guard_set()
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_named_printf(variable, event, name, ...)			\
	__KTRACK_GUARD(variable, event,						\
		       ktrack_printf_##event(KTRACK_TYPE_BEGIN, __values,	\
					     __KTRACK_BARE name),		\
		       __KTRACK_CHECK_KEPT(event, ##__VA_ARGS__) (void)0, ##__VA_ARGS__)

/**
 * ktrack_guard_copy() - a guard that copies the name of its track, which may be any string
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 *
 * It takes 128 bytes of stack if the tracepoint has a track name. The stack protector checks the
 * function because of them, which costs some instructions while the event is disabled, too.
 */
#define ktrack_guard_copy(event, name, ...) \
	ktrack_guard_named_copy(__UNIQUE_ID(ktrack_guard_), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_named_copy() - the same for a guard whose end can carry a result
 * @variable: its name for ktrack_guard_set(), which does not copy a string
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_named_copy(variable, event, name, ...)			\
	__KTRACK_GUARD_OF(ktrack_copying_guard_##event, variable, event,		\
			  ({							\
				ktrack_copy_track_##event(&variable.values, variable.track); \
				ktrack_write_##event(KTRACK_TYPE_BEGIN, name, __values); \
			  }),							\
			  __KTRACK_CHECK_NAME(event, name), ##__VA_ARGS__)

/**
 * ktrack_guard_set() - change an attribute of a guard's end
 * @variable: as given to ktrack_guard_named()
 * @field: the attribute's field name: a result, for example
 * @value: its value in the end; not evaluated if the slice is not recorded. A string is read at
 *	the end: it must outlive the block
 */
#define ktrack_guard_set(variable, field, value)				\
do {										\
	__KTRACK_CHECK_SET(#field, (variable).values.field, value);		\
	if ((variable).armed)							\
		(variable).values.field = (value);				\
} while (0)

/*
 * A guard is kept in memory, not in registers: a register that is live through the block costs a
 * push and a pop per function and attribute, even while the event is disabled. Accesses marked
 * with ONCE on the enabled path prevent that. Its address is never taken, or the stack protector
 * would check the function. So a disabled guard costs a store, a no-op at each end, and at most
 * two instructions for space on the stack.
 *
 * Some kernels make the compiler clear every uninitialized variable, which is useless here.
 */
#define __KTRACK_GUARD(variable, event, emit_begin, check, ...)			\
	__KTRACK_GUARD_OF(ktrack_guard_##event, variable, event, emit_begin,	\
			  check, ##__VA_ARGS__)

#define __KTRACK_GUARD_OF(type, variable, event, emit_begin, check, ...)	\
	__KTRACK_CHECK_KIND("ktrack_guard", event, SLICE);			\
	struct type variable __KTRACK_UNSET					\
	__attribute__((__cleanup__(type##_end)));				\
	bool __KTRACK_JOIN(variable, _began) __maybe_unused = ({		\
		__KTRACK_CHECK_VALUES(event, begin, ##__VA_ARGS__);		\
		check;								\
		variable.armed = false;						\
		if (trace_##event##_enabled()) {				\
			struct ktrack_values_##event __values =			\
				ktrack_values_##event(true, ##__VA_ARGS__);	\
										\
			variable.values = ktrack_end_values_##event(__values);	\
			WRITE_ONCE(variable.armed, true);			\
			emit_begin;						\
		}								\
		true;								\
	})

/*
 * Defines struct ktrack_guard_EVENT and its cleanup, and the same for a guard with copies.
 */
#define __KTRACK_DEFINE_GUARD(event, ...)					\
struct ktrack_guard_##event {							\
	bool armed;								\
	struct ktrack_values_##event values;					\
};										\
										\
struct ktrack_copying_guard_##event {						\
	bool armed;								\
	struct ktrack_values_##event values;					\
	char track[(0 __KTRACK_EACH(__KTRACK_PLUS_TRACK, ##__VA_ARGS__)) * (KTRACK_STRING_MAX + 1)]; \
};										\
										\
static noinline notrace __cold __maybe_unused void				\
ktrack_copy_track_##event(struct ktrack_values_##event *values, char *track)	\
{										\
	__KTRACK_EACH(__KTRACK_COPY, ##__VA_ARGS__)				\
}										\
										\
__KTRACK_DEFINE_CLEANUP(event, ktrack_guard_##event, ##__VA_ARGS__)		\
__KTRACK_DEFINE_CLEANUP(event, ktrack_copying_guard_##event, ##__VA_ARGS__)

/*
 * The cleanup tests first whether the event is enabled, which takes one instruction; a test of
 * @armed takes two.
 */
#define __KTRACK_DEFINE_CLEANUP(event, type, ...)				\
static __always_inline void							\
type##_end(const struct type *guard)						\
{										\
	if (trace_##event##_enabled() && READ_ONCE(guard->armed))		\
		ktrack_emit_##event(KTRACK_TYPE_END, ""				\
				    __KTRACK_EACH(__KTRACK_KEPT, ##__VA_ARGS__)); \
}

#define __KTRACK_PLUS_TRACK(kind, ctype, name, ...) \
	+ (__KTRACK_KIND_OF_##kind == __KTRACK_KIND_OF_track)
#define __KTRACK_COPY(kind, ctype, name, ...) \
	__KTRACK_SECOND(__KTRACK_COPY_##kind(name), , _)
#define __KTRACK_COPY_track(name)	_, values->name = ktrack_text_keep(track, values->name);

#endif
