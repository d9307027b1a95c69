/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The generic tracepoints of ktrack.ko, for code that traces without declaring tracepoints. The
 * calls of track.h serve them, too.
 *
 * Their names follow from their attributes: the scope, then track if they have a track name.
 */
#if !defined(KTRACK_GENERIC_H) || \
	(defined(KTRACK_CREATE_GENERIC) && defined(TRACE_HEADER_MULTI_READ))
#define KTRACK_GENERIC_H

/* Only ktrack.ko creates these events. */
#ifdef KTRACK_CREATE_GENERIC
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrack
#else
#define KTRACK_BORROWED
#endif
#include "define.h"
#undef KTRACK_BORROWED

KTRACK_SLICE(ktrack_slice);
KTRACK_SLICE(ktrack_slice_track, KTRACK_TRACK_NAME);
KTRACK_SLICE(ktrack_slice_tgid, KTRACK_SCOPE_TGID);
KTRACK_SLICE(ktrack_slice_tgid_track, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);
KTRACK_SLICE(ktrack_slice_cpu, KTRACK_SCOPE_CPU);
KTRACK_SLICE(ktrack_slice_cpu_track, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);
KTRACK_SLICE(ktrack_slice_scope_track, KTRACK_SCOPE(s64, id), KTRACK_TRACK_NAME);

KTRACK_COUNTER(ktrack_counter, s64);
KTRACK_COUNTER(ktrack_counter_track, s64, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_counter_tgid, s64, KTRACK_SCOPE_TGID);
KTRACK_COUNTER(ktrack_counter_tgid_track, s64, KTRACK_SCOPE_TGID, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_counter_cpu, s64, KTRACK_SCOPE_CPU);
KTRACK_COUNTER(ktrack_counter_cpu_track, s64, KTRACK_SCOPE_CPU, KTRACK_TRACK_NAME);
KTRACK_COUNTER(ktrack_counter_scope_track, s64, KTRACK_SCOPE(s64, id), KTRACK_TRACK_NAME);

#ifndef TRACE_HEADER_MULTI_READ
/*
 * The kernel does not compare the prototypes of tracepoints across modules. A module that
 * includes this file refers to a symbol that is renamed with every change above: without a
 * matching ktrack.ko, insmod reports it as unknown, and its name is the remedy.
 */
#define KTRACK_INTERFACE ktrack_interface_1_insmod_ktrack_or_rebuild_against_it

#ifndef KTRACK_DISABLE
extern const unsigned int KTRACK_INTERFACE;
static const unsigned int *const ktrack_interface_needed __used = &KTRACK_INTERFACE;
#endif
#endif

#endif /* KTRACK_GENERIC_H */

#ifdef KTRACK_CREATE_GENERIC
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH ktrack
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE generic
#include <trace/define_trace.h>
#endif
