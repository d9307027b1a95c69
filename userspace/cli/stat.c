// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stat: statistics of a recording, or of one that is being made. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/export.h"
#include "cli/option.h"
#include "cli/quantity.h"
#include "cli/stream.h"
#include "sink/sink.h"

/* How often a live table is renewed, unless told otherwise. */
#define DEFAULT_INTERVAL_NS NS_PER_S

/**
 * struct stat_settings - what the command line asks for
 * @stat: what the statistics look like
 * @selection, @bounds: go to @export or @stream, whichever runs
 * @interval_ns: 0 where the command line says nothing
 * @words: operands: the source, or the traced command
 */
struct stat_settings {
	struct sink_stat_settings stat;
	struct selection selection;
	struct bounds bounds;
	struct export_settings export;
	struct stream_settings stream;
	int64_t interval_ns;
	bool is_live;
	bool fails_on_loss;
	const char *source;
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
			stat->stat.sort = i;
			return 0;
		}
	}
	return error_set(error,
			 "--sort knows total, count, min, mean, p50, p99, max, name and "
			 "track, not '%s'",
			 value);
}

static int apply_limit(void *settings, const char *value, struct error *error)
{
	struct stat_settings *stat = settings;

	return count_parse(value, "rows", &stat->stat.limit, error);
}

static int apply_interval(void *settings, const char *value, struct error *error)
{
	struct stat_settings *stat = settings;

	if (time_duration_parse(value, &stat->interval_ns, error) < 0)
		return -1;
	return stat->interval_ns > 0 ? 0 : error_set(error, "an interval of 0 is none");
}

static int apply_word(void *settings, const char *word, struct error *error)
{
	struct stat_settings *stat = settings;

	(void)error;
	if (stat->nr_words++ == 0)
		stat->source = word;
	return 0;
}

static const struct option_row stat_rows[] = {
	OPTION_FLAG("json", "print JSON: one line, or with --live one for each interval",
		    stat_settings, stat.is_json),
	{ 0, "sort", "WHAT",
	  "sort by total (the default), count, min, mean, p50, p99, max, name or track",
	  apply_sort },
	{ 0, "limit", "N", "show at most N rows of each table", apply_limit },
	OPTION_FLAG("by-name", "put the tracks of a tracepoint together", stat_settings,
		    stat.is_by_name),
	OPTION_FLAG("live", "record now, as ktrack stream does, and renew the table", stat_settings,
		    is_live),
	{ 0, "interval", "SECONDS", "how often it is renewed (1); also with ms, s, m, h",
	  apply_interval },
	OPTION_FLAG("fail-on-loss", "exit with 3 where records were lost", stat_settings,
		    fails_on_loss),
};

/* --buffer is a filter here, by a buffer's name. */
static const struct option_row live_rows[] = {
	{ 'd', "duration", "SECONDS", "with --live: stop after this time; also with ms, s, m, h",
	  capture_apply_duration },
	{ 'b', "buffer-size", "SIZE", "with --live: ring buffer for each CPU (1024)",
	  capture_apply_buffer },
	OPTION_FLAG("wait", "with --live: also with -e for what is not there yet", capture_settings,
		    selection.waits),
	{ 0, "ready-fd", "N", "with --live: write a line to this descriptor once recording is on",
	  capture_apply_ready },
};

static const struct option_part live_options = {
	.rows = live_rows,
	.nr_rows = sizeof(live_rows) / sizeof(live_rows[0]),
};

static const struct option_part stat_options = {
	.rows = stat_rows,
	.nr_rows = sizeof(stat_rows) / sizeof(stat_rows[0]),
};

static struct option_table stat_table(void)
{
	struct option_table table = {
		.usage = "stat [OPTION]... SOURCE\n       ktrack stat --live [OPTION]... [-- "
			 "COMMAND "
			 "[ARGUMENT]...]",
		.about = "Prints a table for each name on each track: how often, how long in all, "
			 "shortest, mean, median, 99th\n"
			 "percentile, longest; for counters the first, last, lowest and highest "
			 "value; and what was lost.",
		.operand = apply_word,
		.parts = { selection_options, filter_options, live_options, bounds_options,
			   stat_options },
	};

