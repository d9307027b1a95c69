// SPDX-License-Identifier: GPL-2.0-only
/* ktrack stat. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option.h"
#include "cli/option_parts.h"
#include "replay/replay.h"

/* Most sources of --compare. */
#define COMPARE_WORDS_MAX 256
/* Of --compare: smaller changes rarely matter. */
#define DEFAULT_MIN_CHANGE 0.05
/* Of --live. */
#define DEFAULT_INTERVAL_NS NS_PER_S

/** struct stat_settings - one run of ktrack stat */
struct stat_settings {
	struct capture_settings capture; /* of a live run; its selection is that of both */
	struct filter filter;		 /* of a source */
	struct limits limits;
	struct sink_stat_settings form; /* the form of the statistics */
	struct budget_settings budgets; /* judged at the end */
	const char *source;		/* as in struct export_settings */
	bool is_live;			/* record instead of reading source */
	bool is_top; /* show a live run in an interactive view, if the terminal can */
	bool fails_on_loss;
	int64_t interval_ns; /* time between updates of a live run; 0 for the default */
	char *const *argv;   /* ktrack's own words */
};

/** struct stat_command_settings - the options and operands */
struct stat_command_settings {
	struct stat_settings stat;
	const char *words[COMPARE_WORDS_MAX]; /* the first operands */
	bool is_compare;
	double min_change;
	bool has_min_change;
	bool is_by_name;
	bool is_csv;
	bool is_json;
	bool has_no_top;
	int nr_words; /* number of operands: one source, or the words of the traced command */
};

static int apply_word(void *settings, const char *word, struct error *error)
{
	struct stat_command_settings *command = settings;

	(void)error;
	if (command->nr_words < COMPARE_WORDS_MAX)
		command->words[command->nr_words] = word;
	if (command->nr_words++ == 0)
		command->stat.source = word;
	return 0;
}

/* "5%" or "5". */
static int apply_min_change(void *settings, const char *value, struct error *error)
{
	struct stat_command_settings *command = settings;
	char *end;
	double number = strtod(value, &end);

	if (value[0] < '0' || value[0] > '9' || (*end && strcmp(end, "%") != 0) || number > 1000)
		return error_set(error, "--min-change=%s: not a percentage; write one such as 5%%",
				 value);
	command->has_min_change = true;
	command->min_change = number / 100;
	return 0;
}

static const struct option_row form_rows[] = {
	OPTION_FLAG("json", "print JSON, one line for each interval", stat_command_settings,
		    is_json),
	OPTION_RARE_FLAG("csv", "print comma-separated values", stat_command_settings, is_csv),
};

static const struct option_row stat_rows[] = {
	OPTION_RARE_FLAG("by-name", "the same as --group-by=name", stat_command_settings,
			 is_by_name),
	OPTION_FLAG("compare", "compare recordings: BASE... -- SOURCE...", stat_command_settings,
		    is_compare),
	{ 0, "min-change", "PERCENT", "with --compare: report no smaller changes (default: 5%)",
	  apply_min_change, .is_rare = true },
	OPTION_FLAG("live", "record now; on a terminal, an interactive view", stat_settings,
		    is_live),
	OPTION_RARE_FLAG("no-top", "with --live: tables instead of the interactive view",
			 stat_command_settings, has_no_top),
	{ 0, "interval", "SECONDS",
	  "time between updates in seconds, or with ns, us, ms, s, m, h (default: 1)", NULL,
	  offsetof(struct stat_settings, interval_ns), .time_problem = "too short",
	  .is_rare = true },
	OPTION_RARE_FLAG("fail-on-loss", "exit with status 3 if records were lost", stat_settings,
			 fails_on_loss),
};

