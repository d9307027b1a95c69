/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel counts for one CPU's ring buffer. */
#ifndef SOURCE_STATISTICS_H
#define SOURCE_STATISTICS_H

#include "base/base.h"

/**
 * statistics_lost - how many records one CPU's buffer has lost since its instance was made
 * @text: of per_cpu/cpuN/stats
 *
 * The sum of "overrun" (overwritten before they were read), "commit overrun" (interrupts filled the
 * buffer while a record was being written) and "dropped events" (the buffer was full and must not
 * overwrite). The kernel counts each lost record in exactly one of them.
 */
uint64_t statistics_lost(struct text text);

#endif
