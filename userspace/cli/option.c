// SPDX-License-Identifier: GPL-2.0-only
/* Drives getopt_long from a table, and prints the table. */
#include "cli/option.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/suggest.h"

/* Values that getopt_long returns for rows: beyond those of characters. */
#define FIRST_ROW 256

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

/** struct option_place - a row, its number, and the offset of what it is about */
struct option_place {
	const struct option_row *row;
	size_t number;
	size_t offset;
};

static const struct option_row *part_row(const struct option_part *part, size_t number)
{
	size_t row_size = part->row_size > 0 ? part->row_size : sizeof(*part->rows);

	return (const struct option_row *)((const char *)part->rows + number * row_size);
}

/* Finds the row with a number, counted through all parts. */
static bool place_find(const struct option_table *table, size_t number, struct option_place *place)
{
	place->number = number;
	for (const struct option_part *part = table->parts; part->rows; part++) {
		if (number < part->nr_rows) {
			place->row = part_row(part, number);
			place->offset = part->offset;
			return true;
		}
		number -= part->nr_rows;
	}
	return false;
}

static void print_row(char short_name, const char *long_name, const char *argument,
		      const char *help)
{
	char left[64];
	const char *separator = argument && argument[0] != '[' ? "=" : "";

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s", short_name ? '-' : ' ',
		 short_name ? short_name : ' ', short_name ? ", " : "  ", long_name, separator,
		 argument ? argument : "");
	printf("  %-30s %s\n", left, help);
}

static void options_print(const struct option_table *table)
{
	struct option_place place;

	printf("usage: ktrack %s\n\n%s\n\n", table->usage, table->about);
	for (size_t i = 0; place_find(table, i, &place); i++)
		print_row(place.row->short_name, place.row->long_name, place.row->argument,
			  place.row->help);
	print_row('h', "help", NULL, "print this");
	if (table->notes)
		printf("\n%s\n", table->notes);
}

/**
 * struct getopt_tables - what getopt_long wants: letters and long names, made from the rows
 * @are_given: for each row whether it was there already
 */
struct getopt_tables {
	struct buffer letters;
	struct option *names;
	bool *are_given;
};

static size_t table_size(const struct option_table *table)
{
	size_t size = 0;

	for (const struct option_part *part = table->parts; part->rows; part++)
		size += part->nr_rows;
	return size;
}

static int tables_make(struct getopt_tables *tables, const struct option_table *table)
{
	size_t size = table_size(table);
	struct option_place place;

	tables->names = calloc(size + 2, sizeof(*tables->names));
	tables->are_given = calloc(size + 1, sizeof(*tables->are_given));
	if (!tables->names || !tables->are_given)
		return -1;
	buffer_append_string(&tables->letters, "+:h");
	for (size_t i = 0; place_find(table, i, &place); i++) {
		const struct option_row *row = place.row;

		tables->names[i] = (struct option){ row->long_name, argument_kind(row), NULL,
						    FIRST_ROW + i };
		if (!row->short_name)
			continue;
		buffer_append_char(&tables->letters, row->short_name);
		if (argument_kind(row) == required_argument)
			buffer_append_char(&tables->letters, ':');
	}
	tables->names[size] = (struct option){ "help", no_argument, NULL, 'h' };
	return 0;
}

/* Finds the row for what getopt_long returned: a long name's number, or a letter. */
static bool found_find(const struct option_table *table, int found, struct option_place *place)
{
	if (found >= FIRST_ROW)
		return place_find(table, found - FIRST_ROW, place);
	for (size_t i = 0; place_find(table, i, place); i++) {
		if (place->row->short_name == found)
			return true;
	}
	return false;
}

/* A word that is no option, but may be meant for one. */
static int option_suggest(const struct option_table *table, const char *word, const char *command,
			  struct error *error)
{
	struct suggestion meant = { 0 };
	struct option_place place;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (strncmp(name, "--", 2) == 0) {
		for (size_t i = 0; place_find(table, i, &place); i++)
			suggestion_add(&meant, name + 2, place.row->long_name);
	}
	if (meant.word)
		return error_set(error, "unknown option '%s'; did you mean '--%s'?", word,
				 meant.word);
	return error_set(error, "unknown option '%s'; see 'ktrack %s --help'", word, command);
}

