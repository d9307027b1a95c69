// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stat --compare: its operands, and one export for each. */
#include "cli/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int min_change_parse(const char *value, double *out, struct error *error)
{
	char *end;
	double number = strtod(value, &end);

	if (value[0] >= '0' && value[0] <= '9' && (!*end || strcmp(end, "%") == 0) &&
	    number <= 1000) {
		*out = number / 100;
		return 0;
	}
	return error_set(error, "--min-change=%s: not a percentage; write one such as 5%%", value);
}

/* All words behind it are sources. */
static int separator_find(const struct compare_command *command)
{
	for (int i = 2; i < command->argc; i++) {
		if (strcmp(command->argv[i], "--") == 0)
			return i;
	}
	return command->argc;
}

static int sources_add(const struct compare_command *command, struct comparison *comparison,
		       int nr_base, struct error *error)
{
	int worst = STATUS_DONE;

	for (int i = 0; i < command->nr_words; i++) {
		int status = command->add(command, command->words[i], comparison, i >= nr_base,
					  error);

		if (status != STATUS_DONE && status != STATUS_LOST)
			return status;
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int compare_fail(struct error *error)
{
	error_set_system(error, errno, "cannot write to standard output");
	return STATUS_FAILED;
}

static int compare_print(const struct comparison *comparison, double min_change, bool is_json,
			 struct error *error)
{
	struct buffer out = { 0 };
	int status = STATUS_DONE;

	if (comparison_check(comparison, error) < 0)
		return STATUS_UNDECIDED;
	if (comparison_print(comparison, min_change, is_json, &out, error) < 0)
		status = STATUS_FAILED;
	else if (file_write_all(STDOUT_FILENO, out.data, out.size, NULL) < 0)
		status = compare_fail(error);
	buffer_release(&out);
	return status;
}

int compare_main(const struct compare_command *command, struct error *error)
{
	int nr_source = command->argc - separator_find(command) - 1;
	int nr_base = command->nr_words - nr_source, status = STATUS_USAGE;
	struct comparison *comparison;

	if (command->nr_words > COMPARE_WORDS_MAX) {
		error_set(error, "--compare: more than %d recordings", COMPARE_WORDS_MAX);
		return status;
	}
	if (nr_source < 1 || nr_base < 1) {
		error_set(error, "--compare: needs two sets; write BASE... -- SOURCE...");
		return status;
	}
	if ((nr_source == 1) != (nr_base == 1)) {
		error_set(error,
			  "--compare: one recording and %d; give one of each, or several of each",
			  nr_source == 1 ? nr_base : nr_source);
		return status;
	}
	comparison = comparison_new(nr_source == 1);
	if (!comparison) {
		error_set(error, "out of memory");
		return STATUS_FAILED;
	}
	status = sources_add(command, comparison, nr_base, error);
	if (status == STATUS_DONE || status == STATUS_LOST) {
		int printed = compare_print(comparison, command->min_change, command->is_json,
					    error);

		status = printed == STATUS_DONE ? status : printed;
	}
	comparison_free(comparison);
	return status;
}
