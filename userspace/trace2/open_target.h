/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Opens the value of a target: off, a descriptor, a file, a directory, or a socket. */
#ifndef TRACE2_OPEN_TARGET_H
#define TRACE2_OPEN_TARGET_H

#include "trace2/destination.h"
#include "trace2/trace2.h"

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
