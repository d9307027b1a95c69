/* SPDX-License-Identifier: GPL-2.0-only */
/* Merges the streams of a source in time order. */
#ifndef SOURCE_MERGE_H
#define SOURCE_MERGE_H

#include "source/source_ops.h"

/**
 * merge_drain - deliver all records up to a time, and the gaps before them
 *
 * Records with equal times are delivered CPU by CPU. Returns 0, or -1 with @error.
 */
int merge_drain(struct source *source, int64_t until_ns, const struct source_handler *handler,
		struct error *error);

#endif
