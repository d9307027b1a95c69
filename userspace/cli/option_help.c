// SPDX-License-Identifier: GPL-2.0-only
/* Prints a table of options: as help, and for shell completion. */
#include <stdio.h>
#include <string.h>

#include "cli/option.h"

/* Help fits a terminal of this width; texts of options begin at this column. */
#define COLUMNS 80
#define TEXT_COLUMN 32

/* Prints the words of a line, wrapped, from @column on; the following lines are indented so, too.
 */
static void words_print(struct text line, int column)
{
	int at = column;

	while (line.size > 0) {
		const char *space = memchr(line.data, ' ', line.size);
		size_t size = space ? (size_t)(space - line.data) : line.size;

		if (at > column && at + 1 + (int)size > COLUMNS) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", (int)size, line.data);
		size += space != NULL;
		line = (struct text){ line.data + size, line.size - size };
	}
	printf("\n");
}

/* A line with leading spaces is an example. */
static void paragraphs_print(const char *string)
{
	struct text rest = text_of(string);

	while (rest.size > 0) {
		struct text line = text_take_line(&rest);

		if (line.size > 0 && line.data[0] == ' ')
			printf("%.*s\n", (int)line.size, line.data);
		else
			words_print(line, 0);
	}
}

static void help_row_print(char short_name, const char *long_name, const char *argument,
			   const char *help)
{
	char left[64];
	const char *separator = argument && argument[0] != '[' ? "=" : "";

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s", short_name ? '-' : ' ',
		 short_name ? short_name : ' ', short_name ? ", " : "  ", long_name, separator,
		 argument ? argument : "");
	printf("  %-*s ", TEXT_COLUMN - 3, left);
	words_print(text_of(help), TEXT_COLUMN);
}

/* Returns the number of rows that were left out. */
static size_t help_rows_print(const struct option_table *table, bool has_rare)
{
	size_t nr_rare = 0;

	for (const struct option_part *part = table->parts; part->rows; part++) {
		for (size_t i = 0; i < part->nr_rows; i++) {
			const struct option_row *row = &part->rows[i];

			if (row->is_rare && !has_rare)
				nr_rare++;
			else
				help_row_print(row->short_name, row->long_name, row->argument,
					       row->help);
		}
	}
	return nr_rare;
}

void option_help_print(const struct option_table *table, bool has_rare)
{
	char text[64] = "print this help with all options";
	size_t nr_rare;

	printf("usage: ktrack %s\n\n", table->usage);
	paragraphs_print(table->about);
	printf("\n");
	nr_rare = help_rows_print(table, has_rare);
	help_row_print('h', "help", NULL, "print this help");
	if (nr_rare > 0)
		snprintf(text, sizeof(text), "print also the other options (%zu)", nr_rare);
	help_row_print(0, "help-all", NULL, text);
	if (table->notes && has_rare) {
		printf("\n");
		paragraphs_print(table->notes);
	}
}

static void list_row_print(const char *command, char short_name, const char *long_name,
			   const char *argument, const char *help)
{
	printf("option\t%s\t%c\t%s\t%s\t%s\n", command, short_name ? short_name : '-', long_name,
	       argument ? argument : "-", help);
}

void option_list_print(const struct option_table *table, const char *command)
{
	for (const struct option_part *part = table->parts; part->rows; part++) {
		for (size_t i = 0; i < part->nr_rows; i++) {
			const struct option_row *row = &part->rows[i];

			list_row_print(command, row->short_name, row->long_name, row->argument,
				       row->help);
		}
	}
	list_row_print(command, 'h', "help", NULL, "print the help of the command");
	list_row_print(command, 0, "help-all", NULL, "print its help with all options");
}
