/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Moments as text, without asking the system's calendar in most lines. */
#ifndef TRACE2_STAMP_H
#define TRACE2_STAMP_H

#include "base/base.h"

#define STAMP_DATE_SIZE 20

/**
 * struct stamp - what was found out for the last moment: it seldom changes from line to line
 * @has_date: @date is that of @date_s
 * @date: "YYYY-MM-DDThh:mm:ss", in UTC
 * @has_offset: @offset_s holds in the quarter of an hour @offset_quarter: no zone changes its
 * offset within one
 * @offset_s: local time less UTC
 * @is_frozen: @offset_s holds for ever; from then on nothing here calls what a signal handler may
 * not call
 */
struct stamp {
	bool has_date;
	int64_t date_s;
	char date[STAMP_DATE_SIZE];
	bool has_offset;
	int64_t offset_quarter;
	int64_t offset_s;
	bool is_frozen;
};

/** stamp_append_utc - add "YYYY-MM-DDThh:mm:ss.uuuuuuZ"; the fraction is cut, not rounded */
void stamp_append_utc(struct stamp *stamp, struct buffer *line, int64_t unix_ns);

/** stamp_append_clock - add local time, "hh:mm:ss.uuuuuu" */
void stamp_append_clock(struct stamp *stamp, struct buffer *line, int64_t unix_ns);

/** stamp_freeze - make ready for a signal handler at about @unix_ns */
void stamp_freeze(struct stamp *stamp, int64_t unix_ns);

#endif
