// SPDX-License-Identifier: GPL-2.0-only
/* ktrack release: lets running ktracks let go of tracepoints, so that modules can be unloaded. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/note.h"
#include "cli/option.h"
#include "recorder/recorder.h"

/** struct release_settings - what the command line asks for */
struct release_settings {
	const char **patterns;
	size_t nr_patterns;
};

static int apply_pattern(void *settings, const char *word, struct error *error)
{
	struct release_settings *release = settings;
	const char **patterns = reallocarray(release->patterns, release->nr_patterns + 1,
					     sizeof(*patterns));

	if (!patterns)
		return error_set(error, "out of memory");
	release->patterns = patterns;
	patterns[release->nr_patterns++] = word;
	return *word ? 0 : error_set(error, "'' is no tracepoint; write SYS[:EVENT]");
}

static const struct option_table release_table = {
	.usage = "release SYS[:EVENT]...",
	.about = "Lets running ktracks read what there is of tracepoints, and record no more of "
		 "them, so that their module\n"
		 "can be unloaded and nothing is lost: ktrack release mydrv && rmmod mydrv\n"
		 "When the module is loaded again, it is recorded again.",
	.operand = apply_pattern,
};

static int release_all(const struct release_settings *settings, struct error *error)
{
	size_t sum = 0, nr_released;

	for (size_t i = 0; i < settings->nr_patterns; i++) {
		if (release_tracepoints(settings->patterns[i], &nr_released, error) < 0)
			return STATUS_FAILED;
		if (nr_released == 0)
			note_say("%s: no running ktrack records it; it can be unloaded unless "
				 "somebody else uses it",
				 settings->patterns[i]);
		sum += nr_released;
	}
	printf("released %zu tracepoint%s\n", sum, sum == 1 ? "" : "s");
	return STATUS_DONE;
}

static int release_main(int argc, char **argv, struct error *error)
{
	struct release_settings settings = { 0 };
	int operand, status;

	if (options_read(&release_table, argc, argv, &settings, &operand, &status, error)) {
		status = STATUS_USAGE;
		if (settings.nr_patterns > 0)
			status = release_all(&settings, error);
		else
			error_set(error, "a tracepoint is missing, as in SYS[:EVENT]; see 'ktrack "
					 "release --help'");
	}
	free(settings.patterns);
	return status;
}

const struct cli_command release_command = {
	.name = "release",
	.summary = "let running ktracks let go of a module, so that it can be unloaded",
	.run = release_main,
};
