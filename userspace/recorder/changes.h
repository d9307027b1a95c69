/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices what other programs do to an instance of ours; a part of the room's public header. */
#ifndef RECORDER_CHANGES_H
#define RECORDER_CHANGES_H

#include <stdbool.h>

#include "base/base.h"

struct recorder;

struct changes;

/**
 * struct change - what other programs did to an instance of ours, and the one beside it
 * @is_emptied: buffers were emptied, or resized, with what nobody has counted
 * @is_emptied_beside: likewise of the one beside it
 * @is_reclocked: the clock of one of them was written: the kernel has emptied the buffers, and
 * records that were read since perhaps show another time
 * @file: that was written last, without its directory
 */
struct change {
	bool is_emptied;
	bool is_emptied_beside;
	bool is_reclocked;
	char file[32];
};

/**
 * changes_open - notice from now on what others write to the files of an instance of ours
 * @out: for changes_close(), which is to come before recorder_close()
 *
 * Returns -1 with @error.
 */
int changes_open(struct changes **out, const struct recorder *recorder, struct error *error);

/** changes_fd - can be read when there is something to take */
int changes_fd(const struct changes *changes);

/** changes_take - all that was written since the last time; returns whether anything of it counts
 */
bool changes_take(const struct changes *changes, struct change *out);

/** changes_close - NULL is fine */
void changes_close(struct changes *changes);

#endif
