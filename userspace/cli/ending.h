/* SPDX-License-Identifier: GPL-2.0-only */
/* When a run ends: on a signal, after its duration, with the traced command. */
#ifndef CLI_ENDING_H
#define CLI_ENDING_H

#include "cli/signals.h"

/**
 * struct ending - what ends a run
 * @command: the traced command that is running; NULL for none
 * @deadline_ns: when the duration is over, on the boot clock; 0 for never
 * @signal_number: the last signal that asked for an end, 0 for none
 * @nr_requests: how many did
 * @patience_ns: when an output that takes nothing is given up, 0 for no such moment
 *
 * A signal asks for the end of the command, which gets it too, or without a command for ours. A
 * second one does not wait for the command, nor for readers of the output. SIGUSR1, SIGUSR2 and
 * real-time signals ask for no end: a command gets them, without one they are ignored.
 */
struct ending {
	struct signals signals;
	struct command *command;
	int64_t deadline_ns;
	int signal_number;
	unsigned int nr_requests;
	int64_t patience_ns;
};

/** ending_is_due - take pending signals, and say whether the recording is over at @now_ns */
bool ending_is_due(struct ending *ending, int64_t now_ns);

/** ending_is_abandoned - whether the command is to go on without us */
bool ending_is_abandoned(const struct ending *ending);

/** ending_wait_ms - how long to wait at @now_ns for the next look, @max_ms at most */
int ending_wait_ms(const struct ending *ending, int64_t now_ns, int max_ms);

/**
 * ending_await_output - wait for an output that takes nothing now, for a moment at most
 * @fd: what to wait for, -1 where nothing can be waited for
 *
 * Once a signal asked for the end, readers have a second to take something. Where nothing can be
 * waited for, it is given up when the recording is due to end. Returns 0 where the output is to be
 * tried again, or -1 with errno ECANCELED where it is given up.
 */
int ending_await_output(struct ending *ending, int fd);

/** ending_set_deadline - end @duration_ns after @start_ns on the boot clock; 0 for no such end */
void ending_set_deadline(struct ending *ending, int64_t start_ns, int64_t duration_ns);

/** ending_stop - the recording is over, whatever its duration is */
void ending_stop(struct ending *ending);

/** ending_await_command - wait until the command has ended or is abandoned */
void ending_await_command(struct ending *ending);

#endif
