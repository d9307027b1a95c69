/* SPDX-License-Identifier: GPL-2.0-only */
/* What record, recover and export --save share. */
#ifndef SESSION_SPOOLED_H
#define SESSION_SPOOLED_H

#include "tracedat/tracedat.h"

/** spool_owner_find - the owner of new files */
struct spool_owner spool_owner_find(void);

/** spool_report_span - report which part of a recording at @path is complete, if not all of it */
void spool_report_span(const struct spool_summary *summary, const char *path,
		       const struct report *report);

#endif
