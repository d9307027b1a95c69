// SPDX-License-Identifier: GPL-2.0-only
/* ktrack.ko as a module: what it is, and which interface it has. */
#include <linux/export.h>
#include <linux/module.h>

#include <ktrack/generic.h>

const unsigned int KTRACK_INTERFACE = 1;
EXPORT_SYMBOL_GPL(KTRACK_INTERFACE);

MODULE_DESCRIPTION("Generic tracepoints that follow the track event convention");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
