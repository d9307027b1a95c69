/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Moments as text, without asking the system's calendar in most lines. */
#ifndef TRACE2_STAMP_H
#define TRACE2_STAMP_H

#include "base/base.h"

/** STAMP_UTC_SIZE, STAMP_CLOCK_SIZE - bytes of "YYYY-MM-DDThh:mm:ss." and of "hh:mm:ss." */
#define STAMP_UTC_SIZE 20
#define STAMP_CLOCK_SIZE 9

/** STAMP_SINCE_SIZE - room for all digits of a second since the session began, and a point */
#define STAMP_SINCE_SIZE 16

/** STAMP_MAX - room for a moment */
#define STAMP_MAX 32

/**
 * struct stamp_second - a second as text
 * @begin_ns: when it began
 * @span_ns: how long it is; 0 while none is known
 * @text: up to the point, behind which the fraction follows
 * @size: of @text
 */
struct stamp_second {
	int64_t begin_ns;
	uint64_t span_ns;
	char text[STAMP_UTC_SIZE];
	unsigned int size;
};

/**
 * struct stamp - what was found out for the last moment: it seldom changes from line to line
 * @utc, @clock, @since: the second that the last moment was in, in UTC, in local time, and since
 * the session began
 * @has_offset: @offset_s holds in the quarter of an hour @offset_quarter: no zone changes its
 * offset within one
 * @offset_s: local time less UTC
 * @shift_ns: how far the clock on the wall has gone ahead of what is asked for: it is set, and goes
 * on while the machine sleeps
 * @is_frozen: @offset_s holds for ever; from then on nothing here calls what a signal handler may
 * not call
 */
struct stamp {
	struct stamp_second utc;
	struct stamp_second clock;
	struct stamp_second since;
	bool has_offset;
	int64_t offset_quarter;
	int64_t offset_s;
	int64_t shift_ns;
	bool is_frozen;
};

/** stamp_find_utc, stamp_find_clock - let the second be the one that @unix_ns is in */
void stamp_find_utc(struct stamp *stamp, int64_t unix_ns);
void stamp_find_clock(struct stamp *stamp, int64_t unix_ns);

/** stamp_shift - let moments be shown as @shift_ns later than they are asked for */
void stamp_shift(struct stamp *stamp, int64_t shift_ns);

/** stamp_find_since - the same for the time since the session began, which is not negative */
void stamp_find_since(struct stamp *stamp, int64_t since_ns);

/** stamp_second_since - how far @unix_ns is behind the second's beginning; it is in it below
 * span_ns */
hot_inline uint64_t stamp_second_since(const struct stamp_second *second, int64_t unix_ns)
{
	return (uint64_t)unix_ns - (uint64_t)second->begin_ns;
}

/** stamp_put_utc - put "YYYY-MM-DDThh:mm:ss.uuuuuuZ"; the fraction is cut, not rounded */
hot_inline char *stamp_put_utc(struct stamp *stamp, char *out, int64_t unix_ns)
{
	if (stamp_second_since(&stamp->utc, unix_ns) >= stamp->utc.span_ns)
		stamp_find_utc(stamp, unix_ns);
	out = put_bytes(out, stamp->utc.text, STAMP_UTC_SIZE);
	out = put_six(out, stamp_second_since(&stamp->utc, unix_ns) / NS_PER_US);
	return put_char(out, 'Z');
}

/** stamp_put_clock - put local time, "hh:mm:ss.uuuuuu" */
hot_inline char *stamp_put_clock(struct stamp *stamp, char *out, int64_t unix_ns)
{
	if (stamp_second_since(&stamp->clock, unix_ns) >= stamp->clock.span_ns)
		stamp_find_clock(stamp, unix_ns);
	out = put_bytes(out, stamp->clock.text, STAMP_CLOCK_SIZE);
	return put_six(out, stamp_second_since(&stamp->clock, unix_ns) / NS_PER_US);
}

/** stamp_put_since - put the seconds since the session began, as put_seconds() */
hot_inline char *stamp_put_since(struct stamp *stamp, char *out, int64_t since_ns,
				 unsigned int decimals)
{
	if (stamp_second_since(&stamp->since, since_ns) >= stamp->since.span_ns) {
		if (since_ns < 0)
			return put_seconds(out, since_ns, decimals);
		stamp_find_since(stamp, since_ns);
	}
	put_bytes(out, stamp->since.text, STAMP_SINCE_SIZE);
	out += stamp->since.size;
	put_nine(out, stamp_second_since(&stamp->since, since_ns));
	return out + decimals;
}

/** stamp_freeze - make ready for a signal handler at about @unix_ns */
void stamp_freeze(struct stamp *stamp, int64_t unix_ns);

#endif
