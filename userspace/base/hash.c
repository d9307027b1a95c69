// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Seeded hashes of numbers and texts. */
#include "base/hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The second is a multiplier, and 0 until both are set. */
static uint64_t seeds[2];

/* Early in boot there are no random numbers, but stack addresses are randomized. */
static out_of_line void seeds_init(void)
{
	if (getrandom(seeds, sizeof(seeds), GRND_NONBLOCK) != (ssize_t)sizeof(seeds))
		seeds[0] = seeds[1] = (uintptr_t)&seeds ^ (uintptr_t)__builtin_frame_address(0);
	seeds[1] |= 1;
}

static const uint64_t *seeds_get(void)
{
	if (!seeds[1])
		seeds_init();
	return seeds;
}

uint64_t hash_number(uint64_t number)
{
	const uint64_t *seed = seeds_get();
	unsigned __int128 product = (unsigned __int128)(number ^ seed[0]) * seed[1];
	uint64_t hash = (uint64_t)(product >> 64) ^ (uint64_t)product;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

uint64_t hash_text(struct text text)
{
	return XXH3_64bits_withSeed(text.data, text.size, seeds_get()[0]);
}
