/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and processes of threads, for a trace.dat. */
#ifndef TRACEDAT_COMMS_H
#define TRACEDAT_COMMS_H

#include "tracedat/tracedat.h"

/**
 * comms_append - append lines "TID NAME" of all known threads, a NUL, and lines "TID TGID"
 * @saved: names that the kernel saved of ended threads
 * @earlier: an earlier result, used for threads that have ended; may be empty
 *
 * Returns -1 with @error.
 */
int comms_append(struct buffer *out, const struct saved_tasks *saved, struct buffer *earlier,
		 struct error *error);

#endif
