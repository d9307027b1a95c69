/* SPDX-License-Identifier: GPL-2.0-only */
/* Decompresses blocks with the algorithms of trace.dat files. */
#ifndef TRACEDAT_INFLATE_H
#define TRACEDAT_INFLATE_H

#include <stdbool.h>

#include "base/base.h"

struct inflate_algorithm;

/**
 * struct inflater - a decompressor; zeroed if nothing is compressed
 * @state: of the algorithm
 */
struct inflater {
	const struct inflate_algorithm *algorithm;
	void *state;
};

/**
 * inflater_init - select an algorithm by its name, which may be "none"
 *
 * Returns 0, or -1 with @error. inflater_release() is needed in any case.
 */
int inflater_init(struct inflater *inflater, struct text name, struct error *error);

void inflater_release(struct inflater *inflater);

/**
 * inflater_run - decompress one block to exactly @size bytes
 *
 * Returns false if the block is damaged or has another size, or the algorithm is "none".
 */
bool inflater_run(struct inflater *inflater, struct text block, void *out, size_t size);

#endif
