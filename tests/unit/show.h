/* SPDX-License-Identifier: GPL-2.0-only */
/* A show for the trace2 sink: timeline events go in, the lines that it writes are looked at. */
#ifndef UNIT_SHOW_H
#define UNIT_SHOW_H

#include "catch.h"
#include "timeline/timeline.h"

/** SHOW_START_NS - trace time at which the shown recording begins */
#define SHOW_START_NS INT64_C(5000000000)

/**
 * SHOW_LINE - a line at so many whole milliseconds
 * @ms: "007"
 * @body: what follows the time
 */
#define SHOW_LINE(event, thread, ms, body)                                  \
	"{\"event\":\"" event "\",\"sid\":\"S\",\"thread\":\"" thread "\"," \
	"\"time\":\"2020-09-13T12:26:40." ms "000Z\"" body "}\n"

/** SHOW_T - the members that tell the same milliseconds as seconds */
#define SHOW_T(name, ms) ",\"" name "\":0." ms "000000"

/**
 * struct show - a timeline with a trace2 sink, and where its lines go
 * @told: the lines since the last look
 */
struct show {
	struct timeline timeline;
	struct catch catch;
	struct buffer told;
	struct error error;
};

/** show_recording - what show_open() shows, unless told otherwise */
extern const struct recording show_recording;

/**
 * show_init - a timeline with a sink that was told nothing yet
 * @with: what it tells of who wrote a record, as in its settings
 */
void show_init(struct show *show, unsigned int with);

/**
 * show_open - show_init() without more, open @recording, and pass over the lines that come of that
 */
void show_open(struct show *show, const struct recording *recording);

void show_release(struct show *show);

/**
 * show_told - the lines since the last look, where "file" and "line" of our own sources became AT
 */
const char *show_told(struct show *show);

/** show_push - let @event happen so many milliseconds after the start */
void show_push(struct show *show, int ms, struct timeline_event event);

/** show_track - the same with the begin of @track */
void show_track(struct show *show, int ms, struct timeline_track *track);

/** show_finish - the end, with @totals */
void show_finish(struct show *show, int ms, int status, const struct timeline_totals *totals);

#endif
