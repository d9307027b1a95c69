/* SPDX-License-Identifier: GPL-2.0-only */
/* The pipeline: records of a source become track events of a timeline. */
#ifndef READER_PIPELINE_H
#define READER_PIPELINE_H

#include "convention/convention.h"
#include "reader/filter.h"
#include "reader/other_records.h"
#include "reader/stacks.h"
#include "rules/rules.h"
#include "source/source.h"
#include "timeline/timeline.h"
#include "track/track.h"

struct workload;

/**
 * struct pipeline_follower - follows tracepoints that come and go while a recording runs
 * @find: search the tracepoint of a record that the pipeline does not have; sets @is_known if it
 * has it now; returns 1 if the record is lost unless @is_known, 0 if it is of no interest, or -1
 * with
 * @error
 * @change: as in struct source_handler
 */
struct pipeline_follower {
	void *context;
	int (*find)(void *context, const struct record *record, bool *is_known,
		    struct error *error);
	int (*change)(void *context, const struct instance_change *change, struct error *error);
};

/**
 * struct limits - how much state a run keeps
 * @max_tracks: idle tracks above this number are closed; 0 for the default
 */
struct limits {
	uint64_t max_tracks;
};

/**
 * struct pipeline - from records to track events
 * @source: of the records; NULL in tests
 * @filter: which records are exported
 * @is_open: the filter exports all records
 * @buffers: names of the source's buffers, as in struct recording
 * @has_lost: there were losses
 * @lost: number of lost records that were counted
 * @nr_gaps: number of gaps; @nr_gaps_unknown of them have an unknown size
 * @nr_events: track events
 * @lost_until_ns: latest end of a gap
 * @follower: finds the tracepoints of loaded modules; zeroed if no module is followed
 * @unknown: records without a known tracepoint, until pipeline_report_unknown()
 * @nr_unknown: their number in all
 * @others: records that are not exported, if @counts_others
 * @workload: only these threads get tracks of rules; NULL for all
 * @stacks: of threads, if the output shows them
 * @rules: for tracepoints that do not follow the convention; NULL for none; the selection's
 * @report: for events of programs that rules do not fit; NULL for none
 * @record: the record that rules are applied to; NULL otherwise
 * @decoded: the record that was decoded last; not on a stack, see struct tracks
 *
 * A zeroed struct can be released. The owner sets the convention, the rules, the filter, the limits
 * and the timeline's sinks.
 */
struct pipeline {
	struct source *source;
	struct filter filter;
	struct limits limits;
	bool is_open;
	const char *const *buffers;
	bool has_lost;
	uint64_t lost;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
	uint64_t nr_events;
	int64_t lost_until_ns;
	struct pipeline_follower follower;
	struct unknown_events unknown;
	uint64_t nr_unknown;
	bool counts_others;
	struct other_records others;
	struct convention *convention;
	struct rules *rules;
	const struct report *report;
	struct workload *workload;
	const struct record *record;
	struct tracks *tracks;
	struct timeline timeline;
	struct stacks stacks;
	struct decoded_event decoded;
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

/**
 * pipeline_open - open the timeline for a recording
 * @source: of the records, and of thread names
 * @with: a set of 1 << enum timeline_emitter, to be written with each record
 *
 * Returns 0, or -1 with @error.
 */
int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, unsigned int with, struct error *error);

/** pipeline_handler - the handler for a source */
struct source_handler pipeline_handler(struct pipeline *pipeline);

/**
 * struct pipeline_counts - sums of pipelines
 * @nr_events: track events
 * @has_lost, @lost, @nr_gaps, @nr_gaps_unknown: as in struct pipeline
 */
struct pipeline_counts {
	uint64_t nr_events;
	bool has_lost;
	uint64_t lost;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
};

/** pipeline_add_counts - add those of a pipeline until now */
void pipeline_add_counts(const struct pipeline *pipeline, struct pipeline_counts *sums);

/** pipeline_counts_losses - what was lost */
struct output_losses pipeline_counts_losses(const struct pipeline_counts *counts);

/** pipeline_losses - what was lost so far */
struct output_losses pipeline_losses(const struct pipeline *pipeline);

/** pipeline_report_unknown - deliver unknown events as losses; returns -1 with @error */
int pipeline_report_unknown(struct pipeline *pipeline, struct error *error);

void pipeline_release(struct pipeline *pipeline);

#endif
