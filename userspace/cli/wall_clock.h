/* SPDX-License-Identifier: GPL-2.0-only */
/* The warning that nothing ties the trace clock to the wall clock. */
#ifndef CLI_WALL_CLOCK_H
#define CLI_WALL_CLOCK_H

#include "timeline/timeline.h"

/**
 * wall_clock_check - print a warning if a recording's times are not those of the wall clock
 * @is_live: of an instance that is read now
 */
void wall_clock_check(const struct recording *recording, bool is_live);

#endif
