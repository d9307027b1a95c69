// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stat --compare: exports each recording to a comparison, and prints its result. */
#include <errno.h>
#include <unistd.h>

#include "session/session.h"

int compare_add(const struct stat_settings *settings, struct comparison *comparison, bool is_source,
		struct error *error)
{
	struct export_settings export = {
		.report = settings->capture.report,
		.sources = { settings->source },
		.nr_sources = 1,
		.argv = settings->argv,
		.selection = settings->capture.selection,
		.outputs = { .comparison = comparison,
			     .is_compare_source = is_source,
			     .fails_on_loss = settings->fails_on_loss },
		.filter = settings->filter,
		.limits = settings->limits,
	};

	return export_run(&export, error);
}

static int compare_fail(struct error *error)
{
	error_set_system(error, errno, "cannot write to standard output");
	return STATUS_FAILED;
}

int compare_print(const struct comparison *comparison, double min_change, bool is_json,
		  struct error *error)
{
	struct buffer out = { 0 };
	int status = STATUS_DONE;

	if (comparison_check(comparison, error) < 0)
		return STATUS_UNDECIDED;
	if (comparison_print(comparison, min_change, is_json, &out, error) < 0)
		status = STATUS_FAILED;
	else if (file_write_all(STDOUT_FILENO, out.data, out.size, NULL) < 0)
		status = compare_fail(error);
	buffer_release(&out);
	return status;
}
