/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where finished lines go: a file descriptor, with or without a block of lines in between. */
#ifndef TRACE2_DESTINATION_H
#define TRACE2_DESTINATION_H

#include "base/base.h"

/**
 * struct destination - an open target
 * @fd: -1 where there is none
 * @name: what errors call it
 * @lines: whole lines that have not left yet
 */
struct destination {
	int fd;
	char *name;
	struct buffer lines;
};

/** destination_init - take over @fd; returns -1 where memory ran out, and closes @fd */
int destination_init(struct destination *destination, int fd, const char *name);

/** destination_flush - let all lines leave; returns -1 with @error */
int destination_flush(struct destination *destination, struct error *error);

/** destination_release - close; what was not flushed is lost */
void destination_release(struct destination *destination);

#endif
