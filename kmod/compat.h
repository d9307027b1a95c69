/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that these modules are built for. */
#ifndef KTRACK_COMPAT_H
#define KTRACK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/trace.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define trace_array_get_by_name(name, systems)	trace_array_get_by_name(name)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Later kernels have seen the source in __string() already. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define compat_assign_str(field, source)	__assign_str(field, source)
#else
#define compat_assign_str(field, source)	__assign_str(field)
#endif

#endif