static struct option_table stat_table(void)
{
	return (struct option_table){
		.usage = "stat [OPTION]... SOURCE\n       ktrack stat --live [OPTION]... [-- "
			 "COMMAND [ARGUMENT]...]",
		.about = "Prints tables of slices (count; total, min, mean, p50, p99 and max "
			 "duration), counters and instants, and reports lost records.",
		.notes =
			"Exit status: 0 success; 1 ktrack failed or the source is damaged; 2 wrong "
			"usage; 3 records were lost (only with --fail-on-loss), a budget is "
			"undecided, or too little is recorded for --compare; 4 a budget is "
			"exceeded. With --live and COMMAND: as for 'ktrack stream'.",
		.operand = apply_word,
		.parts = { OPTION_PART(selection_options, struct stat_settings, capture.selection),
			   OPTION_PART(stored_options, struct stat_settings, capture.selection),
			   OPTION_PART(stat_filter_options, struct stat_settings, filter),
			   OPTION_PART(capture_live_options, struct stat_settings, capture),
			   OPTION_PART(limits_options, struct stat_settings, limits),
			   OPTION_PART(input_options, struct stat_settings, limits),
			   OPTION_PART(budget_options, struct stat_settings, budgets),
			   OPTION_ROWS(form_rows),
			   command_output_options("stat", offsetof(struct stat_settings, form)),
			   OPTION_ROWS(stat_rows),
			   OPTION_PART(report_options, struct stat_settings, capture.report) },
	};
}

/* A live table without --limit must fit the screen. */
static void form_fit_terminal(struct sink_stat_settings *form, bool is_live)
{
	struct terminal terminal = terminal_find();

	form->is_utf8 = terminal.is_utf8;
	if (!terminal.is_terminal || form->form != STAT_TABLES)
		return;
	form->width = terminal.width;
	form->has_colour = terminal.has_colour;
	form->is_screen = is_live;
	if (is_live && form->limit == 0)
		form->height = terminal.height;
}

/* With --live the operands are the command, otherwise there is one source. */
static int operands_apply(struct stat_command_settings *settings, int argc, char **argv,
			  struct error *error)
{
	struct stat_settings *stat = &settings->stat;
	char **command = argv + argc - settings->nr_words;

