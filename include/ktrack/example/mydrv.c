// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* An example driver: slices on a thread, an asynchronous slice with a result, and a counter. */
#include <linux/errno.h>
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "mydrv_trace.h"

static int mydrv_read(u32 request, u32 depth)
{
	ktrack_guard(mydrv_work, "read");

	ktrack_begin(mydrv_io, "transfer", request);
	ktrack_end(mydrv_io, request, -EIO);
	ktrack_sample(mydrv_depth, depth, 0);
	return -EIO;
}

static int __init mydrv_init(void)
{
	mydrv_read(0, 1);
	return 0;
}
module_init(mydrv_init);

static void __exit mydrv_exit(void)
{
}
module_exit(mydrv_exit);

MODULE_DESCRIPTION("A driver that traces");
MODULE_LICENSE("Dual MIT/GPL");
