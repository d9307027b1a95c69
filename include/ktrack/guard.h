/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Slices bound to a C scope: they end on whatever way control leaves it. */
#ifndef KTRACK_GUARD_H
#define KTRACK_GUARD_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "check.h"
#include "fields.h"
#include "printf.h"
#include "text.h"

/**
 * ktrack_guard() - a slice from here to the end of the enclosing block
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 *
 * The attributes are evaluated once, and the end is emitted with the same ones. Strings among
 * them are not copied before that: they have to outlive the block (the name needn't).
 * KTRACK_THIS_CPU becomes the CPU on which the slice began.
 * Where the tracepoint is off at the beginning nothing is evaluated, and no end is emitted
 * even if it has been switched on since.
 *
 * It is a declaration of a variable with a cleanup: where a goto or a case jumps over it into
 * its block, its end finds what is on the stack. -Wjump-misses-init tells of that.
 */
#define ktrack_guard(event, name, ...) \
	ktrack_guard_named(__UNIQUE_ID(ktrack_guard_), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_printf() - a slice bound to the enclosing block, with a formatted name
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_printf(event, name, ...) \
	ktrack_guard_named_printf(__UNIQUE_ID(ktrack_guard_), event, name, ##__VA_ARGS__)

/**
 * ktrack_guard_named() - a slice bound to the enclosing block, whose end can carry a result
 * @variable: how ktrack_guard_set() shall call it
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: the slice's name
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_named(variable, event, name, ...)				\
	__KTRACK_GUARD(variable, event,						\
		       ktrack_emit_##event(KTRACK_TYPE_BEGIN, name, __values),	\
		       __KTRACK_CHECK_NAME(event, name), ##__VA_ARGS__)

/**
 * ktrack_guard_named_printf() - the same with a formatted name
 * @variable: how ktrack_guard_set() shall call it
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_guard_named_printf(variable, event, name, ...)			\
	__KTRACK_GUARD(variable, event,						\
		       ktrack_printf_##event(KTRACK_TYPE_BEGIN, __values,	\
					     __KTRACK_BARE name),		\
		       (void)0, ##__VA_ARGS__)

/**
 * ktrack_guard_set() - change an attribute of a bound slice's end
 * @variable: as given to ktrack_guard_named()
 * @field: the attribute's field name: a result, for example
 * @value: what the end shall say; not evaluated where the slice isn't traced
 */
#define ktrack_guard_set(variable, field, value)				\
do {										\
	__KTRACK_CHECK_SET(#field, (variable).values.field, value);		\
	if ((variable).armed)							\
		(variable).values.field = (value);				\
} while (0)

/*
 * A guard lives in memory, not in registers: keeping a register through the block takes a push
 * and a pop of each function, for each attribute, while nobody records. Marked accesses (ONCE)
 * where somebody does see to that. Nor may its address be known to anybody, for the stack
 * protector then checks the function. So a disabled guard costs a store, a no-op at each end,
 * and at most two instructions for room on the stack.
 *
 * Some kernels' compilers clear every variable that is left unset: here, for nothing.
 */
#define __KTRACK_GUARD(variable, event, begin, check, ...)			\
	__KTRACK_CHECK_KIND("ktrack_guard", event, SLICE);			\
	struct ktrack_guard_##event variable __KTRACK_UNSET			\
	__attribute__((__cleanup__(ktrack_guard_end_##event)));			\
	bool __KTRACK_JOIN(variable, _began) __maybe_unused = ({		\
		check;								\
		__KTRACK_CHECK_VALUES(event, ##__VA_ARGS__);			\
		variable.armed = false;						\
		if (trace_##event##_enabled()) {				\
			struct ktrack_values_##event __values =			\
				ktrack_values_##event(true, ##__VA_ARGS__);	\
										\
			variable.values = __values;				\
			WRITE_ONCE(variable.armed, true);			\
			begin;							\
		}								\
		true;								\
	})

/*
 * Defines what the macros above need: struct ktrack_guard_EVENT and the end of its life. That
 * asks first whether anybody records: it takes one instruction, looking at @armed takes two.
 */
#define __KTRACK_DEFINE_GUARD(event, ...)					\
struct ktrack_guard_##event {							\
	bool armed;								\
	struct ktrack_values_##event values;					\
};										\
										\
static __always_inline void							\
ktrack_guard_end_##event(const struct ktrack_guard_##event *guard)		\
{										\
	if (trace_##event##_enabled() && READ_ONCE(guard->armed)) {		\
		struct ktrack_values_##event values = {				\
			__KTRACK_EACH(__KTRACK_KEPT, ##__VA_ARGS__)		\
		};								\
										\
		ktrack_emit_##event(KTRACK_TYPE_END, "", values);		\
	}									\
}

#endif
