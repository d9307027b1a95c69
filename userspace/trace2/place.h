/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the value of a target says: nowhere, a descriptor, a file, a folder, a socket. */
#ifndef TRACE2_PLACE_H
#define TRACE2_PLACE_H

#include "trace2/destination.h"
#include "trace2/trace2.h"

enum place_result {
	PLACE_OFF,
	PLACE_OPEN,
	/** the value is clear, but it cannot be opened */
	PLACE_FAILED,
	/** the value is none */
	PLACE_UNKNOWN,
};

/**
 * place_open - let @destination go to where @value says; with @error where it fails or is unknown
 */
enum place_result place_open(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error);

/** place_failed - what cannot be opened; returns PLACE_FAILED with @error */
enum place_result place_failed(const struct destination *destination, const char *path,
			       struct error *error);

/**
 * place_create - make a file that was not there, for whom and as the settings say
 * @flags: of open(), besides
 *
 * Returns a descriptor, or -1 with errno.
 */
int place_create(const char *path, int flags, const struct trace2_settings *settings);

/**
 * folder_open - a file of the session's own in the folder @path, or the sentinel where the folder
 * is full
 */
enum place_result folder_open(struct destination *destination,
			      const struct trace2_settings *settings, const char *path,
			      struct error *error);

/** socket_open - a connection to a Unix socket; @value is all of "af_unix:[stream:|dgram:]PATH" */
enum place_result socket_open(struct destination *destination,
			      const struct trace2_settings *settings, const char *value,
			      struct error *error);

/** is_socket_value - whether @value is meant for socket_open() */
bool is_socket_value(const char *value);

#endif
