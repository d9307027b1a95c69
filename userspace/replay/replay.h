/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of replay/: runs that read recordings. Each function performs one command with its
 * settings, reports through struct report, and returns an exit status, with @error if it failed.
 * Strings of settings are the command line's and outlive the run.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/base.h"
#include "output/output.h"
#include "reader/reader.h"
#include "sink/sink.h"
#include "timeline/timeline.h"

/**
 * struct export_settings - one run of ktrack export
 * @report: for messages
 * @sources: "tracefs", "tracefs:INSTANCE", "-" or a path; several, which are merged, are paths
 * @save: first write the records of the source to this trace.dat; NULL for none
 * @argv: ktrack's own words, for the stream
 * @labels: lines "KEY=VALUE", which replace those of the source that have the same key
 * @has_wall_clock: the first record's time is @wall_clock_ns since 1970, whatever the source has
 */
struct export_settings {
	const struct report *report;
	const char *sources[TIMELINE_MACHINES_MAX];
	size_t nr_sources;
	const char *save;
	char *const *argv;
	struct selection selection;
	struct output_settings outputs;
	struct filter filter;
	struct limits limits;
	struct buffer labels;
	bool has_wall_clock;
	int64_t wall_clock_ns;
};

/**
 * struct why_run_settings - one run of ktrack why
 * @why: which slices are explained
 * @source: as in struct export_settings
 * @argv: ktrack's own words
 */
struct why_run_settings {
	const struct report *report;
	struct selection selection;
	struct limits limits;
	struct why_settings why;
	const char *source;
	bool fails_on_loss;
	char *const *argv;
};

/**
 * struct query_settings - one run of ktrack query
 * @source: as in struct export_settings, or a database of --sqlite
 * @argv: ktrack's own words
 */
struct query_settings {
	const struct report *report;
	struct selection selection;
	struct filter filter;
	struct limits limits;
	struct sink_query_settings form;
	const char *source;
	bool fails_on_loss;
	char *const *argv;
};

/** export_run - export the records of a source */
int export_run(struct export_settings *settings, struct error *error);

/** query_run - query the records of a source, or a database */
int query_run(const struct query_settings *settings, struct error *error);

/** why_run - explain slices of a source; @settings->selection is changed */
int why_run(struct why_run_settings *settings, struct error *error);

#endif
