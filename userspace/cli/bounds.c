// SPDX-License-Identifier: GPL-2.0-only
/* The options about how much is remembered. */
#include "cli/bounds.h"

#include "cli/quantity.h"

static int apply_max_tracks(void *settings, const char *value, struct error *error)
{
	struct bounds *bounds = settings;

	return count_parse(value, "tracks", &bounds->max_tracks, error);
}

static const struct option_row bounds_rows[] = {
	{ 0, "max-tracks", "N",
	  "tracks above this number end where no slice is open on them (16384)", apply_max_tracks },
};

const struct option_part bounds_options = {
	.rows = bounds_rows,
	.nr_rows = sizeof(bounds_rows) / sizeof(bounds_rows[0]),
};
