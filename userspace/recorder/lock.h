/* SPDX-License-Identifier: GPL-2.0-only */
/* What tells an instance that somebody owns from one that is left behind. */
#ifndef RECORDER_LOCK_H
#define RECORDER_LOCK_H

#include <stdbool.h>

/**
 * lock_take - own the instance in @directory until the descriptor is closed
 *
 * Returns a descriptor, or -1 where the directory has gone or cannot be locked.
 */
int lock_take(const char *directory);

/** lock_is_free - whether nobody owns the instance in @directory */
bool lock_is_free(const char *directory);

#endif
