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

/** progress_is_due - whether it is time to show something, so that it is to be counted */
bool progress_is_due(const struct progress *progress, int64_t now_ns);

/**
 * progress_show - show how far the recording has come at @now_ns
 * @now: what is counted then
 * @size_bytes: how large the file is, 0 where there is none
 */
void progress_show(struct progress *progress, const struct source_counts *now, uint64_t size_bytes,
		   int64_t now_ns);

/** progress_end - let the line go */
void progress_end(struct progress *progress);

/** progress_text - the line */
void progress_text(const struct progress *progress, const struct source_counts *now,
		   uint64_t size_bytes, int64_t now_ns, struct buffer *out);

#endif
