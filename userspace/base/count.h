/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sums of counts that a file may state as any number. */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#include <stdint.h>

/** COUNT_MAX - limit of a sum: consumers read numbers with a sign */
#define COUNT_MAX ((uint64_t)INT64_MAX)

/** count_sum - the sum of two counts, up to COUNT_MAX */
static inline uint64_t count_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum > COUNT_MAX ? COUNT_MAX : sum;
}

#endif
