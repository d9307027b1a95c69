// SPDX-License-Identifier: GPL-2.0-only
/* Parses and prints options by their tables. */
#include "cli/option.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/capture.h"
#include "cli/cli.h"

static const struct {
	const char *word;
	uint64_t kib;
} units[] = {
	{ "", 1 },	 { "k", 1 },	       { "KiB", 1 },	       { "M", 1024 },
	{ "MiB", 1024 }, { "G", 1024 * 1024 }, { "GiB", 1024 * 1024 },
};

int size_kib_parse(const char *string, uint64_t *out_kib, struct error *error)
{
	size_t nr_digits = strspn(string, "0123456789");
	uint64_t number, unit_kib = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(units[i].word, string + nr_digits) == 0)
			unit_kib = units[i].kib;
	}
	errno = 0;
	number = strtoull(string, NULL, 10);
	if (nr_digits == 0 || number == 0 || unit_kib == 0)
		return error_set(error,
				 "'%s': not a size; write a number of KiB, or one with k, M or G",
				 string);
	if (errno || number > BUFFER_KIB_MAX / unit_kib)
		return error_set(error, "'%s': too large; write at most %dG", string,
				 BUFFER_KIB_MAX / (1024 * 1024));
	*out_kib = number * unit_kib;
	return 0;
}

/* Parses a number below CPU_SETSIZE; returns the rest of the text, or NULL. */
static const char *cpu_number_parse(const char *string, int *out)
{
	size_t nr_digits = strspn(string, "0123456789");

	*out = atoi(string);
	return nr_digits > 0 && nr_digits < 6 && *out < CPU_SETSIZE ? string + nr_digits : NULL;
}

/* Parses one CPU or a range; returns the rest of the text, or NULL. */
static const char *cpu_range_parse(const char *string, cpu_set_t *out)
{
	int first, last;
	const char *rest = cpu_number_parse(string, &first);

	last = first;
	if (rest && *rest == '-')
		rest = cpu_number_parse(rest + 1, &last);
	if (!rest || last < first)
		return NULL;
	for (int cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, out);
	return rest;
}

int cpu_list_parse(const char *string, cpu_set_t *out, struct error *error)
{
	const char *rest = string;

	CPU_ZERO(out);
	do {
		rest = cpu_range_parse(rest, out);
	} while (rest && *rest++ == ',');
	if (rest && !rest[-1])
		return 0;
	return error_set(error, "'%s': not a list of CPUs; write numbers as in 0,2-3", string);
}

/* Parses options with getopt_long from a table. */

/* getopt_long returns row numbers from here, above all characters. */
#define FIRST_ROW 256

/* What it returns for options of every command, below all letters. */
enum common_option {
	COMMON_HELP_ALL = 1,
	COMMON_LIST = 2,
};

enum option_result {
	OPTIONS_READ,
	OPTIONS_HELPED,
	OPTIONS_WRONG,
};

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->argument[0] == '[' ? optional_argument : required_argument;
}

/** struct option_match - a row, its number, and the offset of its part of the settings */
struct option_match {
	const struct option_row *row;
	size_t number;
	size_t offset;
};

/* Finds a row by its number; numbers continue from part to part. */
static bool match_find(const struct option_table *table, size_t number, struct option_match *match)
{
	match->number = number;
	for (const struct option_part *part = table->parts; part->rows; part++) {
		if (number < part->nr_rows) {
			match->row = &part->rows[number];
			match->offset = part->offset;
			return true;
		}
		number -= part->nr_rows;
	}
	return false;
}

/** struct getopt_tables - letters and long names for getopt_long, made from the rows */
struct getopt_tables {
	struct buffer letters;
	struct option *names;
	bool *are_given; /* for each row, whether the option was given */
};

