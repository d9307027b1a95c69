/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Public header of analysis/: questions over recorded tracks. An analysis is a sink of the timeline
 * that prints its answer when the recording ends.
 */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/selector.h"
#include "base/base.h"
#include "timeline/timeline.h"

/** WHY_PACKS - the packs of rules whose tracks explain slices */
#define WHY_PACKS "sched,irq,locks,workqueue,block,timers,writeback"

/** WHY_FILE_PACKS - those that explain slices of a file that has their records, too */
#define WHY_FILE_PACKS "memory,fs,syscalls"

/** WHY_STATES - the rule whose tracks are the states of threads; without it nothing is explained */
#define WHY_STATES "sched:thread"

/** WHY_SLOWEST_MAX - limit of slices that are explained one by one */
#define WHY_SLOWEST_MAX 1000

/** WHY_DEPTH_MAX - limit of wakers that are followed one after the other */
#define WHY_DEPTH_MAX 16

/**
 * struct why_settings - which slices are explained, and how
 * @slice: the selector, see slice_selector_parse()
 * @slowest: number of slices that are explained, the slowest ones; 0 for 1
 * @depth: number of wakers that are followed one after the other
 * @has_at: only slices that are open at @at_ns after the recording's start, the shortest first
 * @is_aggregate: compare the slowest slices with the median instead
 * @is_json: print JSON instead of text
 * @folded: path of a file for folded stacks, which the caller opens; NULL for none
 * @explanations: receives the answer instead, for other outputs; all other members but @slice and
 * @depth are 0 then
 * @is_live: a recording without such a slice is no error
 */
struct why_settings {
	struct text slice;
	uint64_t slowest;
	uint64_t depth;
	bool has_at;
	int64_t at_ns;
	bool is_aggregate;
	bool is_json;
	bool is_live;
	const char *folded;
	struct explanations *explanations;
};

/** WHY_DEPTH - default of @depth in struct why_settings */
#define WHY_DEPTH 3

/** why_settings_set_slice - set the selector; " p99" behind it means @is_aggregate */
void why_settings_set_slice(struct why_settings *settings, const char *text);

/**
 * why_sink_new - a sink that explains slices
 * @settings: outlive the sink
 * @fd: of the output, -1 for none; becomes the sink's, which closes it, also on failure
 * @folded_fd: likewise of the file for folded stacks, -1 for none
 * @source: name of the recording in messages
 *
 * Returns a sink for timeline_add(), or NULL with @error.
 */
struct sink *why_sink_new(const struct why_settings *settings, int fd, int folded_fd,
			  const char *source, struct error *error);

#endif
