/* SPDX-License-Identifier: GPL-2.0-only */
/* The warning that the wall clock of a recording is unknown. */
#ifndef SESSION_WALL_CLOCK_H
#define SESSION_WALL_CLOCK_H

#include "timeline/timeline.h"

/**
 * wall_clock_check - report a recording whose times are not those of the wall clock
 * @is_live: of an instance that is read now
 */
void wall_clock_check(const struct recording *recording, bool is_live, const struct report *report);

#endif
