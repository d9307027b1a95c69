// SPDX-License-Identifier: GPL-2.0-only
/* ktrack release: makes running ktracks drain and disable tracepoints. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/** struct release_settings - the option and the operands */
struct release_settings {
	const struct report *report;
	bool is_verbose;
	const char **patterns;
	size_t nr_patterns;
};

static int apply_pattern(void *settings, const char *word, struct error *error)
{
	struct release_settings *release = settings;

	if (!array_reserve(release->patterns, release->nr_patterns))
		return error_set(error, "out of memory");
	release->patterns[release->nr_patterns++] = word;
	return *word ? 0 : error_set(error, "'': not a tracepoint; write SYS[:EVENT]");
}

static const struct option_row verbose_rows[] = {
	{ 'v', "verbose", NULL, VERBOSE_HELP, NULL, offsetof(struct release_settings, is_verbose) },
};

static int release_print(const struct release_settings *settings, struct error *error)
{
	size_t nr_released;
	int status = release_run(settings->patterns, settings->nr_patterns, &nr_released,
				 settings->report, settings->is_verbose ? settings->report : NULL,
				 error);

	if (status != STATUS_DONE)
		return status;
	printf("released %zu tracepoint%s\n", nr_released, nr_released == 1 ? "" : "s");
	if (nr_released > 0)
		report_closing(settings->report, "nothing lost; next: rmmod unloads the module");
	return STATUS_DONE;
}

static int release_main(int argc, char **argv, struct error *error)
{
	struct release_settings settings = { .report = message_report() };
	struct option_table table = {
		.usage = "release [OPTION]... SYS[:EVENT]...",
		.about = "Disables these tracepoints in every running 'ktrack stream', and waits "
			 "until "
			 "their records are read. Their module can then be unloaded without losing "
			 "its "
			 "records:\n\n"
			 "    ktrack release mydrv && rmmod mydrv\n\n"
			 "When the module is loaded again, its tracepoints are recorded again.\n"
			 "'ktrack record' and --mode=circular keep modules loaded until the "
			 "recording ends.",
		.notes = "Exit status: 0 the tracepoints are released, or no run records them; 1 a "
			 "run still records them, or did not read all records within one "
			 "minute; 2 wrong usage.",
		.operand = apply_pattern,
		.parts = { OPTION_ROWS(verbose_rows),
			   OPTION_PART(report_options, struct release_settings, report) },
	};
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error)) {
		status = STATUS_USAGE;
		if (settings.nr_patterns > 0)
			status = release_print(&settings, error);
		else
			error_set(error, "a tracepoint is missing, as in SYS[:EVENT]; see 'ktrack "
					 "release --help'");
	}
	free(settings.patterns);
	return status;
}

const struct cli_command release_command = {
	"release", "disable and drain tracepoints, so that their module can be unloaded",
	release_main
};
