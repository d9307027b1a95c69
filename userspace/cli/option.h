/* SPDX-License-Identifier: GPL-2.0-only */
/* Options as a table that is parsed from and that help is printed from. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

/**
 * struct option_row - one option
 * @short_name: a letter, or 0 for none
 * @long_name: without its dashes
 * @argument: what help calls the argument; NULL for none, "[=X]" for one that may be left out
 * @help: what it does, one line
 * @apply: stores it in its part of the command's settings; @value is NULL where there is none;
 * returns -1 with @error; NULL for an option that only says yes
 * @offset: where in that part @apply stores it, for rows that share one; or where the bool is which
 * an option without @apply sets
 * @is_repeatable: it may be given more than once
 */
struct option_row {
	char short_name;
	const char *long_name;
	const char *argument;
	const char *help;
	int (*apply)(void *settings, const char *value, struct error *error);
	size_t offset;
	bool is_repeatable;
};

/** OPTION_FLAG - the row of an option without argument that sets @member of a struct @type */
#define OPTION_FLAG(name, text, type, member)                                                \
	{                                                                                    \
		.long_name = (name), .help = (text), .offset = offsetof(struct type, member) \
	}

/**
 * option_row_apply - store an option in its part of the command's settings
 * @value: NULL where there is none
 *
 * Returns -1 with @error where the value is refused.
 */
int option_row_apply(const struct option_row *row, void *part, const char *value,
		     struct error *error);

/**
 * struct option_part - options that several commands may share, all about one part of a command's
 * settings
 * @offset: where that part is in the settings; the rows' @apply gets a pointer to it
 * @row_size: how far rows are apart where each is the first member of something larger; 0 where
 * they are alone
 */
struct option_part {
	const struct option_row *rows;
	size_t nr_rows;
	size_t offset;
	size_t row_size;
};

/** OPTION_PARTS_MAX - how many parts a table has at most */
#define OPTION_PARTS_MAX 8

/**
 * struct option_table - all that a command takes
 * @usage: what follows "ktrack ": "list [OPTION]..."
 * @about: what the command does, for the top of its help
 * @notes: what follows the options in its help; may be NULL
 * @operand: takes a word that is no option, wherever it stands; NULL where the first such word ends
 * the options
 * @parts: up to the first without rows
 */
struct option_table {
	const char *usage;
	const char *about;
	const char *notes;
	int (*operand)(void *settings, const char *word, struct error *error);
	struct option_part parts[OPTION_PARTS_MAX + 1];
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
enum option_result options_parse(const struct option_table *table, int argc, char **argv,
				 void *settings, int *operand, struct error *error);

/**
 * options_read - what a command begins with: options_parse()
 * @status: the exit status, where that was all the command is to do
 *
 * Returns whether there is more to do.
 */
bool options_read(const struct option_table *table, int argc, char **argv, void *settings,
		  int *operand, int *status, struct error *error);

/** option_may_have_value - whether a word is an option whose value was left out, as it may be */
bool option_may_have_value(const struct option_table *table, const char *word);

#endif
