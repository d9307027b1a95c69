/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Joins the timelines of several machines: each has a sink that moves its events to the time of a
 * common timeline, and gives its tracks numbers of that.
 */
#ifndef REPLAY_JOIN_H
#define REPLAY_JOIN_H

#include "timeline/timeline.h"

/**
 * struct join_flow - the name of a flow: those of different machines are different flows
 * @from: as the machine has it
 * @to: with the machine's name; a pointer to it is valid until the join is released
 */
struct join_flow {
	struct text from;
	char *to;
};

/**
 * struct join_member - the sink of a machine
 * @machine: what it adds to tracks and losses
 * @flows: names of flows, @nr_flows of them
 * @fields: those of the last event with flows, @nr_fields allocated
 * @tracepoint: scratch
 */
struct join_member {
	struct sink sink;
	struct join *join;
	const struct timeline_machine *machine;
	struct join_flow *flows;
	size_t nr_flows;
	struct field *fields;
	size_t nr_fields;
	struct buffer tracepoint;
};

/**
 * struct join - the common timeline
 * @timeline: receives all events; the caller adds its sinks and opens it
 * @nr_tracks: numbers of tracks until now
 * @totals: sums of those that have finished
 * @malformed_of: the array in @totals
 */
struct join {
	struct timeline timeline;
	unsigned long nr_tracks;
	struct timeline_totals totals;
	struct timeline_count *malformed_of;
};

/**
 * join_add - add the sink of a machine to its timeline, before that is opened
 * @timeline: of the machine
 * @machine: outlives both timelines
 *
 * The caller delivers the events of all machines in the order of the common time, and finishes each
 * machine's timeline after its last record. Returns 0, or -1 with @error.
 */
int join_add(struct join *join, struct timeline *timeline, const struct timeline_machine *machine,
	     struct error *error);

/**
 * join_finish - finish the common timeline, after those of all machines
 * @status: exit status of the run
 *
 * Returns 0, or -1 with @error.
 */
int join_finish(struct join *join, int status, struct error *error);

/** join_release - free the common timeline, after those of the machines */
void join_release(struct join *join);

#endif
