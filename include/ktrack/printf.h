/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Slices and instants with formatted names, at the cost of a printf while they are enabled. */
#ifndef KTRACK_PRINTF_H
#define KTRACK_PRINTF_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/stdarg.h>

#include "check.h"
#include "fields.h"
#include "text.h"

/* gcc shows a mistake where the call is. clang would be silent about its values, too. */
#ifndef __clang__
#pragma GCC system_header
#endif

/**
 * ktrack_begin_printf() - begin a slice with a formatted name
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("read %u", request)
 * @...: the tracepoint's attributes, in the order of its declaration
 *
 * It uses the same tracepoint as ktrack_begin(), and ktrack_end() ends it.
 */
#define ktrack_begin_printf(event, name, ...) \
	__ktrack_printf("ktrack_begin_printf", KTRACK_TYPE_BEGIN, event, name, ##__VA_ARGS__)

/**
 * ktrack_instant_printf() - mark a point in time with a formatted name
 * @event: a tracepoint declared by KTRACK_SLICE()
 * @name: format and arguments, together in parentheses: ("retry %u", count)
 * @...: the tracepoint's attributes, in the order of its declaration
 */
#define ktrack_instant_printf(event, name, ...) \
	__ktrack_printf("ktrack_instant_printf", KTRACK_TYPE_INSTANT, event, name, ##__VA_ARGS__)

#define __ktrack_printf(call, type, event, name, ...)				\
do {										\
	__KTRACK_CHECK_KIND(call, event, SLICE);				\
	__KTRACK_CHECK_VALUES(event, begin, ##__VA_ARGS__);			\
	if (trace_##event##_enabled())						\
		ktrack_printf_##event(type,					\
				      ktrack_values_##event(false, ##__VA_ARGS__), \
				      __KTRACK_BARE name);			\
} while (0)

/*
 * Defines ktrack_printf_EVENT(), out of line, so that its buffer is on the stack only while it
 * runs. The arguments of ktrack_emit_EVENT() are prepared in a function of their own, too: they
 * would otherwise be on the stack while the name is formatted. The frame stays below 256 bytes,
 * whatever the attributes.
 */
#define __KTRACK_DEFINE_PRINTF(event)						\
static noinline __cold __maybe_unused void					\
ktrack_emit_formatted_##event(char type, const char *name,			\
			      const struct ktrack_values_##event *values)	\
{										\
	ktrack_write_##event(type, name, *values);				\
}										\
										\
static noinline __cold __maybe_unused __printf(3, 4) void			\
ktrack_printf_##event(char type, struct ktrack_values_##event values,		\
		      const char *format, ...)					\
{										\
	char name[KTRACK_STRING_MAX + 1] __KTRACK_UNSET;			\
	va_list arguments __KTRACK_UNSET;					\
	int len;								\
										\
	va_start(arguments, format);						\
	len = vsnprintf(name, sizeof(name), format, arguments);			\
	va_end(arguments);							\
	if (unlikely(len > KTRACK_STRING_MAX))					\
		name[ktrack_text_cut(name)] = '\0';				\
	ktrack_emit_formatted_##event(type, name, &values);			\
}

#endif
