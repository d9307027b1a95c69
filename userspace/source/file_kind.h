/* SPDX-License-Identifier: GPL-2.0-only */
/* What a file is that is no trace.dat. */
#ifndef SOURCE_FILE_KIND_H
#define SOURCE_FILE_KIND_H

#include "base/base.h"

/**
 * file_kind_describe - what a file is by its first bytes, and what opens it
 * @size: how many bytes there are, at most FILE_KIND_SIZE of the file
 *
 * Returns a constant text.
 */
const char *file_kind_describe(const unsigned char *bytes, size_t size);

/** FILE_KIND_SIZE - so many bytes are enough */
#define FILE_KIND_SIZE 64

#endif