static int tables_make(struct getopt_tables *tables, const struct option_table *table)
{
	size_t size = 0;
	struct option_match match;

	for (const struct option_part *part = table->parts; part->rows; part++)
		size += part->nr_rows;
	tables->names = calloc(size + 4, sizeof(*tables->names));
	tables->are_given = calloc(size + 1, sizeof(*tables->are_given));
	if (!tables->names || !tables->are_given)
		return -1;
	buffer_append_string(&tables->letters, "+:h");
	for (size_t i = 0; match_find(table, i, &match); i++) {
		const struct option_row *row = match.row;

		tables->names[i] = (struct option){ row->long_name, argument_kind(row), NULL,
						    FIRST_ROW + i };
		if (!row->short_name)
			continue;
		buffer_append_char(&tables->letters, row->short_name);
		if (argument_kind(row) == required_argument)
			buffer_append_char(&tables->letters, ':');
	}
	tables->names[size] = (struct option){ "help", no_argument, NULL, 'h' };
	tables->names[size + 1] = (struct option){ "help-all", no_argument, NULL, COMMON_HELP_ALL };
	tables->names[size + 2] = (struct option){ OPTION_LIST, no_argument, NULL, COMMON_LIST };
	return 0;
}

/* Finds the row for a result of getopt_long: a row number, or a letter. */
static bool match_find_result(const struct option_table *table, int found,
			      struct option_match *match)
{
	size_t i = found >= FIRST_ROW ? found - FIRST_ROW : 0;

	while (match_find(table, i, match) && found < FIRST_ROW && match->row->short_name != found)
		i++;
	return match_find(table, i, match);
}

static int option_suggest(const struct option_table *table, const char *word, const char *command,
			  struct error *error)
{
	struct suggestion meant = { 0 };
	struct option_match match;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (strncmp(name, "--", 2) == 0) {
		for (size_t i = 0; match_find(table, i, &match); i++)
			suggestion_add(&meant, text_of(name + 2), match.row->long_name);
	}
	if (meant.word[0])
		return error_set(error, "unknown option '%s'; did you mean '--%s'?", word,
				 meant.word);
	return error_set(error, "unknown option '%s'; see 'ktrack %s --help'", word, command);
}

/* If a known option has an unexpected value, optopt identifies it. */
static int option_refuse(const struct option_table *table, int found, const char *word,
			 const char *command, struct error *error)
{
	if (found == '?' && (optopt == 'h' || optopt == COMMON_HELP_ALL || optopt == COMMON_LIST ||
			     optopt >= FIRST_ROW))
		return error_set(error, "--%.*s: takes no value; see 'ktrack %s --help'",
				 (int)strcspn(word + 2, "="), word + 2, command);
	if (found != ':')
		return option_suggest(table, word, command, error);
	return error_set(error, "%s: argument missing; see 'ktrack %s --help'", word, command);
}

int option_refuse_operand(void *settings, const char *word, struct error *error)
{
	(void)settings;
	return error_set(error, "unexpected argument '%s'", word);
}

int option_row_apply(const struct option_row *row, void *part, const char *value,
		     struct error *error)
{
	void *at = (char *)part + row->offset;

	if (row->needs_text && value && !*value) {
		const char *name = row->argument + strspn(row->argument, "[=");

		/* Reports a missing argument under its name in help, "FILE" or "[=TARGET]". */
		return error_set(error, "--%s=: no value; write --%s=%.*s", row->long_name,
				 row->long_name, (int)strcspn(name, "]"), name);
	}
	if (row->apply)
		return row->apply(at, value, error);
	if (row->is_size)
		return size_kib_parse(value, at, error);
	if (row->count_of) {
		if (count_parse(value, row->count_of, at, error) < 0)
			return -1;
		if (row->count_max == 0 || *(uint64_t *)at <= row->count_max)
			return 0;
		return error_set(error, "--%s=%s: too large; write a number up to %llu",
				 row->long_name, value, (unsigned long long)row->count_max);
	}
	if (row->time_problem) {
		if (time_duration_parse(value, at, error) < 0)
			return -1;
		if (*(int64_t *)at > 0 || !*row->time_problem)
			return 0;
		return error_set(error, "--%s=%s: %s; write a time above 0", row->long_name, value,
				 row->time_problem);
	}
	*(bool *)at = true;
	return 0;
}

static void list_row_print(const char *command, const struct option_row *row)
{
	printf("option\t%s\t%c\t%s\t%s\t%s\n", command, row->short_name ? row->short_name : '-',
	       row->long_name, row->argument ? row->argument : "-", row->help);
}

