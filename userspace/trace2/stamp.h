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

/** STAMP_BEFORE_SIZE - bytes that EVENT has before a second: the name of its member */
#define STAMP_BEFORE_SIZE 9

/** STAMP_MAX - room for a moment up to its milliseconds */
#define STAMP_MAX 32

/**
 * struct stamp_second - a second as text
 * @begin_ns: when it began
 * @span_ns: how long it is; 0 while none is known
 * @text: up to the point, behind which the fraction follows; behind what EVENT has before it.
 * While there is a window, its millisecond is behind the point
 * @size: of the text, without what is before it
 */
struct stamp_second {
	int64_t begin_ns;
	uint64_t span_ns;
	char text[STAMP_MAX];
	unsigned int size;
};

/**
 * struct stamp_window - while neither the millisecond of UTC nor that since the session began
 * changes, both of which are behind the texts of their seconds then
 * @begin_ns, @span_ns: since the session began; the span is 0 while none is known
 * @rest_ns: how far into the millisecond since the session began the window begins
 * @ahead_us: how far ahead UTC is in its own
 */
struct stamp_window {
	int64_t begin_ns;
	uint64_t span_ns;
	uint32_t rest_ns;
	uint32_t ahead_us;
};

/**
 * struct stamp - what was found out for the last moment: it seldom changes from line to line
 * @utc, @clock, @since: the second that the last moment was in, in UTC, in local time, and since
 * the session began
 * @window: in which @utc and @since are the seconds, and have milliseconds
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
	struct stamp_window window;
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

/**
 * stamp_find_window - let the window be around a moment
 * @start_unix_ns: when the session began
 *
 * Returns false where the moment is before the session began, or that was not at a whole
 * microsecond: there is no window then.
 */
bool stamp_find_window(struct stamp *stamp, int64_t start_unix_ns, int64_t since_ns);

/** stamp_has - whether a moment is in the window */
hot_inline bool stamp_has(const struct stamp *stamp, int64_t since_ns)
{
	return (uint64_t)since_ns - (uint64_t)stamp->window.begin_ns < stamp->window.span_ns;
}

/** stamp_rest - the nanoseconds of a moment in the window, below a million */
hot_inline uint32_t stamp_rest(const struct stamp *stamp, int64_t since_ns)
{
	return (uint32_t)(since_ns - stamp->window.begin_ns) + stamp->window.rest_ns;
}

/** stamp_put_time - put EVENT's member of the time, for a stamp_rest() */
hot_inline char *stamp_put_time(const struct stamp *stamp, char *out, uint32_t rest_ns)
{
	put_slack(out, stamp->utc.text);
	out = put_three(out + STAMP_BEFORE_SIZE + STAMP_UTC_SIZE + 3,
			rest_ns / 1000 + stamp->window.ahead_us);
	return PUT_LITERAL(out, "Z\"");
}

/** stamp_put_t_abs - put EVENT's member of the time since the session began, likewise */
hot_inline char *stamp_put_t_abs(const struct stamp *stamp, char *out, uint32_t rest_ns,
				 unsigned int decimals)
{
	put_slack(out, stamp->since.text);
	out += STAMP_BEFORE_SIZE + stamp->since.size;
	put_six(out + 3, rest_ns);
	return out + decimals;
}

/** stamp_second_since - how far @unix_ns is behind the second's beginning; it is in it below
 * span_ns */
hot_inline uint64_t stamp_second_since(const struct stamp_second *second, int64_t unix_ns)
{
	return (uint64_t)unix_ns - (uint64_t)second->begin_ns;
}

/** stamp_second_has - whether @unix_ns, or a time since the session began, is in the second */
hot_inline bool stamp_second_has(const struct stamp_second *second, int64_t unix_ns)
{
	return stamp_second_since(second, unix_ns) < second->span_ns;
}

/** stamp_put_utc - put "YYYY-MM-DDThh:mm:ss.uuuuuuZ"; the fraction is cut, not rounded */
hot_inline char *stamp_put_utc(struct stamp *stamp, char *out, int64_t unix_ns)
{
	if (!stamp_second_has(&stamp->utc, unix_ns))
		stamp_find_utc(stamp, unix_ns);
	out = put_bytes(out, stamp->utc.text + STAMP_BEFORE_SIZE, STAMP_UTC_SIZE);
	out = put_six(out, stamp_second_since(&stamp->utc, unix_ns) / NS_PER_US);
	return put_char(out, 'Z');
}

/** stamp_put_clock - put local time, "hh:mm:ss.uuuuuu" */
hot_inline char *stamp_put_clock(struct stamp *stamp, char *out, int64_t unix_ns)
{
	if (!stamp_second_has(&stamp->clock, unix_ns))
		stamp_find_clock(stamp, unix_ns);
	out = put_bytes(out, stamp->clock.text + STAMP_BEFORE_SIZE, STAMP_CLOCK_SIZE);
	return put_six(out, stamp_second_since(&stamp->clock, unix_ns) / NS_PER_US);
}

/** stamp_put_since - put the seconds since the session began, as put_seconds() */
hot_inline char *stamp_put_since(struct stamp *stamp, char *out, int64_t since_ns,
				 unsigned int decimals)
{
	if (!stamp_second_has(&stamp->since, since_ns)) {
		if (since_ns < 0)
			return put_seconds(out, since_ns, decimals);
		stamp_find_since(stamp, since_ns);
	}
	put_bytes(out, stamp->since.text + STAMP_BEFORE_SIZE, STAMP_SINCE_SIZE);
	out += stamp->since.size;
	put_nine(out, stamp_second_since(&stamp->since, since_ns));
	return out + decimals;
}

/** stamp_freeze - make ready for a signal handler at about @unix_ns */
void stamp_freeze(struct stamp *stamp, int64_t unix_ns);

#endif
