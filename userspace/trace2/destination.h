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

/** enum open_result - the result of opening a target */
enum open_result {
	OPEN_OFF,
	OPEN_OPEN,
	/** the value is valid, but cannot be opened */
	OPEN_FAILED,
	/** the value is invalid */
	OPEN_UNKNOWN,
};

/**
 * open_target - open @value and set @destination; sets @error if that fails
 */
enum open_result open_target(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error);

/** open_target_failed - set @error from errno for @path; returns OPEN_FAILED */
enum open_result open_target_failed(const struct destination *destination, const char *path,
				    struct error *error);

/**
 * open_target_create - create a new file with the owner and mode of the settings
 * @flags: further flags of open(2)
 *
 * Returns a descriptor, or -1 with errno; EEXIST if the file exists.
 */
int open_target_create(const char *path, int flags, const struct trace2_settings *settings);

/**
 * folder_target_open - create a file for the session in the directory @path; the sentinel if the
 * directory is full
 */
enum open_result folder_target_open(struct destination *destination,
				    const struct trace2_settings *settings, const char *path,
				    struct error *error);

/** socket_target_open - connect to a Unix socket; @value is "af_unix:[stream:|dgram:]PATH" */
enum open_result socket_target_open(struct destination *destination,
				    const struct trace2_settings *settings, const char *value,
				    struct error *error);

/** is_socket_value - whether @value is for socket_target_open() */
bool is_socket_value(const char *value);

#endif
