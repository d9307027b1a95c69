/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace2 session id and command hierarchy of this run. */
#ifndef OUTPUT_IDENTITY_H
#define OUTPUT_IDENTITY_H

#include "base/base.h"

/** IDENTITY_ID_SIZE - size of a recording's id, with its NUL */
#define IDENTITY_ID_SIZE 17

/**
 * struct identity - session id and command hierarchy
 * @sid: after that of the parent program, if it has one
 * @hierarchy: likewise
 */
struct identity {
	char *sid;
	char *hierarchy;
};

/**
 * identity_init - make both, and pass them to child processes
 * @command: the last part of the hierarchy
 * @own_sid: the last part of the session id; NULL for one of time, host and process
 *
 * Reads and sets GIT_TRACE2_PARENT_SID and GIT_TRACE2_PARENT_NAME as git does: sessions of git
 * nest in ours, and ours in those of a parent git. Returns 0, or -1 with @error.
 */
int identity_init(struct identity *identity, const char *command, const char *own_sid,
		  struct error *error);

/** identity_renew - make a new session id for the same parent; returns -1 with @error */
int identity_renew(struct identity *identity, struct error *error);

void identity_release(struct identity *identity);

/**
 * identity_id - a hash that identifies a live recording
 * @out: IDENTITY_ID_SIZE bytes
 * @source: the instance
 * @start_ns: trace time of its start
 */
void identity_id(char *out, const char *source, int64_t start_ns);

#endif
