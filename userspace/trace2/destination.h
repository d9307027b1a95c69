/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The destination of a target: an open file descriptor, and lines that are buffered for it. */
#ifndef TRACE2_DESTINATION_H
#define TRACE2_DESTINATION_H

#include "base/base.h"
#include "trace2/trace2.h"

/**
 * struct destination - the destination of a target
 * @name: for messages
 * @is_on: @fd is open and no write has failed; accessed atomically, by any thread
 * @is_owned: @fd is closed with the destination
 * @is_added: @fd is the caller's choice, see trace2_session_add()
 * @is_datagram: each write is one message, so each line is written alone
 * @is_socket, @is_file: the type of an owned @fd, the latter also for devices; neither is set for a
 * borrowed one, which its owner may replace at any time
 * @is_sentinel: @fd is the file that marks a directory as full
 * @lines: whole lines that are not written yet
 *
 * A zeroed struct is off.
 */
struct destination {
	char *name;
	int fd;
	bool is_on;
	bool is_owned;
	bool is_added;
	bool is_datagram;
	bool is_socket;
	bool is_file;
	bool is_sentinel;
	struct buffer lines;
};

/** destination_init - set the name, copied; returns -1 if memory ran out */
int destination_init(struct destination *destination, const char *name);

/** destination_set - turn the destination on, with descriptor @fd */
void destination_set(struct destination *destination, int fd, bool is_owned);

/** destination_is_on - whether lines are written */
static inline bool destination_is_on(const struct destination *destination)
{
	return __atomic_load_n(&destination->is_on, __ATOMIC_RELAXED);
}

/** destination_turn_off - stop writing; returns whether it was on. Any thread may call it */
bool destination_turn_off(struct destination *destination);

/**
 * destination_write - write whole lines; never raises SIGPIPE
 * @settings: if lenient, one write(2), and a short one counts as complete, as in git: the rest
 * might end up within another process' line. Otherwise waits until all is written
 *
 * Returns 0, or -1 with @error.
 */
int destination_write(const struct destination *destination, const struct buffer *lines,
		      const struct trace2_settings *settings, struct error *error);

/** destination_release - close an owned descriptor; lines that are not written are lost */
void destination_release(struct destination *destination);

#endif