/* An option that is known, but takes no value, is found in optopt, be it "help" or a row. */
static int option_refuse(const struct option_table *table, int found, const char *word,
			 const char *command, struct error *error)
{
	if (found == '?' && (optopt == 'h' || optopt >= FIRST_ROW))
		return error_set(error, "--%.*s takes no value; see 'ktrack %s --help'",
				 (int)strcspn(word + 2, "="), word + 2, command);
	if (found != ':')
		return option_suggest(table, word, command, error);
	return error_set(error, "argument missing after '%s'; see 'ktrack %s --help'", word,
			 command);
}

int option_row_apply(const struct option_row *row, void *part, const char *value,
		     struct error *error)
{
	void *at = (char *)part + row->offset;

	if (row->apply)
		return row->apply(at, value, error);
	*(bool *)at = true;
	return 0;
}

/* The second of two equal options would silently replace the first. */
static int option_mark(const struct getopt_tables *tables, const struct option_place *place,
		       struct error *error)
{
	bool *is_given = &tables->are_given[place->number];

	if (*is_given && !place->row->is_repeatable)
		return error_set(error, "--%s is given twice", place->row->long_name);
	*is_given = true;
	return 0;
}

static enum option_result option_apply(const struct option_table *table,
				       const struct getopt_tables *tables, int found,
				       const char *word, char **argv, void *settings,
				       struct error *error)
{
	struct option_place place;

	if (found == 'h') {
		options_print(table);
		return OPTIONS_HELPED;
	}
	if (found == '?' || found == ':' || !found_find(table, found, &place)) {
		option_refuse(table, found, word, argv[0], error);
		return OPTIONS_WRONG;
	}
	if (option_mark(tables, &place, error) < 0 ||
	    option_row_apply(place.row, (char *)settings + place.offset, optarg, error) < 0)
		return OPTIONS_WRONG;
	return OPTIONS_READ;
}

/*
 * getopt_long stops at the first operand. Where the table takes operands, it goes on behind each of
 * them, so that options may follow; behind "--" there are only operands.
 */
static enum option_result options_apply(const struct option_table *table,
					const struct getopt_tables *tables, int argc, char **argv,
					void *settings, struct error *error)
{
	enum option_result result = OPTIONS_READ;
	bool has_options = true;

	while (result == OPTIONS_READ) {
		int at = optind ? optind : 1;
		int found = has_options ? getopt_long(argc, argv, tables->letters.data,
						      tables->names, NULL)
					: -1;

		if (found != -1) {
			result = option_apply(table, tables, found, argv[at], argv, settings,
					      error);
			continue;
		}
		if (optind >= argc || !table->operand)
			break;
		has_options = has_options && strcmp(argv[optind - 1], "--") != 0;
		if (table->operand(settings, argv[optind++], error) < 0)
			result = OPTIONS_WRONG;
	}
	return result;
}

enum option_result options_parse(const struct option_table *table, int argc, char **argv,
				 void *settings, int *operand, struct error *error)
{
	struct getopt_tables tables = { 0 };
	enum option_result result = OPTIONS_WRONG;

	/* getopt's own state: 0 makes glibc start anew, and it is to print nothing itself. */
	optind = 0;
	opterr = 0;
	if (tables_make(&tables, table) == 0 && *buffer_string(&tables.letters))
		result = options_apply(table, &tables, argc - 1, argv + 1, settings, error);
	else
		error_set(error, "out of memory");
	*operand = optind + 1;
	free(tables.names);
	free(tables.are_given);
	buffer_release(&tables.letters);
	return result;
}

bool options_read(const struct option_table *table, int argc, char **argv, void *settings,
		  int *operand, int *status, struct error *error)
{
	enum option_result result = options_parse(table, argc, argv, settings, operand, error);

	*status = result == OPTIONS_WRONG ? STATUS_USAGE : STATUS_DONE;
	return result == OPTIONS_READ;
}

bool option_may_have_value(const struct option_table *table, const char *word)
{
	struct option_place place;

	if (strncmp(word, "--", 2) != 0)
		return false;
	for (size_t i = 0; place_find(table, i, &place); i++) {
		if (argument_kind(place.row) == optional_argument &&
		    strcmp(place.row->long_name, word + 2) == 0)
			return true;
	}
	return false;
}
