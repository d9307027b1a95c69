// SPDX-License-Identifier: GPL-2.0-only
/* ktrack clean: removes the instances that runs left behind which were killed. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/note.h"
#include "cli/option.h"
#include "recorder/recorder.h"

static int refuse_operand(void *settings, const char *word, struct error *error)
{
	(void)settings;
	return error_set(error, "'%s' is one word too many; see 'ktrack clean --help'", word);
}

static const struct option_table clean_table = {
	.usage = "clean",
	.about =
		"Removes the tracing instances of ktracks that were killed, and with them their "
		"hold "
		"on modules.\n"
		"Instances of running ktracks and of others stay. 'ktrack export tracefs:INSTANCE' "
		"tells before\n"
		"what is in one.",
	.operand = refuse_operand,
};

/* One that cannot be removed does not keep us from the others. */
static int instance_remove(void *context, const char *name, const char *directory,
			   struct error *error)
{
	struct error problem = { 0 };
	int *status = context;

	(void)error;
	if (stale_remove(directory, &problem) == 0) {
		printf("removed %s\n", name);
		return 0;
	}
	note_error(&problem);
	*status = STATUS_FAILED;
	return 0;
}

static int clean_main(int argc, char **argv, struct error *error)
{
	int status, operand;
	struct stale_visitor visitor = { .context = &status, .visit = instance_remove };

	if (options_read(&clean_table, argc, argv, NULL, &operand, &status, error) &&
	    stale_visit(&visitor, error) < 0)
		return STATUS_FAILED;
	return status;
}

const struct cli_command clean_command = {
	.name = "clean",
	.summary = "remove tracing instances that killed runs left behind",
	.run = clean_main,
};
