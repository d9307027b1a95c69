/* SPDX-License-Identifier: GPL-2.0-only */
/* When a run ends: on a signal, after its duration, or with the traced command. */
#ifndef CAPTURE_STOP_H
#define CAPTURE_STOP_H

#include <signal.h>
#include <stdbool.h>

#include "base/base.h"
#include "capture/command.h"
#include "source/source.h"

/**
 * struct signals - a descriptor for signals
 * @fd: readable while a signal is pending; -1 after release
 * @before: the caller's dispositions, for child processes
 */
struct signals {
	int fd;
	struct command_signals before;
};

/**
 * signals_init - catch SIGCHLD, and every signal that would end the process and can be caught
 *
 * Signals that report a fault of the process keep their action. Signals ignored at start stay
 * ignored (nohup, a script's "&"). SIGPIPE and SIGXFSZ are ignored, so that writing fails instead.
 * Returns 0, or -1 with @error.
 */
int signals_init(struct signals *signals, struct error *error);

/**
 * signals_take - the next pending signal that requests an end
 * @was_sent: only this process received it; the terminal sends its signals to the command, too
 *
 * Returns its number, or 0 if there is none.
 */
int signals_take(struct signals *signals, bool *was_sent);

/**
 * signals_release - catch no more signals
 *
 * They stay blocked: a late signal must not change the status of a process that is about to end.
 */
void signals_release(struct signals *signals);

struct command;

/**
 * struct stop_condition - the end of a run
 * @command: the running traced command; NULL for none
 * @deadline_ns: end of the duration on the boot clock; 0 for none
 * @signal_number: the last signal that requested the end, 0 for none
 * @nr_requests: number of such signals
 * @patience_ns: when a blocked output is given up, 0 for never
 * @take: takes a signal that means something else to the run; returns false for another one; NULL
 * if all have their usual meaning
 *
 * A signal requests the end of the command, which receives it too, or without a command the end of
 * the run. After a second one, ktrack waits neither for the command nor for readers of the output.
 * SIGUSR1, SIGUSR2 and real-time signals do not request an end: they are forwarded to a command,
 * and ignored without one.
 */
struct stop_condition {
	struct signals signals;
	struct command *command;
	int64_t deadline_ns;
	int signal_number;
	unsigned int nr_requests;
	int64_t patience_ns;
	bool (*take)(void *context, int number);
	void *context;
};

/** stop_is_due - process pending signals; returns whether the recording is over at @now_ns */
bool stop_is_due(struct stop_condition *stop, int64_t now_ns);

/** stop_is_abandoned - whether ktrack ends before the command */
bool stop_is_abandoned(const struct stop_condition *stop);

/** stop_wait_ms - time from @now_ns to the deadline, @max_ms at most */
int stop_wait_ms(const struct stop_condition *stop, int64_t now_ns, int max_ms);

/**
 * stop_await_output - wait briefly for a blocked output
 * @fd: of the output, -1 if it cannot be polled
 *
 * After a signal requested the end, readers have one second. An output that cannot be polled is
 * given up when the recording is due to end. Returns 0 to try again, or -1 with errno ECANCELED to
 * give the output up.
 */
int stop_await_output(struct stop_condition *stop, int fd);

/** stop_set_deadline - end @duration_ns after @start_ns on the boot clock; 0 for no deadline */
void stop_set_deadline(struct stop_condition *stop, int64_t start_ns, int64_t duration_ns);

/** stop_now - end the recording now, whatever its duration */
void stop_now(struct stop_condition *stop);

/**
 * stop_is_asked_again - whether a signal that requests the end arrived after the run and its command
 * have ended
 */
bool stop_is_asked_again(struct stop_condition *stop);

/** stop_await_command - wait until the command has ended or is abandoned */
void stop_await_command(struct stop_condition *stop);

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