/* Help fits a terminal of this width; texts of options begin at this column. */
#define COLUMNS 80

/* Prints the words of a line, wrapped, from @column on; further lines are indented so, too. */
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

#define TEXT_COLUMN 32

static void help_row_print(const struct option_row *row)
{
	char left[64], letter = row->short_name;
	const char *argument = row->argument ? row->argument : "";

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
		 letter ? ", " : "  ", row->long_name, *argument && *argument != '[' ? "=" : "",
		 argument);
	printf("  %-*s ", TEXT_COLUMN - 3, left);
	words_print(text_of(row->help), TEXT_COLUMN);
}

static void option_help_print(const struct option_table *table, bool has_rare)
{
	char rest[64] = "print this help with all options";
	struct option_match match;
	size_t nr_rare = 0;

	printf("usage: ktrack %s\n\n", table->usage);
	paragraphs_print(table->about);
	printf("\n");
	for (size_t i = 0; match_find(table, i, &match); i++) {
		if (match.row->is_rare && !has_rare)
			nr_rare++;
		else
			help_row_print(match.row);
	}
	help_row_print(&(struct option_row){ 'h', "help", NULL, "print this help" });
	if (nr_rare > 0)
		snprintf(rest, sizeof(rest), "print also the other options (%zu)", nr_rare);
	help_row_print(&(struct option_row){ 0, "help-all", NULL, rest });
	if (table->notes && has_rare) {
		printf("\n");
		paragraphs_print(table->notes);
	}
}

static enum option_result option_apply(const struct option_table *table,
				       const struct getopt_tables *tables, int found,
				       const char *word, char **argv, void *settings,
				       struct error *error)
{
	struct option_match match;

	if (found == COMMON_LIST) {
		for (size_t i = 0; match_find(table, i, &match); i++)
			list_row_print(argv[0], match.row);
		list_row_print(argv[0], &(struct option_row){ 'h', "help", NULL,
							      "print the help of the command" });
		list_row_print(argv[0], &(struct option_row){ 0, "help-all", NULL,
							      "print its help with all options" });
		return OPTIONS_HELPED;
	}
	if (found == 'h' || found == COMMON_HELP_ALL) {
		option_help_print(table, found == COMMON_HELP_ALL);
		return OPTIONS_HELPED;
	}
	if (found == '?' || found == ':' || !match_find_result(table, found, &match)) {
		option_refuse(table, found, word, argv[0], error);
		return OPTIONS_WRONG;
	}
	/* Otherwise the second of two equal options would silently replace the first. */
	if (tables->are_given[match.number] && !match.row->is_repeatable)
		return error_set(error, "--%s is given twice", match.row->long_name), OPTIONS_WRONG;
	tables->are_given[match.number] = true;
	return option_row_apply(match.row, (char *)settings + match.offset, optarg, error) < 0
		       ? OPTIONS_WRONG
		       : OPTIONS_READ;
}

/*
 * getopt_long stops at the first operand. If the table takes operands, parsing continues after each
 * operand, so options may follow. After "--" all words are operands.
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

bool options_read(const struct option_table *table, int argc, char **argv, void *settings,
		  int *operand, int *status, struct error *error)
{
	struct getopt_tables tables = { 0 };
	enum option_result result = OPTIONS_WRONG;

	/* 0 resets the state of getopt_long in glibc. */
	optind = 0;
	opterr = 0;
	if (tables_make(&tables, table) == 0 && *buffer_string(&tables.letters))
		result = options_apply(table, &tables, argc - 1, argv + 1, settings, error);
	else
		error_set(error, "out of memory");
	*operand = optind + 1;
	*status = result == OPTIONS_WRONG ? STATUS_USAGE : STATUS_DONE;
	free(tables.names);
	free(tables.are_given);
	buffer_release(&tables.letters);
	return result == OPTIONS_READ;
}

bool option_may_have_value(const struct option_table *table, const char *word)
{
	struct option_match match;

	if (strncmp(word, "--", 2) != 0)
		return false;
	for (size_t i = 0; match_find(table, i, &match); i++) {
		if (argument_kind(match.row) == optional_argument &&
		    strcmp(match.row->long_name, word + 2) == 0)
			return true;
	}
	return false;
}