	if (!stat->is_live && settings->nr_words == 0)
		return error_set(error, "a source is missing, for example trace.dat; see 'ktrack stat --help'");
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

/* By default a series is one name: new threads would be new series. */
static int prometheus_apply(struct stat_command_settings *settings, struct error *error)
{
	struct sink_stat_settings *form = &settings->stat.form;
	const char *option = settings->is_json	    ? "--json"
			     : settings->is_csv	    ? "--csv"
			     : form->has_histograms ? "--histogram"
			     : form->slowest > 0    ? "--slowest"
						    : NULL;

	if (!form->prometheus)
		return 0;
	if (option)
		return error_set(error, "%s: not with --prometheus; leave out one of them", option);
	settings->is_by_name |= form->nr_groups == 0;
	return 0;
}

static int form_apply(struct stat_command_settings *settings, struct error *error)
{
	struct sink_stat_settings *form = &settings->stat.form;

	if (settings->is_csv && settings->is_json)
		return error_set(error, "--csv: excludes --json; leave out one of them");
	if (settings->is_csv && settings->stat.is_live)
		return error_set(error, "--csv: not with --live; use --json");
	if (settings->has_no_top && !settings->stat.is_live)
		return error_set(error, "--no-top: needs --live");
	if (form->has_histograms && (settings->is_csv || settings->is_json))
		return error_set(error, "--histogram: part of tables; --json has all histograms");
	if (form->slowest > 0 && settings->is_csv)
		return error_set(error, "--slowest: not with --csv; use --json");
	if (prometheus_apply(settings, error) < 0)
		return -1;
	if (settings->is_by_name && form->nr_groups > 0)
		return error_set(error, "--by-name: excludes --group-by; leave out one of them");
	if (settings->is_by_name)
		form->groups[form->nr_groups++] = (struct stat_group){ .key = STAT_KEY_NAME,
								       .word = "name" };
	form->form = settings->is_csv ? STAT_CSV : settings->is_json ? STAT_JSON : STAT_TABLES;
	settings->stat.budgets.is_json = settings->is_json;
	form->is_brief = form->form == STAT_TABLES && !settings->stat.is_live && !form->sort &&
			 form->limit == 0 && !form->name && !form->has_all && !form->prometheus;
	form_fit_terminal(form, settings->stat.is_live);
	/*
	 * The view needs the terminal for itself: with a command that may use it, tables replace
	 * each other. In the background it would stop ktrack.
	 */
	settings->stat.is_top = settings->stat.is_live && !settings->has_no_top &&
				!form->prometheus && form->form == STAT_TABLES &&
				settings->nr_words == 0 && terminal_is_interactive();
	return 0;
}

/* Checks options of a recording. With --live, --cgroup decides what is recorded. */
static int recorded_check(struct stat_settings *settings, struct error *error)
{
	struct capture_settings *capture = &settings->capture;
	const char *option;

	settings->filter.cgroup = capture->workload.cgroup;
	if (settings->filter.cgroup)
		capture->workload.option = NULL;
	option = settings->interval_ns > 0  ? "--interval"
		 : capture->duration_ns > 0 ? "--duration"
		 : capture->selection.waits ? "--wait"
		 : capture->ready_fd >= 0   ? "--ready-fd"
		 : capture->workload.option ? capture->workload.option
					    : capture->setting;

	return option ? error_set(error, "%s: needs --live", option) : 0;
}

/* The writers' names are kept only if a table has them. */
static unsigned int stat_emitters(const struct sink_stat_settings *form)
{
	for (size_t i = 0; i < form->nr_groups; i++) {
		if (form->groups[i].key == STAT_KEY_COMM)
			return 1u << TIMELINE_EMITTER_COMM;
	}
	return 0;
}

static int stat_run_live(struct stat_settings *settings, struct error *error)
{
	struct sink_stat_settings form = settings->form;
	struct error problem = { 0 };
	struct stream_settings stream = {
		.capture = settings->capture,
		.limits = settings->limits,
		.outputs = { .stat = &form,
			     .with = stat_emitters(&form),
			     .budgets = settings->budgets,
			     .fails_on_loss = settings->fails_on_loss },
		.argv = settings->argv,
	};
	int status;

	form.interval_ns = settings->interval_ns > 0 ? settings->interval_ns : DEFAULT_INTERVAL_NS;
	if (settings->is_top)
		form.top = stat_top_new(settings->capture.report, &problem);
	/* Without the view, tables replace each other. */
	if (settings->is_top && !form.top)
		report_message(settings->capture.report, "%s; --no-top prints tables only",
			       problem.text);
	if (form.top) {
		form.is_screen = false;
		stream.capture.report = stat_top_report(form.top);
	}
	status = stream_run(&stream, error);
	settings->capture.selection = stream.capture.selection;
	stat_top_free(form.top);
	return status;
}

/* A recording, whose selection is used once: the run changes it. */
static struct export_settings stat_export(const struct stat_settings *settings)
{
	return (struct export_settings){
		.report = settings->capture.report,
		.sources = { settings->source },
		.nr_sources = 1,
		.argv = settings->argv,
		.selection = settings->capture.selection,
		.outputs = { .fails_on_loss = settings->fails_on_loss },
		.filter = settings->filter,
		.limits = settings->limits,
	};
}

static int stat_run_recorded(struct stat_settings *settings, struct error *error)
{
	struct export_settings export = stat_export(settings);
	int status;

	export.outputs.stat = &settings->form;
	export.outputs.with = stat_emitters(&settings->form);
	export.outputs.budgets = settings->budgets;
	export.selection.can_wait = false;
	status = export_run(&export, error);
	settings->capture.selection = export.selection;
	return status;
}

static const char *compare_excludes(const struct stat_command_settings *settings)
{
	const struct sink_stat_settings *form = &settings->stat.form;

	return settings->stat.is_live		 ? "--live"
	       : settings->is_csv		 ? "--csv"
	       : settings->is_by_name		 ? "--by-name"
	       : form->nr_groups > 0		 ? "--group-by"
	       : form->slowest > 0		 ? "--slowest"
	       : form->has_histograms		 ? "--histogram"
	       : form->prometheus		 ? "--prometheus"
	       : form->name			 ? "--name"
	       : settings->stat.budgets.size > 0 ? "--budget"
						 : NULL;
}

/* Reads the options again, for a selection of its own; returns the exit status. */
static int compare_source_add(int argc, char **argv, const char *source,
			      struct comparison *comparison, bool is_source, struct error *error)
{
	struct stat_command_settings settings = { .stat.argv = argv };
	struct option_table table = stat_table();
	int operand, status;

