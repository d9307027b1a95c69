// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Times as text. The calendar is our own, because gmtime() takes a lock that a signal handler must
 * not wait for.
 */
#include "trace2/session.h"

#include <string.h>
#include <time.h>

#define DAY_S 86400
#define QUARTER_S 900
#define DAYS_IN_400_YEARS 146097
/* From 0000-03-01 to 1970-01-01: a year that begins in March ends with its leap day. */
#define DAYS_BEFORE_1970 719468

static int64_t divide_down(int64_t number, int64_t divisor)
{
	return number / divisor - (number % divisor < 0);
}

static char *calendar_put(char *out, unsigned int number, int digits)
{
	for (int i = digits - 1; i >= 0; i--) {
		out[i] = '0' + number % 10;
		number /= 10;
	}
	return out + digits;
}

static char *clock_put(char *out, unsigned int second)
{
	out = calendar_put(out, second / 3600, 2);
	*out++ = ':';
	out = calendar_put(out, second / 60 % 60, 2);
	*out++ = ':';
	return calendar_put(out, second % 60, 2);
}

/* Years begin in March: the lengths of months are regular then, except for the last. */
static char *date_put(char *out, int64_t day_since_1970)
{
	int64_t day = day_since_1970 + DAYS_BEFORE_1970;
	int64_t cycle = divide_down(day, DAYS_IN_400_YEARS);
	unsigned int in_cycle = day - cycle * DAYS_IN_400_YEARS;
	unsigned int year = (in_cycle - in_cycle / 1460 + in_cycle / 36524 - in_cycle / 146096) /
			    365;
	unsigned int in_year = in_cycle - (365 * year + year / 4 - year / 100);
	unsigned int month = (5 * in_year + 2) / 153;
	unsigned int is_next_year = month >= 10;

	out = calendar_put(out, cycle * 400 + year + is_next_year, 4);
	*out++ = '-';
	out = calendar_put(out, is_next_year ? month - 9 : month + 3, 2);
	*out++ = '-';
	return calendar_put(out, in_year - (153 * month + 2) / 5 + 1, 2);
}

/* Begins the second that contains @time_ns + @shift_ns; returns its number. */
static int64_t second_begin(struct time_cache_second *second, int64_t time_ns, int64_t shift_ns)
{
	int64_t number = divide_down(time_ns + shift_ns, NS_PER_S);

	second->begin_ns = (int64_t)((uint64_t)number * NS_PER_S - (uint64_t)shift_ns);
	second->span_ns = NS_PER_S;
	return number;
}

void time_cache_set_utc(struct time_cache *times, int64_t unix_ns)
{
	int64_t second = second_begin(&times->utc, unix_ns, times->shift_ns);
	int64_t day = divide_down(second, DAY_S);
	char *out = date_put(PUT_LITERAL(times->utc.text, TIME_CACHE_TIME), day);

	out = clock_put(put_char(out, 'T'), second - day * DAY_S);
	put_char(out, '.');
	times->span_ns = 0;
}

static void offset_update(struct time_cache *times, int64_t second)
{
	int64_t quarter = divide_down(second, QUARTER_S);
	time_t moment = second;
	struct tm parts;

	if (times->is_frozen || (times->has_offset && quarter == times->offset_quarter))
		return;
	times->offset_s = localtime_r(&moment, &parts) ? parts.tm_gmtoff : 0;
	times->offset_quarter = quarter;
	times->has_offset = true;
}

void time_cache_set_clock(struct time_cache *times, int64_t unix_ns)
{
	int64_t second = second_begin(&times->clock, unix_ns, times->shift_ns);
	char *out;

	offset_update(times, second);
	second += times->offset_s;
	out = clock_put(times->clock.text, second - divide_down(second, DAY_S) * DAY_S);
	put_char(out, '.');
}

void time_cache_set_since(struct time_cache *times, int64_t since_ns)
{
	struct time_cache_second *since = &times->since;
	char text[PUT_NUMBER_MAX + PUT_SLACK];

	char *out = PUT_LITERAL(text, TIME_CACHE_T_ABS);

	since->size = put_char(put_unsigned(out, second_begin(since, since_ns, 0)), '.') - text;
	memcpy(since->text, text, TIME_CACHE_MAX);
	times->span_ns = 0;
}

void time_cache_join(struct time_cache *times, int64_t start_unix_ns)
{
	const struct time_cache_second *utc = &times->utc, *since = &times->since;
	int64_t utc_ns = (int64_t)((uint64_t)utc->begin_ns - (uint64_t)start_unix_ns);
	bool is_utc_later = utc_ns > since->begin_ns;
	int64_t begin_ns = is_utc_later ? utc_ns : since->begin_ns;
	uint64_t distance_ns = (uint64_t)begin_ns -
			       (uint64_t)(is_utc_later ? since->begin_ns : utc_ns);

	times->begin_ns = begin_ns;
	times->span_ns = 0;
	if (utc->span_ns > 0 && since->span_ns > 0 && distance_ns < NS_PER_S)
		times->span_ns = NS_PER_S - distance_ns;
}

void time_cache_shift(struct time_cache *times, int64_t shift_ns)
{
	if (shift_ns == times->shift_ns)
		return;
	times->shift_ns = shift_ns;
	times->utc.span_ns = 0;
	times->clock.span_ns = 0;
	times->span_ns = 0;
}

void time_cache_freeze(struct time_cache *times, int64_t unix_ns)
{
	offset_update(times, divide_down(unix_ns, NS_PER_S));
	times->is_frozen = true;
}
