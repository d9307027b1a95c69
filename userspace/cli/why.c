// SPDX-License-Identifier: GPL-2.0-only
/* ktrack why: its options. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/option.h"
#include "cli/option_parts.h"

static int apply_depth(void *settings, const char *value, struct error *error)
{
	struct why_run_settings *run = settings;

	run->why.depth = 0;
	if (strcmp(value, "0") == 0)
		return 0;
	if (count_parse(value, "wakers", &run->why.depth, error) < 0)
		return -1;
	if (run->why.depth <= WHY_DEPTH_MAX)
		return 0;
	return error_set(error, "--why-depth=%s: too large; write a number up to %d", value,
			 WHY_DEPTH_MAX);
}

static int apply_at(void *settings, const char *value, struct error *error)
{
	struct why_run_settings *run = settings;

	run->why.has_at = true;
	return time_duration_parse(value, &run->why.at_ns, error);
}

static int apply_why_word(void *settings, const char *word, struct error *error)
{
	struct why_run_settings *run = settings;

	if (!run->source)
		run->source = word;
	else if (!run->why.slice.data)
		why_settings_set_slice(&run->why, word);
	else
		return option_refuse_operand(settings, word, error);
	return 0;
}

static const struct option_row why_rows[] = {
	{ 0, "slowest", "N", "explain the N slowest (default: 1; of kinds 5)", NULL,
	  offsetof(struct why_run_settings, why.slowest), .count_of = "slices",
	  .count_max = WHY_SLOWEST_MAX },
	{ 0, "at", "TIME", "explain slices open at this time, as for --from", apply_at },
	{ 0, "why-depth", "N", "follow at most N wakers (default: 3)", apply_depth,
	  .is_rare = true },
	OPTION_FLAG("aggregate", "compare the slowest 1% with the median", why_run_settings,
		    why.is_aggregate),
	{ 0, "compare", "BASE", "compare with this file: what is longer", option_store_text,
	  offsetof(struct why_run_settings, base), .needs_text = true },
	{ 0, "folded", "FILE", "also write the parts for flame graphs", option_store_text,
	  offsetof(struct why_run_settings, why.folded), .needs_text = true, .is_rare = true },
	OPTION_FLAG("all", "show small parts one by one", why_run_settings, why.shows_all),
	OPTION_FLAG("evidence", "print the records that each part rests on", why_run_settings,
		    shows_evidence),
	OPTION_FLAG("json", "print one line of JSON", why_run_settings, why.is_json),
	OPTION_RARE_FLAG("fail-on-loss", "exit with status 3 if records were lost",
			 why_run_settings, fails_on_loss),
};

static int why_main(int argc, char **argv, struct error *error)
{
	struct why_run_settings settings = { .argv = argv,
					     .report = message_report(),
					     .why.depth = WHY_DEPTH };
	struct option_table table = {
		.usage = "why [OPTION]... SOURCE [SLICE]",
		.about = "Splits the time of slices into parts: running, runnable (behind whom), "
			 "blocked (by whom, and what that did), interrupts, stopped, undecided. "
			 "Without SLICE: of the slowest kinds, and the busiest processes.\n"
			 "SOURCE is as for 'ktrack export'. SLICE is [CATEGORY/]NAME[@TRACK], with "
			 "wildcards, or CATEGORY: 'syscalls:call/read', "
			 "'mydrv:mydrv_io/transfer@queue*'.\n"
			 "Record with -r " WHY_PACKS,
		.notes = "Exit status: 0 success; 1 ktrack failed, no slice matches or the source "
			 "is damaged; 2 wrong usage; "
			 "3 records were lost (only with --fail-on-loss).",
		.operand = apply_why_word,
		.parts = { OPTION_PART(selection_options, struct why_run_settings, selection),
			   OPTION_PART(stored_options, struct why_run_settings, selection),
			   OPTION_PART(window_options, struct why_run_settings, filter),
			   OPTION_PART(limits_options, struct why_run_settings, limits),
			   OPTION_PART(input_options, struct why_run_settings, limits),
			   OPTION_ROWS(why_rows),
			   OPTION_PART(report_options, struct why_run_settings, report) },
	};
	int operand, status;

	if (options_read(&table, argc, argv, &settings, &operand, &status, error)) {
		status = STATUS_USAGE;
		if (!settings.source)
			error_set(error, "a source is missing, for example trace.dat; see 'ktrack "
					 "why --help'");
		else if (settings.why.slice.data && strpbrk(settings.source, ":@/") &&
			 access(settings.source, F_OK) < 0 &&
			 access(settings.why.slice.data, F_OK) == 0)
			error_set(error, "'%s': no such file; the source comes first: %s",
				  settings.source, settings.why.slice.data);
		else
			status = why_run(&settings, error);
	}
	selection_release(&settings.selection);
	return status;
}

const struct cli_command why_command = { "why", "explain where the time of slices went", why_main };
