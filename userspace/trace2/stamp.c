// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Moments as text: the calendar is worked out here, because gmtime() takes a lock that a signal
 * handler must not wait for.
 */
#include "trace2/stamp.h"

#include <string.h>
#include <time.h>

#define DAY_S 86400
#define QUARTER_S 900
#define DAYS_IN_400_YEARS 146097

/* From 0000-03-01, where the leap day is a year's last, to 1970-01-01. */
#define DAYS_BEFORE_1970 719468

static int64_t floor_divide(int64_t number, int64_t divisor)
{
	return number / divisor - (number % divisor < 0);
}

/* Writes @number with @digits digits; returns where it ends. */
static char *digits_put(char *out, unsigned int number, int digits)
{
	for (int i = digits - 1; i >= 0; i--) {
		out[i] = '0' + number % 10;
		number /= 10;
	}
	return out + digits;
}

static char *clock_put(char *out, unsigned int second)
{
	out = digits_put(out, second / 3600, 2);
	*out++ = ':';
	out = digits_put(out, second / 60 % 60, 2);
	*out++ = ':';
	return digits_put(out, second % 60, 2);
}

/* Years are counted from March here, so that months have a regular length but for the last. */
static char *date_put(char *out, int64_t day_since_1970)
{
	int64_t day = day_since_1970 + DAYS_BEFORE_1970;
	int64_t cycle = floor_divide(day, DAYS_IN_400_YEARS);
	unsigned int in_cycle = day - cycle * DAYS_IN_400_YEARS;
	unsigned int year = (in_cycle - in_cycle / 1460 + in_cycle / 36524 - in_cycle / 146096) /
			    365;
	unsigned int in_year = in_cycle - (365 * year + year / 4 - year / 100);
	unsigned int month = (5 * in_year + 2) / 153;
	unsigned int is_next_year = month >= 10;

	out = digits_put(out, cycle * 400 + year + is_next_year, 4);
	*out++ = '-';
	out = digits_put(out, is_next_year ? month - 9 : month + 3, 2);
	*out++ = '-';
	return digits_put(out, in_year - (153 * month + 2) / 5 + 1, 2);
}

/*
 * Lets a second begin, that @time_ns is in when it is shown as @shift_ns later; returns which one
 * it is then.
 */
static int64_t second_begin(struct stamp_second *second, int64_t time_ns, int64_t shift_ns)
{
	int64_t number = floor_divide(time_ns + shift_ns, NS_PER_S);

	second->begin_ns = (int64_t)((uint64_t)number * NS_PER_S - (uint64_t)shift_ns);
	second->span_ns = NS_PER_S;
	return number;
}

void stamp_find_utc(struct stamp *stamp, int64_t unix_ns)
{
	int64_t second = second_begin(&stamp->utc, unix_ns, stamp->shift_ns);
	int64_t day = floor_divide(second, DAY_S);
	char *out = date_put(stamp->utc.text + STAMP_BEFORE_SIZE, day);

	stamp->window.span_ns = 0;
	memcpy(stamp->utc.text, ",\"time\":\"", STAMP_BEFORE_SIZE);
	out = clock_put(put_char(out, 'T'), second - day * DAY_S);
	put_char(out, '.');
}

static void offset_find(struct stamp *stamp, int64_t second)
{
	int64_t quarter = floor_divide(second, QUARTER_S);
	time_t moment = second;
	struct tm parts;

	if (stamp->is_frozen || (stamp->has_offset && quarter == stamp->offset_quarter))
		return;
	stamp->offset_s = localtime_r(&moment, &parts) ? parts.tm_gmtoff : 0;
	stamp->offset_quarter = quarter;
	stamp->has_offset = true;
}

void stamp_find_clock(struct stamp *stamp, int64_t unix_ns)
{
	int64_t second = second_begin(&stamp->clock, unix_ns, stamp->shift_ns);
	char *out;

	offset_find(stamp, second);
	second += stamp->offset_s;
	out = clock_put(stamp->clock.text + STAMP_BEFORE_SIZE,
			second - floor_divide(second, DAY_S) * DAY_S);
	put_char(out, '.');
}

void stamp_shift(struct stamp *stamp, int64_t shift_ns)
{
	if (shift_ns == stamp->shift_ns)
		return;
	stamp->shift_ns = shift_ns;
	stamp->utc.span_ns = 0;
	stamp->clock.span_ns = 0;
	stamp->window.span_ns = 0;
}

void stamp_find_since(struct stamp *stamp, int64_t since_ns)
{
	struct stamp_second *since = &stamp->since;
	char text[PUT_NUMBER_MAX + PUT_SLACK];

	stamp->window.span_ns = 0;
	since->size = put_char(put_unsigned(text, second_begin(since, since_ns, 0)), '.') - text;
	memcpy(since->text, ",\"t_abs\":", STAMP_BEFORE_SIZE);
	memcpy(since->text + STAMP_BEFORE_SIZE, text, STAMP_SINCE_SIZE);
}

/* Lets the seconds be those of a moment, where they are not. */
static void seconds_find(struct stamp *stamp, int64_t unix_ns, int64_t since_ns)
{
	if (!stamp_second_has(&stamp->utc, unix_ns))
		stamp_find_utc(stamp, unix_ns);
	if (!stamp_second_has(&stamp->since, since_ns))
		stamp_find_since(stamp, since_ns);
}

static void millisecond_put(char *out, uint32_t number)
{
	memcpy(out, put_triples[number], 3);
}

/* The nanoseconds are below a second; those within their milliseconds are cut alike. */
static void window_begin(struct stamp *stamp, uint32_t utc_ns, uint32_t since_ns)
{
	struct stamp_window *window = &stamp->window;
	uint32_t utc_rest_ns = utc_ns % NS_PER_MS, rest_ns = since_ns % NS_PER_MS;

	millisecond_put(stamp->utc.text + STAMP_BEFORE_SIZE + STAMP_UTC_SIZE, utc_ns / NS_PER_MS);
	millisecond_put(stamp->since.text + STAMP_BEFORE_SIZE + stamp->since.size,
			since_ns / NS_PER_MS);
	window->rest_ns = rest_ns;
	window->ahead_us = utc_rest_ns / NS_PER_US - rest_ns / NS_PER_US;
	window->span_ns = NS_PER_MS - (utc_rest_ns > rest_ns ? utc_rest_ns : rest_ns);
}

bool stamp_find_window(struct stamp *stamp, int64_t start_unix_ns, int64_t since_ns)
{
	int64_t unix_ns;
	uint32_t utc_rest_ns, since_rest_ns;

	stamp->window.span_ns = 0;
	if (since_ns < 0 || __builtin_add_overflow(start_unix_ns, since_ns, &unix_ns))
		return false;
	seconds_find(stamp, unix_ns, since_ns);
	utc_rest_ns = stamp_second_since(&stamp->utc, unix_ns);
	since_rest_ns = stamp_second_since(&stamp->since, since_ns);
	if (utc_rest_ns % NS_PER_US != since_rest_ns % NS_PER_US)
		return false;
	stamp->window.begin_ns = since_ns;
	window_begin(stamp, utc_rest_ns, since_rest_ns);
	return true;
}

void stamp_freeze(struct stamp *stamp, int64_t unix_ns)
{
	offset_find(stamp, floor_divide(unix_ns, NS_PER_S));
	stamp->is_frozen = true;
}
