/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a run of ktrack stream. */
#ifndef CLI_STREAM_STATE_H
#define CLI_STREAM_STATE_H

#include <sys/utsname.h>

#include "cli/modules.h"
#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/stream.h"

/** struct tell - as of when a tracepoint is recorded, which is to be told when that is due */
struct tell {
	int64_t time_ns;
	const struct template *template;
	enum timeline_recorded recorded;
};

/**
 * struct run - all that a run holds
 * @capture: its head
 * @command_ns: when the command began
 * @drained_ns: everything up to here has been delivered
 * @modules: that come and go
 * @tells: what is to be told of them, in order of time
 * @command_end_is_told: the stream has the command's end
 */
struct run {
	struct capture capture;
	struct stream_settings *settings;
	struct session session;
	struct progress progress;
	struct pipeline pipeline;
	struct source *source;
	struct recording recording;
	struct utsname kernel;
	char id[IDENTITY_ID_SIZE];
	int64_t command_ns;
	int64_t drained_ns;
	struct modules modules;
	struct tell *tells;
	size_t nr_tells;
	bool command_end_is_told;
};

/**
 * run_is_circular - whether records stay in the buffers until recording is off, and the oldest give
 * way
 */
static inline bool run_is_circular(const struct run *run)
{
	return run->settings->capture.recorder.mode->is_read_at_end;
}

/** run_set_up - from the choice of tracepoints to open targets; returns -1 with @error */
int run_set_up(struct run *run, struct error *error);

/** run_describe - what the stream says of itself, which begins now; returns -1 with @error */
int run_describe(struct run *run, struct error *error);

/** run_now_ns - what the clock of the records shows */
int64_t run_now_ns(const struct run *run);

/**
 * run_stop_recording - what is written from now on is no matter of this run; returns -1 with @error
 */
int run_stop_recording(struct run *run, struct error *error);

/** run_set_deadline - the duration counts from now on */
void run_set_deadline(struct run *run);

/**
 * run_watch - notice modules from now on, but for an instance that somebody else set up; returns -1
 * with @error
 */
int run_watch(struct run *run, struct error *error);

/**
 * run_catch_up - recording is on: record what came since run_watch(); returns -1 with @error
 *
 * With --wait the stream has a line for each tracepoint that is recorded, however early it came.
 */
int run_catch_up(struct run *run, struct error *error);

/**
 * run_follow - follow modules from now on, but for an instance that somebody else set up; the
 * source is open; returns -1 with @error
 */
int run_follow(struct run *run, struct error *error);

/** run_wake_fd - can be read when a signal or a module has come */
int run_wake_fd(const struct run *run);

/** run_deliver - deliver all up to a moment that has passed; returns -1 with @error */
int run_deliver(struct run *run, int64_t until_ns, struct error *error);

/** run_see_modules - see which modules have come and gone; returns -1 with @error */
int run_see_modules(struct run *run, struct error *error);

/**
 * run_see_changes - report what others did to our instance, in its place; returns -1 with @error
 *
 * If they changed its clock, the recording is over.
 */
int run_see_changes(struct run *run, struct error *error);

/** run_take_leave - of the instance's files, which keep it from being removed */
void run_take_leave(struct run *run);

#endif
