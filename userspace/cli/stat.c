// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stat: its options, and the size of the terminal. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

/**
 * struct stat_command_settings - the options and operands
 * @nr_words: number of operands: one source, or the words of the traced command
 */
struct stat_command_settings {
	struct stat_settings stat;
	int nr_words;
};

static const char *const sort_words[] = {
	[STAT_SORT_TOTAL] = "total", [STAT_SORT_COUNT] = "count", [STAT_SORT_MIN] = "min",
	[STAT_SORT_MEAN] = "mean",   [STAT_SORT_P50] = "p50",	  [STAT_SORT_P99] = "p99",
	[STAT_SORT_MAX] = "max",     [STAT_SORT_NAME] = "name",	  [STAT_SORT_TRACK] = "track",
};
_Static_assert(sizeof(sort_words) / sizeof(sort_words[0]) == STAT_SORT_COUNT_OF, "a word for each");

static int apply_sort(void *settings, const char *value, struct error *error)
{
	struct stat_settings *stat = settings;

	for (int i = 0; i < STAT_SORT_COUNT_OF; i++) {
		if (strcmp(value, sort_words[i]) == 0) {
			stat->form.sort = i;
			return 0;
		}
	}
	return error_set(error,
			 "--sort=%s: unknown; write total, count, min, mean, p50, p99, max, name "
			 "or track",
			 value);
}

static int apply_limit(void *settings, const char *value, struct error *error)
{
	struct stat_settings *stat = settings;

	return count_parse(value, "rows", &stat->form.limit, error);
}

static int apply_interval(void *settings, const char *value, struct error *error)
{
	struct stat_settings *stat = settings;

	return duration_parse(value, "--interval", "too short", &stat->interval_ns, error);
}

static int apply_word(void *settings, const char *word, struct error *error)
{
	struct stat_command_settings *command = settings;

	(void)error;
	if (command->nr_words++ == 0)
		command->stat.source = word;
	return 0;
}

static const struct option_row stat_rows[] = {
	OPTION_FLAG("json", "print JSON: one line, or with --live one line for each interval",
		    stat_settings, form.is_json),
	{ 0, "sort", "WHAT",
	  "sort by total (the default), count, min, mean, p50, p99, max, name or track",
	  apply_sort },
	{ 0, "limit", "N", "print at most N rows of each table", apply_limit },
	OPTION_FLAG("by-name", "print one row per name and tracepoint, for all its tracks",
		    stat_settings, form.is_by_name),
	OPTION_FLAG("live", "record like 'ktrack stream', and update the tables", stat_settings,
		    is_live),
	{ 0, "interval", "SECONDS",
	  "time between updates in seconds, or with ns, us, ms, s, m, h (default: 1)",
	  apply_interval },
	OPTION_FLAG("fail-on-loss", "exit with status 3 if records were lost", stat_settings,
		    fails_on_loss),
};

static struct option_table stat_table(void)
{
	return (struct option_table){
		.usage = "stat [OPTION]... SOURCE\n       ktrack stat --live [OPTION]... [-- "
			 "COMMAND [ARGUMENT]...]",
		.about = "Prints tables of slices (count; total, min, mean, p50, p99 and max "
			 "duration), counters (first, last,\n"
			 "min and max value) and instants (count), and reports lost records.",
		.notes =
			"Exit status: 0 success; 1 ktrack failed or the source is damaged; 2 wrong "
			"usage; 3 records were lost\n"
			"(only with --fail-on-loss). With --live and COMMAND: as for 'ktrack "
			"stream'.",
		.operand = apply_word,
		.parts = { OPTION_PART(selection_options, struct stat_settings, capture.selection),
			   OPTION_PART(filter_options, struct stat_settings, filter),
			   OPTION_PART(capture_live_options, struct stat_settings, capture),
			   OPTION_PART(limits_options, struct stat_settings, limits),
			   { stat_rows, sizeof(stat_rows) / sizeof(stat_rows[0]) } },
	};
}

static unsigned int terminal_size(const char *variable, bool is_width)
{
	const char *given = getenv(variable);
	struct winsize size;

	if (given && atoi(given) > 0)
		return atoi(given);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return is_width ? size.ws_col : size.ws_row;
}

/* A live table without --limit must fit the screen. */
static void form_fit_terminal(struct sink_stat_settings *form, bool is_live)
{
	const char *no_colour = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	form->is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (isatty(STDOUT_FILENO) != 1 || form->is_json)
		return;
	form->width = terminal_size("COLUMNS", true);
	form->has_colour = !no_colour || !*no_colour;
	form->is_screen = is_live;
	if (is_live && form->limit == 0)
		form->height = terminal_size("LINES", false);
}

/* With --live the operands are the command, otherwise there is one source. */
static int operands_apply(struct stat_command_settings *settings, int argc, char **argv,
			  struct error *error)
{
	struct stat_settings *stat = &settings->stat;
	char **command = argv + argc - settings->nr_words;

	if (!stat->is_live && settings->nr_words == 0)
		return error_set(error, "a source is missing; see 'ktrack stat --help'");
	if (!stat->is_live && settings->nr_words > 1)
		return error_set(error, "unexpected argument '%s'", command[1]);
	if (!stat->is_live || settings->nr_words == 0)
		return 0;
	if (strcmp(command[-1], "--") != 0)
		return error_set(error, "'%s': unexpected with --live; write -- before a command",
				 command[0]);
	stat->capture.command = command;
	return 0;
}

static int stat_main(int argc, char **argv, struct error *error)
{
	struct stat_command_settings settings = { .stat.argv = argv };
	struct option_table table = stat_table();
	int operand, status;

	capture_settings_init(&settings.stat.capture, message_report());
	if (options_read(&table, argc, argv, &settings, &operand, &status, error)) {
		status = STATUS_USAGE;
		form_fit_terminal(&settings.stat.form, settings.stat.is_live);
		if (operands_apply(&settings, argc, argv, error) == 0)
			status = stat_run(&settings.stat, error);
	}
	capture_settings_release(&settings.stat.capture);
	return status;
}

const struct cli_command stat_command = {
	.name = "stat",
	.summary = "print statistics of track events",
	.run = stat_main,
};
