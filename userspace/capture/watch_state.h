/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a run of ktrack watch. */
#ifndef CAPTURE_WATCH_STATE_H
#define CAPTURE_WATCH_STATE_H

#include "capture/notify.h"
#include "capture/persistent.h"
#include "capture/stream_state.h"
#include "capture/watch_window.h"
#include "capture/watch_writer.h"
#include "output/output.h"

/**
 * struct watch_run - state of a run
 * @stream: the run that reads; NULL before it is set up
 * @spool: the records in memory
 * @hook: the path of the hook's program, or its name in PATH; empty for none
 * @persistent: the same records in a buffer that survives a restart
 * @is_requested, @is_reopening: a signal asked for a recording, or to open the directory again
 * @has_new_formats: tracepoints of loaded modules are recorded, and their formats are not saved yet
 * @has_begun: recording is on
 * @nr_written: recordings; @newest: the last one's file, empty if there is none
 * @reported_ns: time of the last report of the state, on the monotonic clock
 * @said_ns: time of the last message about lost records, @said_lost and @said_gaps of them
 * @said_refused: triggers that a message counted
 */
struct watch_run {
	struct watch_settings *settings;
	const struct report *report;
	struct stream_run *stream;
	struct spool *spool;
	struct trigger_set *triggers;
	struct watch_windows windows;
	struct watch_folder folder;
	struct watch_writer writer;
	struct buffer hook;
	struct notify notify;
	struct persistent persistent;
	bool is_requested;
	bool is_reopening;
	bool has_new_formats;
	bool has_begun;
	uint64_t nr_written;
	char newest[NAME_MAX + 1];
	int64_t reported_ns;
	int64_t said_ns;
	uint64_t said_lost;
	uint64_t said_gaps;
	uint64_t said_refused;
};

/** watch_span - the records in memory */
static inline struct recent_span watch_span(const struct watch_run *watch)
{
	return spool_recent_span(watch->spool);
}

/** watch_clear_folder - remove what killed runs left, and recordings beyond the limits */
void watch_clear_folder(struct watch_run *watch);

/** watch_report_begin - recording is on */
void watch_report_begin(struct watch_run *watch);

/** watch_report_result - a recording was written, or not */
void watch_report_result(struct watch_run *watch, struct watch_window *window,
			 const struct watch_result *result);

/** watch_report_state - report losses as messages, and the state to the service manager */
void watch_report_state(struct watch_run *watch);

/** watch_reopen - open the directory again, which may have been replaced */
void watch_reopen(struct watch_run *watch);

/** watch_report_end - the run is over */
void watch_report_end(const struct watch_run *watch);

#endif
