/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that end a run in order, and the one that tells of the traced command. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/base.h"

/**
 * struct signals - signals as something to poll
 * @fd: readable while one is pending; -1 in a released one
 * @before: the mask as it was, for children and for the way back
 */
struct signals {
	int fd;
	sigset_t before;
};

/**
 * signals_init - take SIGINT, SIGTERM, SIGHUP and SIGCHLD from now on, and ignore SIGPIPE; returns
 * -1 with @error
 */
int signals_init(struct signals *signals, struct error *error);

/**
 * signals_take - the next pending signal that asks for an end
 * @was_sent: a process sent it to us alone; one from the terminal has reached the traced command
 * too
 *
 * Returns its number, or 0 where there is none.
 */
int signals_take(struct signals *signals, bool *was_sent);

/**
 * signals_release - let signals act as before; only SIGPIPE stays ignored, for what is still to be
 * written
 */
void signals_release(struct signals *signals);

#endif
