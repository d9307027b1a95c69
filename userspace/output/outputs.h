/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the outputs of a run. */
#ifndef OUTPUT_OUTPUTS_H
#define OUTPUT_OUTPUTS_H

#include "analysis/analysis.h"
#include "output/identity.h"
#include "output/output_file.h"
#include "output/retention.h"
#include "reader/reader.h"
#include "sink/sink.h"
#include "timeline/timeline.h"

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_LOST = 3,
	STATUS_UNDECIDED = 3,
	STATUS_EXCEEDED = 4,
	STATUS_TRACING_FAILED = 125,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/**
 * struct budget_settings - limits of statistics
 * @texts: for budget_parse(), @size of them
 * @is_json: print the verdicts to standard output as JSON, instead of reporting them
 */
struct budget_settings {
	const char *texts[BUDGETS_MAX];
	size_t size;
	bool is_json;
};

/**
 * struct output_settings - the outputs of a run
 * @targets: by row of sink_kinds: "-" or a path; NULL for none
 * @stat: print statistics to standard output instead; NULL for none
 * @query: print the results of a query to standard output instead; NULL for none
 * @why: explain slices on standard output instead; NULL for none
 * @explains: explain slices for the outputs that show it
 * @comparison: add the slices to it instead, on the side @is_compare_source; NULL for none
 * @budgets: judged at the end
 * @sid: the session's own id; NULL for one made of time, host and process
 * @with: a set of 1 << enum timeline_emitter, written with each record
 * @rows: of outputs that draw
 * @retention: of the files of sessions in directories that are targets
 * @suits_terminal: without a target, a terminal on standard output gets PERF lines, not EVENT
 * @is_appending: files keep their content
 * @fails_on_loss: the exit status reports lost records
 * @serves: a page follows the recording, served at @port; 0 for any
 */
struct output_settings {
	const char *targets[SINK_KINDS_MAX];
	const struct sink_stat_settings *stat;
	const struct sink_query_settings *query;
	const struct why_settings *why;
	bool explains;
	struct comparison *comparison;
	bool is_compare_source;
	struct budget_settings budgets;
	const char *sid;
	unsigned int with;
	enum sink_rows rows;
	struct retention retention;
	bool suits_terminal;
	bool is_appending;
	bool fails_on_loss;
	bool serves;
	unsigned int port;
};

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
