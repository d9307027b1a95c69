/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices what other programs write to an instance and its sideband instance. */
#ifndef TRACEFS_CHANGES_H
#define TRACEFS_CHANGES_H

#include "tracefs/tracefs.h"

struct changes;

/**
 * changes_open - watch the files of an instance from now on
 * @out: for changes_close(); NULL on failure
 *
 * Returns -1 with @error.
 */
int changes_open(struct changes **out, const struct instance *instance, struct error *error);

/** changes_fd - becomes readable when something was written */
int changes_fd(const struct changes *changes);

/**
 * changes_take - everything that was written since the last call
 * @out: its file lives in @changes until the next call
 *
 * Returns whether it affects recorded data.
 */
bool changes_take(struct changes *changes, struct instance_change *out);

/** changes_close - stop watching; NULL is fine */
void changes_close(struct changes *changes);

#endif
