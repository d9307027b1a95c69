/* SPDX-License-Identifier: GPL-2.0-only */
/* The read loop of record, stream, export and stat, and the progress line on a terminal. */
#ifndef CAPTURE_READ_LOOP_H
#define CAPTURE_READ_LOOP_H

#include "capture/stop.h"
#include "source/source.h"

/**
 * struct progress_counts - counts at one moment
 * @file_bytes: size of the file, 0 if there is none
 */
struct progress_counts {
	struct buffer_counts records;
	uint64_t file_bytes;
};

/**
 * struct progress - a line that is replaced again and again
 * @report: shows the line; NULL if progress is off
 * @buffer_bytes: size of all ring buffers
 * @shown_ns: time of the last line
 * @shown: counts of the last line
 */
struct progress {
	const struct report *report;
	uint64_t buffer_bytes;
	int64_t shown_ns;
	struct buffer_counts shown;
};

/** progress_begin - progress stays off unless @report has a terminal */
void progress_begin(struct progress *progress, const struct report *report, uint64_t buffer_bytes,
		    int64_t now_ns);

/** progress_is_due - whether a new line is to be shown */
bool progress_is_due(const struct progress *progress, int64_t now_ns);

/** progress_show - show a line with the counts at @now_ns */
void progress_show(struct progress *progress, const struct progress_counts *now, int64_t now_ns);

/** progress_end - remove the line */
void progress_end(struct progress *progress);

/** progress_text - append the line to @out */
void progress_text(const struct progress *progress, const struct progress_counts *now,
		   int64_t now_ns, struct buffer *out);

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
