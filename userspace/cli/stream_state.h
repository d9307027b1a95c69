/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a run of ktrack stream. */
#ifndef CLI_STREAM_STATE_H
#define CLI_STREAM_STATE_H

#include <sys/utsname.h>

#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/stream.h"

/**
 * struct run - all that a run holds
 * @capture: its head
 * @command_ns: when the command began
 * @drained_ns: everything up to here has been delivered
 * @lost: how many records were lost in all
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
	uint64_t lost;
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

#endif
