/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a run of ktrack stream. */
#ifndef CAPTURE_STREAM_STATE_H
#define CAPTURE_STREAM_STATE_H

#include "capture/modules.h"
#include "capture/stop.h"
#include "capture/renewal.h"
#include "capture/serving.h"
#include "output/output.h"
#include "reader/reader.h"

/**
 * struct pending_event - a tracepoint event that follows all records up to its time
 * @descriptor: NULL if only rules use the tracepoint
 */
struct pending_event {
	int64_t time_ns;
	const char *tracepoint;
	const struct descriptor *descriptor;
	enum timeline_recorded recorded;
};

struct stream_run;

/**
 * struct stream_watcher - follows a run of ktrack stream that has no outputs
 * @open: the source is open, and nothing is recorded yet: add sinks to the timeline; returns -1
 * with
 * @error
 * @begin: recording is on, and privileges are dropped
 * @came: tracepoints of a loaded module are recorded
 * @wait_ms: how long a round may wait, @timeout_ms at most
 * @read: all records up to @run->drained_ns were delivered; returns -1 with @error
 * @end: recording is over; the instance still exists
 */
struct stream_watcher {
	void *context;
	int (*open)(void *context, struct stream_run *run, struct error *error);
	void (*begin)(void *context);
	void (*came)(void *context);
	int (*wait_ms)(void *context, int timeout_ms);
	int (*read)(void *context, struct error *error);
	void (*end)(void *context);
};

/**
 * struct stream_run - state of a run
 * @command_ns: start of the command
 * @transfer: of the records that are left when the recording is over
 * @drained_ns: all records up to this time are delivered
 * @serving: of a page that follows the recording
 * @pending: tracepoint events, sorted by time
 * @has_command_end: the stream has the command's end
 */
struct stream_run {
	struct capture capture;
	struct stream_settings *settings;
	struct outputs outputs;
	struct renewal renewal;
	struct progress progress;
	struct transfer transfer;
	struct pipeline pipeline;
	struct source *source;
	struct recording recording;
	char id[IDENTITY_ID_SIZE];
	int64_t command_ns;
	int64_t drained_ns;
	struct modules modules;
	struct serving serving;
	struct pending_event *pending;
	size_t nr_pending;
	bool has_command_end;
};

/** stream_run_is_circular - whether records stay in the buffers until recording stops */
static inline bool stream_run_is_circular(const struct stream_run *run)
{
	return run->settings->capture.mode->is_read_at_end;
}

/** stream_run_set_up - choose tracepoints, and open everything; returns -1 with @error */
int stream_run_set_up(struct stream_run *run, struct error *error);

/** stream_run_describe - fill the description of the recording; returns -1 with @error */
int stream_run_describe(struct stream_run *run, struct error *error);

/** stream_run_now_ns - time of the records' clock */
int64_t stream_run_now_ns(const struct stream_run *run);

/** stream_run_stop_recording - ignore records from now on; returns -1 with @error */
int stream_run_stop_recording(struct stream_run *run, struct error *error);

/** stream_run_set_deadline - the duration starts now */
void stream_run_set_deadline(struct stream_run *run);

/**
 * stream_run_catch_up - record modules that were loaded during the set-up
 *
 * With --wait the stream has a line for each recorded tracepoint. Returns -1 with @error.
 */
int stream_run_catch_up(struct stream_run *run, struct error *error);

/** stream_run_follow - follow modules from now on; the source is open; returns -1 with @error */
int stream_run_follow(struct stream_run *run, struct error *error);

/** stream_run_deliver - deliver all records up to a time in the past; returns -1 with @error */
int stream_run_deliver(struct stream_run *run, int64_t until_ns, struct error *error);

/** stream_run_follow_modules - process changes of modules; returns -1 with @error */
int stream_run_follow_modules(struct stream_run *run, struct error *error);

/**
 * stream_run_follow_changes - process changes of our instance by other programs
 *
 * If they changed its clock, the recording ends. Returns -1 with @error.
 */
int stream_run_follow_changes(struct stream_run *run, struct error *error);

/** stream_run_close_modules - close files of the instance, so that it can be removed */
void stream_run_close_modules(struct stream_run *run);

#endif
