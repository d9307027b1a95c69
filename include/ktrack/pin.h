/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Keeps a module loaded for as long as one of its track events is enabled. */
#ifndef KTRACK_PIN_H
#define KTRACK_PIN_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/module.h>

/*
 * Unloading a module clears every tracing instance that recorded its events, records of other
 * modules included. So rmmod fails with EAGAIN while an event is enabled. A tracepoint calls this
 * pair when it is first enabled and last disabled, whatever its number of users.
 */
static int __maybe_unused ktrack_pin_module(void)
{
	return try_module_get(THIS_MODULE) ? 0 : -ENODEV;
}

static void __maybe_unused ktrack_unpin_module(void)
{
	module_put(THIS_MODULE);
}

#endif
