// SPDX-License-Identifier: GPL-2.0-only
/*
 * A separate module for one tracepoint: one module cannot have two tracepoints of the same name,
 * but two systems can.
 */
#include <linux/export.h>
#include <linux/module.h>

#include "twin.h"

#define CREATE_TRACE_POINTS
#include "ktrack_twin_trace.h"

void ktrack_twin_emit(char type, const char *name, u32 sequence)
{
	trace_ktrack_test_twin(type, name, sequence);
}
EXPORT_SYMBOL_GPL(ktrack_twin_emit);

MODULE_DESCRIPTION("A second system with an event name of ktrack_test");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
