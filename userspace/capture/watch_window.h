/* SPDX-License-Identifier: GPL-2.0-only */
/* The recordings that triggers ask for, until they are written. */
#ifndef CAPTURE_WATCH_WINDOW_H
#define CAPTURE_WATCH_WINDOW_H

#include "analysis/analysis.h"
#include "tracedat/tracedat.h"

/** WATCH_WINDOWS_MAX - most recordings that wait to be written */
#define WATCH_WINDOWS_MAX 8

/** WATCH_LINES_MAX - most triggers that a recording names one by one */
#define WATCH_LINES_MAX 50

/** WATCH_MERGED_TIMES - a recording extends to this many times the time behind a trigger */
#define WATCH_MERGED_TIMES 10

/**
 * struct watch_window - one recording
 * @trigger, @detail: the first one's
 * @wall_ns: its time since 1970
 * @first_ns: its time on the trace clock
 * @from_ns, @until_ns: of the recording
 * @margin_ns: time before @first_ns that is not given up for time behind it
 * @lines: of spool_save_recent()
 * @nr_triggers: number of all triggers
 * @is_taken: watch_windows_due() returned it: it does not change any more
 */
struct watch_window {
	struct buffer trigger;
	struct buffer detail;
	int64_t wall_ns;
	int64_t first_ns;
	int64_t from_ns;
	int64_t until_ns;
	int64_t margin_ns;
	struct buffer lines;
	uint64_t nr_triggers;
	bool is_taken;
};

/**
 * struct watch_windows - those that are not written yet, in the order of their triggers
 * @before_ns, @after_ns: as in struct watch_settings
 * @rate: recordings in an hour
 * @hour: times of the last @rate recordings, from @next on
 * @nr_refused: triggers without a recording, because there were too many
 */
struct watch_windows {
	struct watch_window list[WATCH_WINDOWS_MAX];
	size_t size;
	int64_t before_ns;
	int64_t after_ns;
	size_t rate;
	int64_t *hour;
	size_t next;
	uint64_t nr_refused;
};

/** watch_windows_init - no windows; returns -1 if memory ran out */
int watch_windows_init(struct watch_windows *windows, int64_t before_ns, int64_t after_ns,
		       size_t rate);

/**
 * watch_windows_add - a trigger has fired
 * @span: of the records in memory
 * @wall_offset_ns: nanoseconds since 1970 minus the trace clock
 *
 * It extends a recording that it overlaps. Returns -1 if memory ran out.
 */
int watch_windows_add(struct watch_windows *windows, const struct trigger_firing *firing,
		      const struct recent_span *span, int64_t wall_offset_ns);

/** watch_windows_request - save the records in memory up to @now_ns, whatever the rate; likewise */
int watch_windows_request(struct watch_windows *windows, const char *reason, int64_t now_ns,
			  const struct recent_span *span, int64_t wall_offset_ns);

/**
 * watch_windows_due - the window to be written now, NULL if there is none
 * @drained_ns: all records up to this time are in memory
 * @is_over: no more will be
 */
struct watch_window *watch_windows_due(struct watch_windows *windows, int64_t drained_ns,
				       const struct recent_span *span, bool is_over);

/** watch_windows_next_ns - the end of the first window; INT64_MAX if there is none */
int64_t watch_windows_next_ns(const struct watch_windows *windows);

/** watch_windows_drop - the first window is written, or cannot be */
void watch_windows_drop(struct watch_windows *windows);

void watch_windows_release(struct watch_windows *windows);

#endif
