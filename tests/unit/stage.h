/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stage for the track room: tracepoints to observe, tracks, and a sink that writes down what the
 * timeline is told.
 */
#ifndef UNIT_STAGE_H
#define UNIT_STAGE_H

#include "track/track.h"

/** STAGE_START_NS - trace time at which every stage's recording starts */
#define STAGE_START_NS 100

/**
 * enum stage_tracepoint - a tracepoint of each shape; each scope's slices, and counters of two
 * scopes
 */
enum stage_tracepoint {
	STAGE_WORK,
	STAGE_JOB,
	STAGE_TICK,
	STAGE_QUEUE,
	STAGE_OTHER_WORK,
	STAGE_LOAD,
	STAGE_DEPTH,
	STAGE_TRACEPOINT_COUNT
};

/**
 * stage_templates - by enum stage_tracepoint; "a:work" and "b:work" share their name, but not
 * their system
 */
extern const struct template stage_templates[STAGE_TRACEPOINT_COUNT];

/**
 * struct stage - one recording
 * @told: a line for each event of the timeline, see stage_told()
 * @shows_writer: lines say who wrote the record
 * @fails_after: the sink fails after this many events, unless it is 0
 */
struct stage {
	struct timeline timeline;
	struct tracks *tracks;
	struct buffer told;
	bool shows_writer;
	unsigned int fails_after;
	struct error error;
};

/** stage_init - a recording without events; @settings may be NULL */
void stage_init(struct stage *stage, const struct tracks_settings *settings);

void stage_release(struct stage *stage);

/**
 * stage_told - all lines since the last call
 *
 * A line is "TIME WHAT", and where a track is meant "TIME #NUMBER WHAT".
 */
const char *stage_told(struct stage *stage);

/**
 * stage_observation - what a record says that @tid wrote on CPU 0, on the track of its number and
 * the event's name
 */
struct observation stage_observation(enum stage_tracepoint tracepoint, enum observation_kind kind,
				     int64_t time_ns, int tid);

/** stage_observe - show it to the tracks; returns what they do */
int stage_observe(struct stage *stage, const struct observation *observation);

/**
 * stage_begin, stage_end, stage_instant, stage_count - show a record of "a:work" or "a:load" to
 * the tracks
 */
void stage_begin(struct stage *stage, int64_t time_ns, int tid, const char *name);
void stage_end(struct stage *stage, int64_t time_ns, int tid);
void stage_instant(struct stage *stage, int64_t time_ns, int tid, const char *name);
void stage_count(struct stage *stage, int64_t time_ns, int tid, int64_t value);

/** stage_renew - end the session at @time_ns, with nothing lost, and begin another */
void stage_renew(struct stage *stage, int64_t time_ns);

/** stage_finish - end the recording, with nothing lost */
void stage_finish(struct stage *stage, int64_t end_ns);

#endif
