/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a run, and SIGCHLD of the traced command. */
#ifndef SESSION_SIGNALS_H
#define SESSION_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/base.h"
#include "session/command.h"

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

#endif
