/* SPDX-License-Identifier: GPL-2.0-only */
/* Compressed blocks, by the algorithms that trace.dat files name. */
#ifndef SOURCE_INFLATE_H
#define SOURCE_INFLATE_H

#include <stdbool.h>

#include "base/base.h"

struct inflate_algorithm;

/**
 * struct inflater - what it takes to inflate blocks; zeroed where nothing is compressed
 * @state: the algorithm's, made when it is first used
 */
struct inflater {
	const struct inflate_algorithm *algorithm;
	void *state;
};

/**
 * inflater_init - choose an algorithm by its name, which may be "none"; returns false where there
 * is no such one
 */
bool inflater_init(struct inflater *inflater, struct text name);

void inflater_release(struct inflater *inflater);

/**
 * inflater_run - inflate one block
 * @out: room for @size bytes, which is what the block has to give exactly
 *
 * Returns false where the block is damaged, gives another size, or nothing is compressed here.
 */
bool inflater_run(struct inflater *inflater, struct text block, void *out, size_t size);

#endif
