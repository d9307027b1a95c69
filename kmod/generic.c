// SPDX-License-Identifier: GPL-2.0-only
/* Creates the generic tracepoints and exports them to other modules. */
#define KTRACK_CREATE_GENERIC
#define CREATE_TRACE_POINTS
#include <ktrack/generic.h>

EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_tgid);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_tgid_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_cpu);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_cpu_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_slice_scope_track);

EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_tgid);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_tgid_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_cpu);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_cpu_track);
EXPORT_TRACEPOINT_SYMBOL_GPL(ktrack_counter_scope_track);
