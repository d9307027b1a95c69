/* SPDX-License-Identifier: GPL-2.0-only */
/* Who owns an instance: the lock and the mark of a running ktrack, and instances without one. */
#ifndef TRACEFS_LOCK_H
#define TRACEFS_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

/**
 * lock_take - own the instance in @directory until the descriptor is closed
 *
 * Returns a descriptor, or -1 where the directory has gone or cannot be locked.
 */
int lock_take(const char *directory);

/**
 * stale_lock - own an instance of ours whose owner was killed
 * @lock_fd: -1 where there is no such instance any more, or it never was one of ours
 *
 * Returns -1 with @error where somebody owns it now.
 */
int stale_lock(const char *name, int *lock_fd, struct error *error);

/**
 * mark_set - mark the directory of an instance that was just made
 *
 * If the kernel refuses, the instance stays unmarked: 'ktrack clean' then says so, and leaves it.
 */
void mark_set(int directory_fd);

/**
 * struct stale_visitor - visits instances of ktrack
 * @unmarked: an instance with a name of ours that ktrack perhaps did not make; may be NULL
 * @visit: returns 0 to continue, -1 with @error
 */
struct stale_visitor {
	void *context;
	void (*unmarked)(void *context, const char *name, const char *directory);
	int (*visit)(void *context, const char *name, const char *directory, struct error *error);
};

/** instance_is_sideband - whether @name is the sideband instance of @other, which is visited first
 */
bool instance_is_sideband(const char *name, const char *other);

/** stale_visit - visit all instances whose owner was killed; returns -1 with @error */
int stale_visit(const struct stale_visitor *visitor, struct error *error);

/** owned_visit - visit all instances whose owner runs; returns -1 with @error */
int owned_visit(const struct stale_visitor *visitor, struct error *error);

/** stale_remove - remove a stale instance, which unpins modules; returns -1 with @error */
int stale_remove(const char *directory, struct error *error);

/**
 * struct release_watcher - follows a release
 * @writes: receives a line for each write to tracefs, NULL for none
 * @waits: called many times a second while the release waits; @what is what it waits for
 */
struct release_watcher {
	const struct report *writes;
	void (*waits)(void *context, const char *what);
	void *context;
};

/**
 * tracepoints_release - drain and disable tracepoints in every running ktrack
 * @pattern: SYSTEM[:EVENT], both with wildcards
 * @nr_released: how many were disabled, over all instances
 *
 * Blocks for up to a minute. Afterwards no ktrack pins their modules, and unloading them loses no
 * records. Returns -1 with @error, also on timeout.
 */
int tracepoints_release(const char *pattern, const struct release_watcher *watcher,
			size_t *nr_released, struct error *error);

#endif
