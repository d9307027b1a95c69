/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that these modules are built for. The only file that compares
 * versions: none of these differences can be told by a macro.
 */
#ifndef KTRACK_COMPAT_H
#define KTRACK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/trace.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 8, 0) > LINUX_VERSION_CODE
#define trace_array_get_by_name(name, systems)	trace_array_get_by_name(name)
#endif

#if KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Later kernels have seen the source in __string() already. */
#if KERNEL_VERSION(6, 10, 0) > LINUX_VERSION_CODE
#define compat_assign_str(field, source)	__assign_str(field, source)
#else
#define compat_assign_str(field, source)	__assign_str(field)
#endif

#endif
