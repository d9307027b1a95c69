/* SPDX-License-Identifier: GPL-2.0-only */
/* When a run ends: on a signal, after its duration, or with the traced command. */
#ifndef SESSION_STOP_H
#define SESSION_STOP_H

#include "session/signals.h"

struct command;

/**
 * struct stop_condition - the end of a run
 * @command: the running traced command; NULL for none
 * @deadline_ns: end of the duration on the boot clock; 0 for none
 * @signal_number: the last signal that requested the end, 0 for none
 * @nr_requests: number of such signals
 * @patience_ns: when a blocked output is given up, 0 for never
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

/** stop_await_command - wait until the command has ended or is abandoned */
void stop_await_command(struct stop_condition *stop);

#endif
