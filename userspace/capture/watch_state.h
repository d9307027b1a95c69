/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of ktrack watch: the windows of records to save, who writes them, and the state of the run. */
#ifndef CAPTURE_WATCH_STATE_H
#define CAPTURE_WATCH_STATE_H

#include <limits.h>
#include <sys/types.h>

#include "analysis/analysis.h"
#include "capture/command.h"
#include "capture/notify.h"
#include "capture/persistent.h"
#include "capture/stream_state.h"
#include "output/output.h"
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

/** WATCH_HOOKS_MAX - most hooks that run at the same time */
#define WATCH_HOOKS_MAX 4

/**
 * struct watch_result - what became of a recording
 * @name: of the file, empty if there is none
 * @problem: empty if it was written
 * @saved: its time and records
 */
struct watch_result {
	char name[NAME_MAX + 1];
	char problem[512];
	struct recent_saved saved;
};

/**
 * struct watch_writer - the child
 * @fd: of its result; -1 if no recording is written
 * @pid: 0 if none was started
 * @hooks: processes that execute the hook, 0 for none
 * @failed: receives the wait status of a hook that did not end with 0; NULL for nobody
 */
struct watch_writer {
	int fd;
	pid_t pid;
	pid_t hooks[WATCH_HOOKS_MAX];
	void (*failed)(void *context, int wait_status);
	void *context;
};

/**
 * struct watch_job - a recording to be written
 * @hook: NULL for none
 * @signals: for the hook
 */
struct watch_job {
	struct spool *spool;
	const struct watch_folder *folder;
	const struct retention *limits;
	struct watch_window *window;
	const char *hook;
	const struct command_signals *signals;
};

/** watch_writer_start - write a recording; none is being written; returns -1 with @error */
int watch_writer_start(struct watch_writer *writer, const struct watch_job *job,
		       struct error *error);

/** watch_writer_is_busy - whether a recording is being written */
bool watch_writer_is_busy(const struct watch_writer *writer);

/** watch_writer_has_hook - whether there is room for another hook */
bool watch_writer_has_hook(const struct watch_writer *writer);

/**
 * watch_writer_take - receive the result of a recording, without waiting
 *
 * Returns false if there is none yet, or none is written. Ended hooks are reaped.
 */
bool watch_writer_take(struct watch_writer *writer, struct watch_result *result);

/** watch_writer_reap - report hooks that have ended; does not wait */
void watch_writer_reap(struct watch_writer *writer);

/** watch_writer_kill - give up the recording that is being written */
void watch_writer_kill(struct watch_writer *writer);

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
