// SPDX-License-Identifier: GPL-2.0-only
/* Warns of times that start in 1970. */
#include "session/wall_clock.h"

#include <string.h>

static const char *wall_clock_remedy(const char *clock, bool is_live)
{
	if (is_live)
		return "record without --instance, with --clock=boot, or into a file and export "
		       "that with --wall-clock=TIME";
	/* It has the right clock, and only its offset from the wall clock is unknown. */
	if (strcmp(clock, "boot") == 0)
		return "give --wall-clock=TIME, or record with 'ktrack record'";
	return "give --wall-clock=TIME, or record with 'ktrack record --clock=boot'";
}

void wall_clock_check(const struct recording *recording, bool is_live, const struct report *report)
{
	if (strcmp(recording->time_source, "none") != 0)
		return;
	report_message(report, "%s: the wall clock is unknown (clock %s), times begin in 1970; %s",
		       recording->source, recording->clock,
		       wall_clock_remedy(recording->clock, is_live));
}
