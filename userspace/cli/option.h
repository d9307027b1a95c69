/* SPDX-License-Identifier: GPL-2.0-only */
/* Options as a table that is parsed from and that help is printed from. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stddef.h>

#include "base/base.h"

/**
 * struct option_row - one option
 * @short_name: a letter, or 0 for none
 * @long_name: without its dashes
 * @argument: what help calls the argument; NULL for none, "[=X]" for one that may be left out
 * @help: what it does, one line
 * @apply: stores it in the command's settings; @value is NULL where there is none; returns -1 with @error
 */
struct option_row {
	char short_name;
	const char *long_name;
	const char *argument;
	const char *help;
	int (*apply)(void *settings, const char *value, struct error *error);
};

/**
 * struct option_table - all that a command takes
 * @usage: what follows "ktrack ": "list [OPTION]..."
 * @about: what the command does, for the top of its help
 * @notes: what follows the options in its help; may be NULL
 */
struct option_table {
	const char *usage;
	const char *about;
	const char *notes;
	const struct option_row *rows;
	size_t nr_rows;
};

enum option_result {
	OPTIONS_READ,
	OPTIONS_HELPED,
	OPTIONS_WRONG,
};

/**
 * options_parse - apply options behind the command's name, up to the first word that is none
 * @argv: ktrack's own, whose second word is the command
 * @operand: index of the first operand in @argv
 *
 * Returns OPTIONS_HELPED where --help was asked for and printed, OPTIONS_WRONG with @error.
 */
enum option_result options_parse(const struct option_table *table, int argc, char **argv, void *settings, int *operand,
				 struct error *error);

#endif
