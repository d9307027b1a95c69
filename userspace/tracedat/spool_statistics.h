/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a spool's CPUs, during the recording only. */
#ifndef TRACEDAT_SPOOL_STATISTICS_H
#define TRACEDAT_SPOOL_STATISTICS_H

#include "tracedat/spool.h"

/** spool_check_sub_buffers - refuse sub-buffers that are not pages; returns -1 with @error */
int spool_check_sub_buffers(const struct spool *spool, const char *directory, struct error *error);

/** spool_share - ignore earlier statistics; returns -1 with @error */
int spool_share(struct spool *spool, const char *directory, struct error *error);

/** spool_freeze - ignore later statistics, and limit reading; returns -1 with @error */
int spool_freeze(struct spool *spool, struct error *error);

/**
 * spool_file_statistics - the kernel's statistics of a file's CPU
 *
 * All zeros if the CPU is not read any more. Returns -1 with @error.
 */
int spool_file_statistics(const struct spool *spool, const struct spool_file *file,
			  struct statistics *out, struct error *error);

/** spool_count_in_flight - count the records missing in each file; returns -1 with @error */
int spool_count_in_flight(struct spool *spool, struct error *error);

/** spool_summarize - losses of all CPUs; returns -1 with @error */
int spool_summarize(const struct spool *spool, struct spool_summary *summary, struct error *error);

#endif
