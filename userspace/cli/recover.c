// SPDX-License-Identifier: GPL-2.0-only
/* ktrack recover: makes a trace.dat of what a killed ktrack record left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/loss.h"
#include "cli/note.h"
#include "cli/option.h"
#include "cli/record.h"
#include "cli/unfinished.h"

/** struct recover_settings - what the command line asks for */
struct recover_settings {
	const char *path;
};

static int apply_path(void *settings, const char *word, struct error *error)
{
	struct recover_settings *recover = settings;

	if (recover->path)
		return error_set(error, "unexpected argument '%s'; see 'ktrack recover --help'",
				 word);
	recover->path = word;
	return 0;
}

static const struct option_table recover_table = {
	.usage = "recover [FILE]",
	.about = "Makes a trace.dat of what a killed 'ktrack record -o FILE' left in FILE.parts, "
		 "and in its tracing\n"
		 "instance, if the machine has not been started anew. Both go with that.",
	.operand = apply_path,
};

/* What the ring buffers still hold, where they are still there. */
static int instance_empty(struct parts *parts, const char *path, struct recorder *recorder,
			  struct error *error)
{
	struct parts_summary summary;

	if (!recorder) {
		note_say("the instance of that recording is gone, or somebody's: what was in its "
			 "buffers is missing, and how much was lost before is not known");
		return 0;
	}
	if (parts_attach(parts, recorder, error) < 0 || parts_finish(parts, &summary, error) < 0)
		return -1;
	loss_print(&(struct loss_report){
		.object = path, .has_lost = summary.lost > 0, .records = summary.lost });
	record_report_span(&summary, path);
	return 0;
}

static int parts_recover(struct parts *parts, const char *path, struct error *error)
{
	const char *instance = parts_instance(parts);
	struct recorder *recorder = NULL;
	int status = 0;

	if (instance && *instance)
		status = recorder_adopt(&recorder, instance, error);
	if (status == 0 && (!instance || *instance))
		status = instance_empty(parts, path, recorder, error);
	if (status == 0)
		status = parts_join(parts, error);
	parts_close(parts);
	if (status == 0)
		return recorder_close(recorder, error);
	recorder_leave(recorder);
	return -1;
}

static int recover_run(const char *path, struct error *error)
{
	const struct parts_owner owner = record_owner();
	struct parts *parts;
	int status = parts_open(&parts, path, &owner, error);

	if (status < 0 || (status == 0 && parts_recover(parts, path, error) < 0))
		return STATUS_FAILED;
	printf("%s\n", path);
	return STATUS_DONE;
}

/* Recovers FILE, by its own name or by that of its folder. */
static int recover_named(const char *name, struct error *error)
{
	size_t size = unfinished_size(name);
	char *path = size > 0 ? strndup(name, size) : strdup(name);
	int status = path ? recover_run(path, error) : STATUS_FAILED;

	if (!path)
		error_set(error, "out of memory");
	free(path);
	return status;
}

static int recover_main(int argc, char **argv, struct error *error)
{
	struct recover_settings settings = { 0 };
	int operand, status;

	if (!options_read(&recover_table, argc, argv, &settings, &operand, &status, error))
		return status;
	return recover_named(settings.path ? settings.path : RECORD_PATH, error);
}

const struct cli_command recover_command = {
	.name = "recover",
	.summary = "make a file of what a killed recording left",
	.run = recover_main,
};
