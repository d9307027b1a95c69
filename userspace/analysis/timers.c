// SPDX-License-Identifier: GPL-2.0-only
/* A table of timers by their addresses. */
#include "analysis/timers.h"

#include <stdlib.h>

/** JIFFIES_MIN - number of jiffies over which their length is measured at least */
#define JIFFIES_MIN 4

static bool timer_has_address(const void *value, const void *key)
{
	return ((const struct armed_timer *)value)->address == *(const uint64_t *)key;
}

static struct armed_timer *timer_get(struct timers *timers, uint64_t address)
{
	uint64_t hash = hash_number(address);
	struct armed_timer *timer = map_find(&timers->map, hash, timer_has_address, &address);

	if (timer)
		return timer;
	if (timers->map.size >= TIMERS_MAX)
		timers_release(timers);
	timer = malloc(sizeof(*timer));
	if (timer && map_insert(&timers->map, hash, timer) < 0) {
		free(timer);
		return NULL;
	}
	return timer;
}

int timers_arm(struct timers *timers, const struct armed_timer *timer)
{
	struct armed_timer *kept = timer_get(timers, timer->address);

	if (!kept)
		return -1;
	*kept = *timer;
	return 0;
}

const struct armed_timer *timers_find(const struct timers *timers, uint64_t address)
{
	return map_find(&timers->map, hash_number(address), timer_has_address, &address);
}

void timers_count_jiffies(struct timers *timers, int64_t jiffies, int64_t time_ns)
{
	int64_t passed;

	if (__builtin_sub_overflow(jiffies, timers->first_jiffies, &passed))
		passed = 0;
	if (!timers->has_jiffies) {
		timers->has_jiffies = true;
		timers->first_jiffies = jiffies;
		timers->first_ns = time_ns;
	} else if (passed >= JIFFIES_MIN) {
		timers->jiffy_ns = (time_ns - timers->first_ns) / passed;
	}
}

void timers_release(struct timers *timers)
{
	for (size_t i = 0; i < timers->map.capacity; i++)
		free(timers->map.slots[i].value);
	map_release(&timers->map);
}
