/* SPDX-License-Identifier: GPL-2.0-only */
/* The spool of a killed recording. */
#ifndef SESSION_UNFINISHED_H
#define SESSION_UNFINISHED_H

#include "base/base.h"

/**
 * unfinished_check - refuse the file or the folder of a killed recording
 *
 * Returns 0, or -1 with @error, which contains the command that makes the file.
 */
int unfinished_check(const char *path, struct error *error);

/**
 * unfinished_size - the length of FILE if @path is a folder FILE.spool, with or without slashes at
 * its end; otherwise 0
 */
size_t unfinished_size(const char *path);

#endif
