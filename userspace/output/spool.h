/* SPDX-License-Identifier: GPL-2.0-only */
/* The spool of a recording: what record, recover and export --save share. */
#ifndef OUTPUT_SPOOL_H
#define OUTPUT_SPOOL_H

#include "base/base.h"
#include "tracedat/tracedat.h"

/** spool_owner_find - the owner of new files */
struct spool_owner spool_owner_find(void);

/** spool_report_span - report which part of a recording at @path is complete, if not all of it */
void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report);

/**
 * spool_refuse_killed - refuse the file or the folder of a killed recording
 *
 * Returns 0, or -1 with @error, which contains the command that makes the file.
 */
int spool_refuse_killed(const char *path, struct error *error);

/**
 * spool_target_size - the length of FILE if @path is a folder FILE.spool, with or without slashes
 * at its end; otherwise 0
 */
size_t spool_target_size(const char *path);

#endif