	table.parts[0].offset = offsetof(struct stat_settings, selection);
	table.parts[1].offset = offsetof(struct stat_settings, export.filter);
	table.parts[2].offset = offsetof(struct stat_settings, stream.capture);
	table.parts[3].offset = offsetof(struct stat_settings, bounds);
	return table;
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

/* Whoever names a number of rows gets it; otherwise a screen is not to scroll. */
static void screen_fit(struct sink_stat_settings *stat)
{
	if (stat->is_screen && stat->limit == 0)
		stat->height = terminal_size("LINES", false);
}

static void terminal_look(struct stat_settings *settings)
{
	struct sink_stat_settings *stat = &settings->stat;
	const char *no_colour = getenv("NO_COLOR");
	bool is_terminal = isatty(STDOUT_FILENO) == 1 && !stat->is_json;

	setlocale(LC_CTYPE, "");
	stat->is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (!is_terminal)
		return;
	stat->width = terminal_size("COLUMNS", true);
	stat->has_colour = !no_colour || !*no_colour;
	stat->is_screen = settings->is_live;
	screen_fit(stat);
}

static bool has_filter(const struct filter *filter)
{
	static const struct filter none;

	return memcmp(filter, &none, sizeof(none)) != 0;
}

static int live_run(struct stat_settings *settings, int argc, char **argv, struct error *error)
{
	char **command = argv + argc - settings->nr_words;

	if (has_filter(&settings->export.filter)) {
		error_set(error, "with --live only tracepoints can be chosen, by -e");
		return STATUS_USAGE;
	}
	if (settings->nr_words > 0 && strcmp(command[-1], "--") != 0) {
		error_set(error, "write -- before the command, and no source with --live");
		return STATUS_USAGE;
	}
	settings->stat.interval_ns = settings->interval_ns > 0 ? settings->interval_ns
							       : DEFAULT_INTERVAL_NS;
	settings->stream.capture.command = settings->nr_words > 0 ? command : NULL;
	settings->selection.can_wait = true;
	settings->selection.waits = settings->stream.capture.selection.waits;
	settings->stream.capture.selection = settings->selection;
	settings->stream.bounds = settings->bounds;
	settings->stream.outputs.stat = &settings->stat;
	settings->stream.outputs.fails_on_loss = settings->fails_on_loss;
	return stream_run(&settings->stream, error);
}

/* Options that a recording has no use for. */
static int live_refuse(const struct stat_settings *settings, struct error *error)
{
	const struct capture_settings *capture = &settings->stream.capture;

	if (settings->interval_ns > 0 || capture->duration_ns > 0)
		return error_set(error, "--interval and --duration are for --live");
	if (capture->setting)
		return error_set(error, "%s is for --live", capture->setting);
	if (capture->selection.waits || capture->ready_fd >= 0)
		return error_set(error, "--wait and --ready-fd are for --live");
	return 0;
}

static int recorded_run(struct stat_settings *settings, struct error *error)
{
	if (settings->nr_words != 1) {
		error_set(error,
			  settings->nr_words == 0
				  ? "a source is missing; see 'ktrack stat --help'"
				  : "there can only be one source; see 'ktrack stat --help'");
		return STATUS_USAGE;
	}
	if (live_refuse(settings, error) < 0)
		return STATUS_USAGE;
	settings->export.source = settings->source;
	settings->export.selection = settings->selection;
	settings->export.bounds = settings->bounds;
	settings->export.outputs.stat = &settings->stat;
	settings->export.outputs.fails_on_loss = settings->fails_on_loss;
	return export_run(&settings->export, error);
}

static int stat_start(struct stat_settings *settings, int argc, char **argv, struct error *error)
{
	terminal_look(settings);
	return settings->is_live ? live_run(settings, argc, argv, error)
				 : recorded_run(settings, error);
}

static int stat_main(int argc, char **argv, struct error *error)
{
	struct stat_settings settings = {
		.export.argv = argv,
		.stream = { .argv = argv, .capture = CAPTURE_DEFAULTS },
	};
	struct option_table table = stat_table();
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = stat_start(&settings, argc, argv, error);
	selection_release(&settings.selection);
	return status;
}

const struct cli_command stat_command = {
	.name = "stat",
	.summary = "print statistics of track events",
	.run = stat_main,
};
