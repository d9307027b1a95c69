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

/** time_now_ns - the time of a clock in nanoseconds; 0 if the kernel lacks the clock */
int64_t time_now_ns(clockid_t clock);

/**
 * time_wall_error_ns - the kernel's limit of the error of the wall clock, in nanoseconds; -1 if
 * nothing synchronizes it (adjtimex(2): maxerror, STA_UNSYNC)
 */
int64_t time_wall_error_ns(void);

/** time_wall_offset_ns - the wall clock minus @clock, in nanoseconds */
int64_t time_wall_offset_ns(clockid_t clock);

/**
 * time_split - the second of a time, and the microsecond within it, both rounded down
 * @unix_ns: nanoseconds since 1970, of either sign
 * @us: the microsecond, 0 to 999999
 */
int64_t time_split(int64_t unix_ns, unsigned int *us);

/** TIME_DATE_SIZE - fits "YYYY-MM-DDThh:mm:ss" and a NUL, for any 64-bit time */
#define TIME_DATE_SIZE 40

/**
 * time_date_text - write the UTC date and second of @unix_s
 * @out: TIME_DATE_SIZE bytes
 * @unix_s: seconds since 1970, of either sign
 * @format: for strftime(); the result must fit
 */
void time_date_text(char *out, int64_t unix_s, const char *format);

/** time_duration_parse - parse a number, and a unit: ns us ms s m h; seconds without one */
int time_duration_parse(const char *string, int64_t *out_ns, struct error *error);

/**
 * time_wall_parse - parse "YYYY-MM-DDThh:mm:ssZ", or seconds since 1970, which may have a fraction
 * @out_ns: nanoseconds since 1970
 *
 * Returns 0, or -1 with @error.
 */
int time_wall_parse(const char *string, int64_t *out_ns, struct error *error);

#endif
