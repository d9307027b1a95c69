// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module of its own for one tracepoint: a module can't have two of one name, but two systems
 * can.
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

MODULE_DESCRIPTION("A second system with an event name of ktrack_test's");
MODULE_AUTHOR("The ktrack authors");
MODULE_LICENSE("GPL");
