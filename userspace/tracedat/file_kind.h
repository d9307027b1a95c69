/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a file that is not a trace.dat. */
#ifndef TRACEDAT_FILE_KIND_H
#define TRACEDAT_FILE_KIND_H

#include "base/base.h"

/**
 * file_kind_describe - kind of a file by its first bytes, and what opens it
 * @size: of @bytes, FILE_KIND_SIZE unless the file is shorter
 *
 * Returns a constant text.
 */
const char *file_kind_describe(const unsigned char *bytes, size_t size);

/** FILE_KIND_SIZE - bytes that identify any kind */
#define FILE_KIND_SIZE 64

#endif
