/* SPDX-License-Identifier: GPL-2.0-only */
/* The read loop of record, stream, export and stat. */
#ifndef SESSION_READ_LOOP_H
#define SESSION_READ_LOOP_H

#include "session/progress.h"
#include "session/stop.h"

/**
 * struct read_loop - what one run does in each round of the loop
 * @context: for the functions
 * @stop: ends the loop
 * @progress: shown on a terminal
 * @wake_fd: readable on a signal or a change of modules
 * @wait_max_ms: longest wait of a round
 * @wait: waits for records, for @wake_fd or for @timeout_ms; NULL if nothing more is written
 * @read: reads the records of one round; returns -1 with @error
 * @count: counts records for @progress; NULL if @progress is off
 * @is_full: whether the size limit is reached; NULL without one
 */
struct read_loop {
	void *context;
	struct stop_condition *stop;
	struct progress *progress;
	int wake_fd;
	int wait_max_ms;
	void (*wait)(void *context, int wake_fd, int timeout_ms);
	int (*read)(void *context, struct error *error);
	void (*count)(void *context, struct progress_counts *out);
	bool (*is_full)(void *context);
};

/**
 * read_loop_run - read records until the stop condition is due, and once more after that
 *
 * Returns 0, or -1 with @error.
 */
int read_loop_run(const struct read_loop *loop, struct error *error);

#endif
