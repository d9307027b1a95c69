/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording that goes on shows to whoever sits at the terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "source/source.h"

/**
 * struct progress - a line that is replaced again and again
 * @room_bytes: what all buffers hold together
 * @shown_ns: when it was shown last
 * @shown: what it was made of
 */
struct progress {
	bool is_on;
	uint64_t room_bytes;
	int64_t shown_ns;
	struct source_counts shown;
};

/** progress_begin - nothing is shown unless standard error is a terminal */
void progress_begin(struct progress *progress, uint64_t room_bytes, int64_t now_ns);

/** progress_show - show how far @source has come at @now_ns, if it is time to */
void progress_show(struct progress *progress, struct source *source, int64_t now_ns);

/** progress_end - let the line go */
void progress_end(struct progress *progress);

/** progress_text - the line; @now is what is counted at @now_ns */
void progress_text(const struct progress *progress, const struct source_counts *now, int64_t now_ns,
		   struct buffer *out);

#endif
