/* SPDX-License-Identifier: GPL-2.0-only */
/* The progress line of a recording on a terminal. */
#ifndef SESSION_PROGRESS_H
#define SESSION_PROGRESS_H

#include "source/source.h"

/**
 * struct progress_counts - counts at one moment
 * @file_bytes: size of the file, 0 if there is none
 */
struct progress_counts {
	struct buffer_counts records;
	uint64_t file_bytes;
};

/**
 * struct progress - a line that is replaced again and again
 * @report: shows the line; NULL if progress is off
 * @buffer_bytes: size of all ring buffers
 * @shown_ns: time of the last line
 * @shown: counts of the last line
 */
struct progress {
	const struct report *report;
	uint64_t buffer_bytes;
	int64_t shown_ns;
	struct buffer_counts shown;
};

/** progress_begin - progress stays off unless @report has a terminal */
void progress_begin(struct progress *progress, const struct report *report, uint64_t buffer_bytes,
		    int64_t now_ns);

/** progress_is_due - whether a new line is to be shown */
bool progress_is_due(const struct progress *progress, int64_t now_ns);

/** progress_show - show a line with the counts at @now_ns */
void progress_show(struct progress *progress, const struct progress_counts *now, int64_t now_ns);

/** progress_end - remove the line */
void progress_end(struct progress *progress);

/** progress_text - append the line to @out */
void progress_text(const struct progress *progress, const struct progress_counts *now,
		   int64_t now_ns, struct buffer *out);

#endif
