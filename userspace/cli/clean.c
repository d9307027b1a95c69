// SPDX-License-Identifier: GPL-2.0-only
/* ktrack clean: removes the tracing instances of killed runs. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/** struct clean_settings - the option, and what was done */
struct clean_settings {
	const struct report *report;
	bool is_verbose;
	size_t nr_removed;
};

static const struct option_row clean_rows[] = {
	{ 'v', "verbose", NULL, VERBOSE_HELP, NULL, offsetof(struct clean_settings, is_verbose) },
};

static void instance_print(void *context, const char *name)
{
	struct clean_settings *settings = context;

	settings->nr_removed++;
	printf("removed %s\n", name);
}

static int clean_main(int argc, char **argv, struct error *error)
{
	struct clean_settings settings = { .report = message_report() };
	struct option_table table = {
		.usage = "clean [OPTION]...",
		.about = "Removes the tracing instances of killed ktrack processes. The modules "
			 "whose "
			 "events they recorded can then be unloaded. Instances of running ktrack "
			 "processes and of other programs are kept.\n"
			 "To save the records first, use 'ktrack recover FILE' after a killed "
			 "'ktrack "
			 "record', otherwise 'ktrack export tracefs:INSTANCE'.",
		.notes = "Exit status: 0 success; 1 an instance cannot be removed, or tracefs "
			 "cannot be read; 2 wrong usage.",
		.operand = option_refuse_operand,
		.parts = { OPTION_ROWS(clean_rows),
			   OPTION_PART(report_options, struct clean_settings, report) },
	};
	int operand, status;

	if (!options_read(&table, argc, argv, &settings, &operand, &status, error))
		return status;
	status = clean_run(instance_print, &settings, settings.report,
			   settings.is_verbose ? settings.report : NULL, error);
	if (status == STATUS_DONE)
		report_closing(settings.report,
			       "%zu tracing instance%s removed; next: ktrack "
			       "doctor examines what works here",
			       settings.nr_removed, settings.nr_removed == 1 ? "" : "s");
	return status;
}

const struct cli_command clean_command = {
	"clean", "remove the tracing instances of killed ktrack processes", clean_main
};
