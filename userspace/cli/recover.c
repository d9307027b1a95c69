// SPDX-License-Identifier: GPL-2.0-only
/* ktrack recover: makes a trace.dat of the files of a killed recording. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/option.h"

/** struct recover_settings - the operand */
struct recover_settings {
	const char *name;
};

static int apply_name(void *settings, const char *word, struct error *error)
{
	struct recover_settings *recover = settings;

	if (recover->name)
		return option_refuse_operand(settings, word, error);
	recover->name = word;
	return 0;
}

static const struct option_table recover_table = {
	.usage = "recover [FILE]",
	.about =
		"Creates FILE (default: trace.dat) from the records of a killed 'ktrack record -o "
		"FILE'. Reads FILE.spool\n"
		"and the tracing instance, which exists until the next reboot. Removes both if all "
		"records were read.",
	.operand = apply_name,
};

static int recover_main(int argc, char **argv, struct error *error)
{
	struct recover_settings settings = { 0 };
	char *path = NULL;
	int operand, status;

	if (!options_read(&recover_table, argc, argv, &settings, &operand, &status, error))
		return status;
	status = recover_run(settings.name ? settings.name : RECORD_PATH, &path, message_report(),
			     error);
	if (status == STATUS_DONE)
		printf("%s\n", path);
	free(path);
	return status;
}

const struct cli_command recover_command = {
	.name = "recover",
	.summary = "make a trace.dat from the records of a killed 'ktrack record'",
	.run = recover_main,
};
