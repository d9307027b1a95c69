/* SPDX-License-Identifier: GPL-2.0-only */
/* A copy of what can be read only once. */
#ifndef SOURCE_SPOOL_H
#define SOURCE_SPOOL_H

#include "base/base.h"

/** SPOOL_LIMIT - how many bytes are kept at most */
#define SPOOL_LIMIT (UINT64_C(16) << 30)

/**
 * spool_copy - copy all that can be read from @fd into a temporary file without a name
 * @name: what errors call @fd
 * @limit: fail if there are more bytes
 *
 * Stops after the first bytes if they do not begin a trace.dat, so that an endless source of
 * anything else is refused at once. Returns a descriptor, or -1 with @error.
 */
int spool_copy(int fd, const char *name, uint64_t limit, struct error *error);

#endif
