/* SPDX-License-Identifier: GPL-2.0-only */
/* Who this run is in trace2's terms, and whose child. */
#ifndef CLI_IDENTITY_H
#define CLI_IDENTITY_H

#include "base/base.h"

/** IDENTITY_ID_SIZE - room for a recording's id and its NUL */
#define IDENTITY_ID_SIZE 17

/**
 * struct identity - session id and command hierarchy
 * @sid: behind that of the program that started us, if it told
 * @hierarchy: likewise
 */
struct identity {
	char *sid;
	char *hierarchy;
};

/**
 * identity_init - make both, and tell them to the programs that this one starts
 * @command: the last part of the hierarchy
 * @own_sid: the last part of the session id; NULL for one of time, host and process
 *
 * Reads and sets GIT_TRACE2_PARENT_SID and GIT_TRACE2_PARENT_NAME, as git does, so that a git below
 * us nests in our session, and ours in a git above. Returns 0, or -1 with @error.
 */
int identity_init(struct identity *identity, const char *command, const char *own_sid,
		  struct error *error);

/** identity_renew - another session of the same program and parent; returns -1 with @error */
int identity_renew(struct identity *identity, struct error *error);

void identity_release(struct identity *identity);

/**
 * identity_id - a stable hash for a live recording
 * @out: IDENTITY_ID_SIZE bytes
 * @source: the instance
 * @start_ns: trace time at which it begins; with the kernel's boot id it makes the recording unique
 */
void identity_id(char *out, const char *source, int64_t start_ns);

#endif
