/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of ktrack export: its settings, and a run of it. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/bounds.h"
#include "cli/filter.h"
#include "cli/outputs.h"
#include "cli/tracepoints.h"

/**
 * struct export_settings - what the command line asks for
 * @source: "tracefs", "tracefs:INSTANCE", "-" or a path
 * @save: first make a trace.dat of what the source holds, NULL for none
 * @argv: ktrack's own words, as the stream tells them
 * @has_wall_clock: the wall clock at the first record is @wall_clock_ns since 1970, whatever the
 * source knows
 */
struct export_settings {
	const char *source;
	const char *save;
	char *const *argv;
	struct selection selection;
	struct outputs outputs;
	struct filter filter;
	struct bounds bounds;
	bool has_wall_clock;
	int64_t wall_clock_ns;
};

/** export_run - export what a source holds; returns the exit status */
int export_run(struct export_settings *settings, struct error *error);

#endif
