// SPDX-License-Identifier: GPL-2.0-only
/* The module ktrack.ko and the version of its interface. */
#include <linux/export.h>
#include <linux/module.h>

#include <ktrack/generic.h>

#include "module_watch.h"

const unsigned int KTRACK_INTERFACE = 1;
EXPORT_SYMBOL_GPL(KTRACK_INTERFACE);

static int __init ktrack_init(void)
{
	return module_watch_init();
}

static void __exit ktrack_exit(void)
{
	module_watch_release();
}

module_init(ktrack_init);
module_exit(ktrack_exit);

MODULE_DESCRIPTION("Generic track events and the module watch");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
