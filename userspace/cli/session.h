/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace2 sessions of one recording, which follow one another. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/identity.h"
#include "cli/outputs.h"
#include "cli/pipeline.h"

/**
 * struct session - the one that is open
 * @outputs: where it goes
 * @every_ns: how long it lasts; 0 where there is only one
 * @due_ns: when it is to end, on the recording's clock
 * @lost_before: how many records were lost in those before it
 */
struct session {
	struct outputs *outputs;
	struct identity identity;
	int64_t every_ns;
	int64_t due_ns;
	uint64_t lost_before;
};

/** session_begin - the first one begins at @start_ns */
void session_begin(struct session *session, int64_t start_ns);

/** session_is_due - whether it is to end at @now_ns */
bool session_is_due(const struct session *session, int64_t now_ns);

/**
 * session_renew - end the session in order, and begin the next
 * @recording: of the old one; becomes that of the new one
 * @now_ns: up to when all was delivered
 * @wall_offset_ns: what to add to the recording's clock now to get nanoseconds since 1970
 *
 * Targets are opened anew: what follows in a file that was moved away goes to a new one, a folder
 * gets one more file, a socket one more connection. Returns -1 with @error.
 */
int session_renew(struct session *session, struct pipeline *pipeline, struct recording *recording,
		  int64_t now_ns, int64_t wall_offset_ns, struct error *error);

#endif
