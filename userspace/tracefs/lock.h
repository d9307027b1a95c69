/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that distinguish an instance in use from one that a killed run left. */
#ifndef TRACEFS_LOCK_H
#define TRACEFS_LOCK_H

#include <stdbool.h>

#include "base/base.h"

/**
 * lock_take - own the instance in @directory until the descriptor is closed
 *
 * Returns a descriptor, or -1 where the directory has gone or cannot be locked.
 */
int lock_take(const char *directory);

/** lock_try - the same, but where somebody owns it, fail instead of waiting */
int lock_try(const char *directory);

/** lock_is_free - whether nobody owns the instance in @directory */
bool lock_is_free(const char *directory);

/**
 * stale_lock - own an instance of ours whose owner was killed
 * @lock_fd: -1 where there is no such instance any more, or it never was one of ours
 *
 * Returns -1 with @error where somebody owns it now.
 */
int stale_lock(const char *name, int *lock_fd, struct error *error);

#endif
