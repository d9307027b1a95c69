/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whole files and whole writes. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buffer.h"
#include "base/error.h"

/**
 * file_read - append all that can be read from @path
 *
 * Works for files that do not know their size (procfs, tracefs). Returns 0, or -1 with errno as the
 * system left it;
 * @out may then hold a part.
 */
int file_read(const char *path, struct buffer *out);

/**
 * file_write_all - write @size bytes, however many calls that takes
 *
 * Returns 0, or -1 with errno as the system left it.
 */
int file_write_all(int fd, const char *data, size_t size);

#endif
