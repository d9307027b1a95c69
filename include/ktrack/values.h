/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A tracepoint's attributes as one value, for slices that have to keep or to pass them on. */
#ifndef KTRACK_VALUES_H
#define KTRACK_VALUES_H

#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "map.h"

/**
 * KTRACK_THIS_CPU - in place of a CPU number: the CPU that writes the record
 *
 * It is looked up where preemption is already off, so that value and CPU agree. Meant for
 * counters and instants. A begin and an end may run on different CPUs: take the number once
 * and give it to both, as ktrack_guard() does.
 */
#define KTRACK_THIS_CPU		(-2147483647 - 1)

static __always_inline int ktrack_resolve_cpu(int cpu)
{
	return cpu == KTRACK_THIS_CPU ? raw_smp_processor_id() : cpu;
}

#define __KTRACK_MEMBER(kind, ctype, name)	ctype name;
#define __KTRACK_PARAMETER(kind, ctype, name)	, ctype name
#define __KTRACK_FROM_VALUES(kind, ctype, name)	, values.name

#define __KTRACK_TAKE(kind, ctype, name)	__KTRACK_TAKE_##kind(name)
#define __KTRACK_TAKE_integer(name)		.name = name,
#define __KTRACK_TAKE_text(name)		.name = name,
#define __KTRACK_TAKE_cpu(name)			.name = fix_cpu ? ktrack_resolve_cpu(name) : name,

/*
 * Defines struct ktrack_values_EVENT, the function of that name which fills it, and
 * ktrack_emit_EVENT(), which writes a record with such values. With @fix_cpu, KTRACK_THIS_CPU
 * becomes a number at once, otherwise when the record is written.
 */
#define __KTRACK_DEFINE_VALUES(event, ...)					\
struct ktrack_values_##event {							\
	__KTRACK_EACH(__KTRACK_MEMBER, ##__VA_ARGS__)				\
};										\
										\
static __always_inline struct ktrack_values_##event				\
ktrack_values_##event(bool fix_cpu __KTRACK_EACH(__KTRACK_PARAMETER, ##__VA_ARGS__)) \
{										\
	return (struct ktrack_values_##event) {					\
		__KTRACK_EACH(__KTRACK_TAKE, ##__VA_ARGS__)			\
	};									\
}										\
										\
static __always_inline void							\
ktrack_emit_##event(char type, const char *name, struct ktrack_values_##event values) \
{										\
	trace_##event(type, name						\
		      __KTRACK_EACH(__KTRACK_FROM_VALUES, ##__VA_ARGS__));	\
}

#endif
