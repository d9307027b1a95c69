// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Clocks, dates and durations. */
#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#define OFFSET_SAMPLES 5

int64_t time_now_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Of several samples, the one with the shortest time around the reading of the wall clock counts.
 */
int64_t time_wall_offset_ns(clockid_t clock)
{
	int64_t best_width_ns = INT64_MAX, offset_ns = 0;

	for (int i = 0; i < OFFSET_SAMPLES; i++) {
		int64_t before_ns = time_now_ns(clock);
		int64_t wall_ns = time_now_ns(CLOCK_REALTIME);
		int64_t width_ns = time_now_ns(clock) - before_ns;

		if (width_ns >= best_width_ns)
			continue;
		best_width_ns = width_ns;
		offset_ns = wall_ns - (before_ns + width_ns / 2);
	}
	return offset_ns;
}

int64_t time_wall_error_ns(void)
{
	struct timex state = { 0 };

	if (adjtimex(&state) < 0 || (state.status & STA_UNSYNC))
		return -1;
	return state.maxerror * NS_PER_US;
}

int64_t time_split(int64_t unix_ns, unsigned int *us)
{
	int64_t rest_ns = unix_ns % NS_PER_S;
	bool is_before = rest_ns < 0;

	*us = (rest_ns + is_before * NS_PER_S) / NS_PER_US;
	return unix_ns / NS_PER_S - is_before;
}

void time_date_text(char *out, int64_t unix_s, const char *format)
{
	time_t seconds = unix_s;
	struct tm parts = { 0 };

	gmtime_r(&seconds, &parts);
	if (strftime(out, TIME_DATE_SIZE, format, &parts) == 0)
		out[0] = '\0';
}

struct duration_unit {
	const char *name;
	double ns;
};

static const struct duration_unit duration_units[] = {
	{ "", 1e9 },  { "ns", 1 },   { "us", 1e3 },   { "ms", 1e6 },
	{ "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
};

static double unit_ns(const char *name)
{
	for (size_t i = 0; i < sizeof(duration_units) / sizeof(duration_units[0]); i++) {
		if (strcmp(duration_units[i].name, name) == 0)
			return duration_units[i].ns;
	}
	return 0;
}

int time_duration_parse(const char *string, int64_t *out_ns, struct error *error)
{
	/* strtod() also accepts blanks, signs, exponents and hexadecimal digits. */
	size_t size = strspn(string, "0123456789.");
	char *end = NULL;
	double ns = strtod(string, &end) * unit_ns(string + size);

	if (size == 0 || end != string + size || unit_ns(end) == 0 || !(ns < (double)INT64_MAX))
		return error_set(error,
				 "'%s' is no duration; write a number with ns, us, ms, s, m or h",
				 string);
	*out_ns = (int64_t)(ns + 0.5);
	return 0;
}

/* A double cannot represent today's nanoseconds, so the fraction is parsed by digits. */
static int seconds_parse(const char *string, int64_t *out_ns)
{
	char *end;
	long long seconds = strtoll(string, &end, 10);
	int64_t unit_ns = NS_PER_S, fraction_ns = 0;

	if (end == string || seconds < 0 || seconds > INT64_MAX / NS_PER_S - 1)
		return -1;
	if (*end == '.') {
		for (end++; *end >= '0' && *end <= '9'; end++) {
			unit_ns /= 10;
			fraction_ns += (*end - '0') * unit_ns;
		}
	}
	*out_ns = seconds * NS_PER_S + fraction_ns;
	return *end ? -1 : 0;
}

int time_wall_parse(const char *string, int64_t *out_ns, struct error *error)
{
	struct tm parts = { 0 };
	const char *end = strptime(string, "%Y-%m-%dT%H:%M:%SZ", &parts);

	if (end && !*end) {
		*out_ns = timegm(&parts) * NS_PER_S;
		return 0;
	}
	if (seconds_parse(string, out_ns) == 0)
		return 0;
	return error_set(error,
			 "'%s' is no time; write YYYY-MM-DDThh:mm:ssZ, or seconds since 1970",
			 string);
}
