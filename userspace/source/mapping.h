/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole file in memory, of which only what is being read stays there. */
#ifndef SOURCE_MAPPING_H
#define SOURCE_MAPPING_H

#include <stddef.h>

#include "base/base.h"

/** struct mapping - a file's bytes, read-only; zeroed where there is none or it is empty */
struct mapping {
	const unsigned char *bytes;
	size_t size;
};

/**
 * mapping_open - map the file at @path, or standard input where that is "-"
 *
 * What cannot be mapped (a pipe) is copied into a file without a name first. Returns 0, or -1 with
 * @error.
 */
int mapping_open(struct mapping *mapping, const char *path, struct error *error);

void mapping_close(struct mapping *mapping);

/**
 * mapping_forget - give back the memory of bytes that were read, which are read from the file again
 * if need be
 *
 * Whole pages: the one that @from is in, not that of @to.
 */
void mapping_forget(const struct mapping *mapping, size_t from, size_t to);

#endif
