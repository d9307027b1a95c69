// SPDX-License-Identifier: GPL-2.0-only
/* ktrack recover: makes a trace.dat of the files of a killed recording. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/** struct recover_settings - the options and the operand */
struct recover_settings {
	const struct report *report;
	bool is_verbose;
	const char *name;
	const char *persistent;
	const char *directory;
};

static int apply_name(void *settings, const char *word, struct error *error)
{
	struct recover_settings *recover = settings;

	if (recover->name)
		return option_refuse_operand(settings, word, error);
	recover->name = word;
	return 0;
}

static const struct option_row recover_rows[] = {
	{ 0, "persistent", "NAME", "recover what 'ktrack watch --persistent=NAME' recorded",
	  option_store_text, offsetof(struct recover_settings, persistent), .needs_text = true },
	{ 0, "dir", "DIRECTORY", "of 'ktrack watch' (default: /var/lib/ktrack)", option_store_text,
	  offsetof(struct recover_settings, directory), .needs_text = true },
	{ 'v', "verbose", NULL, VERBOSE_HELP, NULL, offsetof(struct recover_settings, is_verbose) },
};

static int recover_any(const struct recover_settings *settings, char **path, struct error *error)
{
	const struct report *writes = settings->is_verbose ? settings->report : NULL;
	const char *directory = settings->directory ? settings->directory : WATCH_DIRECTORY;

	if (settings->persistent && settings->name)
		return error_set(error, "%s: --persistent names the recording; leave one out",
				 settings->name),
		       STATUS_USAGE;
	if (settings->persistent)
		return recover_persistent_run(settings->persistent, directory, path,
					      settings->report, writes, error);
	if (settings->directory)
		return error_set(error, "--dir=%s: only for --persistent", settings->directory),
		       STATUS_USAGE;
	return recover_run(settings->name ? settings->name : RECORD_PATH, path, settings->report,
			   writes, error);
}

static int recover_main(int argc, char **argv, struct error *error)
{
	struct recover_settings settings = { .report = message_report() };
	struct option_table table = {
		.usage = "recover [OPTION]... [FILE]",
		.about = "Creates FILE (default: trace.dat) from the records of a killed 'ktrack "
			 "record -o "
			 "FILE'. Reads FILE.spool and the tracing instance, which exists until the "
			 "next "
			 "reboot. Removes both if all "
			 "records were read.",
		.notes = "Exit status: 0 success; 1 ktrack failed, or some records cannot be read; "
			 "2 wrong usage.",
		.operand = apply_name,
		.parts = { OPTION_ROWS(recover_rows),
			   OPTION_PART(report_options, struct recover_settings, report) },
	};
	char *path = NULL;
	int operand, status;

	if (!options_read(&table, argc, argv, &settings, &operand, &status, error))
		return status;
	status = recover_any(&settings, &path, error);
	if (status == STATUS_DONE) {
		printf("%s\n", path);
		report_closing(settings.report, "%s: recovered; next: ktrack stat %s", path, path);
	}
	free(path);
	return status;
}

const struct cli_command recover_command = {
	"recover", "make a trace.dat from the records of a killed 'ktrack record'", recover_main
};
