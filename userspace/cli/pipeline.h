/* SPDX-License-Identifier: GPL-2.0-only */
/* The rooms put together: records in, track events out. */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include "cli/bounds.h"
#include "cli/filter.h"
#include "cli/strangers.h"
#include "cli/untaken.h"
#include "convention/convention.h"
#include "source/source.h"
#include "timeline/timeline.h"
#include "track/track.h"

/**
 * struct pipeline_finder - who may know records that the convention does not
 * @find: whether its tracepoint is known by now; returns 1 where the record is lost if it is not, 0
 * where it never was of interest, -1 with @error
 */
struct pipeline_finder {
	void *context;
	int (*find)(void *context, const struct record *record, bool *is_known,
		    struct error *error);
};

/**
 * struct pipeline - source's handler, convention, tracks and timeline
 * @source: where records come from, NULL if nobody needs to know which are of no use
 * @filter: what is wanted
 * @bounds: how much is remembered
 * @has_lost: losses were told of
 * @lost: how many records they are that were counted
 * @nr_gaps: how many gaps they left, and how many of these are of unknown size
 * @lost_until_ns: the latest end of one of them
 * @finder: asked where a record's tracepoint is not known; without one it is of no interest
 * @strangers: those that nobody knew, until pipeline_tell_strangers()
 * @nr_strangers: how many there were in all
 * @untaken: records that are no track events, if @counts_untaken
 * @is_open: the filter lets everything pass
 * @buffers: names of the source's buffers, as in struct source_description
 *
 * A zeroed struct can be released. The convention, the filter, the bounds and the timeline's sinks
 * are added by its owner.
 */
struct pipeline {
	struct source *source;
	struct filter filter;
	struct bounds bounds;
	bool is_open;
	const char *const *buffers;
	bool has_lost;
	uint64_t lost;
	uint64_t nr_gaps;
	uint64_t nr_gaps_unknown;
	int64_t lost_until_ns;
	struct pipeline_finder finder;
	struct strangers strangers;
	uint64_t nr_strangers;
	bool counts_untaken;
	struct untaken untaken;
	struct convention *convention;
	struct tracks *tracks;
	struct timeline timeline;
};

/**
 * pipeline_open - open the timeline for a recording
 * @source: where its records come from; asked for names of tasks
 * @has_comm: events are to say the name of the thread that wrote the record
 *
 * Returns 0, or -1 with @error.
 */
int pipeline_open(struct pipeline *pipeline, struct source *source,
		  const struct recording *recording, bool has_comm, struct error *error);

/** pipeline_handler - what a source is to deliver to */
struct source_handler pipeline_handler(struct pipeline *pipeline);

/** pipeline_tell_strangers - records that could not be read are told as losses */
int pipeline_tell_strangers(struct pipeline *pipeline, struct error *error);

void pipeline_release(struct pipeline *pipeline);

#endif
