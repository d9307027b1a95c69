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

/* Whether this is an earlier kernel than that series. */
#define COMPAT_BEFORE(major, patchlevel) \
	(LINUX_VERSION_MAJOR < (major) || \
	 (LINUX_VERSION_MAJOR == (major) && LINUX_VERSION_PATCHLEVEL < (patchlevel)))

/* The instance of that name with all systems, made where there is none; NULL where that fails. */
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

/* Later kernels have seen the source in __string() already. */
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
