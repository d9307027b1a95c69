/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the outputs of a run. */
#ifndef SESSION_OUTPUTS_H
#define SESSION_OUTPUTS_H

#include "session/identity.h"
#include "session/output_file.h"
#include "session/settings.h"
#include "timeline/timeline.h"

/**
 * struct outputs - the outputs of a run
 * @settings: what the command line asks for
 * @report: for messages
 * @set: the open files
 * @config: trace2 settings of the environment and of files, NULL before outputs_open()
 * @folders: absolute paths of targets that are folders
 * @has_chosen_perf: there was no target, and standard output, a terminal, gets PERF lines
 * @budgets: NULL for none, and before outputs_open()
 * @why: of the outputs that show explanations, which are in @explanations
 * @lines_fd: receives the lines of a page that follows the recording, if @settings ask for one
 * @lines_max: limit of their size
 */
struct outputs {
	const struct output_settings *settings;
	const struct report *report;
	struct output_set set;
	struct trace2_config *config;
	char *folders[SINK_KINDS_MAX];
	bool has_chosen_perf;
	struct why_settings why;
	struct explanations explanations;
	struct budget_set *budgets;
	int lines_fd;
	uint64_t lines_max;
};

/**
 * struct output_losses - what a recording lost
 * @records: number of records, as far as it is known
 * @has_unknown: there are gaps of unknown size
 */
struct output_losses {
	bool has_lost;
	uint64_t records;
	bool has_unknown;
};

/** outputs_init - @settings and @report outlive the outputs */
void outputs_init(struct outputs *outputs, const struct output_settings *settings,
		  const struct report *report);

/** outputs_status - the exit status of a run without failure */
int outputs_status(const struct outputs *outputs, const struct output_losses *losses);

/** outputs_report_budgets - report the verdicts at the end of a run; returns -1 with @error */
int outputs_report_budgets(const struct outputs *outputs, const struct output_losses *losses,
			   struct error *error);

/** output_settings_check - refuse settings that exclude each other; returns -1 with @error */
int output_settings_check(const struct output_settings *settings, struct error *error);

/** output_settings_show_explanations - whether there is an output that shows explanations */
bool output_settings_show_explanations(const struct output_settings *settings);

/** output_settings_create_files - whether an output creates files until the end */
bool output_settings_create_files(const struct output_settings *settings);

/** output_settings_show_time - whether an output shows the time of day */
bool output_settings_show_time(const struct output_settings *settings);

/** output_settings_have_target - whether any output but those of commands is asked for */
bool output_settings_have_target(const struct output_settings *settings);

/** output_settings_have_file - whether there is a file that only one session can write */
bool output_settings_have_file(const struct output_settings *settings);

/**
 * outputs_open - open all targets, and add their sinks to a timeline
 *
 * The command line overrides the environment and configuration files. If none of them has a target,
 * the first kind goes to standard output, or PERF lines if the settings suit a terminal. Nothing is written before the timeline is opened. After
 * the sinks are released, the outputs can be opened again. Returns -1 with @error.
 */
int outputs_open(struct outputs *outputs, struct timeline *timeline,
		 const struct identity *identity, struct error *error);

/** outputs_release - after the timeline's sinks are released */
void outputs_release(struct outputs *outputs);

#endif
