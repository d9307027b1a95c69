/* SPDX-License-Identifier: GPL-2.0-only */
/* When a run ends: on a signal, after its duration, or with the traced command. */
#ifndef CAPTURE_STOP_H
#define CAPTURE_STOP_H

#include <signal.h>
#include <stdbool.h>

#include "base/base.h"
#include "capture/command.h"

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

#endif
