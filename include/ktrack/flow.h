/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers of flows, for drivers whose requests have no number of their own. */
#ifndef KTRACK_FLOW_H
#define KTRACK_FLOW_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/timekeeping.h>

#include "ids.h"

/**
 * ktrack_flow_new() - a number for KTRACK_FLOW()
 * @event: a tracepoint of the flow
 *
 * No other call of the module returns the number before the next boot, not even after the module
 * is reloaded. While @event is disabled the number is 0, which is no flow, and the call costs one
 * instruction. Allowed in any context that may be traced.
 */
#define ktrack_flow_new(event) \
	(trace_##event##_enabled() ? ktrack_flow_next() : (ktrack_flow_id)0)

/* The module's last number. It is weak, so that all files of the module have the same one. */
extern atomic64_t ktrack_flow_last;
atomic64_t __weak ktrack_flow_last;

/*
 * The first number is the time in nanoseconds, and fewer numbers are taken than nanoseconds pass:
 * a module that is reloaded continues above its last one.
 */
static noinline notrace __maybe_unused ktrack_flow_id ktrack_flow_next(void)
{
	if (!atomic64_read(&ktrack_flow_last))
		atomic64_cmpxchg(&ktrack_flow_last, 0, ktime_get_boot_fast_ns());
	return atomic64_inc_return(&ktrack_flow_last);
}

#endif
