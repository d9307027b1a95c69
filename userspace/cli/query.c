// SPDX-License-Identifier: GPL-2.0-only
/* ktrack query: its options. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/* The source, the query and its parameters. */
#define QUERY_WORDS_MAX 34

/** struct query_command_settings - the options and operands */
struct query_command_settings {
	struct query_settings query;
	const char *words[QUERY_WORDS_MAX]; /* the operands */
	size_t nr_words;
	bool lists; /* print the queries that are built in */
	bool is_csv;
	bool is_json;
};

static int apply_query_word(void *settings, const char *word, struct error *error)
{
	struct query_command_settings *command = settings;

	if (command->nr_words == QUERY_WORDS_MAX)
		return error_set(error, "'%s': more than %d arguments", word, QUERY_WORDS_MAX);
	command->words[command->nr_words++] = word;
	return 0;
}

static const struct option_row query_rows[] = {
	OPTION_FLAG("list", "print the built-in queries, or the text of one",
		    query_command_settings, lists),
	OPTION_FLAG("csv", "print comma-separated values", query_command_settings, is_csv),
	OPTION_FLAG("header", "with --csv: print the names of the columns first",
		    query_command_settings, query.form.has_header),
	OPTION_FLAG("json", "print a JSON array of objects", query_command_settings, is_json),
	OPTION_RARE_FLAG("fail-on-loss", "exit with status 3 if records were lost",
			 query_command_settings, query.fails_on_loss),
};

static int queries_list(const struct query_command_settings *command, struct error *error)
{
	const char *sql;

	if (command->nr_words > 1)
		return option_refuse_operand(NULL, command->words[1], error);
	if (command->nr_words == 1) {
		sql = sink_query_find(command->words[0], error);
		return sql && printf("%s", sql) >= 0 ? 0 : -1;
	}
	for (const struct sink_query *query = sink_queries; query->name; query++)
		printf("@%-10s %s\n", query->name, query->about);
	return 0;
}

static int query_words_apply(struct query_command_settings *command, struct error *error)
{
	struct query_settings *query = &command->query;
	struct sink_query_settings *form;
	struct terminal terminal;

	if (command->nr_words == 0)
		return error_set(error, "a source is missing, for example trace.dat; see 'ktrack query --help'");
	if (command->nr_words == 1)
		return error_set(error, "a query is missing; write a SELECT, or see 'ktrack query "
					"--list'");
	query->source = command->words[0];
	query->form.sql = command->words[1];
	query->form.parameters = command->words + 2;
	query->form.nr_parameters = command->nr_words - 2;
	for (size_t i = 2; i < command->nr_words; i++) {
		const char *equals = strchr(command->words[i], '=');

		if (!equals || equals == command->words[i])
			return error_set(error,
					 "'%s': not NAME=VALUE; write the query as one word "
					 "in quotes",
					 command->words[i]);
	}
	form = &command->query.form;
	terminal = terminal_find();
	if (command->is_csv && command->is_json)
		return error_set(error, "--csv: excludes --json; leave out one of them");
	if (form->has_header && !command->is_csv)
		return error_set(error, "--header: needs --csv");
	form->form = command->is_csv ? QUERY_CSV : command->is_json ? QUERY_JSON : QUERY_TABLE;
	form->is_utf8 = terminal.is_utf8;
	form->width = terminal.width;
	form->has_colour = terminal.has_colour;
	return 0;
}

static int query_main(int argc, char **argv, struct error *error)
{
	struct query_command_settings command = { .query = { .argv = argv,
							     .report = message_report() } };
	struct option_table table = {
		.usage = "query [OPTION]... SOURCE QUERY [NAME=VALUE]...\n"
			 "       ktrack query --list [@NAME]",
		.about = "Prints the results of QUERY: an SQL SELECT, or @NAME, a query that is "
			 "built in. SOURCE is as for 'ktrack export', or a database of --sqlite. "
			 "See ktrack-sql(5).",
		.notes =
			"Exit status: 0 success; 1 ktrack failed, the query is wrong or the source "
			"is damaged; 2 wrong usage; 3 records were lost (only with "
			"--fail-on-loss).",
		.operand = apply_query_word,
		.parts = { OPTION_PART(selection_options, struct query_command_settings,
				       query.selection),
			   OPTION_PART(stored_options, struct query_command_settings,
				       query.selection),
			   OPTION_PART(filter_options, struct query_command_settings, query.filter),
			   OPTION_PART(limits_options, struct query_command_settings, query.limits),
			   OPTION_PART(input_options, struct query_command_settings, query.limits),
			   OPTION_ROWS(query_rows),
			   OPTION_PART(report_options, struct query_command_settings,
				       query.report) },
	};
	int operand, status;

	if (options_read(&table, argc, argv, &command, &operand, &status, error)) {
		status = STATUS_USAGE;
		if (command.lists)
			status = queries_list(&command, error) < 0 ? STATUS_USAGE : STATUS_DONE;
		else if (query_words_apply(&command, error) == 0)
			status = query_run(&command.query, error);
	}
	selection_release(&command.query.selection);
	return status;
}

const struct cli_command query_command = { "query", "query recorded track events with SQL",
					   query_main };
