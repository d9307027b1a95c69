/* SPDX-License-Identifier: GPL-2.0-only */
/* Pseudo-random numbers for tests, the same in every run. */
#ifndef UNIT_DICE_H
#define UNIT_DICE_H

#include <stdint.h>

/** struct dice - the state of a xorshift64 generator; anything but 0 */
struct dice {
	uint64_t state;
};

static inline uint64_t dice_roll(struct dice *dice)
{
	dice->state ^= dice->state << 13;
	dice->state ^= dice->state >> 7;
	dice->state ^= dice->state << 17;
	return dice->state;
}

/** dice_below - 0 to @bound - 1 */
static inline uint64_t dice_below(struct dice *dice, uint64_t bound)
{
	return dice_roll(dice) % bound;
}

#endif
