/* SPDX-License-Identifier: GPL-2.0-only */
/* ktrack stat --compare. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "replay/replay.h"

/**
 * struct compare_command - BASE... -- SOURCE...
 * @argc, @argv: ktrack's own words
 * @words: the @nr_words operands
 * @min_change: smaller changes are not reported
 * @add: reads the options again for each source, which needs a selection of its own; returns the
 * exit status, with @error
 */
struct compare_command {
	int argc;
	char **argv;
	const char *const *words;
	int nr_words;
	double min_change;
	bool is_json;
	int (*add)(const struct compare_command *command, const char *source,
		   struct comparison *comparison, bool is_source, struct error *error);
};

/** COMPARE_WORDS_MAX - most sources */
#define COMPARE_WORDS_MAX 256

/** compare_main - compare the sources; returns the exit status, with @error */
int compare_main(const struct compare_command *command, struct error *error);

/** min_change_parse - parse "5%" or "5"; returns -1 with @error */
int min_change_parse(const char *value, double *out, struct error *error);

#endif
