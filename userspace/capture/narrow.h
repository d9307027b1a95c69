/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the threads that run 32-bit programs. */
#ifndef CAPTURE_NARROW_H
#define CAPTURE_NARROW_H

#include "base/base.h"

/**
 * narrow_threads_append - append the numbers of the threads that run 32-bit programs now, "1,2,3"
 *
 * Processes whose programs this process may not read are left out; on a 32-bit machine, all are.
 */
void narrow_threads_append(struct buffer *out);

/** narrow_program - whether the program in a file is a 32-bit one of another ABI than this one */
bool narrow_program(const char *path);

#endif
