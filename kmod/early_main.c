// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module for tests. Its init writes six track event records (a slice that contains two instants,
 * and two samples) and one other record, and fails on request.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "ktrack_early_trace.h"

static int result;
module_param(result, int, 0444);
MODULE_PARM_DESC(result, "return value of init: 0 or a negative error number");

static int __init ktrack_early_init(void)
{
	ktrack_guard(ktrack_early_slice, "init");

	ktrack_sample(ktrack_early_level, 1);
	ktrack_instant(ktrack_early_slice, "mark");
	trace_ktrack_early_own(KTRACK_TYPE_INSTANT);
	trace_ktrack_early_plain(1);
	ktrack_sample(ktrack_early_level, 2);
	return result;
}

static void __exit ktrack_early_exit(void)
{
}

module_init(ktrack_early_init);
module_exit(ktrack_early_exit);

MODULE_DESCRIPTION("Track events from a module's own init");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
