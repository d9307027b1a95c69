/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where finished lines go: an open file descriptor, with or without a block of lines in between. */
#ifndef TRACE2_DESTINATION_H
#define TRACE2_DESTINATION_H

#include "base/base.h"
#include "trace2/trace2.h"

/**
 * struct destination - where a target goes
 * @name: what errors call it
 * @is_on: there is a @fd, and writing to it has not failed; threads may ask and turn it off at once
 * @is_owned: @fd is closed in the end
 * @is_datagram: what is written at once arrives as one message: so each line by itself
 * @is_socket, @is_file: what @fd is and stays, because it is owned; a borrowed one may become a
 * pipe at any time, so it is neither, as are pipes and the rest
 * @is_sentinel: @fd is the file that tells that a folder is full
 * @lines: whole lines that have not left yet
 *
 * Zeroed it goes nowhere.
 */
struct destination {
	char *name;
	int fd;
	bool is_on;
	bool is_owned;
	bool is_datagram;
	bool is_socket;
	bool is_file;
	bool is_sentinel;
	struct buffer lines;
};

/** destination_init - going nowhere yet; returns -1 where memory ran out */
int destination_init(struct destination *destination, const char *name);

/** destination_set - go to @fd from now on */
void destination_set(struct destination *destination, int fd, bool is_owned);

/** destination_is_on - whether lines go anywhere */
static inline bool destination_is_on(const struct destination *destination)
{
	return __atomic_load_n(&destination->is_on, __ATOMIC_RELAXED);
}

/** destination_turn_off - write no more; returns whether this call was the one that did it */
bool destination_turn_off(struct destination *destination);

/**
 * destination_write - write whole lines, without being killed where the reader of a pipe has gone
 * @settings: where they are lenient, this is one write(2), of which a short one is taken as it is,
 * as git does: a rest might land within another process' line. Otherwise a destination that takes
 * nothing now is waited for
 *
 * Returns -1 with @error.
 */
int destination_write(const struct destination *destination, const struct buffer *lines,
		      const struct trace2_settings *settings, struct error *error);

/** destination_release - close; what was not flushed is lost */
void destination_release(struct destination *destination);

#endif
