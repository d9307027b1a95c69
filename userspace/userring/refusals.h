/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that were refused, and why. */
#ifndef USERRING_REFUSALS_H
#define USERRING_REFUSALS_H

#include "base/base.h"

/** REFUSALS_NAMED - so many are named, the others counted */
#define REFUSALS_NAMED 10

/** REFUSALS_MAX - so many are distinguished */
#define REFUSALS_MAX 4096

/** struct refusals - @text names the first; @pids has @size processes */
struct refusals {
	struct buffer text;
	int pids[REFUSALS_MAX];
	size_t size;
};

/** refusals_add - add a process, unless it was added before; @comm may be "" */
void refusals_add(struct refusals *refusals, int pid, const char *comm, const char *reason);

/** refusals_text - the first, with their reasons, and how many others there are */
const char *refusals_text(struct refusals *refusals);

/** refusals_report - report them on one line, if there are any */
void refusals_report(struct refusals *refusals, const struct report *report);

void refusals_release(struct refusals *refusals);

/**
 * refusal_reason - why a memory is refused
 * @number: errno of program_open(), or EBUSY if a search has left out the process
 */
const char *refusal_reason(int number);

#endif
