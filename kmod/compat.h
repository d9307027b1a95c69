/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernel versions. Only this file compares versions: no macro of the kernel
 * shows these differences.
 */
#ifndef KTRACK_COMPAT_H
#define KTRACK_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/trace.h>
#include <linux/version.h>

/* Whether the kernel is older than that series. */
#define COMPAT_BEFORE(major, patchlevel) \
	(LINUX_VERSION_MAJOR < (major) || \
	 (LINUX_VERSION_MAJOR == (major) && LINUX_VERSION_PATCHLEVEL < (patchlevel)))

/* The instance of that name with all systems, created if it does not exist; NULL on failure. */
static inline struct trace_array *compat_instance_get(const char *name)
{
#if COMPAT_BEFORE(6, 8)
	return trace_array_get_by_name(name);
#else
	return trace_array_get_by_name(name, NULL);
#endif
}

#if COMPAT_BEFORE(6, 13)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Later kernels take the source from __string(). */
#if COMPAT_BEFORE(6, 10)
#define compat_assign_str(field, source)	__assign_str(field, source)
#else
#define compat_assign_str(field, source)	\
	do {					\
		(void)(source);			\
		__assign_str(field);		\
	} while (0)
#endif

#endif
