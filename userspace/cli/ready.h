/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports on a descriptor of the caller that recording is on: --ready-fd. */
#ifndef CLI_READY_H
#define CLI_READY_H

#include "base/base.h"

/**
 * ready_fd_parse - the number of a descriptor that was inherited and can be written
 *
 * The traced command does not inherit it. Returns -1 with @error.
 */
int ready_fd_parse(const char *text, int *out, struct error *error);

/**
 * ready_signal - write the line "ready" and close the descriptor
 * @fd: negative for none; afterwards it is
 *
 * Returns -1 with @error.
 */
int ready_signal(int *fd, struct error *error);

#endif
