/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Time as text, in both directions. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

#include "base/error.h"

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/** time_now_ns - what a clock shows, in nanoseconds; 0 where this kernel does not have it */
int64_t time_now_ns(clockid_t clock);

/** time_wall_offset_ns - what to add to what a clock shows to get nanoseconds since 1970 */
int64_t time_wall_offset_ns(clockid_t clock);

/**
 * time_split - the second that a moment lies in, and the microsecond in it, both rounded down
 * @unix_ns: nanoseconds since 1970, of either sign
 * @us: the microsecond, 0 to 999999
 */
int64_t time_split(int64_t unix_ns, unsigned int *us);

/** TIME_DATE_SIZE - room for "YYYY-MM-DDThh:mm:ss" and its NUL, for any 64-bit time */
#define TIME_DATE_SIZE 40

/**
 * time_date_text - write the UTC date and second of @unix_s
 * @out: TIME_DATE_SIZE bytes
 * @unix_s: seconds since 1970, of either sign
 * @format: for strftime(), whose result fits
 */
void time_date_text(char *out, int64_t unix_s, const char *format);

/**
 * time_duration_parse - read a duration: a number, with or without a fraction, and one of ns us ms
 * s m h, or none for s
 * @out_ns: what it says
 *
 * Returns 0, or -1 with @error where it is no duration, negative, or more than 292 years.
 */
int time_duration_parse(const char *string, int64_t *out_ns, struct error *error);

/**
 * time_wall_parse - read a moment: "YYYY-MM-DDThh:mm:ssZ", or seconds since 1970 with or without a
 * fraction
 * @out_ns: nanoseconds since 1970
 *
 * Returns 0, or -1 with @error.
 */
int time_wall_parse(const char *string, int64_t *out_ns, struct error *error);

#endif