	capture_settings_init(&settings.stat.capture, message_report());
	if (options_read(&table, argc, argv, &settings, &operand, &status, error)) {
		struct export_settings export;

		settings.stat.source = source;
		status = STATUS_USAGE;
		if (recorded_check(&settings.stat, error) == 0) {
			export = stat_export(&settings.stat);
			export.outputs.comparison = comparison;
			export.outputs.is_compare_source = is_source;
			status = export_run(&export, error);
			settings.stat.capture.selection = export.selection;
		}
	}
	capture_settings_release(&settings.stat.capture);
	stat_settings_release(&settings.stat.form);
	return status;
}

/* Adds all sources and prints the changes; returns the exit status. */
static int compare_sources(const struct stat_command_settings *settings,
			   struct comparison *comparison, int nr_base, int argc, char **argv,
			   struct error *error)
{
	double min_change = settings->has_min_change ? settings->min_change : DEFAULT_MIN_CHANGE;
	SCOPED_BUFFER(out);
	int worst = STATUS_DONE;

	for (int i = 0; i < settings->nr_words; i++) {
		int status = compare_source_add(argc, argv, settings->words[i], comparison,
						i >= nr_base, error);

		if (status != STATUS_DONE && status != STATUS_LOST)
			return status;
		worst = status > worst ? status : worst;
	}
	if (comparison_check(comparison, error) < 0)
		return STATUS_UNDECIDED;
	if (comparison_print(comparison, min_change, settings->is_json, &out, error) < 0)
		return STATUS_FAILED;
	if (file_write_all(STDOUT_FILENO, out.data, out.size, NULL) < 0)
		return error_set_system(error, errno, "cannot write to standard output"),
		       STATUS_FAILED;
	return worst;
}

static int stat_compare(const struct stat_command_settings *settings, int argc, char **argv,
			struct error *error)
{
	const char *excluded = compare_excludes(settings);
	struct comparison *comparison;
	int separator = 2, nr_source, nr_base, status;

	if (excluded)
		return error_set(error, "%s: not with --compare; leave it out", excluded),
		       STATUS_USAGE;
	/* All words behind the separator are sources. */
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	nr_source = argc - separator - 1;
	nr_base = settings->nr_words - nr_source;
	if (settings->nr_words > COMPARE_WORDS_MAX)
		return error_set(error, "--compare: more than %d recordings", COMPARE_WORDS_MAX),
		       STATUS_USAGE;
	if (nr_source < 1 || nr_base < 1)
		return error_set(error, "--compare: needs two sets; write BASE... -- SOURCE..."),
		       STATUS_USAGE;
	if ((nr_source == 1) != (nr_base == 1))
		return error_set(error,
				 "--compare: one recording and %d; give one of each, or several of "
				 "each",
				 nr_source == 1 ? nr_base : nr_source),
		       STATUS_USAGE;
	comparison = comparison_new(nr_source == 1);
	if (!comparison)
		return error_set(error, "out of memory"), STATUS_FAILED;
	status = compare_sources(settings, comparison, nr_base, argc, argv, error);
	comparison_free(comparison);
	return status;
}

static int stat_print(struct stat_command_settings *settings, int argc, char **argv,
		      struct error *error)
{
	if (settings->has_min_change)
		return error_set(error, "--min-change: needs --compare"), STATUS_USAGE;
	if (form_apply(settings, error) < 0 || operands_apply(settings, argc, argv, error) < 0)
		return STATUS_USAGE;
	if (!settings->stat.is_live && recorded_check(&settings->stat, error) < 0)
		return STATUS_USAGE;
	if (settings->stat.is_live && !filter_is_open(&settings->stat.filter))
		return error_set(error, "--live: records cannot be filtered; select tracepoints "
					"with -e"),
		       STATUS_USAGE;
	return settings->stat.is_live ? stat_run_live(&settings->stat, error)
				      : stat_run_recorded(&settings->stat, error);
}

static int stat_main(int argc, char **argv, struct error *error)
{
	struct stat_command_settings settings = { .stat.argv = argv };
	struct option_table table = stat_table();
	int operand, status;

	capture_settings_init(&settings.stat.capture, message_report());
	if (options_read(&table, argc, argv, &settings, &operand, &status, error))
		status = settings.is_compare ? stat_compare(&settings, argc, argv, error)
					     : stat_print(&settings, argc, argv, error);
	capture_settings_release(&settings.stat.capture);
	stat_settings_release(&settings.stat.form);
	return status;
}

const struct cli_command stat_command = { "stat", "print statistics of track events", stat_main };
