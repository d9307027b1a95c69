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
 * @filter: only a window of time
 * @source: as in struct export_settings
 * @argv: ktrack's own words
 */
struct why_run_settings {
	const struct report *report;
	struct selection selection;
	struct filter filter;
	struct limits limits;
	struct why_settings why;
	const char *source;
	bool fails_on_loss;
	bool shows_evidence;
	const char *base; /* another file, whose slices are compared with; NULL for none */
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

/**
 * struct contents_event - the records of one event
 * @name: "SYSTEM:EVENT"; NULL if the recording has no format with this @id
 * @takers: what shows them, with commas: packs and prefixes of rules, "convention", "events",
 * "stacks", "threads" (records that only name threads); "" for nothing
 * @first_ns, @last_ns: trace times
 */
struct contents_event {
	unsigned int id;
	char *name;
	char *takers;
	uint64_t count;
	int64_t first_ns;
	int64_t last_ns;
};

/**
 * struct contents - what a recording contains
 * @recording: its properties
 * @events: those that have records, @nr_events of them, the most frequent first
 * @nr_records: without @nr_sideband records about threads in a buffer of their own
 * @start_ns, @end_ns: trace times of the first and the last one
 * @has_cpu: whether a CPU has records, for @nr_cpus of them
 * @counts: what was lost
 */
struct contents {
	struct source *source;
	struct recording recording;
	struct contents_event *events;
	size_t nr_events;
	uint64_t nr_records;
	uint64_t nr_sideband;
	int64_t start_ns;
	int64_t end_ns;
	bool *has_cpu;
	size_t nr_cpus;
	struct pipeline_counts counts;
};

/**
 * contents_read - count the records of a file by their events, in one pass
 * @out: for contents_release(), also on failure
 * @name: of a file, or "-"
 * @selection: what takes events; without any, what export and others have as default
 *
 * Returns 0, or -1 with @error. Damage is no failure, see contents_damage().
 */
int contents_read(struct contents *out, const char *name, struct selection *selection,
		  const struct limits *limits, const struct report *report, struct error *error);

/** contents_damage - as source_damage() */
const char *contents_damage(const struct contents *contents);

void contents_release(struct contents *contents);

/** export_run - export the records of a source */
int export_run(struct export_settings *settings, struct error *error);

/** query_run - query the records of a source, or a database; @settings->selection is changed */
int query_run(struct query_settings *settings, struct error *error);

/**
 * evidence_find - a finder of records for struct evidence_finder
 * @context: the struct why_run_settings, whose source is a file
 */
int evidence_find(void *context, const int64_t *times_ns, size_t nr, struct evidence *out,
		  struct error *error);

/** why_run - explain slices of a source; @settings->selection is changed */
int why_run(struct why_run_settings *settings, struct error *error);

#endif
