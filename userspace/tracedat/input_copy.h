/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies a pipe to a temporary file. */
#ifndef TRACEDAT_INPUT_COPY_H
#define TRACEDAT_INPUT_COPY_H

#include "base/base.h"

/** INPUT_COPY_MAX - limit of a copy */
#define INPUT_COPY_MAX (UINT64_C(16) << 30)

/**
 * input_copy - copy all bytes of @fd to an unnamed temporary file
 * @name: of @fd in errors
 * @limit: more bytes are an error
 *
 * Stops after the first bytes if they do not begin a trace.dat, so that endless other input is
 * refused at once. Returns a descriptor, or -1 with @error.
 */
int input_copy(int fd, const char *name, uint64_t limit, struct error *error);

#endif
