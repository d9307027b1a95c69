/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Keeps a module loaded for as long as one of its track events is enabled. */
#ifndef KTRACK_PIN_H
#define KTRACK_PIN_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/module.h>

/*
 * The kernel wipes the whole buffer of an instance when a module goes whose event was enabled
 * there, records of other modules included. So rmmod has to wait (it says EAGAIN) until
 * nobody records. A tracepoint calls this pair on its way from off to on and back, however
 * many users it has.
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
