/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of options, for parsing and for help.
 *
 * Functions with @error return 0, or -1 with it set, unless their descriptions say otherwise.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

/** option_row_apply - store an option in its part of the settings; @value NULL without one */
int option_row_apply(const struct option_row *row, void *part, const char *value,
		     struct error *error);

/** struct option_part - options for one part of a command's settings */
struct option_part {
	const struct option_row *rows;
	size_t nr_rows;
	size_t offset; /* of that part in the settings */
};

/** OPTION_ROWS - the options of an array of rows */
#define OPTION_ROWS(array)                                  \
	{                                                   \
		(array), sizeof(array) / sizeof((array)[0]) \
	}

/** OPTION_PART - the options of @part, for @member of a @type */
#define OPTION_PART(part, type, member)                             \
	{                                                           \
		(part).rows, (part).nr_rows, offsetof(type, member) \
	}

/** OPTION_PARTS_MAX - most parts of a table */
#define OPTION_PARTS_MAX 12

/** struct option_table - all options of a command */
struct option_table {
	const char *usage; /* follows "ktrack ": "list [OPTION]..." */
	/* What the command does, for the top of its help; a newline ends a paragraph, and a line
	 * with leading spaces is an example. */
	const char *about;
	const char *notes; /* follows the options in the help with all options; may be NULL */
	/* Takes a word that is no option, at any position; if NULL, the first such word ends the
	 * options. */
	int (*operand)(void *settings, const char *word, struct error *error);
	struct option_part parts[OPTION_PARTS_MAX + 1]; /* up to the first without rows */
};

/** OPTION_LIST - an option that help leaves out: prints the options for shell completion */
#define OPTION_LIST "help-options"

/** option_refuse_operand - the operand function of a command that has none; returns -1 */
int option_refuse_operand(void *settings, const char *word, struct error *error);

/**
 * options_read - apply the options after the command's name
 * @argv: ktrack's own; its second word is the command
 * @operand: index of the first operand in @argv
 * @status: the exit status if the command ends here: --help was printed, or STATUS_USAGE with
 * @error
 *
 * Returns whether the command continues.
 */
bool options_read(const struct option_table *table, int argc, char **argv, void *settings,
		  int *operand, int *status, struct error *error);

/** option_may_have_value - whether a word is an option whose optional argument is missing */
bool option_may_have_value(const struct option_table *table, const char *word);
/** size_kib_parse - parse a size of 1 to BUFFER_KIB_MAX: KiB, or with k, M, G, KiB, MiB, GiB */
int size_kib_parse(const char *string, uint64_t *out_kib, struct error *error);
/** cpu_list_parse - parse a list of CPUs: "0,2-3" */
int cpu_list_parse(const char *string, cpu_set_t *out, struct error *error);

#endif
