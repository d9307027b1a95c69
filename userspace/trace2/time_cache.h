/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Times as text. The calendar is evaluated once per second of recorded time; lines copy its text
 * and append the fraction.
 */
#ifndef TRACE2_TIME_CACHE_H
#define TRACE2_TIME_CACHE_H

#include "base/base.h"

/** TIME_CACHE_TIME, TIME_CACHE_T_ABS - the beginnings of EVENT's members, cached with their seconds */
#define TIME_CACHE_TIME ",\"time\":\""
#define TIME_CACHE_T_ABS ",\"t_abs\":"

/** TIME_CACHE_CLOCK_SIZE - bytes of "hh:mm:ss." */
#define TIME_CACHE_CLOCK_SIZE 9

/** TIME_CACHE_UTC_SIZE - bytes of TIME_CACHE_TIME and "YYYY-MM-DDThh:mm:ss." */
#define TIME_CACHE_UTC_SIZE (sizeof(TIME_CACHE_TIME) - 1 + 20)

/** TIME_CACHE_SINCE_SIZE - fits the seconds of any session time, and a point */
#define TIME_CACHE_SINCE_SIZE 16

/** TIME_CACHE_MAX - bytes of a cached text, all of which are copied */
#define TIME_CACHE_MAX PUT_SLACK

/**
 * struct time_cache_second - one second as text
 * @begin_ns: its beginning
 * @span_ns: its length; 0 if no second is cached
 * @text: up to the point; the fraction follows. @utc and @since below begin with their members
 * @size: bytes of @text
 */
struct time_cache_second {
	int64_t begin_ns;
	uint64_t span_ns;
	char text[TIME_CACHE_MAX];
	unsigned int size;
};

/**
 * struct time_cache - the seconds that contain the last time printed
 * @utc, @clock: by Unix time, in UTC and in local time
 * @since: by the time since the session began
 * @begin_ns, @span_ns: times since the session began that both @utc and @since contain; @span_ns is 0
 * until time_cache_join()
 * @has_offset: @offset_s is valid in the quarter of an hour @offset_quarter; no time zone changes
 * its offset within one
 * @offset_s: local time minus UTC, in seconds
 * @shift_ns: added to every Unix time: the wall clock is set, and runs on while the machine sleeps
 * @is_frozen: @offset_s is valid forever; the cache then calls only async-signal-safe functions
 *
 * A zeroed cache is empty. Each thread has its own.
 */
struct time_cache {
	struct time_cache_second utc;
	struct time_cache_second clock;
	struct time_cache_second since;
	int64_t begin_ns;
	uint64_t span_ns;
	bool has_offset;
	int64_t offset_quarter;
	int64_t offset_s;
	int64_t shift_ns;
	bool is_frozen;
};

/** time_cache_set_utc, time_cache_set_clock - cache the second that contains @unix_ns */
void time_cache_set_utc(struct time_cache *times, int64_t unix_ns);
void time_cache_set_clock(struct time_cache *times, int64_t unix_ns);

/** time_cache_set_since - cache the second that contains @since_ns, which is not negative */
void time_cache_set_since(struct time_cache *times, int64_t since_ns);

/** time_cache_shift - print Unix times @shift_ns later than given */
void time_cache_shift(struct time_cache *times, int64_t shift_ns);

/** time_cache_freeze - prepare for use in a signal handler at about @unix_ns */
void time_cache_freeze(struct time_cache *times, int64_t unix_ns);

/** time_cache_second_since - nanoseconds since the second began; below @span_ns within it */
hot_inline uint64_t time_cache_second_since(const struct time_cache_second *second, int64_t time_ns)
{
	return (uint64_t)time_ns - (uint64_t)second->begin_ns;
}

/** time_cache_second_has - whether the second contains @time_ns */
hot_inline bool time_cache_second_has(const struct time_cache_second *second, int64_t time_ns)
{
	return time_cache_second_since(second, time_ns) < second->span_ns;
}

/** time_cache_join - let time_cache_has() find the seconds that are cached, of a session's start */
void time_cache_join(struct time_cache *times, int64_t start_unix_ns);

/**
 * time_cache_has - whether UTC and the time since the session began need no new second
 *
 * @is_cached of the put functions below is a constant; true if time_cache_has().
 */
hot_inline bool time_cache_has(const struct time_cache *times, int64_t since_ns)
{
	return (uint64_t)since_ns - (uint64_t)times->begin_ns < times->span_ns;
}

/**
 * time_cache_put_utc - put the member "time", "YYYY-MM-DDThh:mm:ss.uuuuuuZ", with a comma before it
 *
 * Nanoseconds are cut, not rounded.
 */
hot_inline char *time_cache_put_utc(struct time_cache *times, char *out, int64_t unix_ns,
				    const bool is_cached)
{
	if (!is_cached && !time_cache_second_has(&times->utc, unix_ns))
		time_cache_set_utc(times, unix_ns);
	put_slack(out, times->utc.text);
	out += TIME_CACHE_UTC_SIZE;
	out = put_nine_part(out, time_cache_second_since(&times->utc, unix_ns), 6);
	return PUT_LITERAL(out, "Z\"");
}

/** time_cache_put_clock - put local time, "hh:mm:ss.uuuuuu" */
hot_inline char *time_cache_put_clock(struct time_cache *times, char *out, int64_t unix_ns)
{
	if (unlikely(!time_cache_second_has(&times->clock, unix_ns)))
		time_cache_set_clock(times, unix_ns);
	out = put_bytes(out, times->clock.text, TIME_CACHE_CLOCK_SIZE);
	return put_nine_part(out, time_cache_second_since(&times->clock, unix_ns), 6);
}

/** time_cache_put_t_abs - put the member "t_abs", as put_seconds() does, with a comma before it */
hot_inline char *time_cache_put_t_abs(struct time_cache *times, char *out, int64_t since_ns,
				      unsigned int decimals, const bool is_cached)
{
	if (!is_cached && !time_cache_second_has(&times->since, since_ns)) {
		if (since_ns < 0)
			return put_seconds(PUT_LITERAL(out, TIME_CACHE_T_ABS), since_ns, decimals);
		time_cache_set_since(times, since_ns);
	}
	put_slack(out, times->since.text);
	out += times->since.size;
	put_nine(out, time_cache_second_since(&times->since, since_ns));
	return out + decimals;
}

/** time_cache_put_since_right - put_seconds_right() of a time since the session began */
hot_inline char *time_cache_put_since_right(struct time_cache *times, char *out, int64_t since_ns,
					    unsigned int decimals, size_t width)
{
	const size_t begin = sizeof(TIME_CACHE_T_ABS) - 1;
	size_t whole, size;

	if (since_ns < 0)
		return put_seconds_right(out, since_ns, decimals, width);
	if (!time_cache_second_has(&times->since, since_ns))
		time_cache_set_since(times, since_ns);
	whole = times->since.size - begin;
	size = whole + decimals;
	put_slack(out, put_blank_block);
	out += width > size ? width - size : 0;
	put_bytes(out, times->since.text + begin, TIME_CACHE_SINCE_SIZE);
	put_nine(out + whole, time_cache_second_since(&times->since, since_ns));
	return out + size;
}

#endif
