/* SPDX-License-Identifier: GPL-2.0-only */
/* The consecutive trace2 sessions of one recording. */
#ifndef CAPTURE_RENEWAL_H
#define CAPTURE_RENEWAL_H

#include "output/output.h"
#include "reader/reader.h"

/**
 * struct renewal - the open session
 * @every_ns: its length; 0 for one session
 * @due_ns: its end on the recording's clock
 * @lost_before: records that were lost in earlier sessions
 */
struct renewal {
	struct outputs *outputs;
	struct identity identity;
	int64_t every_ns;
	int64_t due_ns;
	uint64_t lost_before;
};

/** renewal_begin - the first session begins at @start_ns */
void renewal_begin(struct renewal *renewal, int64_t start_ns);

/** renewal_is_due - whether the session ends at @now_ns */
bool renewal_is_due(const struct renewal *renewal, int64_t now_ns);

/** renewal_wait_ms - time from @now_ns to the end of the session, @max_ms at most */
int renewal_wait_ms(const struct renewal *renewal, int64_t now_ns, int max_ms);

/**
 * renewal_run - finish the session, and begin the next one
 * @recording: of the old session; becomes that of the new one
 * @now_ns: all records up to this time were delivered
 * @wall_offset_ns: nanoseconds to add to the recording's clock to get those since 1970
 *
 * All targets are opened again: a file that was moved away is created again, a folder receives
 * another file, a socket another connection. Returns -1 with @error.
 */
int renewal_run(struct renewal *renewal, struct pipeline *pipeline, struct recording *recording,
		int64_t now_ns, int64_t wall_offset_ns, struct error *error);

#endif
