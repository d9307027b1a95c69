/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers of the kernel: when each was armed, by whom, and how late it expired. */
#ifndef ANALYSIS_TIMERS_H
#define ANALYSIS_TIMERS_H

#include "analysis/history.h"

/** TIMERS_MAX - limit of armed timers; when it is reached, all are forgotten */
#define TIMERS_MAX 16384

/**
 * struct armed_timer - a timer
 * @address: of the kernel's struct
 * @expires: when it has to expire, on a clock that is not the recording's
 */
struct armed_timer {
	uint64_t address;
	int64_t expires;
	int64_t armed_ns;
	struct waker writer;
};

/**
 * struct timers - all timers, and the length of a jiffy; a zeroed struct has none
 * @first_jiffies, @first_ns: the first record with a number of jiffies
 * @jiffy_ns: 0 if it is unknown
 */
struct timers {
	struct map map;
	bool has_jiffies;
	int64_t first_jiffies;
	int64_t first_ns;
	int64_t jiffy_ns;
};

/** timers_arm - a timer was armed; returns -1 if memory ran out */
int timers_arm(struct timers *timers, const struct armed_timer *timer);

/** timers_find - the last time that a timer was armed, NULL if it is unknown */
const struct armed_timer *timers_find(const struct timers *timers, uint64_t address);

/** timers_count_jiffies - learn the length of a jiffy from a record with their number */
void timers_count_jiffies(struct timers *timers, int64_t jiffies, int64_t time_ns);

void timers_release(struct timers *timers);

#endif
