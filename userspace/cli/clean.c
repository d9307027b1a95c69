// SPDX-License-Identifier: GPL-2.0-only
/* ktrack clean: removes the tracing instances of killed runs. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/option.h"

static const struct option_table clean_table = {
	.usage = "clean",
	.about = "Removes the tracing instances of killed ktrack processes. The modules whose "
		 "events "
		 "they recorded can then\n"
		 "be unloaded. Instances of running ktrack processes and of other programs are "
		 "kept.\n"
		 "To save the records first, use 'ktrack recover FILE' after a killed 'ktrack "
		 "record', otherwise\n"
		 "'ktrack export tracefs:INSTANCE'.",
	.operand = option_refuse_operand,
};

static void instance_print(void *context, const char *name)
{
	(void)context;
	printf("removed %s\n", name);
}

static int clean_main(int argc, char **argv, struct error *error)
{
	int operand, status;

	if (options_read(&clean_table, argc, argv, NULL, &operand, &status, error))
		status = clean_run(instance_print, NULL, message_report(), error);
	return status;
}

const struct cli_command clean_command = {
	.name = "clean",
	.summary = "remove the tracing instances of killed ktrack processes",
	.run = clean_main,
};
