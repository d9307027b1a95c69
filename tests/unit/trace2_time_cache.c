// SPDX-License-Identifier: GPL-2.0-only
/* Tests of times as text: local times of any zone, and dates. */
#include "trace2/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixtures/tap.h"

/* 2023-03-01T00:00:00Z; zones below change their offset on this day, or one of the next. */
#define MARCH_S INT64_C(1677628800)
#define HOUR_S 3600
#define MINUTE_S 60

static struct time_cache times;

static void zone_set(const char *zone)
{
	times = (struct time_cache){ 0 };
	setenv("TZ", zone, 1);
	tzset();
}

/* Local time, as a cache that has seen earlier times has it. */
static const char *clock_at(int64_t unix_s)
{
	static char text[TIME_CACHE_MAX + 16];

	*time_cache_put_clock(&times, text, unix_s * NS_PER_S) = '\0';
	return text;
}

static const char *date_at(int64_t unix_s)
{
	static char text[2 * TIME_CACHE_MAX + 16];
	static struct time_cache utc;
	char *end = time_cache_put_utc(&utc, text, unix_s * NS_PER_S, false);

	*end = '\0';
	return text + strlen(TIME_CACHE_TIME);
}

TEST(offsets_are_quarters_of_an_hour_on_both_sides_of_utc)
{
	zone_set("XXX-5:30");
	CHECK_TEXT(clock_at(MARCH_S), "05:30:00.000000");
	zone_set("XXX-5:45");
	CHECK_TEXT(clock_at(MARCH_S), "05:45:00.000000");
	zone_set("XXX3:30");
	CHECK_TEXT(clock_at(MARCH_S), "20:30:00.000000");
	zone_set("XXX0");
	CHECK_TEXT(clock_at(MARCH_S), "00:00:00.000000");
}

/* At 02:00 local time of March 2, which is no full hour of UTC. */
TEST(an_offset_changes_within_an_hour_of_utc)
{
	zone_set("XXX-5:30YYY,J61/2,J300/2");
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 1 * MINUTE_S), "01:31:00.000000");
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 29 * MINUTE_S), "01:59:00.000000");
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 30 * MINUTE_S), "03:00:00.000000");
	/* At 02:45, as on the Chatham Islands. */
	zone_set("XXX-12:45YYY,J61/2:30,J300/2");
	CHECK_TEXT(clock_at(MARCH_S + 13 * HOUR_S + 44 * MINUTE_S), "02:29:00.000000");
	CHECK_TEXT(clock_at(MARCH_S + 13 * HOUR_S + 45 * MINUTE_S), "03:30:00.000000");
}

/* A thread may print times of others, which are earlier. */
TEST(an_offset_is_that_of_the_time_also_backwards)
{
	zone_set("XXX-5:30YYY,J61/2,J300/2");
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 31 * MINUTE_S), "03:01:00.000000");
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 29 * MINUTE_S), "01:59:00.000000");
}

/* A signal handler must not ask the C library. */
TEST(a_frozen_offset_stays)
{
	zone_set("XXX-5:30YYY,J61/2,J300/2");
	time_cache_freeze(&times, (MARCH_S + 20 * HOUR_S) * NS_PER_S);
	CHECK_TEXT(clock_at(MARCH_S + 20 * HOUR_S + 31 * MINUTE_S), "02:01:00.000000");
}

TEST(dates_have_leap_days_in_every_fourth_year_but_for_centuries)
{
	CHECK_TEXT(date_at(INT64_C(951782400)), "2000-02-29T00:00:00.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(951868800)), "2000-03-01T00:00:00.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(4107455999)), "2100-02-27T23:59:59.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(4107542400)), "2100-03-01T00:00:00.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(4133894400)), "2100-12-31T00:00:00.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(4133980800)), "2101-01-01T00:00:00.000000Z\"");
	CHECK_TEXT(date_at(INT64_C(-1)), "1969-12-31T23:59:59.000000Z\"");
}
