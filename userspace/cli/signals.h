/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that end a run in order, and the one that tells of the traced command. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/base.h"
#include "recorder/recorder.h"

/**
 * struct signals - signals as something to poll
 * @fd: readable while one is pending; -1 in a released one
 * @before: what the caller had made of signals, for children
 */
struct signals {
	int fd;
	struct command_signals before;
};

/**
 * signals_init - take SIGCHLD, and every signal that would end the process and can be taken, from
 * now on
 *
 * Those that report a fault of the process itself stay as they are, and so do those that the caller
 * ignores (nohup, a script's "&"). SIGPIPE and SIGXFSZ are ignored, so that writing fails instead.
 * Returns -1 with @error.
 */
int signals_init(struct signals *signals, struct error *error);

/**
 * signals_take - the next pending signal that asks for an end
 * @was_sent: it came to us alone; one from the terminal's keyboard has reached the traced command
 * too
 *
 * Returns its number, or 0 where there is none.
 */
int signals_take(struct signals *signals, bool *was_sent);

/**
 * signals_release - take no more signals; they stay blocked: what comes late is not to change the
 * status of a process that is about to end
 */
void signals_release(struct signals *signals);

#endif
