// SPDX-License-Identifier: GPL-2.0-only
/* The ways to buffer records. */
#include <string.h>

#include "tracefs/tracefs.h"
#include "tracefs/statistics.h"

const struct buffer_mode buffer_modes[] = {
	{ "streaming", .overwrites = true },
	{ STATISTICS_CIRCULAR, .overwrites = true, .is_read_at_end = true },
	{ STATISTICS_ONESHOT, .is_read_at_end = true },
	{ NULL },
};

const struct buffer_mode *buffer_mode_find(const char *name)
{
	for (const struct buffer_mode *mode = buffer_modes; mode->name; mode++) {
		if (strcmp(mode->name, name) == 0)
			return mode;
	}
	return NULL;
}
