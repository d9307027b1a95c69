/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of several CPUs in one order. */
#ifndef SOURCE_MERGE_H
#define SOURCE_MERGE_H

#include "source/stream.h"

/**
 * merge_drain - deliver the records of all streams up to @until_ns, in time order, equal stamps CPU
 * by CPU
 *
 * A stream that has no record now is taken to have none up to @until_ns. Returns 0, or -1 with
 * @error.
 */
int merge_drain(struct stream *streams, size_t nr_streams, int64_t until_ns,
		const struct source_handler *handler, struct error *error);

#endif
