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
	return error_set(error, "unexpected argument '%s'; see 'ktrack clean --help'", word);
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

/**
 * struct cleaning - how far it came
 * @kept: the last instance that could not be removed
 */
struct cleaning {
	int status;
	char kept[64];
};

/* One that cannot be removed does not keep us from the others, but from what is beside it. */
static int instance_remove(void *context, const char *name, const char *directory,
			   struct error *error)
{
	struct cleaning *cleaning = context;
	struct error problem = { 0 };

	(void)error;
	if (instance_is_beside(name, cleaning->kept))
		return 0;
	if (stale_remove(directory, &problem) == 0) {
		printf("removed %s\n", name);
		return 0;
	}
	note_error(&problem);
	cleaning->status = STATUS_FAILED;
	snprintf(cleaning->kept, sizeof(cleaning->kept), "%s", name);
	return 0;
}

/* Its name is like ours, but a user made it. */
static void instance_leave(void *context, const char *name, const char *directory)
{
	(void)context;
	note_say("%s: not made by ktrack; 'rmdir %s' removes it", name, directory);
}

static int clean_main(int argc, char **argv, struct error *error)
{
	struct cleaning cleaning = { .status = STATUS_DONE };
	struct stale_visitor visitor = { .context = &cleaning,
					 .visit = instance_remove,
					 .unmarked = instance_leave };
	int operand;

	if (options_read(&clean_table, argc, argv, NULL, &operand, &cleaning.status, error) &&
	    stale_visit(&visitor, error) < 0)
		return STATUS_FAILED;
	return cleaning.status;
}

const struct cli_command clean_command = {
	.name = "clean",
	.summary = "remove tracing instances that killed runs left behind",
	.run = clean_main,
};
