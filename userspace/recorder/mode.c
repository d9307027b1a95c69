// SPDX-License-Identifier: GPL-2.0-only
/* The ways to buffer records. */
#include <string.h>

#include "recorder/recorder.h"
#include "source/statistics.h"

const struct recorder_mode recorder_modes[] = {
	{ "streaming", .overwrites = true },
	{ STATISTICS_CIRCULAR, .overwrites = true, .is_read_at_end = true },
	{ STATISTICS_ONESHOT, .is_read_at_end = true },
	{ NULL },
};

const struct recorder_mode *recorder_mode_find(const char *name)
{
	for (const struct recorder_mode *mode = recorder_modes; mode->name; mode++) {
		if (strcmp(mode->name, name) == 0)
			return mode;
	}
	return NULL;
}
