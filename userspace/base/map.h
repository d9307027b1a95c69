/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A hash table of pointers, with keys that the caller hashes and compares.
 *
 * Our own: hsearch() is one table per process, and GLib would be a dependency for 140 lines.
 *
 * Each process has its own seed of hashes, so that an input cannot contain keys that collide. No
 * output may depend on them.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct map_slot {
	uint64_t hash;
	void *value;
};

/**
 * struct map - pointers found by a 64-bit hash and a comparison
 *
 * Open addressing with linear probing, at most three quarters full. A zeroed struct is an empty
 * map. The caller owns the values.
 */
struct map {
	struct map_slot *slots;
	size_t capacity;
	size_t size;
};

/** map_release - free the table, not the values */
void map_release(struct map *map);
/** map_free - free the values with free(3), and the table */
void map_free(struct map *map);

/** map_for_each - visit all values in any order; the map must not change meanwhile */
#define map_for_each(map, one)                                   \
	for (size_t slot_ = 0; slot_ < (map)->capacity; slot_++) \
		if (!((one) = (map)->slots[slot_].value)) {      \
		} else

/** map_find - the value with @hash for which @equals(value, @key) is true, or NULL */
static inline void *map_find(const struct map *map, uint64_t hash,
			     bool (*equals)(const void *value, const void *key), const void *key)
{
	size_t mask = map->capacity - 1;

	if (map->size == 0)
		return NULL;
	for (size_t i = hash & mask; map->slots[i].value; i = (i + 1) & mask) {
		if (map->slots[i].hash == hash && equals(map->slots[i].value, key))
			return map->slots[i].value;
	}
	return NULL;
}

/** map_insert - add @value, which is not in the map yet; -1, and no change, without memory */
int map_insert(struct map *map, uint64_t hash, void *value);
/** map_take - the same with a @value of malloc(3) or NULL; returns it, or NULL and frees it */
void *map_take(struct map *map, uint64_t hash, void *value);
/** map_remove - remove @value, which was inserted with @hash; does nothing if it is absent */
void map_remove(struct map *map, uint64_t hash, const void *value);

/** hash_seeds - of this process; the second is a multiplier, and 0 until both are set */
extern uint64_t hash_seeds[2];

/** hash_seeds_init - set the seeds */
void hash_seeds_init(void);

hot_inline const uint64_t *hash_seeds_get(void)
{
	if (unlikely(!hash_seeds[1]))
		hash_seeds_init();
	return hash_seeds;
}

/** hash_number - hash a number; for several, hash the next plus the hash of the previous ones */
hot_inline uint64_t hash_number(uint64_t number)
{
	const uint64_t *seed = hash_seeds_get();
	unsigned __int128 product = (unsigned __int128)(number ^ seed[0]) * seed[1];
	uint64_t hash = (uint64_t)(product >> 64) ^ (uint64_t)product;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/** hash_numbers - hash several numbers and @hash; zeros at their end make no difference */
uint64_t hash_numbers(uint64_t hash, const uint64_t *numbers, size_t nr_numbers);
/** hash_text - hash the bytes of a text with libxxhash, which is not worth a call for a number */
uint64_t hash_text(struct text text);

#endif
