// SPDX-License-Identifier: GPL-2.0-only
/* Options for what ktrack prints about its own work. */
#include "cli/cli.h"
#include "cli/option_parts.h"

static int apply_quiet(void *settings, const char *value, struct error *error)
{
	const struct report **report = settings;

	(void)value;
	(void)error;
	*report = message_report_quiet();
	return 0;
}

static const struct option_row report_rows[] = {
	{ 'q', "quiet", NULL, "print no progress, no closing line and no hints", apply_quiet,
	  .is_rare = true },
};

const struct option_part report_options = {
	.rows = report_rows,
	.nr_rows = sizeof(report_rows) / sizeof(report_rows[0]),
};
