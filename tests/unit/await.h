/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for the end of a command, which is bound to come. */
#ifndef UNIT_AWAIT_H
#define UNIT_AWAIT_H

#include <unistd.h>

#include "recorder/recorder.h"
#include "tap.h"

#define AWAIT_MS 20000

static inline void command_await(struct command *command)
{
	for (int ms = 0; ms < AWAIT_MS && !command_has_ended(command); ms++)
		usleep(1000);
	CHECK(command_has_ended(command));
}

#endif
