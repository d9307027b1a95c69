/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that ktrack writes. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/base.h"

/**
 * output_open - open a target named on the command line
 * @target: "-" for standard output, otherwise a path
 * @is_appending: what is in that file stays
 * @name: what errors are to call it; lives as long as @target
 *
 * A new file can be read by its owner only, since traces hold kernel data; under sudo its owner is
 * the user who called sudo. Returns a file descriptor of the caller's own, or -1 with @error.
 */
int output_open(const char *target, bool is_appending, const char **name, struct error *error);

/**
 * output_owner - to whom new files are given: the user who called sudo
 *
 * Returns false where they stay this process' own.
 */
bool output_owner(unsigned int *user, unsigned int *group);

#endif
