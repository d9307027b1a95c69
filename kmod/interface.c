// SPDX-License-Identifier: GPL-2.0-only
/* ktrack.ko as a module: what it is, and which interface it has. */
#include <linux/export.h>
#include <linux/module.h>

#include <ktrack/generic.h>

#include "arrivals.h"

const unsigned int KTRACK_INTERFACE = 1;
EXPORT_SYMBOL_GPL(KTRACK_INTERFACE);

static int __init ktrack_init(void)
{
	return arrivals_init();
}

static void __exit ktrack_exit(void)
{
	arrivals_release();
}

module_init(ktrack_init);
module_exit(ktrack_exit);

MODULE_DESCRIPTION("Generic track events, and all events of modules that arrive");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
