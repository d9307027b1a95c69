/* SPDX-License-Identifier: GPL-2.0-only */
/* The raw records that a killed recording leaves instead of its file. */
#ifndef CLI_UNFINISHED_H
#define CLI_UNFINISHED_H

#include "base/base.h"

/**
 * unfinished_check - whether @path is the file or the folder of a recording that was killed
 *
 * Returns 0, or -1 with @error, which names the command that makes the file.
 */
int unfinished_check(const char *path, struct error *error);

/**
 * unfinished_size - the length of FILE if @path is a folder FILE.parts, with or without slashes
 * behind it; 0 if it is something else
 */
size_t unfinished_size(const char *path);

#endif
