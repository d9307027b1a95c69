/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognizes kernels with PREEMPT_RT, which run soft interrupts in threads. */
#ifndef READER_REALTIME_H
#define READER_REALTIME_H

#include <stdbool.h>

#include "source/source.h"

/** release_is_realtime - whether a kernel's release names PREEMPT_RT: "6.12.1-rt-amd64", "6.6-rt15" */
bool release_is_realtime(const char *release);

/** format_is_realtime - whether a tracepoint has a field that only the patches of PREEMPT_RT add */
bool format_is_realtime(struct text format);

/** source_is_realtime - whether records are of such a kernel; @source is NULL for the running one */
bool source_is_realtime(struct source *source);

#endif
